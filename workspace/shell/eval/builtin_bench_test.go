package eval

import (
	"strings"
	"testing"
)

// BenchmarkBuiltins runs each builtin 10,000 times in a loop; the loop alone is "nothing".
func BenchmarkBuiltins(b *testing.B) {
	for _, c := range []struct{ name, body, in string }{
		{"nothing", ":", ""},
		{"echo", "echo hello world", ""},
		{"test", `[ "$i" -lt 5 ]`, ""},
		{"test of a file", "[ -f missing ]", ""},
		{"printf", `printf '%s=%d\n' name $i`, ""},
		{"printf -v", `printf -v x '%05d' $i`, ""},
		{"read", "read -r x", strings.Repeat("a line of some words\n", 10_000)},
		{"read of fields", "IFS=, read -r x y z", strings.Repeat("one,two,three,four\n", 10_000)},
		{"local", "f", ""},
		{"getopts", "OPTIND=1; getopts ab: o -a", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			script := "f() { local x=1; }; for ((i = 0; i < 10000; i++)); do " + c.body + "; done"
			b.ReportAllocs()
			for b.Loop() {
				if _, errs, exit := (stage{in: c.in}).play(b, script); exit.Err != nil || errs != "" {
					b.Fatal(errs, exit)
				}
			}
		})
	}
	b.Run("mapfile", func(b *testing.B) {
		in := strings.Repeat("a line of some words\n", 100_000)
		for b.Loop() {
			if out, _, _ := (stage{in: in}).play(b, "mapfile -t x; echo ${#x[@]}"); out != "100000\n" {
				b.Fatal(out)
			}
		}
	})
}
