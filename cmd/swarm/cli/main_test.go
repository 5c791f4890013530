package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm"
)

var update = flag.Bool("update", false, "rewrite what scripts compare with")

var runID = regexp.MustCompile(`run_[0-9a-z]+`)

// checked ends the tests of the package with a look for goroutines that were left.
type checked struct{ *testing.M }

func (m checked) Run() int {
	code := m.M.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

func TestMain(m *testing.M) {
	swarm.ShellWorker()
	testscript.Main(checked{m}, map[string]func(){
		"swarm": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)) },
	})
}

// TestScripts runs the scripts of testdata/script through the program itself.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               noOwners,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"last":  last,
			"owns":  owns,
			"kills": kills,
			"ended": ended,
		},
	})
}

// exits runs a program that must end with a code: exits CODE PROGRAM ARG…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// last sets a variable to the id of the newest run of a data directory: last NAME DIR
func last(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: last NAME DIR")
	}
	ts.Check(ts.Exec("swarm", "runs", "--json", "--data", args[1]))
	m := runID.FindString(ts.ReadFile("stdout"))
	if m == "" {
		ts.Fatalf("no run in %s", args[1])
	}
	ts.Setenv(args[0], m)
}
