package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// foreign are the fields of agent files in the wild that mean something here, and those
// that do not (command line spec §3).
func (in *input) foreign(d *draft) []key {
	p := &d.profile
	keys := []key{
		{"disallowedTools", func(v *yaml.Node) { p.Deny = in.foreignTools(v, "disallowedTools") }},
		{"maxTurns", in.count(&p.Rounds, "maxTurns")},
		{"mcpServers", func(v *yaml.Node) {
			in.warn(v, "config.ignored_field", "mcpServers (mcp) is not in this version, so the agent has none of their tools", "")
		}},
		{"permissionMode", in.permissionMode},
		{"mode", func(v *yaml.Node) {
			word := ""
			in.choice(&word, "mode", "primary", "subagent", "all")(v)
			d.hasPolicy = true
			if word == "subagent" || word == "all" {
				p.Delegation.Callable, p.Delegation.AsChild = true, true
			}
		}},
	}
	for _, name := range elsewhere {
		keys = append(keys, key{name, func(v *yaml.Node) {
			in.warn(in.seen[name].key, "config.ignored_field", fmt.Sprintf("the field %q means nothing here", name), "")
		}})
	}
	for i := range keys {
		read := keys[i].read
		keys[i].read = func(v *yaml.Node) { d.foreign = true; read(v) }
	}
	return keys
}

// foreignModels are words that agent files of other programs have for models.
var foreignModels = []string{"haiku", "inherit", "opus", "sonnet"}

// foreignModel leaves the default model to an agent whose file names one of another
// program. In a file that is plainly ours it stays a fault.
func (l *loader) foreignModel(d *draft) {
	name := d.profile.Model
	word := slices.Contains(foreignModels, name)
	if d.modelIn == nil || name == "" || name == DefaultModel || l.team.Models[name].Provider != "" || !word && !d.foreign {
		return
	}
	if _, ok := shorthand(name); ok {
		return
	}
	d.modelIn.warn(d.modelAt, "config.model_unknown", fmt.Sprintf("agent %s: the team has no model %q, so it gets the default model", d.profile.ID, name),
		"give the team a model of this name, or name one of "+listed(slices.Sorted(maps.Keys(l.team.Models))))
	d.profile.Model = ""
}

// elsewhere are fields that other programs know and that have no meaning here.
var elsewhere = []string{
	"argument-hint", "author", "background", "category", "color", "effort", "hidden", "hooks", "icon", "initialPrompt",
	"license", "memory", "metadata", "tags", "user-invocable", "version",
}

// canonical says which keys say the same as a field from elsewhere.
var canonical = []struct{ field, key string }{
	{"disallowedTools", "tools.deny"},
	{"maxTurns", "budgets.rounds"},
	{"mcpServers", "mcp"},
	{"permissionMode", "permissions.mode"},
	{"mode", "delegation.callable"},
	{"mode", "delegation.as_child"},
}

// conflicts finds fields that stand beside their canonical key in one file.
func (in *input) conflicts() {
	for _, c := range canonical {
		f, found := in.seen[c.field]
		if _, both := in.seen[c.key]; found && both {
			in.fault(f.key, "config.conflict", fmt.Sprintf("%s and %s say the same", c.field, c.key), "keep "+c.key)
		}
	}
}

// permissionMode reads the field of that name. Nothing in this version asks for
// permission, so only what would be stricter than that is refused.
func (in *input) permissionMode(v *yaml.Node) {
	s, ok := in.text(v, "permissionMode")
	if !ok {
		return
	}
	switch s {
	case "default", "ask", "full":
	case "bypassPermissions":
		in.warn(v, "config.permission_mode", "permissionMode bypassPermissions means permissions.mode: full", "")
	case "acceptEdits":
		in.warn(v, "config.permission_mode", "permissionMode acceptEdits means permissions.mode: ask; its rule allow: write(**) is not in this version", "")
	case "plan":
		in.warn(v, "config.permission_mode", "permissionMode plan (permissions.mode: deny) is not in this version and means ask", "take tools away with tools.deny")
	case "deny":
		in.absent(v, "permissionMode deny (permissions.mode: deny)", "use default")
	case "auto":
		in.absent(v, "permissionMode auto", "use default")
	default:
		in.value(v, "permissionMode", "default, plan, acceptEdits, bypassPermissions, ask, auto, full or deny")
	}
}

// spellings are the names that common tools have elsewhere.
var spellings = map[string][]string{
	"Read": {"read"}, "Write": {"write"}, "Edit": {"edit"}, "Glob": {"glob"}, "Grep": {"grep"},
	"Bash": {"exec", "process"}, "Task": {"agent.delegate"}, "TodoWrite": {"update_plan"}, "AskUserQuestion": {"question"},
}

// foreignTools reads a list or a comma string of tools. What this program or this
// version does not have is a warning and left out.
func (in *input) foreignTools(n *yaml.Node, path string) []string {
	out := []string{}
	one := func(v *yaml.Node, name string) {
		if name = strings.TrimSpace(name); name == "" {
			return
		}
		names := spellings[name]
		if names == nil {
			names = []string{name}
		}
		for _, name := range names {
			if full, err := tooling.Pattern(name); err == nil && strings.HasPrefix(full, "builtin:") && !anyMatch(full, registered()) {
				text, mend := fmt.Sprintf("%s: there is no tool %q here", path, name), nearest(name, natives())
				if anyMatch(full, tabled()) {
					text, mend = fmt.Sprintf("%s: the tool %q is not in this version", path, name), ""
				}
				in.warn(v, "config.tool_unknown", text+", it is left out", mend)
				continue
			} else if err != nil && !strings.Contains(name, ":") {
				in.warn(v, "config.tool_unknown", fmt.Sprintf("%s: there is no tool %q here, it is left out", path, name), "")
				continue
			}
			if in.pattern(&yaml.Node{Kind: yaml.ScalarNode, Value: name, Line: v.Line, Column: v.Column}, denyPath(path), false) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	switch n = real(n); n.Kind {
	case yaml.ScalarNode:
		for name := range strings.SplitSeq(n.Value, ",") {
			one(n, name)
		}
	default:
		in.items(n, path, func(v *yaml.Node) {
			if s, ok := in.text(v, "an entry of "+path); ok {
				one(v, s)
			}
		})
	}
	return out
}

// denyPath gives the name of the list that decides how a pattern is judged.
func denyPath(path string) string {
	if path == "disallowedTools" {
		return "tools.deny"
	}
	return path
}
