package expand

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// benchWords parses the words of a command and sets what they use.
func benchWords(b *testing.B, line string) (*stub, []*syntax.Word) {
	b.Helper()
	s := newStub(b)
	if _, err := s.run(b.Context(), "x=value\ni=41\na=(1 2 3)\npath=/usr/local/lib/libx.so.1\ntext='"+strings.Repeat("some words ", 100)+"'\nset -- one two"); err != nil {
		b.Fatal(err)
	}
	file, err := parse(line)
	if err != nil {
		b.Fatal(err)
	}
	return s, file.Stmts[0].Cmd.(*syntax.CallExpr).Args
}

func BenchmarkFields(b *testing.B) {
	for _, bench := range []struct{ name, line string }{
		{"literals", "echo one two three"}, {"scalar", `echo "$x" $x`}, {"mixed", `echo "a $x b" c$x`}, {"list", `echo "$@"`}, {"split", `echo $text`},
		{"suffix", `echo ${path##*/} ${path%.*}`}, {"replace", `echo "${text// /_}"`}, {"element", `echo "${a[1]}" "${a[i-40]}"`}, {"braces", "echo {1..100}"}, {"arithmetic", "echo $((i + 1))"},
		{"glob", "echo *.txt"}, {"upper", `echo "${text^^}"`}, {"substring", "echo ${path:5:5}"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, words := benchWords(b, bench.line)
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.c.Fields(ctx, words...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkArithm(b *testing.B) {
	for _, expr := range []string{"i + 1", "i < 100 && i % 2 == 1", "$i * 2", "a[1] + a[2]", "i += 0"} {
		b.Run(strings.ReplaceAll(expr, " ", ""), func(b *testing.B) {
			s, _ := benchWords(b, "echo")
			file, err := parse("((" + expr + "))")
			if err != nil {
				b.Fatal(err)
			}
			x := file.Stmts[0].Cmd.(*syntax.ArithmCmd).X
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.c.Arithm(ctx, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	s := strings.Repeat("abcdefgh", 20) + ".txt"
	for _, pattern := range []string{"*.txt", "abc*", "*[0-9]*", "+([a-h]).txt", "!(*.md)", "*a*b*c*d*x"} {
		b.Run(pattern, func(b *testing.B) {
			p := compile(pattern, false, true)
			b.ReportAllocs()
			for b.Loop() {
				p.Match(s)
			}
		})
	}
}

func BenchmarkAssign(b *testing.B) {
	for _, line := range []string{"y=1", "y=$x", "a[1]=5", "y+=", "l=(1 2 3)"} {
		b.Run(line, func(b *testing.B) {
			s, _ := benchWords(b, "echo")
			file, err := parse(line)
			if err != nil {
				b.Fatal(err)
			}
			a := file.Stmts[0].Cmd.(*syntax.CallExpr).Assigns[0]
			ctx := b.Context()
			b.ReportAllocs()
			for b.Loop() {
				if err := s.c.Assign(ctx, a, AssignOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
