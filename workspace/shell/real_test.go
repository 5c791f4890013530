//go:build linux

package shell_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// mode is one way to run a real script: the same tests hold for both.
type mode struct {
	name  string
	run   shell.Runner
	clock *actors.ManualClock
}

// contained says whether a fatal error of the Go runtime costs the worker only.
func (m mode) contained() bool { return m.name == "worker" }

// modes gives the pool and the runner without workers. Their clocks stand still.
func modes(t *testing.T) []mode {
	t.Helper()
	b := setup(t, shell.PoolOptions{})
	clock := actors.NewManualClock(time.Unix(0, 0))
	e, commands := build()
	r := shell.NewInProcess(e, commands, shell.InProcessOptions{Tmp: t.TempDir(), Clock: clock})
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return []mode{{"worker", b.pool, b.clock}, {"in process", r, clock}}
}

// inBoth runs a test in both modes.
func inBoth(t *testing.T, test func(t *testing.T, m mode)) {
	t.Helper()
	for _, m := range modes(t) {
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// in runs a script on a directory and gives its standard output.
func (m mode) in(t *testing.T, dir, script string) (string, shell.Outcome) {
	t.Helper()
	return m.do(t, &shell.Job{Command: script, Host: dir})
}

func (m mode) do(t *testing.T, j *shell.Job) (string, shell.Outcome) {
	t.Helper()
	marked := *j
	marked.Command = real + j.Command
	o := m.run.Run(t.Context(), &marked)
	return string(o.Stdout.Head) + string(o.Stdout.Tail), o
}

// wants fails unless a script ends with a status and an output.
func (m mode) wants(t *testing.T, dir, script, out string, code int) {
	t.Helper()
	got, o := m.in(t, dir, script)
	if o.Kind != shell.Exited || o.Code != code || got != out {
		t.Errorf("%s\ngot  %q, %s %d (%s)\nwant %q, %d\nstandard error: %s", script, got, o.Kind, o.Code, o.Reason, out, code, o.Stderr.Head)
	}
}

// agentRoots are the roots of an agent: hidden exists and is not seen.
var agentRoots = view.Roots{Visible: []string{"input", "output", "scratch"}, Writable: []string{"output", "scratch"}}

// plant makes files below a directory: names that end with a slash are directories.
func plant(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		at := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if err == nil && !strings.HasSuffix(name, "/") {
			err = os.WriteFile(at, []byte(content), 0o755)
		} else if err == nil {
			err = os.MkdirAll(at, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// outside gives a directory for the files of a call, and next to it a file with a canary.
func outside(t *testing.T) (dir, canary string) {
	t.Helper()
	base := plant(t, t.TempDir(), map[string]string{"canary": "#!/bin/bash\necho tweet\n", "files/": ""})
	return filepath.Join(base, "files"), filepath.Join(base, "canary")
}

// tree gives what is below a directory of the host: names, modes, sizes, contents, targets.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimPrefix(name, dir) + " " + info.Mode().String())
		switch {
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(name)
			b.WriteString(" -> " + target + "\n")
			return err
		case d.Type().IsRegular():
			data, err := os.ReadFile(name)
			b.WriteString(" " + info.ModTime().String() + " " + string(data) + "\n")
			return err
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
