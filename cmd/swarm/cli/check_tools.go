package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// builtins are the built-in tools of this version.
func builtins() []tooling.Tool {
	return slices.Concat(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil), builtin.ShellTool(nil, limits.Limits{})})
}

// prepared is what preparing the tools of a team has shown.
type prepared struct {
	notes    []tooling.Diagnostic
	warnings []config.Fault // of agents that can do too little
}

// toolSets prepares the tools of every agent, as the start of a run does, and gives every
// name by which one of them can be called.
func toolSets(team *config.Team, mounts *workspace.Mounts) (sets prepared, names []string, err error) {
	tools, err := builtin.Collect(builtins())
	if err != nil {
		return sets, nil, err
	}
	env := &agent.Env{Team: team.Name, Entry: team.Entry, Profiles: team.Agents, Order: slices.Sorted(maps.Keys(team.Agents)), Mounts: mounts, Budgets: team.Budgets, NoHuman: true}
	if env.Catalogue, err = tooling.NewCatalogue(tools...); err != nil {
		return sets, nil, err
	}
	if sets.notes, err = env.Check(); err != nil {
		return sets, nil, err
	}
	full := &input.Frozen{Messages: make([]input.Message, 1), LoreSize: 1} // every tool that an input brings
	seen := map[string]bool{}
	for _, id := range env.Order {
		p := team.Agents[id]
		is := map[string]bool{"root": id == team.Entry, "child": p.Delegation.AsChild, "handoff": p.Delegation.AsHandoff}
		told := false
		for _, kind := range kinds {
			if !is[kind] {
				continue
			}
			_, snap, err := env.PreviewOf(agent.Birth{Kind: kind, Profile: id, Input: full})
			if err != nil {
				return sets, nil, err
			}
			if text, mend := tooLittle(p, kind, snap); text != "" && !told {
				told = true
				f := team.Place("agents." + id)
				f.Code, f.Text, f.Mend, f.Warning = "config.tools_few", fmt.Sprintf("agent %s as %s %s", id, kind, text), mend, true
				sets.warnings = append(sets.warnings, f)
			}
			for _, b := range snap.Bindings {
				_, native, _ := strings.Cut(b.ID, ":")
				seen[b.ID], seen[native], seen[b.Name] = true, true, true
			}
		}
	}
	return sets, slices.Sorted(maps.Keys(seen)), nil
}

// tooLittle says what is wrong with an agent whose tools let it do nothing but end, and
// with one that owns a run and can leave nothing in it. An empty tools.allow is meant so,
// or was told.
func tooLittle(p *agent.Profile, kind string, snap *tooling.Snapshot) (text, mend string) {
	if p.Allow != nil && len(p.Allow) == 0 {
		return "", ""
	}
	acts, makes := false, false
	for i := range snap.Bindings {
		switch b := &snap.Bindings[i]; b.ID {
		case tooling.IDFinish, tooling.IDReturn:
		case "builtin:chat.search", "builtin:chat.read_messages", "builtin:worldinfo.read_activated": // only with what a run is given
		default:
			acts = true
			makes = makes || b.ID == tooling.IDCommit || b.ID == tooling.IDHandoff || b.Effect.Class == tooling.Write
		}
	}
	switch {
	case !acts:
		return "has no tool but the one by which it ends", "name tools that it is to have, such as workspace.read_file; those for files of the host need a mount"
	case !makes && kind != "child":
		return "can neither write nor publish a file, so that its result is only what it says", "add workspace.write_file and workspace.commit to its tools"
	}
	return "", ""
}
