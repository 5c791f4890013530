package swarm

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// AgentTools is what an agent of a team is given as an invocation of one kind.
type AgentTools struct {
	Agent   string               `json:"agent"`
	Kind    string               `json:"kind"`  // root, child or handoff
	Kinds   []string             `json:"kinds"` // that the agent can be, the most natural one first
	Model   string               `json:"model"` // name in the team's models
	Tools   []ToolView           `json:"tools"` // in the order in which the model gets them
	LeftOut []tooling.Diagnostic `json:"left_out"`
	Prompt  string               `json:"prompt,omitempty"` // system text, as it is sent
}

// ToolView is a tool as one invocation has it.
type ToolView struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`   // by which the model calls it
	Effect      string          `json:"effect"` // none, read or write
	Idempotent  bool            `json:"idempotent"`
	Again       string          `json:"again,omitempty"` // what a resume does with a call that had begun: yes, append, no
	Gate        string          `json:"gate,omitempty"`  // what its calls wait at; empty: nothing
	Exposure    string          `json:"exposure"`        // user, system, diagnostic or runtime-only
	MaxCalls    int             `json:"max_calls,omitempty"`
	TimeoutMS   int64           `json:"timeout_ms"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of its arguments, the bytes that are sent
}

// Tools says what agents of a team are given: their tools, why others are left out, and
// their prompts. Without an agent all of them are described, in order of id; without a kind
// each as what it most naturally is. Nothing is run, and no model needs its key. Errors:
// "config.agent_unknown" and "config.agent_kind" with what there is, and load errors.
func (rt *Runtime) Tools(ctx context.Context, team *Team, agent, kind string) ([]AgentTools, error) {
	var out []AgentTools
	err := rt.aside(ctx, team, mute{}, func(inner *Runtime, t *Team) error {
		p, err := inner.prepare(t)
		if err != nil {
			return err
		}
		defer p.release()
		ids := []string{agent}
		if agent == "" {
			ids = slices.Sorted(maps.Keys(t.Agents))
		}
		for _, id := range ids {
			if agent == "" && kind != "" && !slices.Contains(kindsOf(t, id), kind) {
				continue
			}
			one, err := p.describe(id, kind)
			if err != nil {
				return err
			}
			out = append(out, *one)
		}
		return nil
	})
	return out, err
}

// kindsOf gives the kinds of invocations that an agent can be.
func kindsOf(t *Team, id string) []string {
	var kinds []string
	d := t.Agents[id].Delegation
	if id == t.Entry {
		kinds = append(kinds, tooling.KindRoot)
	}
	if d.AsChild {
		kinds = append(kinds, tooling.KindChild)
	}
	if d.AsHandoff {
		kinds = append(kinds, tooling.KindHandoff)
	}
	if len(kinds) == 0 { // nobody calls it: it can only be made the entry
		kinds = []string{tooling.KindRoot}
	}
	return kinds
}

// kindOf checks a kind, or gives the most natural one.
func kindOf(t *Team, agent, kind string) (string, error) {
	if t.Agents[agent] == nil {
		return "", fault.New("config.agent_unknown", "there is no agent %q; the nearest one is %q", agent,
			tooling.Nearest(agent, slices.Sorted(maps.Keys(t.Agents)), 1)[0]).With("look up agent", t.Name)
	}
	kinds := kindsOf(t, agent)
	switch {
	case kind == "":
		return kinds[0], nil
	case slices.Contains(kinds, kind):
		return kind, nil
	}
	return "", fault.New("config.agent_kind", "agent %q is never of the kind %q in this team; it can be: %s", agent, kind, strings.Join(kinds, ", ")).
		With("look up agent", t.Name)
}

// describe makes the view of one agent.
func (p *prepared) describe(agent, kind string) (*AgentTools, error) {
	k, err := kindOf(p.team, agent, kind)
	if err != nil {
		return nil, err
	}
	prompt, snap, err := p.env.Preview(agent, k)
	if err != nil {
		return nil, err
	}
	v := &AgentTools{Agent: agent, Kind: k, Kinds: kindsOf(p.team, agent), Model: p.env.Profiles[agent].Model,
		Tools: []ToolView{}, LeftOut: snap.Diagnostics, Prompt: prompt}
	for i := range snap.Bindings {
		b := &snap.Bindings[i]
		v.Tools = append(v.Tools, ToolView{ID: b.ID, Name: b.Name, Effect: string(b.Effect.Class), Idempotent: b.Effect.Idempotent, Again: string(b.Again),
			Gate: b.GateKey, Exposure: string(b.Exposure), MaxCalls: b.MaxCalls, TimeoutMS: b.TimeoutMS, Description: b.Description, Schema: json.RawMessage(b.Schema)})
	}
	return v, nil
}

// aside calls do with a runtime in memory that has the tools, the clock and the data
// directory of rt, and with a copy of the team whose models are all m: nothing that is done
// there needs a key or leaves a trace in the store of rt.
func (rt *Runtime) aside(ctx context.Context, team *Team, m model.Provider, do func(*Runtime, *Team) error) (err error) {
	if team == nil {
		return fault.New("config.missing", "there is no team").With("prepare team", "")
	}
	if rt.ending.Load() {
		return fault.New("runtime.closed", "the runtime is closed").With("prepare team", team.Name)
	}
	store := journal.NewMemory(journal.MemoryOptions{Clock: rt.o.Clock.Now})
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	o := rt.o
	o.Record, o.Replay = "", ""
	o.Store, o.Registerer, o.Preview, o.Probe, o.OnCommit = store, nil, nil, nil, nil
	o.Providers = map[string]model.Provider{}
	for name := range rt.o.Providers {
		o.Providers[name] = m
	}
	t := *team
	t.Models = maps.Clone(team.Models)
	for name, one := range t.Models {
		one.Model = "" // may refer to a variable that is not set
		t.Models[name], o.Providers[name] = one, m
	}
	inner, err := Open(ctx, o)
	if err != nil {
		return err
	}
	rt.asides.Store(inner, nil)
	defer rt.asides.Delete(inner)
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurry)
		defer cancel()
		if closed := inner.Close(stop); err == nil {
			err = closed
		}
	}()
	if err := rt.usable("prepare team", team.Name); err != nil { // after the entry, which Close looks for
		return err
	}
	return do(inner, &t)
}

// mute is the model of what never asks one.
type mute struct{}

// Answer implements [model.Provider].
func (mute) Answer(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
	return nil, &model.Error{Class: model.ClassPermanent, Code: "model.mute", Detail: "no model is asked here"}
}

// Capabilities implements [model.Provider].
func (mute) Capabilities(string) model.Capabilities { return model.Capabilities{} }
