package agent

import (
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Birth is what an invocation begins with.
type Birth struct {
	Kind    string // root, child, handoff
	Profile string
	Path    string
	Parent  string
	Task    string
	Depth   int
	Brief   string        // first user message
	Denied  []string      // patterns that the agents above it deny themselves: deny goes down the tree
	Input   *input.Frozen // of the run; nil: neither conversation nor lore
}

// shape is everything that the tools and the prompt of an invocation depend on within
// one run: invocations of equal shape share both.
type shape struct {
	profile, kind string
	scene         string
	lore          bool
	delegates     bool
	depthHit      bool
	denied        string
}

type made struct {
	snap   *tooling.Snapshot
	text   string
	prompt string
}

// cache of shapes, restored snapshots and sizes. Its values are immutable.
type cache struct{ shapes, snaps, heads sync.Map }

// Invocation makes the record that creates an invocation: its frozen tools, its prompt
// and its brief.
func (e *Env) Invocation(b Birth) (*journal.InvocationCreated, error) {
	m, err := e.make(b)
	if err != nil {
		return nil, err
	}
	return &journal.InvocationCreated{Path: b.Path, Kind: b.Kind, Profile: b.Profile, Depth: b.Depth, Parent: b.Parent, Task: b.Task,
		Snapshot: journal.Text(m.text), Prompt: journal.Text(m.prompt), Brief: journal.Text(sendable(b.Brief))}, nil
}

func (e *Env) make(b Birth) (*made, error) {
	p := e.Profiles[b.Profile]
	if p == nil {
		return nil, fault.New("agent.target_unavailable", "there is no agent %q in this team", b.Profile)
	}
	d := &p.Delegation
	wants := d.CanDelegate && (b.Kind != "child" || d.AllowNested) && e.anyTarget(p, false)
	sh := shape{profile: b.Profile, kind: b.Kind, scene: b.Input.Scene(), lore: b.Input.HasLore(),
		delegates: wants && b.Depth < e.Budgets.Depth, depthHit: wants && b.Depth >= e.Budgets.Depth, denied: strings.Join(b.Denied, "\n")}
	if v, ok := e.cache.shapes.Load(sh); ok {
		return v.(*made), nil
	}
	in := tooling.PrepareInput{Tools: e.Catalogue.Descriptors(), Scene: sh.scene, Kind: b.Kind, Allow: p.Allow, Deny: p.Deny, Expose: p.Expose, Denied: b.Denied,
		ToolLimits: p.Limits,
		Has: map[tooling.Condition]bool{
			tooling.Writable: len(p.Roots.Writable) > 0, tooling.CanDelegate: sh.delegates,
			tooling.CanHandoff: d.CanHandoff && b.Kind != "child" && e.anyTarget(p, true),
			tooling.HasMount:   e.Mounts != nil && e.Mounts.Len() > 0,
			tooling.HasLore:    sh.lore,
		},
		Limits: tooling.Limits{InlineChars: p.InlineChars, MaxBadTurns: p.MaxBadTurns, MaxCalls: p.MaxCalls, MaxCallsPerTurn: p.MaxCallsPerTurn},
	}
	if sh.depthHit {
		in.DepthLimit = e.Budgets.Depth
	}
	snap, err := tooling.Freeze(b.Profile+"/"+b.Kind, in)
	if err != nil {
		return nil, err
	}
	text, err := snap.Encode()
	if err != nil {
		return nil, err
	}
	m := &made{snap: snap, text: text, prompt: e.prompt(p, b.Kind, snap)}
	if err := checkHead(snap, m.prompt); err != nil {
		return nil, err
	}
	e.cache.shapes.Store(sh, m)
	e.cache.snaps.Store(text, snap) // what a journal brings back is found by its text
	return m, nil
}

// checkHead validates once what every request of an invocation repeats.
func checkHead(snap *tooling.Snapshot, prompt string) error {
	faults := model.Validate(&model.Request{System: prompt, Tools: snap.Defs(), ToolsHash: snap.DefsHash(), Messages: []model.Message{{Role: model.User, Text: "check"}}})
	if len(faults) > 0 {
		return fault.New("journal.history_invalid", "the tools or the prompt cannot be sent: %s", faults[0]).With("make invocation", snap.ID)
	}
	return nil
}

// snapshot restores the snapshot of an invocation from its record.
func (e *Env) snapshot(text string) (*tooling.Snapshot, error) {
	if v, ok := e.cache.snaps.Load(text); ok {
		return v.(*tooling.Snapshot), nil
	}
	snap, err := tooling.DecodeSnapshot(text)
	if err != nil {
		return nil, err
	}
	if err := checkHead(snap, "prompt"); err != nil {
		return nil, err
	}
	e.cache.snaps.Store(text, snap)
	return snap, nil
}

func (e *Env) anyTarget(p *Profile, handoff bool) bool {
	for _, id := range e.Order {
		if p.Delegation.May(p.ID, e.Profiles[id], handoff) {
			return true
		}
	}
	return !handoff && p.Delegation.AllowSelf
}

// Check makes every invocation that can be made without running anything, so that load
// errors and diagnostics are seen before a run begins.
func (e *Env) Check() ([]tooling.Diagnostic, error) {
	var out []tooling.Diagnostic
	for _, id := range e.Order {
		p := e.Profiles[id]
		kinds := []string{}
		if id == e.Entry {
			kinds = append(kinds, "root")
		}
		if p.Delegation.AsChild {
			kinds = append(kinds, "child")
		}
		if p.Delegation.AsHandoff {
			kinds = append(kinds, "handoff")
		}
		for _, k := range kinds {
			m, err := e.make(Birth{Kind: k, Profile: id})
			if err != nil {
				return nil, fault.Wrap(err, fault.Code(err), "agent %s", id)
			}
			out = append(out, m.snap.Diagnostics...)
		}
	}
	return out, nil
}

// Preview gives the prompt and the tools of an agent as it would have them in a run
// without a conversation.
func (e *Env) Preview(profile, kind string) (prompt string, snap *tooling.Snapshot, err error) {
	return e.PreviewOf(Birth{Kind: kind, Profile: profile})
}

// PreviewOf gives the prompt and the tools of an invocation that is born like this.
func (e *Env) PreviewOf(b Birth) (prompt string, snap *tooling.Snapshot, err error) {
	m, err := e.make(b)
	if err != nil {
		return "", nil, err
	}
	return m.prompt, m.snap, nil
}
