package swarm

import (
	"maps"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Team is a whole team: agents, models, limits. Load one with [LoadTeam], or make one with
// [NewTeam] or as a value. [Team.Validate] gives all its faults at once. A team must not be
// changed once a run was started with it.
type Team = config.Team

// Faults are all faults of a team, the cause of an error with the code "config.invalid":
// find them with [errors.As].
type Faults = config.Faults

// Fault is one of [Faults]: what is wrong, where, and the mend.
type Fault = config.Fault

// Profile is the definition of an agent: who it is for, its prompt, its model, its tools,
// its limits. Its zero fields have defaults; a prompt is needed, and a description when
// others may call it.
type Profile = agent.Profile

// Delegation says whom an agent may give tasks or the run to, and who may call it.
type Delegation = agent.Delegation

// Roots are the parts of a run's workspace that an agent sees and writes; the zero value
// has defaults.
type Roots = workspace.Roots

// ToolLimit bounds one tool of a profile; see [Profile].Limits.
type ToolLimit = tooling.ToolLimit

// Budgets bound a whole run, its children included; the zero value has defaults.
type Budgets = agent.Budgets

// Shell configures the sandboxed shell of a team; the zero value has defaults.
type Shell = config.Shell

// Mount is a directory of the host that the agents of a team read by the tools read, glob
// and grep. Host is an absolute path.
type Mount = workspace.MountSpec

// Model says how a model is reached. See [OpenAI] and [Scripted].
type Model = config.Model

// Retry bounds the attempts of one model request; the zero value has defaults.
type Retry = config.Retry

// Timeouts bound one attempt of a model request; the zero value has defaults.
type Timeouts = config.Timeouts

// DefaultModel is the name in [Team].Models of the model that a profile without one uses.
const DefaultModel = config.DefaultModel

// OpenAI is a model of the OpenAI service by its id. Its key is what [Options].Env says for
// OPENAI_API_KEY. For another server of that kind set BaseURL and APIKey, or Auth: "none".
func OpenAI(id string) Model {
	return Model{Provider: config.OpenAI, Model: id, APIKey: "${OPENAI_API_KEY}"}
}

// Scripted is a model whose answers stand in a script, a YAML text: it needs no key and no
// network. The package model/scripted says what a script may hold.
func Scripted(script string) Model {
	return Model{Provider: config.Scripted, Script: script, ScriptFile: "script"}
}

// NewTeam makes a team of profiles, each with its ID set; the first is the entry, which
// gets the input of a run. Models are to be added under their names, unless
// [Options].Providers has them:
//
//	team := swarm.NewTeam("shop", swarm.Profile{ID: "clerk", Prompt: "You sell apples."})
//	team.Models[swarm.DefaultModel] = swarm.OpenAI("gpt-5-mini")
//
// It checks nothing: [Team.Validate] does.
func NewTeam(name string, entry Profile, others ...Profile) *Team {
	t := &Team{Version: config.Version, Name: name, Entry: entry.ID, Models: map[string]Model{}, Agents: map[string]*Profile{entry.ID: &entry}}
	for _, p := range others {
		key := p.ID
		for n := 2; t.Agents[key] != nil; n++ { // an id that is there twice is a fault of the team, told by Validate
			key = p.ID + " " + strconv.Itoa(n)
		}
		t.Agents[key] = &p
	}
	return t
}

// completed gives a team with what a program may leave out: the version, the name, the
// entry of a team of one agent, the ids of agents, which are their keys. The given one is
// not changed.
func completed(team *Team) *Team {
	t := *team
	if t.Version == 0 {
		t.Version = config.Version
	}
	if t.Name == "" {
		t.Name = "team"
	}
	t.Agents = maps.Clone(team.Agents)
	for id, p := range t.Agents {
		if t.Entry == "" && len(t.Agents) == 1 {
			t.Entry = id
		}
		if p != nil && p.ID == "" {
			q := *p
			q.ID = id
			t.Agents[id] = &q
		}
	}
	return &t
}
