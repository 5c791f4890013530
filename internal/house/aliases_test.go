package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedAliases holds that the table of docs/embedding.md sends to the packages
// that the aliases of the root package stand for.
func TestDocumentedAliases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	stands := map[string]string{} // package.Name by alias
	alias := regexp.MustCompile(`(?m)^(?:type |\t)([A-Z]\w*)\s+= ([a-z]+\.[A-Z]\w*)`)
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range alias.FindAllStringSubmatch(string(code), -1) {
			stands[m[1]] = m[2]
		}
	}
	row := regexp.MustCompile("(?m)^\\| (.+) \\| `…/swarm/([a-z/]+)` \\|$")
	name := regexp.MustCompile("`(\\w+)`(?: \\(`(\\w+)`\\))?")
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) == 0 {
		t.Fatal("docs/embedding.md has no such table")
	}
	for _, r := range rows {
		for _, n := range name.FindAllStringSubmatch(r[1], -1) {
			want := n[2]
			if want == "" {
				want = n[1]
			}
			if want = r[2][strings.LastIndexByte(r[2], '/')+1:] + "." + want; stands[n[1]] != want {
				t.Errorf("%s stands for %q, docs/embedding.md says %q", n[1], stands[n[1]], want)
			}
		}
	}
}
