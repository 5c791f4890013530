package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Pools hand out values that nobody keeps, and the linker sets the version: these two kinds
// of package variables are no state.
var stateless = []string{"sync.Pool", "sync.OnceValue", "sync.OnceValues"}

// workerMain is the main program of a worker of the shell: the process is its own.
const workerMain = "workspace/shell/worker"

// TestNoGlobalState holds that library packages have no init function, leave environment,
// streams and log of the process alone, and have no package variable that changes: such a
// variable is assigned nowhere, neither whole nor in part, its address is not taken, and it
// is no lock, counter or channel.
func TestNoGlobalState(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if l := layerOf(p.dir); l < 0 || l > layerOf(".") || isKit(p.dir) || p.dir == workerMain {
			continue
		}
		set, files := sources(t, p)
		for _, f := range append(globalFaults(set, files), processFaults(set, files)...) {
			t.Errorf("%s: %s", p.dir, f)
		}
	}
}

// sources parses the files of a package that are no tests.
func sources(t *testing.T, p *pkg) (*token.FileSet, []*ast.File) {
	t.Helper()
	set, all := parsed(t, filepath.Join(root, filepath.FromSlash(p.dir), "*.go"))
	return set, slices.DeleteFunc(all, func(f *ast.File) bool {
		return strings.HasSuffix(set.Position(f.Pos()).Filename, "_test.go")
	})
}

// parsed parses the files that match one of the patterns.
func parsed(t *testing.T, patterns ...string) (*token.FileSet, []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	return set, files
}

// process is what belongs to the whole process: its environment, its streams, its log.
var process = map[string][]string{
	"os": {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "UserHomeDir", "UserConfigDir", "UserCacheDir",
		"Stdin", "Stdout", "Stderr", "Args", "Exit", "Chdir"},
	"fmt":  {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"slog": {"Default", "SetDefault", "Debug", "Info", "Warn", "Error", "Log", "LogAttrs"},
}

// processFaults finds what a library leaves to the program that it is part of.
func processFaults(set *token.FileSet, files []*ast.File) []string {
	var faults []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && slices.Contains(process[x.Name], s.Sel.Name) {
					faults = append(faults, filepath.Base(set.Position(n.Pos()).Filename)+": uses "+x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
	return faults
}

// globals are the variables of a package by name, with where they are declared.
type globals map[string]*ast.ValueSpec

func globalFaults(set *token.FileSet, files []*ast.File) []string {
	var faults []string
	at := func(n ast.Node, text string) {
		p := set.Position(n.Pos())
		faults = append(faults, filepath.Base(p.Filename)+": "+text)
	}
	vars := globals{}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					at(d, "an init function")
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					v, ok := s.(*ast.ValueSpec)
					if !ok || d.Tok != token.VAR {
						continue
					}
					for _, name := range v.Names {
						if name.Name != "_" {
							vars[name.Name] = v
						}
					}
					if what := stateIn(v); what != "" {
						at(v, v.Names[0].Name+" is a package variable that holds a "+what)
					}
				}
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, e := range changed(n) {
				if name := vars.base(e); name != "" {
					at(n, "the package variable "+name+" is changed, or may be")
				}
			}
			return true
		})
	}
	return faults
}

// stateIn names the lock, counter or channel that a variable holds by its declaration.
func stateIn(v *ast.ValueSpec) string {
	what := ""
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // what it makes is made at each call
		case *ast.ChanType:
			what = "channel"
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "sync" || x.Name == "atomic") && !slices.Contains(stateless, x.Name+"."+n.Sel.Name) {
				what = x.Name + "." + n.Sel.Name
			}
		}
		return true
	}
	if v.Type != nil {
		ast.Inspect(v.Type, look)
	}
	for _, e := range v.Values {
		ast.Inspect(e, look)
	}
	return what
}

// changed gives the expressions that a node changes, or lets others change.
func changed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear" || f.Name == "copy") && len(n.Args) > 0 {
			return n.Args[:1]
		}
	}
	return nil
}

// base names the package variable that an expression is, or is a part of; "" for none. A
// local variable of the same name is another one: the parser has found its declaration.
func (g globals) base(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.Ident:
			v := g[x.Name]
			if v == nil || x.Obj != nil && x.Obj.Decl != v {
				return ""
			}
			return x.Name
		default:
			return ""
		}
	}
}

// TestGlobalFaults holds what the test above finds, and what it leaves alone.
func TestGlobalFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, code, want string }{
		{"constants of a kind", `var a = map[string]int{"x": 1}; var re = regexp.MustCompile("a"); var err = errors.New("b"); func f() int { return a["x"] }`, ""},
		{"a guard", `var _ io.Reader = (*T)(nil)`, ""},
		{"a pool", `var p = sync.Pool{New: func() any { return new(sync.Mutex) }}; func f() { p.Put(p.Get()) }`, ""},
		{"a local of the same name", `var a = 1; func f() { a := 2; a = 3; a++; _ = &a }`, ""},
		{"a parameter of the same name", `var a = 1; func f(a []int) { a[0] = 2 }`, ""},
		{"a new local", `var a = 1; func f() { a := a; _ = a }`, ""},
		{"a field of the same name", `var a = 1; type T struct{ a int }; func (t *T) f() { t.a = 2 }`, ""},
		{"init", `func init() {}`, "init function"},
		{"a method named init", `type T int; func (T) init() {}`, ""},
		{"assigned", `var a = 1; func f() { a = 2 }`, "a is changed"},
		{"assigned before it is declared", `func f() { a = 2 }; var a = 1`, "a is changed"},
		{"counted", `var a int; func f() { a++ }`, "a is changed"},
		{"a key of a map", `var a = map[string]int{}; func f() { a["x"] = 1 }`, "a is changed"},
		{"deleted", `var a = map[string]int{}; func f() { delete(a, "x") }`, "a is changed"},
		{"cleared", `var a = map[string]int{}; func f() { clear(a) }`, "a is changed"},
		{"a field", `var a T; func f() { a.x.y = 1 }`, "a is changed"},
		{"an element", `var a = []int{1}; func f() { a[0] += 1 }`, "a is changed"},
		{"its address", `var a T; func f() *T { return &a }`, "a is changed"},
		{"by a loop", `var a int; func f() { for a = range 3 { } }`, "a is changed"},
		{"a lock", `var a sync.Mutex`, "holds a sync.Mutex"},
		{"a lock in a struct", `var a = struct{ sync.RWMutex; n int }{}`, "holds a sync.RWMutex"},
		{"a counter", `var a atomic.Int64`, "holds a atomic.Int64"},
		{"a channel", `var a = make(chan int)`, "holds a channel"},
		{"the environment", `func f() string { return os.Getenv("A") }`, "uses os.Getenv"},
		{"a stream", `func f() { fmt.Fprintln(os.Stderr, "a") }`, "uses os.Stderr"},
		{"standard output", `func f() { fmt.Println("a") }`, "uses fmt.Println"},
		{"a logger that was given", `func f(slog *Logger) { slog.Info("a") }`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, "a.go", "package a\n"+row.code, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(append(globalFaults(set, []*ast.File{f}), processFaults(set, []*ast.File{f})...), "; ")
			if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
