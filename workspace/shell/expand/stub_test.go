package expand

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stub is a shell that is just enough to execute probes: assignments, declare, set, shopt,
// unset, case, [[, (( and the command p, which prints its arguments.
type stub struct {
	c      *Config
	vars   *vars.Table
	params []string
	out    strings.Builder
	depth  int
}

func newStub(tb testing.TB) *stub {
	tb.Helper()
	s := &stub{vars: vars.NewTable([]string{"HOME=/root", "PWD=/", "USER=agent"})}
	budget, _, stop := limits.NewBudget(tb.Context(), limits.Limits{})
	tb.Cleanup(stop)
	s.c = &Config{Shell: s, FS: tree1(), Dir: "/", Budget: budget}
	return s
}

func (s *stub) Get(name string) vars.Var {
	switch name {
	case "@", "*":
		return vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(s.params...)}
	case "#":
		return vars.Var{Kind: vars.Scalar, Str: itoa(len(s.params))}
	case "?":
		return vars.Var{Kind: vars.Scalar, Str: "0"}
	case "0":
		return vars.Var{Kind: vars.Scalar, Str: "bash"}
	case "-", "$", "!":
		return vars.Var{}
	}
	if name != "" && name[0] >= '1' && name[0] <= '9' {
		n, err := number(name)
		if err == nil && int(n) <= len(s.params) {
			return vars.Var{Kind: vars.Scalar, Str: s.params[n-1]}
		}
		return vars.Var{}
	}
	return s.vars.Get(name)
}

func (s *stub) Put(name string, v vars.Var)                                { s.vars.Put(name, v) }
func (s *stub) Update(name string, change func(*vars.Var))                 { s.vars.Update(name, change) }
func (s *stub) Names(prefix string) []string                               { return s.vars.Names(prefix) }
func (s *stub) Process(context.Context, *syntax.ProcSubst) (string, error) { return "/dev/fd/63", nil }

// Substitute executes the commands in it, echo too.
func (s *stub) Substitute(ctx context.Context, c *syntax.CmdSubst) (string, error) {
	if s.depth++; s.depth > 20 {
		return "", errors.New("too deep")
	}
	defer func() { s.depth-- }()
	inner := &stub{vars: s.vars.Fork(), params: s.params, depth: s.depth}
	conf := *s.c
	conf.Shell = inner
	inner.c = &conf
	for _, st := range c.Stmts {
		call, ok := st.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		words, err := inner.c.Fields(ctx, call.Args...)
		if err != nil {
			return "", nil
		}
		switch {
		case len(words) == 0:
		case words[0] == "echo":
			inner.out.WriteString(strings.Join(words[1:], " ") + "\n")
		default:
			if err := inner.command(ctx, words); err != nil {
				return "", err
			}
		}
	}
	return strings.TrimRight(inner.out.String(), "\n"), nil
}

func parse(script string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
}

// run executes a probe up to its first error, and gives what it printed.
func (s *stub) run(ctx context.Context, script string) (string, error) {
	file, err := parse(script)
	for err != nil {
		repaired, ok := Repair(script, 0, err)
		if !ok {
			return "", err
		}
		script = repaired
		file, err = parse(script)
	}
	for _, st := range file.Stmts {
		if err := s.stmt(ctx, st); err != nil {
			return s.out.String(), err
		}
	}
	return s.out.String(), nil
}

func (s *stub) stmt(ctx context.Context, st *syntax.Stmt) error {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			for _, a := range cmd.Assigns {
				if err := s.c.Assign(ctx, a, AssignOptions{}); err != nil {
					return err
				}
			}
			return nil
		}
		words, err := s.c.Fields(ctx, cmd.Args...)
		if err != nil || len(words) == 0 {
			return err
		}
		return s.command(ctx, words)
	case *syntax.DeclClause:
		return s.declare(ctx, cmd)
	case *syntax.ArithmCmd:
		n, err := s.c.Arithm(ctx, cmd.X)
		if err == nil {
			s.printf("((%d\n", n)
		}
		return err
	case *syntax.LetClause:
		for _, e := range cmd.Exprs {
			if _, err := s.c.Arithm(ctx, e); err != nil && s.Get("n").Kind == vars.Unset {
				return nil // Bash goes on.
			}
		}
		s.printf("let %s\n", s.Get("n").Str)
		return nil
	case *syntax.CaseClause:
		word, err := s.c.Literal(ctx, cmd.Word)
		if err != nil {
			return err
		}
		for i, item := range cmd.Items {
			for _, w := range item.Patterns {
				p, err := s.c.Pattern(ctx, w)
				if err != nil {
					return err
				}
				if p.Match(word) {
					for _, st := range cmd.Items[i].Stmts {
						if err := s.stmt(ctx, st); err != nil {
							return err
						}
					}
					return nil
				}
			}
		}
		return nil
	case *syntax.TestClause:
		return s.test(ctx, cmd)
	}
	return fmt.Errorf("no such statement: %T", st.Cmd)
}

func (s *stub) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

func (s *stub) command(ctx context.Context, words []string) error {
	switch args := words[1:]; words[0] {
	case "p":
		s.printf("%d:", len(args))
		for _, a := range args {
			s.printf("<%s>", a)
		}
		s.printf("\n")
	case "set":
		switch {
		case len(args) > 0 && args[0] == "--":
			s.params = slices.Clone(args[1:])
		case args[0] == "-u":
			s.c.NoUnset = true
		case args[0] == "-f":
			s.c.NoGlob = true
		case args[0] == "+B":
			s.c.NoBraces = true
		}
	case "shopt":
		for _, name := range args[1:] {
			*map[string]*bool{"nullglob": &s.c.NullGlob, "failglob": &s.c.FailGlob, "dotglob": &s.c.DotGlob, "globstar": &s.c.GlobStar,
				"nocaseglob": &s.c.NoCaseGlob, "nocasematch": &s.c.NoCase, "extglob": &s.c.ExtGlob}[name] = args[0] == "-s"
		}
	case "unset":
		for _, name := range args {
			if strings.Contains(name, "[") {
				if err := s.c.Unset(ctx, name); err != nil {
					return err
				}
				continue
			}
			s.vars.Delete(name)
		}
	case "let":
		n, err := s.c.ArithmText(ctx, args[0])
		if err == nil {
			s.printf("let %d\n", n)
		}
		return err
	case "put":
		return s.c.SetString(ctx, args[0], args[1], false)
	case "isset":
		ok, err := s.c.IsSet(ctx, args[0])
		s.printf("%v\n", ok)
		return err
	case "quote":
		s.printf("%s\n", Quote(args[0]))
	case ":":
	default:
		return errors.New("no such command: " + words[0])
	}
	return nil
}

func (s *stub) declare(ctx context.Context, d *syntax.DeclClause) error {
	var opt AssignOptions
	var attr vars.Attr
	show := false
	if d.Variant.Value == "readonly" {
		attr |= vars.ReadOnly
	}
	for _, a := range d.Args {
		if a.Name == nil {
			flags, err := s.c.Literal(ctx, a.Value)
			if err != nil {
				return err
			}
			for _, ch := range strings.TrimPrefix(flags, "-") {
				switch ch {
				case 'a':
					opt.Kind = vars.Indexed
				case 'A':
					opt.Kind = vars.Assoc
				case 'n':
					opt.Kind = vars.NameRef
				case 'p':
					show = true
				}
				attr |= map[rune]vars.Attr{'i': vars.Integer, 'l': vars.Lower, 'u': vars.Upper, 'x': vars.Export, 'r': vars.ReadOnly}[ch]
			}
			continue
		}
		if show {
			s.printf("%s\n", s.c.Declaration(a.Name.Value))
			continue
		}
		opt.Declare = func(name string) error {
			s.vars.Update(name, func(v *vars.Var) { v.Attr |= attr &^ vars.ReadOnly })
			return nil
		}
		if err := s.c.Assign(ctx, a, opt); err != nil {
			return err
		}
		if attr&vars.ReadOnly != 0 {
			s.vars.Update(a.Name.Value, func(v *vars.Var) { v.Attr |= vars.ReadOnly })
		}
	}
	return nil
}

func (s *stub) test(ctx context.Context, t *syntax.TestClause) error {
	b, ok := t.X.(*syntax.BinaryTest)
	if !ok {
		return errors.New("no such test")
	}
	x, err := s.c.Literal(ctx, b.X.(*syntax.Word))
	if err != nil {
		return err
	}
	ext := s.c.ExtGlob
	s.c.ExtGlob = true
	defer func() { s.c.ExtGlob = ext }()
	y := b.Y.(*syntax.Word)
	switch b.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		p, err := s.c.Pattern(ctx, y)
		if err != nil {
			return err
		}
		s.printf("[[%v\n", p.Match(x) == (b.Op != syntax.TsNoMatch))
	case syntax.TsReMatch:
		text, err := s.c.Regexp(ctx, y)
		if err != nil {
			return err
		}
		re, err := compileRegexp(text)
		if err != nil {
			s.printf("[[error\n")
			return nil
		}
		s.printf("[[%q\n", re.FindStringSubmatch(x))
	}
	return nil
}

// memory is a file system that can only be looked at.
type memory struct {
	view.FS
	files map[string]string // path to content; a directory ends with a slash
}

// treeFiles are the files of the probes.
var treeFiles = []string{"a.txt", "b.txt", "C.txt", ".hidden", "d/one", "d/two.txt", "d/.dot/in", "d/e/f/deep.txt", "sp ace", "x[1]", "star*", `back\slash`, "é", "dir.d/z"}

func tree1() view.FS {
	m := &memory{files: map[string]string{"/": ""}}
	for _, f := range treeFiles {
		m.files["/"+f] = "x"
		for dir := path.Dir("/" + f); dir != "/"; dir = path.Dir(dir) {
			m.files[dir] = ""
		}
	}
	return m
}

type info struct {
	name string
	dir  bool
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return 0 }
func (i info) ModTime() time.Time         { return time.Time{} }
func (i info) IsDir() bool                { return i.dir }
func (i info) Sys() any                   { return nil }
func (i info) Info() (fs.FileInfo, error) { return i, nil }
func (i info) Type() fs.FileMode          { return i.Mode().Type() }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

func (m *memory) Lstat(p string) (fs.FileInfo, error) { return m.Stat(p) }

func (m *memory) Stat(p string) (fs.FileInfo, error) {
	clean := path.Clean(p)
	content, ok := m.files[clean]
	if !ok || content != "" && strings.HasSuffix(p, "/") {
		return nil, os.ErrNotExist
	}
	return info{path.Base(clean), content == ""}, nil
}

func (m *memory) ReadDir(p string) ([]fs.DirEntry, error) {
	p = path.Clean(p)
	if content, ok := m.files[p]; !ok || content != "" {
		return nil, os.ErrNotExist
	}
	var out []fs.DirEntry
	for name, content := range m.files {
		if name != "/" && path.Dir(name) == p {
			out = append(out, info{path.Base(name), content == ""})
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}
