package agent

import (
	"slices"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Profile is the definition of an agent. [Profile.Defaults] fills what is unset.
type Profile struct {
	ID          string   `json:"id,omitzero"`
	Description string   `json:"description,omitzero"`
	Prompt      string   `json:"prompt,omitzero"`
	Model       string   `json:"model,omitzero"` // name in Env.Models; "" is "default"
	Temperature *float64 `json:"temperature,omitzero"`
	MaxOutput   int      `json:"max_output,omitzero"` // tokens; 0: the model's

	Allow  []string                     `json:"allow,omitzero"` // patterns; nil: the tools that a new profile has
	Deny   []string                     `json:"deny,omitzero"`
	Expose []string                     `json:"expose,omitzero"`
	Limits map[string]tooling.ToolLimit `json:"limits,omitzero"` // by pattern

	Delegation Delegation      `json:"delegation,omitzero"`
	Roots      workspace.Roots `json:"roots,omitzero"`
	NeedCommit bool            `json:"need_commit,omitzero"` // output.commit: required

	Rounds   int `json:"rounds,omitzero"`    // turns of one invocation; default 100
	MaxCalls int `json:"max_calls,omitzero"` // default 128

	Tokens int64      `json:"tokens,omitzero"` // of one invocation, read and written; 0: no limit
	Money  price.Nano `json:"money,omitzero"`  // likewise, nano-dollars

	MaxCallsPerTurn int `json:"max_calls_per_turn,omitzero"` // default 32
	MaxBadTurns     int `json:"max_bad_turns,omitzero"`      // default 3
	MaxTextTurns    int `json:"max_text_turns,omitzero"`     // default 3
	StallNote       int `json:"stall_note,omitzero"`         // default 3
	StallStop       int `json:"stall_stop,omitzero"`         // default 5
	InlineChars     int `json:"inline_chars,omitzero"`       // default 50,000

	TurnChars       int     `json:"turn_chars,omitzero"`       // of all results of one turn; default 120,000
	HistoryShare    float64 `json:"history_share,omitzero"`    // of the model's window, for all results in the history; 0.1–0.9, default 0.5
	CompactAt       float64 `json:"compact_at,omitzero"`       // of what a request may have: above it the oldest turns are put in short; 0.3–0.95, default 0.8
	CompactionModel string  `json:"compaction_model,omitzero"` // name in Env.Models of the model that does; "" is the profile's own

	Messages     *int   `json:"messages,omitzero"`     // newest messages of the run's conversation that it begins with; nil: 20, -1: all, 0: none
	Presentation string `json:"presentation,omitzero"` // on a terminal: live (default), status or quiet
}

// Delegation is the delegation policy of a profile (delegation spec §2).
type Delegation struct {
	CanDelegate            bool          `json:"can_delegate,omitzero"`
	CanHandoff             bool          `json:"can_handoff,omitzero"`
	Callable               bool          `json:"callable,omitzero"`
	AsChild                bool          `json:"as_child,omitzero"`
	AsHandoff              bool          `json:"as_handoff,omitzero"`
	AllowSelf              bool          `json:"allow_self,omitzero"`
	AllowNested            bool          `json:"allow_nested,omitzero"`
	Targets                []string      `json:"targets,omitzero"`
	DenyTargets            []string      `json:"deny_targets,omitzero"`    // default ["*"], none
	AllowedCallers         []string      `json:"allowed_callers,omitzero"` // default ["*"]
	Description            string        `json:"description,omitzero"`     // for callers; default: the profile's
	MaxRunning             int           `json:"max_running,omitzero"`     // live children of one parent, 1–5; default 5
	MaxChildren            int           `json:"max_children,omitzero"`    // tasks of one invocation; default 32
	MaxHandoffs            int           `json:"max_handoffs,omitzero"`
	MaxHandoffRepeats      int           `json:"max_handoff_repeats,omitzero"` // default 8, 1
	TaskDeadline           time.Duration `json:"task_deadline,omitzero"`
	CapsuleChars           int           `json:"capsule_chars,omitzero"` // default 12,000
	DenyFinishWithChildren bool          `json:"deny_finish_with_children,omitzero"`
	StopGrace              time.Duration `json:"stop_grace,omitzero"` // default 10 s
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
	def(&p.TurnChars, 120_000)
	if p.HistoryShare == 0 {
		p.HistoryShare = 0.5
	}
	if p.CompactAt == 0 {
		p.CompactAt = 0.8
	}
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
	Secrets   secret.Set // put out of everything that comes from outside

	cache cache
}

// Model is a provider with the name of one of its models.
type Model struct {
	Provider  model.Provider
	Kind      string // label, e.g. "openai"
	Name      string
	Retry     Retry
	Told      bool          // requests say which attempt they belong to, see model.WithAttempt
	Price     *price.Price  // nil: not known
	LongCache bool          // what it writes to the server's cache stays there for an hour, and costs more
	Fallback  []string      // names in Env.Models, asked in this order when this one fails
	FallOn    []model.Class // failures after which they are; nil: [FallsBack]
	Limiter   actors.Ref    // of the server's key, see package limit; zero: nothing is waited for

	Vision bool              // it takes images
	Images model.ImageLimits // of a model that does

	Window      int // tokens; 0: unknown until a server names it
	Longest     int // tokens of the longest answer that it can give; 0: unknown
	MaxOutput   int // of a profile that says nothing
	Temperature *float64
	TopP        *float64
	Stop        []string
}

// Retry bounds the attempts of one model request.
type Retry struct {
	Attempts int           `json:"attempts,omitzero"` // default 5
	Base     time.Duration `json:"base,omitzero"`     // default 1 s
	Cap      time.Duration `json:"cap,omitzero"`      // default 60 s
	MaxWait  time.Duration `json:"max_wait,omitzero"` // default 5 min: a longer wish of the server ends the request
	Total    time.Duration `json:"total,omitzero"`    // longest time in which rate limits are waited for; default 15 min, or MaxWait when that is more
}

// Budgets of a whole run.
type Budgets struct {
	Agents        int `json:"agents,omitzero"`         // invocations in all; default 200
	AgentsRunning int `json:"agents_running,omitzero"` // default 32
	Depth         int `json:"depth,omitzero"`          // default 3; negative: nobody delegates
	Rounds        int `json:"rounds,omitzero"`         // 0: none
	Calls         int `json:"calls,omitzero"`          // 0: none

	Tokens   int64         `json:"tokens,omitzero"`   // read and written; 0: none
	Money    price.Nano    `json:"money,omitzero"`    // nano-dollars; 0: none
	Unpriced bool          `json:"unpriced,omitzero"` // with Money, models whose price is not known are allowed
	Wall     time.Duration `json:"wall,omitzero"`     // time at work, rests not counted; 0: none
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
