package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// callTeam is a team of an entry and of an agent that is a child and a handoff target, over
// a mounted directory. Its model cannot be reached: nothing here may ask it.
func callTeam(t *testing.T, tools ...swarm.Tool) *testBundle {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("from the host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := setup(t, setupOptions{script: swarmtest.Script{}, tools: tools, agents: map[string]*agent.Profile{
		"root": {Deny: []string{"builtin:workspace.apply_*"}, Delegation: agent.Delegation{CanDelegate: true},
			Limits: map[string]tooling.ToolLimit{"builtin:workspace.*": {MaxCalls: 2, Timeout: time.Minute}}},
		"helper": {Allow: []string{"workspace.read_file", "builtin:dice.*", "read", "extension/go:*"}, Rounds: 1,
			Delegation: agent.Delegation{Callable: true, AsChild: true, AsHandoff: true, AllowedCallers: []string{"root"}}},
	}})
	b.team.Mounts = []workspace.MountSpec{{Host: dir, At: "notes"}}
	b.team.Budgets = agent.Budgets{Rounds: 1, Calls: 1}
	return b
}

func TestCallOfATool(t *testing.T) {
	t.Parallel()
	var key, path string
	probe := keyed(t, "probe", func(_ context.Context, c *tooling.Call) (string, error) {
		key, path = c.Key, c.Path
		return "", errors.New("it is broken")
	})
	b := callTeam(t, probe)
	for _, row := range []struct {
		name string
		call swarm.ToolCall
		want string // kind, name, outcome, code
		text string
	}{
		{"by id", swarm.ToolCall{Tool: "builtin:workspace.list_files", Args: `{}`}, "root workspace_list_files completed ", "output/"},
		{"by name, without arguments", swarm.ToolCall{Tool: "workspace_list_files"}, "root workspace_list_files completed ", "output/"},
		{"by native name", swarm.ToolCall{Tool: "workspace.write_file", Args: `{"path":"output/a","content":"x"}`}, "root workspace_write_file completed ", "wrote 1 character"},
		{"mount", swarm.ToolCall{Tool: "read", Args: `{"path":"note.txt"}`}, "root read completed ", "from the host"},
		{"out of the mount", swarm.ToolCall{Tool: "read", Args: `{"path":"../note.txt"}`}, "root read failed workspace.invalid_path", "error workspace.invalid_path: "},
		{"not writable", swarm.ToolCall{Tool: "workspace.write_file", Args: `{"path":"input/a","content":"x"}`}, "root workspace_write_file failed workspace.path_not_writable", "error "},
		{"arguments that do not fit", swarm.ToolCall{Tool: "workspace.read_file", Args: `{"pth":"a"}`}, "root workspace_read_file failed tool.invalid_arguments", "path"},
		{"no JSON", swarm.ToolCall{Tool: "workspace.read_file", Args: `{"path":`}, "root workspace_read_file failed tool.invalid_arguments", "cut off"},
		{"bytes that are no text", swarm.ToolCall{Tool: "workspace.read_file", Args: "{\"path\":\"\xff\"}"}, "root workspace_read_file failed ", "error "},
		{"child", swarm.ToolCall{Tool: "dice.roll", Agent: "helper", Args: `{"formula":"2d1"}`}, "child dice_roll completed ", "2"},
		{"handoff", swarm.ToolCall{Tool: "dice.roll", Agent: "helper", Kind: "handoff", Args: `{"formula":"2d1"}`}, "handoff dice_roll completed ", "2"},
		{"a tool of the program", swarm.ToolCall{Tool: "extension/go:probe", Agent: "helper", Args: `{}`}, "child probe failed tool.failed", "it is broken"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := b.rt.Call(t.Context(), b.team, row.call)
			if err != nil {
				t.Fatal(err)
			}
			if said := fmt.Sprintf("%s %s %s %s", got.Kind, got.Name, got.Outcome, got.Code); !strings.HasPrefix(said, row.want) || !strings.Contains(got.Text, row.text) {
				t.Errorf("%s: %s", said, got.Text)
			}
			if begun := got.Code != "tool.invalid_arguments"; begun != got.Dispatched {
				t.Errorf("dispatched %v with code %q", got.Dispatched, got.Code)
			}
		})
	}
	if key == "" || path != "root/helper" {
		t.Errorf("the tool saw the call %q of %q", key, path)
	}
	if runs, err := b.rt.Runs(t.Context()); err != nil || len(runs) != 0 || b.reqs.Count() != 0 {
		t.Errorf("%d runs and %d model requests were left, %v", len(runs), b.reqs.Count(), err)
	}
	if b.team.Entry != "root" || len(b.team.Agents) != 2 || b.team.Budgets.Rounds != 1 || b.team.Agents["helper"].Delegation.AllowedCallers[0] != "root" {
		t.Error("the team was changed")
	}
}

func TestCallIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	b := callTeam(t)
	for _, row := range []struct {
		name string
		call swarm.ToolCall
		code string
		text string
	}{
		{"unknown", swarm.ToolCall{Tool: "workspace.raed_file"}, "tool.not_in_catalog", "the nearest one is workspace.read_file"},
		{"no name", swarm.ToolCall{}, "tool.not_in_catalog", "nearest"},
		{"name in another case", swarm.ToolCall{Tool: "Read"}, "tool.not_in_catalog", "nearest one is read"},
		{"deny", swarm.ToolCall{Tool: "workspace.apply_patch"}, "permission.denied", "by tools.deny builtin:workspace.apply_*"},
		{"allow", swarm.ToolCall{Tool: "workspace_write_file", Agent: "helper"}, "permission.denied", "by tools.allow: no entry names the tool"},
		{"not in the set of a new profile", swarm.ToolCall{Tool: "dice.roll"}, "permission.denied", "not in the set of a new profile"},
		{"not of this kind", swarm.ToolCall{Tool: "workspace.commit", Agent: "helper"}, "permission.denied", "no entry"},
		{"condition", swarm.ToolCall{Tool: "agent.handoff"}, "tool.not_here", "hand over to nobody"},
		{"finish", swarm.ToolCall{Tool: "workspace.finish"}, "tool.needs_run", "outside of one"},
		{"return", swarm.ToolCall{Tool: "task.return", Agent: "helper"}, "tool.needs_run", "outside of one"},
		{"return of a root", swarm.ToolCall{Tool: "task.return"}, "tool.not_here", "ends another way"},
		{"delegation", swarm.ToolCall{Tool: "agent_delegate"}, "tool.needs_run", "outside of one"},
		{"agent", swarm.ToolCall{Tool: "read", Agent: "hepler"}, "config.agent_unknown", `nearest one is "helper"`},
		{"kind", swarm.ToolCall{Tool: "read", Kind: "child"}, "config.agent_kind", "it can be: root"},
		{"no kind at all", swarm.ToolCall{Tool: "read", Agent: "helper", Kind: "boss"}, "config.agent_kind", "it can be: child, handoff"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := b.rt.Call(t.Context(), b.team, row.call)
			if got != nil || fault.Code(err) != row.code || !strings.Contains(err.Error(), row.text) {
				t.Errorf("%+v, %v; want %s with %q", got, err, row.code, row.text)
			}
		})
	}
	if _, err := b.rt.Call(t.Context(), nil, swarm.ToolCall{Tool: "read"}); fault.Code(err) != "config.missing" {
		t.Error(err)
	}
	if _, err := b.rt.Call(t.Context(), &swarm.Team{}, swarm.ToolCall{Tool: "read"}); fault.Code(err) != "config.invalid" {
		t.Error(err)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := newHolder(t, "hold", false)
	b := callTeam(t, h.tool)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-h.begun
		cancel()
	}()
	if _, err := b.rt.Call(ctx, b.team, swarm.ToolCall{Tool: "hold", Agent: "helper"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A call sees mounts without the data directory, as a run does.
func TestCallDoesNotSeeTheDataDirectory(t *testing.T) {
	t.Parallel()
	b := callTeam(t)
	data := filepath.Join(b.team.Mounts[0].Host, "data")
	rt, err := swarm.Open(t.Context(), swarm.Options{Dir: data, Store: journal.NewMemory(journal.MemoryOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "journal.db"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := rt.Call(t.Context(), b.team, swarm.ToolCall{Tool: "read", Args: `{"path":"data/journal.db"}`})
	if err != nil || got.Code != "workspace.path_not_visible" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := rt.Call(t.Context(), b.team, swarm.ToolCall{Tool: "read"}); fault.Code(err) != "runtime.closed" {
		t.Error(err)
	}
}

func TestExplainOfACall(t *testing.T) {
	t.Parallel()
	b := callTeam(t)
	for _, row := range []struct {
		name string
		call swarm.ToolCall
		want string // decision, code, steps
	}{
		{"allowed", swarm.ToolCall{Tool: "workspace.read_file", Args: `{"path":"output/a"}`},
			"allow  | allow tools.allow | limit tools.limits builtin:workspace.* | allow request gate | allow arguments | allow mode"},
		{"by a pattern", swarm.ToolCall{Tool: "dice.roll", Agent: "helper", Args: `{"formula":"1d6"}`},
			"allow  | allow tools.allow builtin:dice.* | allow request gate | allow arguments | allow mode"},
		{"system", swarm.ToolCall{Tool: "workspace.finish", Args: `{}`},
			"allow  | allow system | limit tools.limits builtin:workspace.* | allow request gate | allow arguments | allow mode"},
		{"outside of its roots", swarm.ToolCall{Tool: "workspace.read_file", Args: `{"path":"a"}`},
			"refuse workspace.path_not_visible | allow tools.allow | limit tools.limits builtin:workspace.* | allow request gate | allow arguments | refuse roots"},
		{"wrong arguments", swarm.ToolCall{Tool: "workspace.read_file"},
			"refuse tool.invalid_arguments | allow tools.allow | limit tools.limits builtin:workspace.* | allow request gate | refuse arguments"},
		{"denied", swarm.ToolCall{Tool: "workspace.apply_patch"}, "deny permission.denied | deny tools.deny builtin:workspace.apply_*"},
		{"not allowed", swarm.ToolCall{Tool: "glob", Agent: "helper"}, "deny permission.denied | deny tools.allow"},
		{"absent", swarm.ToolCall{Tool: "agent.handoff"}, "absent tool.not_here | absent conditions"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := b.rt.Explain(t.Context(), b.team, row.call)
			if err != nil {
				t.Fatal(err)
			}
			got := e.Decision + " " + e.Code
			for _, s := range e.Steps {
				got += " | " + strings.TrimSpace(s.Says+" "+s.Layer+" "+s.Entry)
			}
			if got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
	if e, err := b.rt.Explain(t.Context(), b.team, swarm.ToolCall{Tool: "x"}); e != nil || fault.Code(err) != "tool.not_in_catalog" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestToolsOfATeam(t *testing.T) {
	t.Parallel()
	b := callTeam(t)
	b.team.Models["other"] = config.Model{Provider: "openai", Model: "${NOT_SET}", APIKey: "${NOT_SET}"} // nothing of it is needed
	all, err := b.rt.Tools(t.Context(), b.team, "", "")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d agents, %v", len(all), err)
	}
	helper := all[0]
	if helper.Agent != "helper" || helper.Kind != "child" || fmt.Sprint(helper.Kinds) != "[child handoff]" || all[1].Agent != "root" || all[1].Kind != "root" {
		t.Errorf("%s %s %s, %s %s", helper.Agent, helper.Kind, helper.Kinds, all[1].Agent, all[1].Kind)
	}
	var names []string
	for _, tool := range helper.Tools {
		names = append(names, tool.Name+"/"+tool.Effect+"/"+tool.Again)
	}
	if got := strings.Join(names, " "); got != "workspace_read_file/read/yes dice_roll/read/yes read/read/yes task_return/none/" {
		t.Error(got)
	}
	why := map[string]string{}
	for _, d := range helper.LeftOut {
		why[d.ToolID] = d.Code
	}
	if why["builtin:workspace.write_file"] != "tool.not_allowed" || why["builtin:workspace.finish"] != "tool.completion_protocol" {
		t.Errorf("left out: %v", why)
	}
	if limit := all[1].Tools[0]; limit.MaxCalls != 2 || limit.TimeoutMS != 60_000 {
		t.Errorf("%+v", limit)
	}
	if got, err := b.rt.Tools(t.Context(), b.team, "", "handoff"); err != nil || len(got) != 1 || got[0].Agent != "helper" {
		t.Errorf("%d handoff targets, %v", len(got), err)
	}
	got, err := b.rt.Tools(t.Context(), b.team, "helper", "handoff")
	if err != nil || got[0].Tools[len(got[0].Tools)-1].Name == "task_return" || !strings.Contains(got[0].Prompt, "workspace_finish") {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is shown as sent is what a run sends.
func TestToolsAreThoseThatAreSent(t *testing.T) {
	t.Parallel()
	b := callTeam(t)
	b.team.Budgets = agent.Budgets{}
	shown, err := b.rt.Tools(t.Context(), b.team, "root", "")
	if err != nil {
		t.Fatal(err)
	}
	run, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	req := b.reqs.Of("root")[0]
	if req.System != shown[0].Prompt || len(req.Tools) != len(shown[0].Tools) {
		t.Fatalf("prompt or number of tools differ:\n%s\n%s", req.System, shown[0].Prompt)
	}
	for i, tool := range req.Tools {
		if v := shown[0].Tools[i]; v.Name != tool.Name || v.Description != tool.Description || string(v.Schema) != string(tool.Schema) {
			t.Errorf("%s differs from %s", v.Name, tool.Name)
		}
	}
}
