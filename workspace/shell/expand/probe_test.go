package expand

import (
	"os"
	"strings"
	"testing"
)

// TestProbes compares the hand-written probes of testdata/probes.txt, which empty lines
// part, with the real bash.
func TestProbes(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/probes.txt")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "probes", strings.Split(strings.TrimSpace(string(b)), "\n\n"))
}
