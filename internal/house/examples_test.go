package house

import (
	"path/filepath"
	"testing"
)

// TestExamplesImportTheRootAlone holds that the public package is all that a program needs:
// its examples import nothing else of the module, but the test kit.
func TestExamplesImportTheRootAlone(t *testing.T) {
	t.Parallel()
	set, files := parsed(t, filepath.Join(root, "example*_test.go"), filepath.Join(root, "examples", "embed", "main.go"))
	if len(files) < 10 {
		t.Fatalf("%d examples were found", len(files))
	}
	for _, f := range files {
		for _, i := range f.Imports {
			if dir, ok := inside(i.Path.Value[1 : len(i.Path.Value)-1]); ok && dir != "." && dir != "swarmtest" {
				t.Errorf("%s imports %s; give it an alias or a constructor in the package swarm", set.Position(i.Pos()).Filename, dir)
			}
		}
	}
}
