package config

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// profile reads the keys of an agent: an entry of the team file, or front matter, which
// may also have the fields of agent files in the wild.
func (in *input) profile(n *yaml.Node, path string, d *draft, front bool) {
	p := &d.profile
	at := func(name string) string { return join(path, name) }
	var ignored string
	known := []key{
		{"name", in.line(&ignored, at("name"))},
		{"description", in.line(&p.Description, at("description"))},
		{"prompt", in.str(&p.Prompt, at("prompt"))},
		{"model", func(v *yaml.Node) {
			d.modelAt, d.modelIn = v, nil
			if front {
				d.modelIn = in
			} else if v.Value == "inherit" {
				in.absent(v, at("model")+": inherit", "name a model")
				return
			}
			in.line(&p.Model, at("model"))(v)
		}},
		{"temperature", in.number(&p.Temperature, at("temperature"), maxTemperature)},
		{"max_output", in.count(&p.MaxOutput, at("max_output"))},
		{"tools", func(v *yaml.Node) {
			if front && v.Kind != yaml.MappingNode {
				d.foreign = true
				p.Allow = in.foreignTools(v, at("tools"))
				return
			}
			in.tools(v, at("tools"), d)
		}},
		{"permissions", func(v *yaml.Node) {
			in.mapping(v, at("permissions"), []key{
				{"mode", in.choice(&ignored, at("permissions.mode"), "ask", "full", "|", "auto", "deny")},
				{"rules", nil},
			})
		}},
		{"delegation", func(v *yaml.Node) { d.hasPolicy = true; in.delegation(v, at("delegation"), d) }},
		{"workspace", func(v *yaml.Node) {
			in.mapping(v, at("workspace"), []key{
				{"visible_roots", in.list(&d.visible, at("workspace.visible_roots"))},
				{"writable_roots", in.list(&d.writable, at("workspace.writable_roots"))},
				{"mounts", nil},
			})
		}},
		{"output", func(v *yaml.Node) {
			in.mapping(v, at("output"), []key{
				{"commit", func(v *yaml.Node) {
					word := ""
					in.choice(&word, at("output.commit"), "optional", "required")(v)
					p.NeedCommit = word == "required"
				}},
				{"artifacts", nil},
			})
		}},
		{"budgets", func(v *yaml.Node) {
			in.mapping(v, at("budgets"), []key{
				{"rounds", in.count(&p.Rounds, at("budgets.rounds"))},
				{"calls", in.count(&p.MaxCalls, at("budgets.calls"))},
				{"tokens", nil}, {"usd", nil},
			})
		}},
		{"turns", func(v *yaml.Node) {
			in.mapping(v, at("turns"), []key{
				{"max_calls_per_turn", in.count(&p.MaxCallsPerTurn, at("turns.max_calls_per_turn"))},
				{"max_bad_turns", in.count(&p.MaxBadTurns, at("turns.max_bad_turns"))},
				{"max_text_turns", in.count(&p.MaxTextTurns, at("turns.max_text_turns"))},
				{"stall_note", in.count(&p.StallNote, at("turns.stall_note"))},
				{"stall_stop", in.count(&p.StallStop, at("turns.stall_stop"))},
			})
		}},
		{"context", func(v *yaml.Node) {
			in.mapping(v, at("context"), []key{
				{"inline_chars", in.integer(&p.InlineChars, at("context.inline_chars"), 1000, math.MaxInt)},
				{"turn_chars", nil}, {"history_share", nil}, {"compact_at", nil}, {"compaction_model", nil}, {"tape_tools", nil}, {"messages", nil},
			})
		}},
		{"reasoning", nil}, {"mcp", nil}, {"extensions", nil}, {"skills", nil}, {"presentation", nil},
	}
	if front {
		known = append(known, in.foreign(d)...)
	} else {
		known = append(known, key{"file", func(*yaml.Node) {}})
	}
	in.mapping(n, path, known)
	if front {
		in.conflicts()
	}
}

// delegation reads a delegation policy (delegation spec §2).
func (in *input) delegation(n *yaml.Node, path string, d *draft) {
	p := &d.profile.Delegation
	at := func(name string) string { return join(path, name) }
	// What this version lacks is accepted at its default, so that a file may say it.
	only := func(name, word string) key {
		return key{name, func(v *yaml.Node) {
			if s, ok := in.text(v, at(name)); ok && s != word {
				in.absent(v, at(name)+": "+s, "use "+word)
			}
		}}
	}
	in.mapping(n, path, []key{
		{"can_delegate", in.flag(&p.CanDelegate, at("can_delegate"))},
		{"can_handoff", in.flag(&p.CanHandoff, at("can_handoff"))},
		only("can_handoff_to_human", "false"),
		{"callable", in.flag(&p.Callable, at("callable"))},
		{"as_child", in.flag(&p.AsChild, at("as_child"))},
		{"as_handoff_target", in.flag(&p.AsHandoff, at("as_handoff_target"))},
		{"allow_self", in.flag(&p.AllowSelf, at("allow_self"))},
		{"allow_nested", in.flag(&p.AllowNested, at("allow_nested"))},
		{"targets", in.list(&p.Targets, at("targets"))},
		{"deny_targets", in.list(&p.DenyTargets, at("deny_targets"))},
		{"allowed_callers", in.list(&p.AllowedCallers, at("allowed_callers"))},
		{"description_for_agents", in.line(&p.Description, at("description_for_agents"))},
		{"max_running_children", in.integer(&p.MaxRunning, at("max_running_children"), 1, 5)},
		{"max_children", in.count(&p.MaxChildren, at("max_children"))},
		{"max_handoffs", in.count(&p.MaxHandoffs, at("max_handoffs"))},
		{"max_handoff_repeats", in.count(&p.MaxHandoffRepeats, at("max_handoff_repeats"))},
		{"task_deadline", in.duration(&p.TaskDeadline, at("task_deadline"))},
		only("isolation", "shared"),
		only("merge", "manual"),
		only("inherit_grants", "false"),
		{"capsule_chars", in.integer(&p.CapsuleChars, at("capsule_chars"), 1000, 64000)},
		{"on_finish_with_children", func(v *yaml.Node) {
			word := ""
			in.choice(&word, at("on_finish_with_children"), "cancel", "deny")(v)
			p.DenyFinishWithChildren = word == "deny"
		}},
		{"stop_grace", in.duration(&p.StopGrace, at("stop_grace"))},
	})
}

// tools reads the tool lists of a profile.
func (in *input) tools(n *yaml.Node, path string, d *draft) {
	p := &d.profile
	in.mapping(n, path, []key{
		{"allow", func(v *yaml.Node) { p.Allow = in.patterns(v, path+".allow", true) }},
		{"deny", func(v *yaml.Node) { p.Deny = in.patterns(v, path+".deny", false) }},
		{"expose", func(v *yaml.Node) { p.Expose = in.patterns(v, path+".expose", true) }},
		{"limits", func(v *yaml.Node) {
			p.Limits = make(map[string]tooling.ToolLimit)
			in.pairs(v, path+".limits", func(k, v *yaml.Node) {
				if !in.pattern(k, path+".limits", false) {
					return
				}
				var l tooling.ToolLimit
				at := path + ".limits." + k.Value
				in.mapping(v, at, []key{
					{"calls", in.count(&l.MaxCalls, at+".calls")},
					{"timeout", in.duration(&l.Timeout, at+".timeout")},
				})
				p.Limits[k.Value] = l
			})
		}},
	})
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
