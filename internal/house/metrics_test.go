package house

import (
	"strings"
	"testing"
)

// TestMetricsStandAside holds that counting is nobody's business but that of metrics and of
// the package at the root, so that a program without a registerer pays nothing for it.
func TestMetricsStandAside(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for target, files := range p.imports {
			switch dir, ok := inside(target); {
			case ok && dir == "metrics" && p.dir != ".":
				t.Errorf("%s imports metrics (%s); the package at the root alone does", p.dir, strings.Join(files, ", "))
			case strings.HasPrefix(target, "github.com/prometheus/client_golang") && p.dir != "." && p.dir != "metrics":
				t.Errorf("%s imports %s (%s)", p.dir, target, strings.Join(files, ", "))
			}
		}
	}
}
