package actors

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnlyThisPackageImportsTheEngine walks the module.
func TestOnlyThisPackageImportsTheEngine(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != ".." && (strings.HasPrefix(n, ".") || n == "testdata" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // the compiler says so
		}
		ours := strings.HasPrefix(filepath.ToSlash(path), "../actors/")
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "asynkron/protoactor-go") {
				if seen++; !ours {
					t.Errorf("%s imports %s", path, i.Path.Value)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no importer found: does the walk see the module?")
	}
}
