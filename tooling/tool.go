package tooling

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Class is what a tool does outside the journal.
type Class string

// Effect classes.
const (
	None  Class = "none"  // only records, decided by the run
	Read  Class = "read"  // runs again after a crash
	Write Class = "write" // needs a durable dispatch first
)

// Effect is the class of a tool's effect and whether repeating it with the same key is harmless.
type Effect struct {
	Class      Class `json:"class"`
	Idempotent bool  `json:"idempotent"`
}

// Again says what recovery does with a call that was dispatched and not settled
// (tools spec §1).
type Again string

// Ways to go on with an interrupted call.
const (
	AgainYes    Again = "yes"    // run again with the same key
	AgainAppend Again = "append" // changes are made by the settlement: nothing happened yet, run again
	AgainNo     Again = "no"     // outcome unknown
	AgainProbe  Again = "probe"  // the handler is told, see [Call.Again], and asks its probe first
)

// Exposure of a tool (identity spec §6).
type Exposure string

// Exposure classes.
const (
	UserTool       Exposure = "user"
	SystemTool     Exposure = "system"
	DiagnosticTool Exposure = "diagnostic"
	RuntimeTool    Exposure = "runtime-only"
)

// Descriptor describes a tool. Descriptors are immutable.
type Descriptor struct {
	ID          string // full tool id
	Description string
	Schema      json.RawMessage // input schema, canonical JSON; closed for built-ins
	Effect      Effect
	Again       Again
	GateKey     string // "ws", "mount:<at>", a source's own key, or "" for none
	Exposure    Exposure
	New         bool          // in the tool set of a profile that lists no tools
	Scenes      []string      // empty: every scene
	Condition   Condition     // when it is present
	Timeout     time.Duration // 0: 10 minutes
	Raw         []string      // string parameters that are not trimmed

	frozen *frozen // made by the catalogue, so that invocations share it
}

// Condition names what must hold for a tool to be present (tools spec §2).
type Condition string

// Conditions.
const (
	Always      Condition = ""
	Writable    Condition = "writable_root"
	Owner       Condition = "owner"
	CanDelegate Condition = "can_delegate" // and depth left
	CanHandoff  Condition = "can_handoff"  // and owner
	ChildOnly   Condition = "child"
	HasMount    Condition = "mount"
	WriteMount  Condition = "write_mount"
	HasLore     Condition = "lore"                    // the run was given lore entries
	CanReach    Condition = "can_delegate_or_handoff" // holds when one of the two does
)

// Tool is a descriptor with its executor. Handle is nil for tools of class none, which
// the run itself decides. Prepare, when set, runs under the gate before the dispatch
// is recorded: it may refuse (an error result, not dispatched) or give the intent that
// the dispatch record states.
type Tool struct {
	Descriptor
	Handle  func(ctx context.Context, c *Call) Result
	Prepare func(ctx context.Context, c *Call) (Intent, *Result)

	// Reads says of a tool that writes that a call with these arguments only reads, so that
	// it enters the gate as a reader; nil: none does.
	Reads func(args *Object) bool
	// Bounded says that the handler ends itself at [Call.Timeout], counted from when its
	// work begins; the runtime then gives it [WaitSlack] more.
	Bounded bool

	probe probeFunc // of a Go tool that is being made
}

// Call is what a handler gets. It must not be kept after the handler returned.
type Call struct {
	Key   string // idempotency key: equal for every attempt of this call, unique else
	Run   string
	Path  string // of the calling invocation
	Tool  string // tool id
	Again bool   // it was dispatched by an incarnation that did not see its end
	Args  *Object
	View  *workspace.View // files as this invocation sees them at the grant of the gate
	Input *input.Frozen   // what the run was given; nil: nothing that a tool could read
	Now   func() time.Time
	Rand  func(n int) int // uniform in [0, n); injected
	State any             // what Prepare left for Handle, in the same process only
	// Timeout is the time limit of the call. The runtime holds it, unless the tool is Bounded.
	Timeout time.Duration
}

// WaitSlack is how much longer than its timeout a call of a [Tool.Bounded] tool may take: it
// may wait for a free worker, which is not counted as its time.
const WaitSlack = 10 * time.Minute

// Intent is what the dispatch record states beyond the call itself.
type Intent struct {
	Pre, Intended map[string]string
	Commit        *journal.CommitRequested // workspace.commit only
	State         any
}

// Result is what a handler gives back. Content is for the model: facts, bounded by the
// caller, never empty (an empty one becomes "(no output)"). Code is set exactly when the
// result is an error.
type Result struct {
	Content    string
	Structured any // marshalled to JSON for the record; nil: none
	Code       string
	Outcome    journal.Outcome // zero: completed, or failed when Code is set
	Changes    []workspace.Change
	Observed   []journal.Observed
	Images     []journal.Image // files of the workspace that a model which sees is shown
	Commit     *journal.CommitSettled
	Stack      string          // of a panic; for the record only
	Data       json.RawMessage // Structured, marshalled; filled by the runtime
}

// Fail makes an error result: what is wrong and the mend that is known.
func Fail(code, text string) Result { return Result{Code: code, Content: text} }
