package config

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// teamKeys is the table of the keys of a team file (command line spec §2).
func teamKeys(l *loader) []key {
	t, b := l.team, &l.team.Budgets
	return []key{
		{"version", version, required, "version of the format"},
		{"name", ident(&t.Name), says("name of the folder"), "name of the team in records and metrics"},
		{"entry", agentID(&t.Entry), says("the only agent"), "id of the agent that begins"},
		{"models", named(patternModel, mapping(modelKeys(l, new(modelDraft))...).form, l.model),
			says("without `default`: an embedded script that only repeats the input, with a warning"), "the models by name"},
		{"image_model", later, nil, "remove it"},
		{"agents", named(patternID, agentKind(l, new(draft)).form, l.agent), says("all of `agents/*.md`"), "the agents by id; keys here win over those of the agent file"},
		{"mcp", later, nil, "remove it; there are the built-in tools and those of an embedding program"},
		{"extensions", later, nil, "remove it; there are the built-in tools and those of an embedding program"},
		{"skills", later, nil, "remove it, and write what matters into the prompts"},
		{"lore", mapping(
			key{"scan", count(&t.LoreScan), defaultLoreScan, "how many of the newest messages of a conversation are searched for the keys of lore entries"},
		), nil, "background texts of a conversation"},
		{"tools", later, nil, "remove it; the tools of an agent stand below it, as tools: {allow: […]}"},
		{"workspace", mapping(
			key{"mounts", items(mountKind(l, new(workspace.MountSpec)).form, l.mount), nil, "directories of the host that agents see"},
			key{"persist", later, nil, "remove it; every run begins with an empty workspace"},
			key{"promote_partial", later, nil, "remove it"},
			key{"on_persist_conflict", later, nil, "remove it"},
			key{"commit_timeout", later, nil, "remove it"},
			key{"gate_wait", later, nil, "remove it"},
			key{"fork_limit", later, nil, "remove it"},
			key{"limits", later, nil, "remove it; the limits of the workspace are fixed"},
		), nil, "what agents see of the host"},
		{"permissions", mapping(
			key{"mode", askMode(l.asks), "ask", "accepted, and nothing asks: every tool that an agent has runs at once"},
			key{"headless", choose(l.headless, "pause", "deny", "fail", "|", "auto"), "pause", "what happens to a question without a human; nothing asks in this version"},
			key{"rules", later, nil, "remove it, and take tools away with tools.deny of the agents"},
			key{"reviewer", later, nil, "remove it"},
		), nil, "accepted and without effect in this version"},
		{"interactions", later, nil, "remove it; nothing asks in this version"},
		{"budgets", mapping(
			key{"rounds", count(&b.Rounds), nil, "turns of all agents of a run together"},
			key{"calls", count(&b.Calls), nil, "calls of tools of a run"},
			key{"tokens", count64(&b.Tokens), nil, "tokens of a run, read and written"},
			key{"usd", budget(&b.Money), nil, "dollars of a run"},
			key{"wall", duration(&b.Wall), nil, "time of a run, without the time that it rests"},
			key{"unpriced", choose(func(_ *input, _ *yaml.Node, word string) { b.Unpriced = word == "allow" }, "refuse", "allow"), "refuse",
				"with a limit of money, a model whose price is not known; allow: the limit does not hold for it"},
			key{"agents", count(&b.Agents), 200, "invocations of a run in all"},
			key{"agents_running", count(&b.AgentsRunning), 32, "invocations at the same time"},
			key{"depth", whole(0, 100, func(i int) {
				if b.Depth = i; i == 0 {
					b.Depth = -1
				}
			}), 3, "how deep tasks may be delegated; 0: nobody delegates"},
		), nil, "limits of a whole run"},
		{"on_unknown", choice(new(string), "continue", "|", "park"), "continue", "what happens when the outcome of an effect is unknown: the agent is told so"},
		{"shell", l.shellKeys(), nil, "the sandboxed shell of the agents"},
		{"store", mapping(
			key{"dir", l.place(&t.StoreDir), says("`.swarm` beside the team file"), "directory of the journal"},
			key{"durability", choice(&t.Durability, "full", "relaxed"), "full", "relaxed: a power cut may lose the newest records"},
			key{"key", later, nil, "remove it; the store is not encrypted"},
			key{"retention", later, nil, "remove it; every run is kept"},
		), nil, "where runs are kept"},
		{"plain_env", listOf(&t.PlainEnv, form{typ: "string", is: "name of a variable", pattern: patternVariable}, plainName), nil,
			"names of the environment whose values are no secrets, so that they may be shown"},
		{"traces", later, nil, "remove it"},
		{"serve", later, nil, "remove it"},
	}
}

// version is the kind of the version of the format.
var version = scalar(form{typ: "integer", is: "1", fixed: Version}, func(in *input, v *yaml.Node, _, s string) {
	if s != strconv.Itoa(Version) {
		in.fault(v, "config.version", fmt.Sprintf("version is %d in this version of swarm, not %s", Version, shown(v)), fmt.Sprintf("write version: %d", Version))
	}
})

// agentID is the kind of the id of an agent, which later checks judge.
func agentID(to *string) kind {
	return scalar(form{typ: "string", is: "id of an agent", pattern: patternID}, func(_ *input, _ *yaml.Node, _, s string) { *to = s })
}

// askMode is the kind of permissions.mode.
func askMode(tell func(in *input, v *yaml.Node, word string)) kind {
	return choose(tell, "ask", "full", "|", "auto", "deny")
}

const nothingAsks = "nothing asks in this version: every tool that an agent has runs at once"

// asks warns, once, of a mode that promises what this version does not do.
func (l *loader) asks(in *input, v *yaml.Node, word string) {
	if word == "ask" && !l.saidAsks {
		l.saidAsks = true
		in.warn(v, "config.permission_mode", "permissions.mode: ask: "+nothingAsks, "take tools away with tools.deny, or write full")
	}
}

// headless warns likewise: without questions there is nothing to refuse.
func (l *loader) headless(in *input, v *yaml.Node, word string) {
	if word != "pause" && !l.saidAsks {
		l.saidAsks = true
		in.warn(v, "config.permission_mode", "permissions.headless: "+word+": "+nothingAsks, "take tools away with tools.deny, or remove the key")
	}
}

func plainName(in *input, v *yaml.Node, path string) bool {
	if validVariable(v.Value) {
		return true
	}
	mend := ""
	if names, ok := references(v.Value); ok && len(names) == 1 && v.Value == "${"+names[0]+"}" {
		mend = "write " + names[0]
	}
	in.value(v, "an entry of "+path, "a name of letters, digits and _", mend)
	return false
}

// teamFile reads the keys of a team file.
func (l *loader) teamFile(root *yaml.Node) {
	in, t := l.top, l.team
	in.mapping(root, "", form{keys: teamKeys(l)})
	if _, ok := in.seen["version"]; !ok && !l.bare && root.Kind == yaml.MappingNode {
		in.fault(root, "config.missing", "version is missing", "write version: 1")
	}
	t.Budgets = t.Budgets.Defaults()
	if l.options.Entry != "" {
		t.Entry = l.options.Entry
	}
	agents, ok := in.seen["agents"]
	switch {
	case !ok && root.Kind == yaml.MappingNode:
		l.listAgents(root)
	case ok && agents.value.Kind == yaml.MappingNode && len(agents.value.Content) == 0:
		in.fault(agents.value, "config.missing", "agents is empty; a team has at least one agent", "write agents: {lead: {file: lead.md}}")
	case ok && agents.value.Kind == yaml.MappingNode:
		l.unused(agents.key)
	}
}
