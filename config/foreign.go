package config

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// field is a key of agent files of other programs.
type field struct {
	key
	same []string // keys of ours that say the same
}

// foreignFields is the table of the fields of agent files in the wild that mean something
// here (command line spec §3).
func foreignFields(l *loader, d *draft) []field {
	p := &d.profile
	ignored := kind{form{is: "anything"}, func(in *input, v *yaml.Node, _ string) {
		in.warn(v, "config.ignored_field", "mcpServers (mcp) is not in this version, so the agent has none of their tools", "")
	}}
	return []field{
		{key{"disallowedTools", foreignTools(&p.Deny, denying), nil, "the same as `tools.deny`, with names of tools of other programs"}, []string{"tools.deny"}},
		{key{"maxTurns", count(&p.Rounds), nil, "the same as `budgets.rounds`"}, []string{"budgets.rounds"}},
		{key{"mcpServers", ignored, nil, "ignored with a warning: the agent has none of their tools"}, []string{"mcp"}},
		{key{"permissionMode", permissionMode(l), nil, "`default`, `acceptEdits` and `plan` mean `permissions.mode: ask`, `bypassPermissions` means `full`; all but the first with a warning"},
			[]string{"permissions.mode"}},
		{key{"mode", foreignMode(d), nil, "`primary`: not callable; `subagent`, `all`: the same as `delegation: {callable: true, as_child: true}`"},
			[]string{"delegation.callable", "delegation.as_child"}},
	}
}

// elsewhere are fields that other programs know and that have no meaning here, with what
// to do where leaving them out loosens something.
var elsewhere = []struct{ name, mend string }{
	{"argument-hint", ""}, {"author", ""}, {"background", ""}, {"category", ""}, {"color", ""}, {"disable", ""}, {"effort", ""},
	{"handoffs", "write delegation: {can_handoff: true, targets: […]}"}, {"hidden", ""}, {"hooks", ""}, {"icon", ""}, {"infer", ""}, {"initialPrompt", ""},
	{"is_background", ""}, {"isolation", ""}, {"kind", ""}, {"license", ""}, {"max_turns", "write maxTurns"}, {"maxSteps", "write maxTurns"}, {"memory", ""}, {"metadata", ""},
	{"permission", "take tools away with tools.deny"}, {"readonly", "take tools away with tools.deny"}, {"steps", "write maxTurns"}, {"tags", ""},
	{"target", ""}, {"timeout_mins", "write delegation: {task_deadline: …}"}, {"top_p", "write it below models"}, {"user-invocable", ""}, {"version", ""},
}

// frontKeys is the table of the keys of front matter: those of a profile, and the fields
// of other programs.
func frontKeys(l *loader, d *draft) []key {
	keys := profileKeys(l, d)
	for i := range keys {
		if keys[i].name == "tools" {
			keys[i].kind = frontTools(d, keys[i].kind)
		}
	}
	for _, f := range foreignFields(l, d) {
		keys = append(keys, f.marking(d))
	}
	for _, e := range elsewhere {
		ignored := kind{form{is: "anything", null: true}, func(in *input, _ *yaml.Node, path string) {
			in.warn(in.seen[path].key, "config.ignored_field", fmt.Sprintf("the field %q means nothing here", e.name), e.mend)
		}}
		keys = append(keys, key{e.name, ignored, nil, ignoredDoc}.marking(d))
	}
	return keys
}

const ignoredDoc = "ignored with a warning"

// marking makes reading the key say that the file is one of another program.
func (k key) marking(d *draft) key {
	read := k.kind.read
	k.kind.read = func(in *input, v *yaml.Node, path string) { d.foreign = true; read(in, v, path) }
	return k
}

// front reads the front matter of an agent file.
func (in *input) front(n *yaml.Node, d *draft) {
	body := d.profile.Prompt
	in.mapping(n, "", form{typ: "object", keys: frontKeys(in.l, d)})
	if p, ok := in.seen["prompt"]; ok && body != "" {
		in.fault(p.key, "config.conflict", "prompt and the body of the file say the same", "keep the body")
	}
	for _, f := range foreignFields(in.l, d) {
		for _, same := range f.same {
			one, found := in.seen[f.name]
			if _, both := in.seen[same]; found && both {
				in.fault(one.key, "config.conflict", fmt.Sprintf("%s and %s say the same", f.name, same), "keep "+same)
			}
		}
	}
}

// foreignMode reads the field mode.
func foreignMode(d *draft) kind {
	return choose(func(_ *input, _ *yaml.Node, word string) {
		d.hasPolicy = true
		if word != "primary" {
			d.profile.Delegation.Callable, d.profile.Delegation.AsChild = true, true
		}
	}, "primary", "subagent", "all")
}

// permissionMode reads the field of that name. Nothing in this version asks for
// permission, so only what would be stricter than that is refused.
func permissionMode(l *loader) kind {
	return choose(func(in *input, v *yaml.Node, word string) {
		const code = "config.permission_mode"
		switch word {
		case "ask":
			l.asks(in, v, word)
		case "bypassPermissions":
			in.warn(v, code, "permissionMode bypassPermissions means permissions.mode: full", "")
		case "acceptEdits":
			in.warn(v, code, "permissionMode acceptEdits means permissions.mode: ask; its rule allow: write(**) is not in this version", "")
		case "plan":
			in.warn(v, code, "permissionMode plan (permissions.mode: deny) is not in this version and means ask", "take tools away with tools.deny")
		}
	}, "default", "plan", "acceptEdits", "bypassPermissions", "ask", "full", "|", "auto", "deny")
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
	mend := ""
	if have := slices.Sorted(maps.Keys(l.team.Models)); len(have) > 0 && !word && !l.bare {
		mend = "to choose another one, name one of the team's: " + listed(have)
	}
	d.modelIn.warn(d.modelAt, "config.model_unknown", fmt.Sprintf("agent %s: its model %q is of another program; it uses the default model", d.profile.ID, name), mend)
	d.profile.Model = ""
}
