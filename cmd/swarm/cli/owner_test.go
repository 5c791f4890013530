package cli

import (
	"bufio"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// owner is a process of a script that owns a run.
type owner struct {
	cmd  *exec.Cmd
	rest chan string // all that it said, when it has ended
}

// owners is the key of those of one script, a map by the variable that holds the run.
type owners struct{}

// noOwners begins a script.
func noOwners(env *testscript.Env) error {
	env.Values[owners{}] = map[string]*owner{}
	return nil
}

// owns starts the program in the background, waits until a line of its progress has a
// text, and sets a variable to the id of the run: owns NAME UNTIL ARG…
func owns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: owns NAME UNTIL ARG…")
	}
	o := &owner{cmd: exec.Command("swarm", args[2:]...), rest: make(chan string, 1)}
	o.cmd.Dir = ts.MkAbs(".")
	pipe, err := o.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(o.cmd.Start())
	ts.Defer(func() {
		_ = o.cmd.Process.Kill() // most have ended
		_ = o.cmd.Wait()
	})
	ts.Value(owners{}).(map[string]*owner)[args[0]] = o
	lines, said := bufio.NewScanner(pipe), ""
	for lines.Scan() {
		said += lines.Text() + "\n"
		if strings.Contains(lines.Text(), args[1]) {
			if id := runID.FindString(said); id != "" { // a resume does not say it
				ts.Setenv(args[0], id)
			}
			go func() { // it ends with the process
				for lines.Scan() {
					said += lines.Text() + "\n"
				}
				o.rest <- said
			}()
			return
		}
	}
	ts.Fatalf("it ended before it said %q:\n%s", args[1], said)
}

func ownerOf(ts *testscript.TestScript, name string) *owner {
	o := ts.Value(owners{}).(map[string]*owner)[name]
	if o == nil {
		ts.Fatalf("nobody owns %s", name)
	}
	return o
}

// kills ends the owner of a run at once: kills NAME
func kills(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: kills NAME")
	}
	o := ownerOf(ts, args[0])
	ts.Check(o.cmd.Process.Kill())
	<-o.rest
	_ = o.cmd.Wait() // it was killed
}

// ended waits for the end of the owner of a run, and compares its exit code: ended NAME CODE
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ended NAME CODE")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	o := ownerOf(ts, args[0])
	said := <-o.rest
	var e *exec.ExitError
	if err := o.cmd.Wait(); err != nil && !errors.As(err, &e) {
		ts.Check(err)
	}
	if got := o.cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d:\n%s", got, want, said)
	}
}
