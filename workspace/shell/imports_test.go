package shell_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What no worker runs: tests and their kits, the directories of projections, and the pool's side of this
// package.
var (
	poolDirs  = []string{"host", "project", "shelltest", "command/commandtest"}
	poolFiles = []string{"spawn.go", "spawn_unix.go", "spawn_linux.go", "spawn_darwin.go", "spawn_other.go", "tree.go", "inprocess.go"}
)

var (
	bannedImports = []string{"os/exec", "net", "net/http", "os/user", "plugin", "mime", "C", "mvdan.cc/sh/v3/interp"}
	bannedCalls   = map[string][]string{
		"os": {
			"Open", "OpenFile", "OpenRoot", "OpenInRoot", "Create", "CreateTemp", "MkdirTemp", "ReadFile", "WriteFile", "ReadDir", "DirFS",
			"Stat", "Lstat", "Readlink", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Hostname", "Getwd", "Chdir", "UserHomeDir", "StartProcess",
		},
		"filepath": {"Walk", "WalkDir", "Glob", "EvalSymlinks", "Abs"},
		"time":     {"LoadLocation"},
		"syscall":  {"Open", "Stat", "Lstat", "Exec", "ForkExec", "Getenv", "Environ"},
	}
)

// What a worker runs reaches the host through the view alone.
func TestWorkerReachesTheHostThroughTheViewAlone(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(poolDirs, name) || d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_")):
			return filepath.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || slices.Contains(poolFiles, name):
			return nil
		}
		seen++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		imported := map[string]bool{}
		for _, i := range f.Imports {
			target := strings.Trim(i.Path.Value, `"`)
			imported[path.Base(target)] = true
			if slices.Contains(bannedImports, target) {
				t.Errorf("%s imports %s", name, target)
			}
		}
		if path.Dir(name) == "view" {
			return nil
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && imported[of.Name] && slices.Contains(bannedCalls[of.Name], s.Sel.Name) {
					t.Errorf("%s uses %s.%s", name, of.Name, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("%d files were seen: does the walk see the shell?", seen)
	}
}
