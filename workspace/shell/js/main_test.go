package js_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/js"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kit gives a kit over an empty directory.
func kit(t testing.TB) commandtest.Kit {
	t.Helper()
	return commandtest.Kit{Commands: js.Commands(), Dir: t.TempDir()}
}

// eval runs a text and gives what it wrote and how it ended.
func eval(t testing.TB, k commandtest.Kit, code string, args ...string) (out, errOut string, exit int) {
	t.Helper()
	return k.Run(t, append([]string{"node", "-e", code}, args...), "")
}

// write writes a file of the host.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// check compares the output of a program that ends well.
func check(t *testing.T, k commandtest.Kit, code, want string) {
	t.Helper()
	out, errOut, exit := eval(t, k, code)
	if got := strings.TrimSuffix(out, "\n"); got != want || exit != 0 || errOut != "" {
		t.Errorf("%s\ngives %q, exit code %d, errors %q, want %q", code, got, exit, errOut, want)
	}
}
