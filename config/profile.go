package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// profileKeys is the table of the keys of a profile (command line spec §3).
func profileKeys(l *loader, d *draft) []key {
	p := &d.profile
	return []key{
		{"name", line(new(string)), says("id"), "name of the agent; without a key below `agents` its id is made of it"},
		{"description", sentence(&p.Description), says("none; needed when callable"), "what the agent is for"},
		{"prompt", text(&p.Prompt), says("the body of the file"), "the instructions of the agent"},
		{"model", modelName(d), "default", "name in `models`, or PROVIDER/MODEL"},
		{"temperature", number(&p.Temperature, maxTemperature), says("the model's"), "as in models"},
		{"max_output", count(&p.MaxOutput), says("the model's"), "longest answer in tokens"},
		{"reasoning", later, nil, "remove it"},
		{"tools", toolsKind(p), nil, "the tools of the agent"},
		{"mcp", later, nil, "remove it; there are the built-in tools and those of an embedding program"},
		{"extensions", later, nil, "remove it; there are the built-in tools and those of an embedding program"},
		{"skills", later, nil, "remove it, and write what matters into the prompt"},
		{"permissions", mapping(
			key{"mode", askMode(l.asks), says("the team's"), "accepted, and nothing asks: every tool that the agent has runs at once"},
			key{"rules", later, nil, "remove it, and take tools away with tools.deny"},
		), nil, "accepted and without effect in this version"},
		{"delegation", delegationKind(d), nil, "whom the agent may call, and who may call it"},
		{"workspace", mapping(
			key{"visible_roots", list(&d.visible), says("all"), "paths of the run's files that the agent sees"},
			key{"writable_roots", list(&d.writable), says("all but `input` and `skills`"), "those that it may change"},
			key{"mounts", later, nil, "remove it; every agent sees the mounts of the team"},
		), nil, "what the agent sees and changes of the run's files"},
		{"output", mapping(
			key{"commit", choose(func(_ *input, _ *yaml.Node, word string) { p.NeedCommit = word == "required" }, "optional", "required"), "optional",
				"whether the agent must publish its files before it ends"},
			key{"artifacts", later, nil, "remove it; agents publish files with workspace.commit"},
		), nil, "what the agent publishes"},
		{"budgets", mapping(
			key{"rounds", count(&p.Rounds), 100, "turns of one invocation"},
			key{"calls", count(&p.MaxCalls), 128, "calls of tools of one invocation"},
			key{"tokens", count64(&p.Tokens), nil, "tokens of one invocation, read and written"},
			key{"usd", budget(&p.Money), nil, "dollars of one invocation"},
		), nil, "limits of one invocation"},
		{"turns", mapping(
			key{"max_calls_per_turn", count(&p.MaxCallsPerTurn), 32, "calls of one answer; more are refused"},
			key{"max_bad_turns", count(&p.MaxBadTurns), 3, "bad turns in a row, then the agent ends as partial"},
			key{"max_text_turns", count(&p.MaxTextTurns), 3, "turns in a row that only talk; likewise"},
			key{"stall_note", count(&p.StallNote), 3, "equal turns in a row until it is reminded"},
			key{"stall_stop", count(&p.StallStop), 5, "equal turns in a row until it is ended"},
		), nil, "what one turn may do, and when the agent is stopped"},
		{"context", mapping(
			key{"inline_chars", integer(&p.InlineChars, 1000, math.MaxInt), 50_000, "longest result that is shown whole, in characters"},
			key{"messages", whole(-1, math.MaxInt, func(i int) { p.Messages = &i }), 20,
				"newest messages of the run's conversation that the agent begins with; -1: all, 0: none"},
			key{"turn_chars", integer(&p.TurnChars, 1000, math.MaxInt), 120_000, "all results of one turn together, in characters"},
			key{"history_share", share(&p.HistoryShare, 0.1, 0.9), 0.5, "of the model's window, for all results in the conversation; above it old ones are shortened"},
			key{"compact_at", share(&p.CompactAt, 0.3, 0.95), 0.8, "of what a request may have; above it the oldest turns are put in short"},
			key{"compaction_model", line(&p.CompactionModel), says("the agent's own"), "name in `models`, or openai/MODEL, of the model that puts them in short"},
			key{"tape_tools", later, nil, "remove it"},
		), nil, "what the agent reads"},
		{"presentation", choice(&p.Presentation, "live", "status", "quiet"), "live",
			"on a terminal: the agent's text as it comes, its state only, or its end only"},
	}
}

// agentKind is the kind of an entry of agents: the keys of a profile, and its file.
func agentKind(l *loader, d *draft) kind {
	keys := slices.Concat([]key{{"file", line(&d.file), says("`agents/ID.md`, when it is there"), "agent file, from the directory of the team file"}}, profileKeys(l, d))
	k := mapping(keys...).meaning("file")
	k.form.null = true
	return k
}

// modelName is the kind of the name of a profile's model.
func modelName(d *draft) kind {
	k := line(&d.profile.Model)
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		d.modelAt, d.modelIn = v, nil
		if in != in.l.top {
			d.modelIn = in
		} else if v.Value == "inherit" {
			in.absent(v, path+": inherit", "name a model")
			return
		}
		read(in, v, path)
	}
	return k
}

// delegationKind is the kind of a delegation policy (delegation spec §2).
func delegationKind(d *draft) kind {
	p := &d.profile.Delegation
	ids := form{typ: "string", is: "id of an agent"}
	k := mapping(
		key{"can_delegate", boolean(&p.CanDelegate), false, "may give tasks to others and wait for them"},
		key{"can_handoff", boolean(&p.CanHandoff), false, "may hand its work over"},
		key{"can_handoff_to_human", only(false), false, "may hand over to a human"},
		key{"callable", boolean(&p.Callable), false, "others may name it; needs one of the next two"},
		key{"as_child", boolean(&p.AsChild), false, "takes tasks"},
		key{"as_handoff_target", boolean(&p.AsHandoff), false, "takes work over"},
		key{"allow_self", boolean(&p.AllowSelf), false, "may give tasks to its own profile, as `self`"},
		key{"allow_nested", boolean(&p.AllowNested), false, "may give tasks also while it works on one"},
		key{"targets", listOf(&p.Targets, ids, nil), says("`[\"*\"]`, all"), "agents that it may name"},
		key{"deny_targets", listOf(&p.DenyTargets, ids, nil), nil, "agents that it may not name; wins"},
		key{"allowed_callers", listOf(&p.AllowedCallers, ids, nil), says("`[\"*\"]`, all"), "agents that may name it"},
		key{"description_for_agents", sentence(&p.Description), says("the description"), "what its callers read of it"},
		key{"max_running_children", integer(&p.MaxRunning, 1, 5), 5, "children at the same time; more wait"},
		key{"max_children", count(&p.MaxChildren), 32, "tasks of one invocation in all"},
		key{"max_handoffs", count(&p.MaxHandoffs), 8, "handovers of one run"},
		key{"max_handoff_repeats", count(&p.MaxHandoffRepeats), 1, "handovers between the same two in the same direction"},
		key{"task_deadline", duration(&p.TaskDeadline), "1h", "time for a task of this agent"},
		key{"isolation", only("shared"), "shared", "files of a child: the same as its parent's"},
		key{"merge", only("manual"), "manual", "who merges the files of a child"},
		key{"inherit_grants", only(false), false, "whether a child begins with the approvals of its parent"},
		key{"capsule_chars", integer(&p.CapsuleChars, 1000, 64000), 12_000, "what a parent reads of one result, in characters"},
		key{"on_finish_with_children", choose(func(_ *input, _ *yaml.Node, word string) { p.DenyFinishWithChildren = word == "deny" }, "cancel", "deny"), "cancel",
			"when it finishes while children run: they are cancelled, or it may not finish"},
		key{"stop_grace", duration(&p.StopGrace), "10s", "time for its children to stop"},
	)
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		d.hasPolicy, d.hasDelegation = true, true
		read(in, v, path)
	}
	return k
}

// toolsKind is the kind of the tool lists of a profile.
func toolsKind(p *agent.Profile) kind {
	patterns := form{typ: "string", is: "id or pattern of tools", pattern: patternTool}
	offered := patterns
	offered.offers = here()
	gives := func(in *input, v *yaml.Node, path string) bool { return in.pattern(v, path, true) }
	takes := func(in *input, v *yaml.Node, path string) bool { return in.pattern(v, path, false) }
	k := mapping(
		key{"allow", listOf(&p.Allow, offered, gives), says("those marked in [tools](tools.md)"),
			"the tools of the agent; `builtin:workspace.*` is a pattern, tools of an embedding program are `extension/go:NAME`"},
		key{"deny", listOf(&p.Deny, offered, takes), nil, "tools that it does not get; wins"},
		key{"expose", listOf(&p.Expose, patterns, gives), nil, "tools that no agent sees unless it names them"},
		key{"limits", named("", limitKind(new(tooling.ToolLimit)).form, func(in *input, k, v *yaml.Node, path string) {
			if p.Limits == nil {
				p.Limits = make(map[string]tooling.ToolLimit)
			}
			list := strings.TrimSuffix(path, "."+k.Value)
			if !in.pattern(k, list, false) {
				return
			}
			var limit tooling.ToolLimit
			limitKind(&limit).read(in, v, path)
			p.Limits[k.Value] = limit
		}), nil, "limits by tool or pattern"},
	).meaning("allow")
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		if v.Kind == yaml.MappingNode {
			read(in, v, path)
			return
		}
		in.fault(v, "config.type", path+" is a mapping of keys and values", mendTools(v, k.form))
	}
	return k
}

// mendTools says what to write in place of tools without the key that they stand below.
func mendTools(v *yaml.Node, f form) string {
	full := *v
	full.Content = nil
	for _, c := range v.Content {
		one := *real(c)
		one.Value = fullPattern(one.Value)
		full.Content = append(full.Content, &one)
	}
	if full.Value = fullPattern(v.Value); v.Value == "*" || len(v.Content) == 1 && real(v.Content[0]).Value == "*" {
		return `remove it for the tools that a new agent has, or write {allow: ["builtin:*"]} for all built-in tools`
	}
	return mendMapping(&full, f)
}

// fullPattern gives a pattern of built-in tools its source.
func fullPattern(text string) string {
	if strings.HasSuffix(text, "*") && !strings.Contains(text, ":") {
		return "builtin:" + text
	}
	return text
}

func limitKind(l *tooling.ToolLimit) kind {
	return mapping(
		key{"calls", count(&l.MaxCalls), nil, "calls of one invocation"},
		key{"timeout", duration(&l.Timeout), says("the tool's own"), "longest time of one call"},
	).meaning("calls")
}

// plainText gives what an error says without its code.
func plainText(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	text := e.Detail
	if e.Cause != nil {
		if text != "" {
			text += ": "
		}
		text += plainText(e.Cause)
	}
	return strings.TrimSpace(fmt.Sprint(text))
}
