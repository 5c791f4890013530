package house

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

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	module = "github.com/seed-cf6d8d1b/swarm"
	root   = "../.."
)

// layers are the folders of the module from the bottom up. A package may import those of
// its own layer and of the layers below; a folder stands for all below it that are not
// named themselves. "." is the package at the root.
var layers = [][]string{
	{"internal"},
	{"actors"},
	{"input", "journal", "model", "permission", "workspace"},
	{"tooling"},
	{"agent"},
	{"delegate"},
	{"config", "supervision", "metrics"},
	{"."},
	{"swarmtest"},
	{"bench", "cmd", "examples", "simulations"},
}

// kits are packages for tests: no program contains them.
var kits = []string{"journal/journaltest", "model/modeltest", "swarmtest", "simulations", "workspace/shell/shelltest", "workspace/shell/command/commandtest"}

// pkg is a folder with Go files.
type pkg struct {
	dir     string // slash path below the module, "." for its root
	imports map[string][]string
	testing map[string][]string // of files of tests
	doc     string
}

func packages(t *testing.T) []*pkg {
	t.Helper()
	byDir := map[string]*pkg{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(rel))
		p := byDir[dir]
		if p == nil {
			p = &pkg{dir: dir, imports: map[string][]string{}, testing: map[string][]string{}}
			byDir[dir] = p
		}
		p.add(f, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(byDir) < 10 {
		t.Fatalf("%d packages were found: does the walk see the module?", len(byDir))
	}
	var all []*pkg
	for _, p := range byDir {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return all
}

func (p *pkg) add(f *ast.File, name string) {
	into := p.imports
	if strings.HasSuffix(name, "_test.go") {
		into = p.testing
	} else if f.Doc != nil {
		p.doc = f.Doc.Text()
	}
	for _, i := range f.Imports {
		target := strings.Trim(i.Path.Value, `"`)
		into[target] = append(into[target], name)
	}
}

// inside gives the folder of an import of this module.
func inside(target string) (dir string, ok bool) {
	if target == module {
		return ".", true
	}
	return strings.CutPrefix(target, module+"/")
}

// layerOf gives the number of a folder's layer, -1 when it has none.
func layerOf(dir string) int {
	for i, layer := range layers {
		for _, name := range layer {
			if dir == name || strings.HasPrefix(dir, name+"/") {
				return i
			}
		}
	}
	return -1
}

func isKit(dir string) bool { return slices.Contains(kits, dir) }

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		own := layerOf(p.dir)
		if own < 0 {
			t.Errorf("%s is in no layer; give it one here and in the design", p.dir)
			continue
		}
		for target, files := range p.imports {
			dir, ok := inside(target)
			if !ok {
				continue
			}
			if l := layerOf(dir); l > own {
				t.Errorf("%s imports %s, which lies above it (%s)", p.dir, dir, strings.Join(files, ", "))
			}
		}
	}
}

func TestKitsStayOutOfPrograms(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if isKit(p.dir) {
			continue
		}
		for target, files := range p.imports {
			if dir, ok := inside(target); target == "testing" || ok && isKit(dir) {
				t.Errorf("%s imports %s outside of its tests (%s)", p.dir, target, strings.Join(files, ", "))
			}
		}
	}
}

func TestPackagesSayWhatTheyOwn(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !strings.HasPrefix(p.doc, "Package ") && !strings.HasPrefix(p.doc, "Command ") {
			t.Errorf("%s has no package comment", p.dir)
		}
		switch path.Base(p.dir) {
		case "util", "utils", "common", "helper", "helpers", "misc":
			t.Errorf("the folder %s is named after nothing; use a word of the glossary", p.dir)
		}
	}
}

// TestOnlyCommandsTouchTheProcess holds that no package below the commands reads flags or
// logs on its own: what they need is given to them.
func TestOnlyCommandsTouchTheProcess(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if l := layerOf(p.dir); l < 0 || l > layerOf(".") {
			continue
		}
		for _, target := range []string{"flag", "log", "github.com/spf13/cobra", "github.com/spf13/pflag"} {
			if files := p.imports[target]; len(files) > 0 {
				t.Errorf("%s imports %s (%s)", p.dir, target, strings.Join(files, ", "))
			}
		}
	}
}
