package swarm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Explanation says what would become of a call, and why.
type Explanation struct {
	Agent    string        `json:"agent"`
	Kind     string        `json:"kind"`
	Tool     string        `json:"tool"`
	Name     string        `json:"name"`     // by which the model calls it
	Decision string        `json:"decision"` // allow, deny (a rule keeps the tool away), absent, refuse (this call is wrong)
	Code     string        `json:"code,omitempty"`
	Reason   string        `json:"reason,omitempty"` // as the model reads it, for refuse
	Steps    []ExplainStep `json:"steps"`            // in the order in which they are taken
}

// ExplainStep is one entry that had a say in a decision.
type ExplainStep struct {
	Layer string `json:"layer"`           // where it stands, such as tools.deny
	Entry string `json:"entry,omitempty"` // the entry that matched; empty: a rule of the runtime
	Says  string `json:"says"`            // allow, deny, absent, refuse or limit
	Text  string `json:"text,omitempty"`
}

// Explain says what would become of a call, and runs nothing. Errors: those of
// [Runtime.Call] but for what it decides itself.
func (rt *Runtime) Explain(ctx context.Context, team *Team, c ToolCall) (*Explanation, error) {
	var out *Explanation
	err := rt.aside(ctx, team, mute{}, func(inner *Runtime, t *Team) error {
		found, err := inner.find(t, &c)
		if err != nil {
			return err
		}
		out = found.explain(c.Args)
		return nil
	})
	return out, err
}

// found is a tool as one agent of a team has it, or why it has not.
type found struct {
	agent, kind string
	id, name    string
	profile     *agent.Profile
	snap        *tooling.Snapshot
	binding     *tooling.Binding    // nil: left out
	left        *tooling.Diagnostic // why
}

// find looks up the tool that a call names. A tool that the catalogue lacks is an error
// that names the nearest one.
func (rt *Runtime) find(t *Team, c *ToolCall) (*found, error) {
	id := c.Agent
	if id == "" {
		id = t.Entry
	}
	p, err := rt.prepare(t)
	if err != nil {
		return nil, err
	}
	defer p.release()
	kind, err := kindOf(t, id, c.Kind)
	if err != nil {
		return nil, err
	}
	_, snap, err := p.env.Preview(id, kind)
	if err != nil {
		return nil, err
	}
	f := &found{agent: id, kind: kind, profile: p.env.Profiles[id], snap: snap}
	var ids, names []string
	for _, d := range p.env.Catalogue.Descriptors() {
		ids = append(ids, d.ID)
	}
	modelNames := tooling.Names(ids)
	for _, one := range ids {
		native, builtIn := strings.CutPrefix(one, "builtin:")
		if c.Tool == one || c.Tool == modelNames[one] || builtIn && c.Tool == native {
			f.id, f.name = one, modelNames[one]
		}
		names = append(names, one, modelNames[one], native)
	}
	if f.id == "" {
		return nil, fault.New("tool.not_in_catalog", "there is no tool %q; the nearest one is %s", c.Tool, tooling.Nearest(c.Tool, names, 1)[0]).
			With("look up tool", t.Name)
	}
	f.binding, _ = snap.ByID(f.id)
	for i := range snap.Diagnostics {
		if snap.Diagnostics[i].ToolID == f.id && f.binding == nil {
			f.left = &snap.Diagnostics[i]
		}
	}
	return f, nil
}

// withinRun are tools that decide about the run they are called in.
var withinRun = []string{
	tooling.IDFinish, tooling.IDReturn, tooling.IDHandoff, tooling.IDDelegate, tooling.IDAwait, tooling.IDReadResult,
	tooling.IDCancel, tooling.IDMerge, tooling.IDDiscard, tooling.IDOrchestrator, tooling.IDQuestion,
}

// callable says why the tool cannot be called here at all.
func (f *found) callable() error {
	tried := func(e *fault.Error) error { return e.With("call tool", f.id) }
	switch {
	case f.binding != nil && slices.Contains(withinRun, f.id):
		return tried(fault.New("tool.needs_run", "it decides about the run in which it is called and does nothing outside of one; swarm run tries it"))
	case f.binding != nil:
		return nil
	}
	steps, denied := f.selection()
	why := steps[len(steps)-1]
	text := strings.TrimSpace(why.Layer + " " + why.Entry)
	if why.Text != "" {
		text += ": " + why.Text
	}
	if denied {
		return tried(fault.New("permission.denied", "agent %s (%s) may not use it, by %s", f.agent, f.kind, text))
	}
	return tried(fault.New("tool.not_here", "agent %s does not have it as %s, by %s", f.agent, f.kind, text))
}

// explain goes through what a call of the tool would pass.
func (f *found) explain(args string) *Explanation {
	steps, denied := f.selection()
	e := &Explanation{Agent: f.agent, Kind: f.kind, Tool: f.id, Name: f.name, Decision: "allow", Steps: steps}
	add := func(layer, entry, says, text string) {
		e.Steps = append(e.Steps, ExplainStep{Layer: layer, Entry: entry, Says: says, Text: text})
	}
	if f.binding == nil {
		e.Decision, e.Code = "absent", "tool.not_here"
		if denied {
			e.Decision, e.Code = "deny", "permission.denied"
		}
		return e
	}
	for _, pattern := range f.matching(slices.Sorted(maps.Keys(f.profile.Limits))) {
		add("tools.limits", pattern, "limit", limitText(f.profile.Limits[pattern]))
	}
	v := f.snap.Judge(new(tooling.Counters), tooling.Ask{Call: model.AnswerCall{Name: f.name, Args: wire(args)}})
	if !v.Counted {
		e.Decision, e.Code, e.Reason = "refuse", v.Refusal.Code, v.Refusal.Content
		add("request gate", "", "refuse", v.Refusal.Content)
		return e
	}
	add("request gate", "", "allow", fmt.Sprintf("call 1 of at most %d of this agent", f.snap.Limits.MaxCalls))
	if v.Refusal != nil {
		e.Decision, e.Code, e.Reason = "refuse", v.Refusal.Code, v.Refusal.Content
		add("arguments", "", "refuse", v.Refusal.Content)
		return e
	}
	add("arguments", "", "allow", "they fit the schema")
	if err := f.outside(v.Checked); err != nil {
		e.Decision, e.Code, e.Reason = "refuse", err.Code, err.Detail
		add("roots", "", "refuse", err.Detail)
		return e
	}
	add("mode", "", "allow", "nobody is asked in this version; the tool itself checks the rest, such as files, when it runs")
	return e
}

// outside says why a path of the workspace is beyond the roots of the agent, as the tool
// will find; nil: it is not, or the call names none.
func (f *found) outside(args *tooling.Object) *fault.Error {
	if !strings.HasPrefix(f.id, "builtin:workspace.") || args == nil {
		return nil
	}
	path, ok := args.String("path")
	if !ok {
		return nil
	}
	p, err := workspace.ParsePath(path)
	if err != nil {
		return fault.New(fault.Code(err), "%s", strings.TrimSuffix(err.Error(), " ["+fault.Code(err)+"]"))
	}
	roots := f.profile.Roots
	switch {
	case f.binding.Effect.Class == tooling.Write && !roots.CanWrite(p):
		return fault.New("workspace.path_not_writable", "%s is not writable here; a file can be written below: %s", orRoot(p), strings.Join(roots.Writable, ", "))
	case p != "" && !roots.CanSee(p):
		return fault.New("workspace.path_not_visible", "%s is not visible here; visible roots are: %s", p, strings.Join(roots.Visible, ", "))
	}
	return nil
}

// selection goes through what gave the tool to the agent or keeps it away; the last step
// decided. denied: a list of the profile did, and not what the agent or the team is.
func (f *found) selection() (steps []ExplainStep, denied bool) {
	add := func(layer, entry, says, text string) {
		steps = append(steps, ExplainStep{Layer: layer, Entry: entry, Says: says, Text: text})
	}
	for _, pattern := range f.matching(f.profile.Allow) {
		add("tools.allow", pattern, "allow", "")
	}
	for _, pattern := range f.matching(f.profile.Expose) {
		add("tools.expose", pattern, "allow", "")
	}
	switch {
	case f.binding != nil && f.binding.Exposure == tooling.SystemTool:
		add("system", "", "allow", "every agent that it makes sense for has it")
	case f.binding != nil && f.profile.Allow == nil && len(steps) == 0:
		add("tools.allow", "", "allow", "it is absent, and the tool is in the set of a new profile")
	case f.left == nil:
	case f.left.Step == "deny":
		for _, pattern := range f.matching(f.profile.Deny) {
			add("tools.deny", pattern, "deny", "")
		}
	case f.left.Step == "allow" && f.profile.Allow == nil:
		add("tools.allow", "", "deny", "it is absent, and the tool is not in the set of a new profile")
	case f.left.Step == "allow":
		add("tools.allow", "", "deny", "no entry names the tool")
	case f.left.Step == "exposure":
		add("tools.expose", "", "deny", "no entry names the tool")
	default:
		add(f.left.Step, "", "absent", absence(f.left))
	}
	return steps, f.left != nil && slices.Contains([]string{"deny", "allow", "exposure", "authority"}, f.left.Step)
}

// matching gives the patterns that name the tool.
func (f *found) matching(patterns []string) []string {
	var out []string
	for _, pattern := range patterns {
		if full, err := tooling.Pattern(pattern); err == nil && tooling.Matches(full, f.id) {
			out = append(out, pattern)
		}
	}
	return out
}

// absence says in words why an agent cannot have a tool.
func absence(d *tooling.Diagnostic) string {
	if d.Code != "tool.condition_unmet" {
		if d.Reason != "" {
			return d.Reason
		}
		return map[string]string{
			"scene":    "it reads a conversation, and the input has none",
			"protocol": "an invocation of this kind ends another way",
		}[d.Step]
	}
	switch tooling.Condition(d.Reason) {
	case tooling.Writable:
		return "the agent has no root that it may write below"
	case tooling.Owner:
		return "only the owner of a run has it"
	case tooling.CanDelegate:
		return "the agent can delegate to nobody"
	case tooling.CanHandoff:
		return "the agent can hand over to nobody"
	case tooling.CanReach:
		return "the agent can neither delegate nor hand over"
	case tooling.HasMount:
		return "the team mounts no directory"
	case tooling.HasLore:
		return "the run has no lore entries"
	case tooling.WriteMount:
		return "the team mounts no directory to write in"
	}
	return d.Reason
}

func limitText(l tooling.ToolLimit) string {
	var parts []string
	if l.MaxCalls > 0 {
		parts = append(parts, "at most "+workspace.Count(l.MaxCalls, "call"))
	}
	if l.Timeout > 0 {
		parts = append(parts, "at most "+l.Timeout.String()+" a call")
	}
	return strings.Join(parts, ", ")
}
