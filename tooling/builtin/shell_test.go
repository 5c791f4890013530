package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// shellHost is a host that gives back one outcome and keeps what it was asked.
type shellHost struct {
	out     shell.Outcome
	changes []workspace.Change
	err     error
	asked   []ShellCall
}

func (h *shellHost) Run(_ context.Context, c ShellCall) (shell.Outcome, []workspace.Change, error) {
	h.asked = append(h.asked, c)
	return h.out, h.changes, h.err
}

func callShell(t *testing.T, h *shellHost, args string) tooling.Result {
	t.Helper()
	o, bad := tooling.Normalise(json.RawMessage(args))
	if bad != nil {
		t.Fatal(bad.Result().Content)
	}
	return ShellTool(h, limits.Limits{Command: 100}).Handle(t.Context(), &tooling.Call{
		Run: "run", Args: o, View: workspace.NewView(workspace.ViewOptions{}), Timeout: time.Second,
	})
}

func TestShellArguments(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ args, code, has, dir string }{
		"as it stands":         {`{"command":"  echo  "}`, "", "exit code 0", "/"},
		"blank":                {`{"command":" \n"}`, "tool.invalid_arguments", "blank", ""},
		"long":                 {`{"command":"` + strings.Repeat("x", 101) + `"}`, "tool.invalid_arguments", "101 bytes", ""},
		"NUL":                  {`{"command":"a\u0000b"}`, "tool.invalid_arguments", "NUL", ""},
		"absolute workdir":     {`{"command":"ls","workdir":"/output/a/"}`, "", "", "/output/a"},
		"relative workdir":     {`{"command":"ls","workdir":"output"}`, "", "", "/output"},
		"/tmp":                 {`{"command":"ls","workdir":"/tmp"}`, "", "", "/tmp"},
		"a hidden workdir":     {`{"command":"ls","workdir":"/secret"}`, "workspace.path_not_visible", "secret", ""},
		"outside":              {`{"command":"ls","workdir":"/output/../.."}`, "workspace.invalid_path", "..", ""},
		"the root by any name": {`{"command":"ls","workdir":"//"}`, "", "", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &shellHost{out: shell.Outcome{Kind: shell.Exited}}
			r := callShell(t, h, row.args)
			if r.Code != row.code || !strings.Contains(r.Content, row.has) {
				t.Fatalf("%s: %s", r.Code, r.Content)
			}
			if row.code != "" && len(h.asked) > 0 || row.code == "" && (len(h.asked) != 1 || h.asked[0].Dir != row.dir) {
				t.Fatalf("asked %+v", h.asked)
			}
			if row.code == "" && h.asked[0].Command != strings.Split(row.args, `"`)[3] {
				t.Errorf("command %q", h.asked[0].Command)
			}
		})
	}
}

func TestShellResults(t *testing.T) {
	t.Parallel()
	changes := []workspace.Change{{Path: "output/a", New: "x"}}
	for name, row := range map[string]struct {
		host    shellHost
		code    string
		outcome journal.Outcome
	}{
		"exit 0":    {shellHost{out: shell.Outcome{Kind: shell.Exited}, changes: changes}, "", ""},
		"exit 3":    {shellHost{out: shell.Outcome{Kind: shell.Exited, Code: 3}, changes: changes}, "workspace.shell_exit", ""},
		"timeout":   {shellHost{out: shell.Outcome{Kind: shell.TimedOut}, changes: changes}, "workspace.shell_timeout", ""},
		"cancelled": {shellHost{out: shell.Outcome{Kind: shell.Cancelled}, changes: changes}, "workspace.shell_cancelled", journal.Cancelled},
		"a limit":   {shellHost{out: shell.Outcome{Kind: shell.Failed, Limit: &limits.Hit{Name: "loops"}}, changes: changes}, "workspace.shell_failed", ""},
		"no worker": {shellHost{out: shell.Outcome{Kind: shell.Unavailable}}, "workspace.shell_unavailable", ""},
		"storage":   {shellHost{err: fault.Wrap(errors.New("no space"), "workspace.storage_failed", "x")}, "workspace.storage_failed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := callShell(t, &row.host, `{"command":"x"}`)
			if r.Code != row.code || r.Outcome != row.outcome || len(r.Changes) != len(row.host.changes) {
				t.Errorf("%s, %q, %d changes: %s", r.Code, r.Outcome, len(r.Changes), r.Content)
			}
		})
	}
}

// A call that only reads may run beside others.
func TestShellReads(t *testing.T) {
	t.Parallel()
	tool := ShellTool(nil, limits.Limits{})
	for args, want := range map[string]bool{`{"command":"x"}`: false, `{"command":"x","read_only":true}`: true, `{"command":"x","read_only":false}`: false} {
		o, bad := tooling.Normalise(json.RawMessage(args))
		if bad != nil || tool.Reads(o) != want {
			t.Errorf("%s: reads %v", args, !want)
		}
	}
}
