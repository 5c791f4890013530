package swarmtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// This test binary does not call swarm.ShellWorker: the shell runs within the process.

// locked is a buffer that a logger writes to.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// within runs commands of the shell, one a turn, and gives their results.
func within(t *testing.T, o swarm.Options, c config.Shell, commands ...string) (results []string, err error) {
	t.Helper()
	var turns []swarmtest.Turn
	for _, command := range commands {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, swarmtest.Do(swarmtest.Call("workspace_shell", string(args))))
	}
	turns = append(turns, swarmtest.Do(swarmtest.Call("workspace_finish", `{}`)))
	o.Providers = map[string]swarm.Provider{"default": swarmtest.Script{"root": turns}}
	rt, err := swarm.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	team := &swarm.Team{Version: 1, Name: "test", Entry: "root", Agents: map[string]*agent.Profile{"root": {ID: "root"}},
		Models: map[string]config.Model{"default": {Provider: "scripted", Model: "script"}}, Shell: c}
	r, err := rt.Start(t.Context(), team, swarm.Input{Text: "go"})
	if err != nil {
		return nil, err
	}
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	recs, err := rt.Store().Read(t.Context(), r.ID(), journal.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range recs {
		if s, ok := recs[i].Payload.(*journal.CallSettled); ok && len(results) < len(commands) {
			results = append(results, s.Content.Text)
		}
	}
	return results, nil
}

func TestShellWithinTheProcess(t *testing.T) {
	t.Parallel()
	var log locked
	results, err := within(t, swarm.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, config.Shell{},
		"echo in > /output/a; cat /output/a | tr a-z A-Z", "cat /output/a; f() { f; }; f", "js -e 'console.log(1)'", "yes | head -1; ls /etc")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"exit code 0\nIN\n", "The limit functions was reached", "exit code 126", "y\n"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("%d: %q, want %q in it", i, results[i], want)
		}
	}
	if !strings.Contains(results[2], "swarm.ShellWorker()") {
		t.Errorf("the refusal does not say what to do: %q", results[2])
	}
	if n := strings.Count(log.String(), "run within this process"); n != 1 {
		t.Errorf("warned %d times:\n%s", n, log.String())
	}
}

func TestShellWithinTheProcessJS(t *testing.T) {
	t.Parallel()
	results, err := within(t, swarm.Options{AllowInProcessJS: true}, config.Shell{}, "js -e 'console.log(6 * 7)'; node -p '[1,2]'")
	if err != nil || results[0] != "exit code 0\n42\n[ 1, 2 ]\n" {
		t.Errorf("%q, %v", results, err)
	}
}

func TestShellIsolationCannotBeHad(t *testing.T) {
	t.Parallel()
	_, err := within(t, swarm.Options{}, config.Shell{Required: true}, "echo x")
	if swarm.Code(err) != "workspace.shell_unavailable" || !strings.Contains(err.Error(), "swarm.ShellWorker()") {
		t.Errorf("got %v", err)
	}
}
