package expand

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// FuzzExpand parses texts and expands every word, assignment and expression in them: none
// may panic, whatever the parser made of it.
func FuzzExpand(f *testing.F) {
	for _, file := range []string{"testdata/probes.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, probe := range strings.Split(string(b), "\n\n") {
			f.Add(probe)
		}
	}
	for _, s := range []string{
		"declare -A m; m[a-b]=1; p ${m[a-b]} ${m[a?b:c]} ${m[!x]} ${m[x=1]} ${m[(a)]}", "p ${!v@Q} ${!m[@]@K} ${!a*} ${#} ${#-} ${#@} ${##}", "p ${a:1:2} ${a[@]:(-1)} ${@:0:2} ${x//[/]} ${x/@(/)}",
		"p ${ echo a;} ${|x;} $'\\x{41' $'\\c' $'\\u' $((a[a[1]])) $((1?2:3,4))", "x='y[x]'; y='x[y]'; p $((x))", "declare -n a=b b=a; p $a ${a[1]} ${!a}; a=1", "p {1..9999999999} {{{{a,b},c},d},e} {a..z..0}",
		"p @(a|b*(c|!(d)))) !(!(!(a))) [[:alpha: [[=a=]] [a-", "(( a[ ) ))", "p ${x@P} ${a[1]:=2} ${1:=2} ${*:+x}", "a=([0]=1 [x y]=2 [-5]=3)", "p $((9223372036854775807 + 1)) $((-9223372036854775808 / -1)) $((1 << 64)) $((0x)) $((2#2)) $((1#))",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 2000 {
			return
		}
		file, err := parse(script)
		for range 20 {
			if err == nil {
				break
			}
			repaired, ok := Repair(script, 0, err)
			if !ok {
				return
			}
			script = repaired
			file, err = parse(script)
		}
		if err != nil {
			return
		}
		bounded, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		budget, ctx, end := limits.NewBudget(bounded, limits.Limits{Variable: 1 << 16, Words: 1 << 12, Braces: 1 << 10})
		defer end()
		s := newStub(t)
		s.c.Budget, s.c.ExtGlob = budget, true
		s.params = []string{"one", "t w o", ""}
		for _, set := range []string{"v=a*b", "a=(1 '' 3)", "declare -A m=([k]=v)", "declare -n ref=a", "x=y"} {
			if _, err := s.run(ctx, set); err != nil {
				t.Fatal(err)
			}
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Word:
				s.c.Fields(ctx, n)
				s.c.Literal(ctx, n)
				s.c.Document(ctx, n)
				if p, err := s.c.Pattern(ctx, n); err == nil {
					p.Match("aab")
				}
				if re, err := s.c.Regexp(ctx, n); err == nil {
					compileRegexp(re)
				}
			case *syntax.Assign:
				s.c.Assign(ctx, n, AssignOptions{})
			case syntax.ArithmExpr:
				s.c.Arithm(ctx, n)
			}
			return true
		})
		s.c.ArithmText(ctx, script)
		s.c.SetString(ctx, script, script, true)
		s.c.Prompt(ctx, script)
		Match(script, "aab", true)
		Quote(script)
		QuoteValue(script)
	})
}
