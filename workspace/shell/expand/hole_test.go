package expand

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// bounded gives a stub under limits, and the context that a hit ends.
func bounded(t *testing.T, l limits.Limits) (*stub, context.Context) {
	t.Helper()
	budget, ctx, stop := limits.NewBudget(t.Context(), l)
	t.Cleanup(stop)
	s := newStub(t)
	s.c.Budget = budget
	return s, ctx
}

func TestHole05UsersAreUnknown(t *testing.T) {
	t.Parallel()
	s, ctx := bounded(t, limits.Limits{})
	out, err := s.run(ctx, "p ~root ~daemon/x ~nobody ~ ~/x ~+")
	if err != nil || out != "6:<~root><~daemon/x><~nobody></root></root/x></>\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestHole15SubscriptsOfMapsAreText(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a-b", "a+b", "a*b", "a/b", "a?b:c", "!a", "-a", "(a)", "a=b", "a==b", "a,b", "a b", "a.b", "a&&b", "a[1]", "~a", "a**b", "a++", "1+1", "a<b", "a|b"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			s, ctx := bounded(t, limits.Limits{})
			out, err := s.run(ctx, "declare -A m\nm["+key+"]=value\nm["+key+"]+=2\np \"${!m[@]}\" \"${m["+key+"]}\" ${#m["+key+"]}")
			if want := "3:<" + key + "><value2><6>\n"; err != nil || out != want {
				t.Errorf("%q, %v; want %q", out, err, want)
			}
		})
	}
}

func TestHole17GrowthIsBounded(t *testing.T) {
	t.Parallel()
	l := limits.Limits{Variable: 1 << 12, Words: 1 << 8, HereDoc: 1 << 10, Braces: 1 << 8}
	for _, test := range []struct{ name, script, limit string }{
		{"doubling", "x=aaaaaaaa\n" + strings.Repeat("x=$x$x\n", 20), "variable"},
		{"doubling in quotes", "x=aaaaaaaa\n" + strings.Repeat("x=\"$x$x\"\n", 20), "variable"},
		{"appending", "x=aaaaaaaa\n" + strings.Repeat("x+=$x\n", 20), "variable"},
		{"an element", "x[3]=aaaaaaaa\n" + strings.Repeat("x[3]+=${x[3]}\n", 20), "variable"},
		{"replacing", "x=aaaaaaaa\n" + strings.Repeat("x=${x//a/&&&&}\n", 10), "variable"},
		{"replacing an end", "x=aaaaaaaa\n" + strings.Repeat("x=${x/#*/&&&&}\n", 10), "variable"},
		{"a default", "x=aaaaaaaa\n" + strings.Repeat(": ${y:=$x$x}\nx=$y\nunset y\n", 12), "variable"},
		{"quoting", "x=\"'''''''''\"\n" + strings.Repeat("x=${x@Q}\n", 12), "variable"},
		{"joining", "a=(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{1..200})\nx=\"${a[*]}\"", "variable"},
		{"SetString", "x=aaaaaaaa\n" + strings.Repeat("put x \"$x$x\"\n", 20), "variable"},
		{"words", "x='a a a a a a a a a a a a a a a a'\np $x$x$x $x$x$x $x$x$x $x$x$x $x$x$x $x$x$x", "words"},
		{"elements", "a=({1..200})\na+=(\"${a[@]}\" \"${a[@]}\")", "words"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, ctx := bounded(t, l)
			_, err := s.run(ctx, test.script)
			hit, ok := errors.AsType[*limits.Hit](err)
			if !ok || hit.Name != test.limit {
				t.Errorf("%v; want a hit of %s", err, test.limit)
			}
			if limits.HitOf(ctx) == nil {
				t.Error("the call goes on")
			}
		})
	}
	t.Run("a here-document", func(t *testing.T) {
		t.Parallel()
		s, ctx := bounded(t, l)
		if _, err := s.run(ctx, "x="+strings.Repeat("a", 600)); err != nil {
			t.Fatal(err)
		}
		w, err := parseDocument("$x $x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.c.Document(ctx, w); limits.HitOf(ctx) == nil || limits.HitOf(ctx).Name != "here_doc" {
			t.Errorf("%v", err)
		}
	})
	t.Run("honest use", func(t *testing.T) {
		t.Parallel()
		s, ctx := bounded(t, l)
		out, err := s.run(ctx, "x=aaaaaaaa\nx=$x$x$x\nx=${x//a/&&}\np ${#x} {1..3}")
		if err != nil || out != "4:<48><1><2><3>\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

func TestHole18BracesAreBounded(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"{1..16385}", "{1..99999999}", "{1..9223372036854775807}", "{1..200}{1..200}", "{a,b}" + strings.Repeat("{a,b}", 20), "{-9223372036854775808..9223372036854775807}"} {
		s, ctx := bounded(t, limits.Limits{})
		_, err := s.run(ctx, "p "+word)
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Text, "brace expansion") || e.Code != 1 {
			t.Errorf("%s: %v; want an error of bash's kind", word, err)
		}
	}
	s, ctx := bounded(t, limits.Limits{})
	if _, err := s.run(ctx, "a=({1..16384})\np ${#a[@]}"); err != nil || s.out.String() != "1:<16384>\n" {
		t.Errorf("%q, %v", s.out.String(), err)
	}
}

func TestGlobsAreBounded(t *testing.T) {
	t.Parallel()
	for _, l := range []limits.Limits{{Matches: 3}, {Walk: 3}} {
		s, ctx := bounded(t, l)
		out, err := s.run(ctx, "p *")
		if e, ok := errors.AsType[*Error](err); !ok || out != "" || e.Exit {
			t.Errorf("%q, %v; want an error and no short list", out, err)
		}
	}
}

func TestRecursionEnds(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"x='x+1'\np $((x))", "x='y[x]'\ny='x[y]'\np $((x))", "x='${x@P}'\np \"${x@P}\"", "declare -n r='a[r]'\np $r", "x='a[x]'\np $((x))", "a='a[a]'\np ${a[a]}",
		"p $((" + strings.Repeat("(", 900) + "1" + strings.Repeat(")", 900) + "))\nx='" + strings.Repeat("(", 100000) + "'\np $((x))",
		"x='" + strings.Repeat("-", 99999) + "1'\np $((x))", "x='" + strings.Repeat("1?", 99999) + "1'\np $((x))", "x='" + strings.Repeat("2**", 99999) + "1'\np $((x))",
	} {
		s, ctx := bounded(t, limits.Limits{})
		_, err := s.run(ctx, script)
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%.40s: %v; want an error", script, err)
		}
	}
}

func TestMatchingIsNotExponential(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("a", 3000)
	for _, pattern := range []string{strings.Repeat("*a", 50) + "*b", "+(+(a|aa)*(a))b", "*(*(*(*(a))))b", strings.Repeat("?(a)", 30) + "b", "!(*a*a*a*b)c"} {
		if Match(pattern, s, false) {
			t.Errorf("%.30s matches", pattern)
		}
		p := compile(pattern, false, true)
		if p.prefix(s[:500], true) > 0 && pattern[0] != '!' || p.suffix(s[:500], false) >= 0 {
			t.Errorf("%.30s matches a part", pattern)
		}
	}
}

func TestCancelEndsAnExpansion(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	if _, err := s.run(t.Context(), "x="+strings.Repeat("ab", 5000)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, script := range []string{"p ${x//a/b}", "p *", "p {1..10}", "a=([0]=1)"} {
		if _, err := s.run(ctx, script); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", script, err)
		}
	}
}
