package agent

import (
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Profile is the definition of an agent. [Profile.Defaults] fills what is unset.
type Profile struct {
	ID          string
	Description string
	Prompt      string
	Model       string // name in Env.Models; "" is "default"
	Temperature *float64
	MaxOutput   int // tokens; 0: the model's

	Allow  []string // patterns; nil: the tools that a new profile has
	Deny   []string
	Expose []string
	Limits map[string]tooling.ToolLimit // by pattern

	Delegation Delegation
	Roots      workspace.Roots
	NeedCommit bool // output.commit: required

	Rounds          int // turns of one invocation; default 100
	MaxCalls        int // default 128
	MaxCallsPerTurn int // default 32
	MaxBadTurns     int // default 3
	MaxTextTurns    int // default 3
	StallNote       int // default 3
	StallStop       int // default 5
	InlineChars     int // default 50,000
}

// Delegation is the delegation policy of a profile (delegation spec §2).
type Delegation struct {
	CanDelegate, CanHandoff        bool
	Callable, AsChild, AsHandoff   bool
	AllowSelf, AllowNested         bool
	Targets, DenyTargets           []string // default ["*"], none
	AllowedCallers                 []string // default ["*"]
	Description                    string   // for callers; default: the profile's
	MaxRunning                     int      // live children of one parent, 1–5; default 5
	MaxChildren                    int      // tasks of one invocation; default 32
	MaxHandoffs, MaxHandoffRepeats int      // default 8, 1
	TaskDeadline                   time.Duration
	CapsuleChars                   int // default 12,000
	DenyFinishWithChildren         bool
	StopGrace                      time.Duration // default 10 s
}

// Defaults returns p with every unset field at its default.
func (p Profile) Defaults() Profile {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	if p.Model == "" {
		p.Model = "default"
	}
	def(&p.Rounds, 100)
	def(&p.MaxCalls, 128)
	def(&p.MaxCallsPerTurn, 32)
	def(&p.MaxBadTurns, 3)
	def(&p.MaxTextTurns, 3)
	def(&p.StallNote, 3)
	def(&p.StallStop, 5)
	def(&p.InlineChars, 50_000)
	d := &p.Delegation
	def(&d.MaxRunning, 5)
	def(&d.MaxChildren, 32)
	def(&d.MaxHandoffs, 8)
	def(&d.MaxHandoffRepeats, 1)
	def(&d.CapsuleChars, 12_000)
	if d.TaskDeadline == 0 {
		d.TaskDeadline = time.Hour
	}
	if d.StopGrace == 0 {
		d.StopGrace = 10 * time.Second
	}
	if d.Targets == nil {
		d.Targets = []string{"*"}
	}
	if d.AllowedCallers == nil {
		d.AllowedCallers = []string{"*"}
	}
	if d.Description == "" {
		d.Description = p.Description
	}
	if p.Roots.Visible == nil && p.Roots.Writable == nil {
		p.Roots = workspace.DefaultRoots()
	}
	return p
}

// May says whether a caller with this policy may name the target for an operation.
func (d *Delegation) May(caller string, target *Profile, handoff bool) bool {
	t := &target.Delegation
	if !t.Callable || (handoff && !t.AsHandoff) || (!handoff && !t.AsChild) {
		return false
	}
	if caller == target.ID && (handoff || !d.AllowSelf) {
		return false
	}
	return matches(d.Targets, target.ID) && !matches(d.DenyTargets, target.ID) && matches(t.AllowedCallers, caller)
}

func matches(list []string, id string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, id)
}

// Env is what all invocations of a run share and nobody changes: the team's profiles,
// the catalogue of tools, the models, the limits.
type Env struct {
	Team      string
	Entry     string
	Profiles  map[string]*Profile // with defaults
	Order     []string            // ids, sorted
	Catalogue *tooling.Catalogue
	Models    map[string]Model
	Mounts    *workspace.Mounts
	Budgets   Budgets
	NoHuman   bool

	cache cache
}

// Model is a provider with the name of one of its models.
type Model struct {
	Provider model.Provider
	Kind     string // label, e.g. "openai"
	Name     string
	Retry    Retry

	MaxOutput   int // of a profile that says nothing
	Temperature *float64
	TopP        *float64
	Stop        []string
}

// Retry bounds the attempts of one model request.
type Retry struct {
	Attempts int           // default 5
	Base     time.Duration // default 1 s
	Cap      time.Duration // default 60 s
	MaxWait  time.Duration // default 5 min: a longer wish of the server ends the request
}

// Budgets of a whole run.
type Budgets struct {
	Agents        int // invocations in all; default 200
	AgentsRunning int // default 32
	Depth         int // default 3; negative: nobody delegates
	Rounds        int // 0: none
	Calls         int // 0: none
}

// Defaults returns b with every unset limit at its default.
func (b Budgets) Defaults() Budgets {
	if b.Agents == 0 {
		b.Agents = 200
	}
	if b.AgentsRunning == 0 {
		b.AgentsRunning = 32
	}
	if b.Depth == 0 {
		b.Depth = 3
	}
	return b
}
