package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// scriptNotes compares the scripts of a team with it: agents that it lacks, and tools that
// no agent has. The scripts themselves have been checked.
func scriptNotes(team *config.Team, tools []string) []config.Fault {
	var out []config.Fault
	read := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		m := team.Models[name]
		var doc yaml.Node
		if m.Provider != config.Scripted || m.Embedded() || read[m.ScriptFile] || yaml.Unmarshal([]byte(m.Script), &doc) != nil || len(doc.Content) == 0 {
			continue
		}
		read[m.ScriptFile] = true
		s := scriptCheck{team: team, file: m.ScriptFile, tools: tools}
		each(member(doc.Content[0], "agents"), s.agent)
		out = append(out, s.notes...)
	}
	return out
}

// scriptCheck is the check of one script.
type scriptCheck struct {
	team  *config.Team
	file  string
	tools []string // ids, native names and model names that agents of the team have
	notes []config.Fault
}

func (s *scriptCheck) warn(n *yaml.Node, code, text, mend string) {
	s.notes = append(s.notes, config.Fault{File: s.file, Line: n.Line, Column: n.Column, Code: code, Text: text, Mend: mend, Warning: true})
}

func (s *scriptCheck) agent(k, steps *yaml.Node) {
	if k.Value != "*" && s.team.Agents[k.Value] == nil {
		s.warn(k, "config.script_agent", fmt.Sprintf("the team has no agent %q, so these steps never answer", k.Value),
			nearestMend(k.Value, slices.Sorted(maps.Keys(s.team.Agents))))
	}
	for _, step := range steps.Content {
		step = followed(step)
		if after := member(member(step, "when"), "after"); after != nil && after.Kind == yaml.ScalarNode {
			s.tool(after)
		}
		calls := member(step, "calls")
		if calls == nil {
			continue
		}
		for _, call := range calls.Content {
			if call = followed(call); call.Kind == yaml.MappingNode && len(call.Content) > 0 {
				call = call.Content[0]
			}
			s.tool(call)
		}
	}
}

// tool checks the name of a tool. One that begins with = is sent as it stands, on purpose,
// and tools of an embedding program are not known here.
func (s *scriptCheck) tool(n *yaml.Node) {
	if strings.HasPrefix(n.Value, "=") || strings.HasPrefix(n.Value, "extension/") || slices.Contains(s.tools, n.Value) {
		return
	}
	s.warn(n, "config.script_tool", fmt.Sprintf("no agent of the team has the tool %q", n.Value), toolMend(n.Value))
}

// toolMend says how an agent comes to have a tool, or which one was likely meant.
func toolMend(name string) string {
	native := strings.TrimPrefix(name, "builtin:")
	for _, t := range builtins() {
		if _, has, _ := strings.Cut(t.ID, ":"); native != has && native != strings.ReplaceAll(has, ".", "_") {
			continue
		}
		switch t.Condition {
		case tooling.CanDelegate:
			return "give an agent delegation: {can_delegate: true}"
		case tooling.CanHandoff:
			return "give an agent delegation: {can_handoff: true}"
		case tooling.CanReach:
			return "give an agent delegation: {can_delegate: true}, and name the tool in its tools.allow"
		case tooling.HasMount:
			return "mount a directory: workspace: {mounts: [{host: .}]}"
		case tooling.ChildOnly:
			return "it is for an agent that takes tasks: delegation: {callable: true, as_child: true}"
		}
		return "name it in tools.allow of an agent"
	}
	return config.NearestTool(native)
}

func nearestMend(name string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the nearest one is %q", nearest(name, names))
}

// each calls do for the members of a mapping.
func each(n *yaml.Node, do func(k, v *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], followed(n.Content[i+1]))
	}
}

// member gives a member of a mapping, or nil.
func member(n *yaml.Node, name string) (found *yaml.Node) {
	each(n, func(k, v *yaml.Node) {
		if k.Value == name {
			found = v
		}
	})
	return found
}

// followed gives what an alias stands for.
func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}
