package eval

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNoBuiltinPanics calls every builtin with arguments that fit none.
func TestNoBuiltinPanics(t *testing.T) {
	t.Parallel()
	const seed = 20260103
	rnd := rand.New(rand.NewPCG(seed, 0))
	args := []string{
		"''", "-", "--", "-a", "-A", "-d", "-e", "-f", "-n", "-p", "-r", "-t", "-u", "-v", "-x", "+x", "-O", "-N", "-s", "-c", "-1", "0", "1", "2",
		"99999999999999999999", "x", "'x[0]'", "'x['", "'x[]'", "'x]'", "'x[1'", "x=1", "x+=1", "=", "'='", "'x=(1'", "'[1]=2'", "'('", "')'", "'!'", "]", "'%d'", "'%'", "'%*s'", "'%b'",
		`'\'`, `'\x'`, "':'", "'::'", "a:b", "+1", "-5", "+0", "/", "..", "$'\\x01'", "$'\\xff'", "é", "'a b'", "f", "y", "-o", "nonsense", "-W", "-X", "-C", "'$x'", "'`'",
	}
	var names []string
	for _, m := range manuals {
		switch m.name {
		case "exit", "exec", "kill", "wait", "fg", "eval", ".", "source", "return":
		default:
			names = append(names, m.name)
		}
	}
	var script strings.Builder
	script.WriteString("f() { :; }; declare -n y=x\n")
	for range 4000 {
		words := []string{names[rnd.IntN(len(names))]}
		for range rnd.IntN(5) {
			words = append(words, args[rnd.IntN(len(args))])
		}
		fmt.Fprintf(&script, "(builtin %s) <<< $'a b\\nc' > /dev/null 2>&1\n", strings.Join(words, " "))
	}
	script.WriteString("echo done\n")
	out, errs, exit := stage{}.play(t, script.String())
	if exit.Err != nil || !strings.HasSuffix(out, "done\n") {
		t.Fatalf("seed %d: %q %q %v", seed, out, errs, exit.Err)
	}
}
