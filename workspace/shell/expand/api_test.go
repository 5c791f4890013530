package expand

import (
	"context"
	"errors"
	"slices"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

func TestErrorsTellHowFarTheyGo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script, text string
		exit         bool
	}{
		{"p $((1/0))", `1/0: division by 0 (error token is "0")`, false},
		{"p $((2**-1))", `2**-1: exponent less than 0 (error token is "-1")`, false},
		{"x=08\np $((x))", `08: value too great for base (error token is "08")`, false},
		{"x=1+\np $((x))", `1+: syntax error: operand expected (error token is "+")`, false},
		{"readonly r=1\nr=2", "r: readonly variable", false},
		{"readonly r=1\n((r++))", "r: readonly variable", false},
		{"set -u\np $x", "x: unbound variable", true},
		{"set -u\np $1", "$1: unbound variable", true},
		{"set -u\np ${a[3]}", "a[3]: unbound variable", true},
		{"set -u\np $((x))", "x: unbound variable", true},
		{"p ${x:?}", "x: parameter null or not set", true},
		{"p ${x?}", "x: parameter not set", true},
		{"p ${x?gone away}", "x: gone away", true},
		{"p ${1:=x}", "$1: cannot assign in this way", false},
		{"p ${!x}", "x: invalid indirect expansion", false},
		{"x='a b'\np ${!x}", "a b: invalid variable name", false},
		{"x=abc\np ${x:2:-2}", "-2: substring expression < 0", false},
		{"a=(1)\na[-5]=1", "a[-5]: bad array subscript", false},
		{"shopt -s failglob\np *.none", "no match: *.none", false},
		{"a=1\ndeclare -A a", "", false},
		{"a=(1)\ndeclare -A a", "a: cannot convert indexed to associative array", false},
		{"a[0]=1\nput 'no name' x", "`no name': not a valid identifier", false},
	} {
		s := newStub(t)
		_, err := s.run(t.Context(), test.script)
		if test.text == "" {
			if err != nil {
				t.Errorf("%s: %v", test.script, err)
			}
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Text != test.text || e.Exit != test.exit || e.Code != 1 {
			t.Errorf("%s:\n got %v\nwant %s (exit: %v)", test.script, err, test.text, test.exit)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if _, err := s.run(t.Context(), "declare -n one=two\ndeclare -n two=three\ndeclare -n el='arr[x y]'\ndeclare -n l1=l2\ndeclare -n l2=l1"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{"one": {"three", ""}, "el": {"arr", "x y"}, "plain": {"plain", ""}} {
		base, sub, err := s.c.Resolve(t.Context(), name)
		if err != nil || base != want[0] || sub != want[1] {
			t.Errorf("%s: %q %q %v; want %q", name, base, sub, err, want)
		}
	}
	if _, _, err := s.c.Resolve(t.Context(), "l1"); err == nil {
		t.Error("a circle of references gives no error")
	}
}

func TestDeclareIsCalledBetween(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if _, err := s.run(t.Context(), "x=outer"); err != nil {
		t.Fatal(err)
	}
	s.vars.Push()
	file, err := parse(`declare x=$x+1`)
	if err != nil {
		t.Fatal(err)
	}
	a := file.Stmts[0].Cmd.(*syntax.DeclClause).Args[0]
	err = s.c.Assign(t.Context(), a, AssignOptions{Declare: func(name string) error {
		if got := s.Get(name).Str; got != "outer" {
			t.Errorf("the variable is %q before it is declared", got)
		}
		s.vars.PutLocal(name, vars.Var{Attr: vars.Upper})
		return nil
	}})
	if got := s.Get("x").Str; err != nil || got != "OUTER+1" {
		t.Errorf("%q, %v", got, err)
	}
	s.vars.Pop()
	if got := s.Get("x").Str; got != "outer" {
		t.Errorf("the outer variable is %q", got)
	}
	refused := errors.New("refused")
	if err := s.c.Assign(t.Context(), a, AssignOptions{Declare: func(string) error { return refused }}); !errors.Is(err, refused) || s.Get("x").Str != "outer" {
		t.Errorf("%v, %q", err, s.Get("x").Str)
	}
}

func TestSetLoopTurnsReferences(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if _, err := s.run(t.Context(), "a=1\nb=2\ndeclare -n r=a"); err != nil {
		t.Fatal(err)
	}
	if err := s.c.SetLoop(t.Context(), "r", "b"); err != nil || s.Get("r").Str != "b" || s.Get("a").Str != "1" {
		t.Errorf("%v, r is %q, a is %q", err, s.Get("r").Str, s.Get("a").Str)
	}
}

func TestPromptAndWarnings(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	for text, want := range map[string]string{`\u in \w\$ `: `agent in /$ `, `\\ \[x\] \101 \q`: `\ x A \q`, `+ `: `+ `, `$((1+1)) ${x-unset}`: `2 unset`} {
		if got, err := s.c.Prompt(t.Context(), text); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	var warned []string
	s.c.Warn = func(_ context.Context, text string) { warned = append(warned, text) }
	if _, err := s.run(t.Context(), "a=(1)\np ${a[-3]}\ndeclare -n x=y\ndeclare -n y=x\np $x"); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(warned[:1], []string{"a: bad array subscript"}) || len(warned) != 2 {
		t.Errorf("%q", warned)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	got, err := s.c.Glob(t.Context(), "d/*.txt")
	if err != nil || !slices.Equal(got, []string{"d/two.txt"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = s.c.Glob(t.Context(), "/d/e/f/*"); err != nil || !slices.Equal(got, []string{"/d/e/f/deep.txt"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = s.c.Glob(t.Context(), "none*"); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDocuments compares here-documents with what they give in bash.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		"$x ${x^^} \\$x \\\\ \\a \\\" \"q\" 'q' $'a' $((1+1))\n":       "val VAL $x \\ \\a \\\" \"q\" 'q' $'a' 2\n",
		"${n:-\"q\"} ${n:-'$x'} ${n:-a\"b\"c} \"${n:-k}\" ${n:-a b}\n": "q 'val' abc \"k\" a b\n",
		"$@ | $* | ${a[@]} | ${a[*]}\n":                                "1 2 | 1 2 | x y | x:y\n",
		"joined \\\nline *\n":                                          "joined line *\n",
	} {
		s := newStub(t)
		if _, err := s.run(t.Context(), "x=val\na=(x y)\nset -- 1 2\nIFS=:"); err != nil {
			t.Fatal(err)
		}
		file, err := parse("cat <<E\n" + doc + "E\n")
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.c.Document(t.Context(), file.Stmts[0].Redirs[0].Hdoc)
		if err != nil || got != want {
			t.Errorf("%q:\n got %q, %v\nwant %q", doc, got, err, want)
		}
	}
}
