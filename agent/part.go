package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Phase of an invocation.
type Phase uint8

// Phases.
const (
	Idle      Phase = iota // every call is settled: the next turn may be asked for
	Requested              // a model request is due or under way
	Settling               // calls of the last answer are open
	Ended
)

// Part is the fold of one invocation's records. Only [Part.Fold] changes it.
type Part struct {
	Env     *Env
	Run     string
	Path    string
	Kind    string // root, child, handoff
	Profile *Profile
	Task    string
	Depth   int
	Snap    *tooling.Snapshot
	System  string
	Brief   string        // what it is asked
	Given   *input.Frozen // of the run; set before the first fold; nil: neither conversation nor lore

	Phase    Phase
	Turn     int // number of the last turn that was asked for
	History  []model.Message
	Calls    []Call // of the last answer, in model order
	Open     int    // of Calls
	want     int    // calls that the last answer holds
	Counters tooling.Counters
	Reads    workspace.ReadState

	Rounds             int    // answers, corrected and bad ones too; the closing turn not
	TextTurns          int    // in a row
	BadTurns           int    // in a row
	spent              bool   // the last turn had no call that the run's budget of calls admitted
	LastText           string // newest non-empty text
	pieces             string // of a text that was cut by its limit
	Closing            string // stop reason once the closing turn has begun
	closeDone          bool
	Stop               string // stop reason that waits for the closing turn
	Plan               int    // revisions of the plan
	Used               []journal.Count
	Changed            []string
	Usage              journal.Usage
	NCalls             int
	Attempts           int    // failed attempts of the request under way
	Fatal, FatalDetail string // code and text of a model failure for good

	judged    []judged // arguments that were read and are not folded yet
	ledger    Ledger
	fallback  string        // model that stands in for the profile's; "": none
	answer    model.Message // the last answer, until its calls are settled
	stop      model.Finish
	stall     stall
	fit       fit
	Outcome   journal.Outcome
	EndReason string
}

// CallState of a call.
type CallState uint8

// States of a call.
const (
	Asked      CallState = iota // requested, and allowed to go on
	Dispatched                  // its effect may have begun
	Settled
)

// judged keeps what the request gate has read, so that the fold need not read it again.
type judged struct {
	key  string
	args *tooling.Object
}

// Call is one call of the last answer.
type Call struct {
	Key      string
	Index    int
	Tool     string // id; empty for an unknown tool
	Name     string
	Args     *tooling.Object // nil when invalid
	ArgsText string          // canonical, "{}" when invalid
	Binding  *tooling.Binding
	State    CallState
	Checked  bool
	Commit   *journal.CommitRequested // of a commit that was dispatched
	Result   model.Result
	Code     string
	Outcome  journal.Outcome
}

// CallKey gives the key of a call: a hash over run, invocation path, turn and index.
func CallKey(run, path string, turn, index int) string {
	var buf [192]byte
	b := append(buf[:0], run...)
	b = append(b, 0)
	b = append(b, path...)
	b = append(b, 0)
	b = strconv.AppendInt(b, int64(turn), 10)
	b = append(b, 0)
	b = strconv.AppendInt(b, int64(index), 10)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// NewPart gives an empty part that [Part.Fold] fills, beginning with the invocation_created record.
func NewPart(env *Env, run string) *Part { return &Part{Env: env, Run: run} }

// FoldAll folds records in order.
func (p *Part) FoldAll(recs []journal.Record) error {
	for i := range recs {
		if err := p.Fold(&recs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Fold applies one record of this invocation. An error means that the record cannot
// belong to a journal of this program: the run is parked.
func (p *Part) Fold(r *journal.Record) error {
	if p.Snap == nil && r.Type() != journal.TInvocationCreated {
		return fault.New("journal.damaged", "record %d (%s) stands before its invocation was created", r.Seq, r.Type())
	}
	if err := p.foldContext(r); err != nil {
		return err
	}
	defer p.weigh()
	switch m := r.Payload.(type) {
	case *journal.InvocationCreated:
		return p.foldCreated(m)
	case *journal.ModelRequested:
		if r.Scope.Turn != p.Turn {
			p.Attempts = 0
		}
		p.Phase, p.Turn = Requested, r.Scope.Turn
		p.ledger.Ask(m.Reserve)
		p.fallBack(m.Fallback)
	case *journal.ModelAttemptFailed:
		p.Attempts = m.Attempt
		p.lose(&m.Usage)
	case *journal.ModelFailed:
		p.Fatal, p.FatalDetail = m.Code, m.Detail
		p.lose(&m.Usage)
	case *journal.ModelAnswered:
		p.foldAnswered(m)
	case *journal.CallRequested:
		return p.foldRequested(r, m)
	case *journal.CallChecked:
		if c := p.Call(r.Scope.Call); c != nil {
			c.Checked = m.Decision == "allow"
		}
	case *journal.CallDispatched:
		if c := p.Call(r.Scope.Call); c != nil && c.State == Asked {
			c.State = Dispatched
		}
	case *journal.CallSettled:
		p.foldSettled(r, m)
	case *journal.CommitRequested:
		if c := p.Call(r.Scope.Call); c != nil {
			c.Commit = m
		}
	case *journal.FileChanged:
		if m.ByCall != "" && !IsCopy(m.Path) {
			p.noteChanged(m.Path)
		}
	case *journal.TurnCorrected:
		if m.Instead == "" {
			p.hostMessage(m.Text.Text)
		}
		p.stall.noted = p.stall.noted || m.Rule == ruleStall
		p.Phase = Idle
	case *journal.TurnClosed:
		p.Closing, p.Stop = m.Reason, ""
		p.hostMessage(m.Text.Text)
		p.Phase = Idle
	case *journal.TaskDelivered:
		if m.Via == "auto" && m.Text.Text != "" { // the first of several carries the text of all
			p.hostMessage(m.Text.Text)
		}
	case *journal.GuidanceApplied:
		p.History = append(p.History, model.Message{Role: model.User, Text: m.Text.Text})
	case *journal.InvocationEnded:
		p.Phase, p.Outcome, p.EndReason = Ended, m.Outcome, m.Reason
	}
	return nil
}

func (p *Part) foldCreated(m *journal.InvocationCreated) error {
	snap, err := p.Env.snapshot(m.Snapshot.Text)
	if err != nil {
		return err
	}
	p.Path, p.Kind, p.Task, p.Depth = m.Path, m.Kind, m.Task, m.Depth
	p.Profile = p.Env.Profiles[m.Profile]
	if p.Profile == nil {
		return fault.New("journal.damaged", "invocation %s names the unknown profile %s", m.Path, m.Profile)
	}
	p.Snap, p.System = snap, m.Prompt.Text
	if m.Kind == tooling.KindRoot && p.Given != nil { // what came before what it is asked now
		first := p.Given.First(p.Profile.Messages)
		p.History = append(p.History, first[:max(len(first)-1, 0)]...)
	}
	p.Brief = m.Brief.Text
	asked := model.Message{Role: model.User, Text: p.Brief}
	if m.Kind == tooling.KindRoot {
		asked.Text, asked.Images = withoutGiven(p.Brief, p.Given), p.Given.Images()
	}
	p.History = append(p.History, asked)
	p.fit.head, p.fit.base = len(p.History), p.Env.headTokens(p.System, snap)
	p.fit.meter.Restart(p.fit.base)
	return nil
}

func (p *Part) foldAnswered(m *journal.ModelAnswered) {
	p.Phase, p.stop = Settling, model.Finish(m.Stop)
	p.Attempts = 0
	if p.Closing == "" {
		p.Rounds++
	} else {
		p.closeDone = true
	}
	addUsage(&p.Usage, m.Usage)
	p.ledger.Answer(&m.Usage)
	p.answer = model.Message{Role: model.Assistant, Text: m.Text.Text, Turn: p.Turn}
	native := []byte(m.Native)
	if m.NativeBlob.Text != "" {
		native = []byte(m.NativeBlob.Text)
	}
	if len(native) > 0 {
		if err := json.Unmarshal(native, &p.answer.Native); err != nil {
			p.answer.Native = nil // it was too long to be kept whole
		}
	}
	if strings.TrimSpace(m.Text.Text) != "" {
		p.LastText = p.pieces + m.Text.Text
	}
	p.Calls, p.Open, p.want = p.Calls[:0], 0, m.Calls
	if m.Calls > cap(p.Calls) {
		p.Calls = make([]Call, 0, m.Calls)
	}
	if m.Calls > 0 {
		p.pieces = ""
		return
	}
	// An answer without calls is history at once; the correction follows it.
	if p.stop == model.FinishLength {
		p.pieces = p.LastText
		p.BadTurns++
	} else if p.stop == model.FinishBadCall {
		p.pieces = ""
		p.BadTurns++
	} else if p.pieces != "" {
		p.pieces = ""
		p.TextTurns++
	} else if strings.TrimSpace(m.Text.Text) == "" {
		p.BadTurns++
	} else {
		p.TextTurns++
	}
	if p.answer.Text != "" {
		p.History = append(p.History, p.answer)
	}
}

func (p *Part) foldRequested(r *journal.Record, m *journal.CallRequested) error {
	if c := p.Call(r.Scope.Call); c != nil {
		if c.Index == m.Index && c.Name == m.Name && (m.Invalid || c.ArgsText == m.Args.Text) {
			return nil
		}
		return fault.New("journal.key_conflict", "record %d asks for call %s a second time, with something else", r.Seq, r.Scope.Call)
	}
	p.NCalls++
	c := Call{Key: r.Scope.Call, Index: m.Index, Tool: m.Tool, Name: legal(m.Name), ArgsText: "{}"}
	if m.Tool != "" {
		c.Binding, _ = p.Snap.ByID(m.Tool)
	}
	if !m.Invalid {
		c.ArgsText = m.Args.Text
		c.Args = p.argsOf(&c)
	}
	if m.Counted {
		p.Counters.Add(&tooling.Verdict{Counted: true, Binding: c.Binding})
	}
	p.Calls = append(p.Calls, c)
	p.Open++
	return nil
}

func (p *Part) foldSettled(r *journal.Record, m *journal.CallSettled) {
	c := p.Call(r.Scope.Call)
	if c == nil || c.State == Settled {
		return
	}
	if m.Dispatched || m.Code == "" {
		p.TextTurns, p.BadTurns = 0, 0
	}
	if m.Dispatched {
		p.count(c.Name)
	}
	if c.Tool == planTool && m.Code == "" {
		p.Plan++
	}
	c.State, c.Code, c.Outcome = Settled, m.Code, m.Outcome
	c.Result = model.Result{Key: c.Key, ToolID: c.Tool, Name: c.Name, Text: resultText(m), IsError: m.Code != "", Images: m.Images, Data: m.Data()}
	if len(m.Observed) > 0 {
		p.Reads = p.Reads.With(m.Observed)
	}
	p.Open--
	if p.Open == 0 && len(p.Calls) == p.want {
		p.closeTurn()
	}
}

// legal makes the name of a call one that every provider takes back. It only ever changes
// names that no tool has.
func legal(name string) string {
	if model.ValidName(name) {
		return name
	}
	b := []byte("_")
	for i := 0; i < len(name) && len(b) < 60; i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			b = append(b, c)
		default:
			b = append(b, '_')
		}
	}
	return string(b)
}

// argsOf gives the arguments as the handler reads them, nil when they are refused.
func (p *Part) argsOf(c *Call) *tooling.Object {
	for i := range p.judged {
		if p.judged[i].key == c.Key {
			return p.judged[i].args
		}
	}
	o, bad := tooling.Normalise(json.RawMessage(c.ArgsText))
	if bad == nil && c.Binding != nil {
		o, bad = c.Binding.Check(o)
	}
	if bad != nil {
		return nil
	}
	return o
}

// closeTurn makes the answer and its results history, all at once.
func (p *Part) closeTurn() {
	calls := make([]model.Call, len(p.Calls))
	results := make([]model.Result, len(p.Calls))
	bad := p.Closing == ""
	admitted, spent := false, false
	for i := range p.Calls {
		c := &p.Calls[i]
		calls[i] = model.Call{Key: c.Key, ToolID: c.Tool, Name: c.Name, Args: c.ArgsText}
		results[i] = c.Result
		bad = bad && badCode(c.Code)
		spent = spent || c.Code == "budget.calls"
		admitted = admitted || c.Checked
	}
	p.spent = spent && !admitted
	if bad {
		p.BadTurns++
	}
	p.answer.Calls = calls
	p.History = append(p.History, p.answer, model.Message{Role: model.Tool, Results: results, Turn: p.Turn})
	p.answer = model.Message{}
	p.judged = p.judged[:0]
	p.Phase = Idle
	p.stall.turn(p.Calls)
}

// badCode says whether a refusal is the fault of the model's form (arguments spec §9).
func badCode(code string) bool {
	switch code {
	case "tool.invalid_arguments", "model.unknown_tool_call", "model.tool_choice_violation",
		"tool.turn_call_limit", "agent.tool_budget_exhausted", "model.answer_truncated":
		return true
	}
	return false
}

func (p *Part) hostMessage(text string) {
	p.History = append(p.History, model.Message{Role: model.Host, Text: text})
}

// Call gives a call of the last answer by its key, or nil.
func (p *Part) Call(key string) *Call {
	for i := range p.Calls {
		if p.Calls[i].Key == key {
			return &p.Calls[i]
		}
	}
	return nil
}

func (p *Part) count(name string) {
	for i := range p.Used {
		if p.Used[i].Name == name {
			p.Used[i].N++
			return
		}
	}
	p.Used = append(p.Used, journal.Count{Name: name, N: 1})
}

func (p *Part) noteChanged(path string) {
	for _, c := range p.Changed {
		if c == path {
			return
		}
	}
	p.Changed = append(p.Changed, path)
}

// resultText is what the model reads: errors begin with their code on a line of its own kind.
func resultText(m *journal.CallSettled) string {
	text := m.Content.Text
	if text == "" {
		text = "(no output)"
	}
	if m.Code != "" {
		return "error " + m.Code + ": " + text
	}
	return text
}

func addUsage(to *journal.Usage, u journal.Usage) {
	to.Requests += u.Requests
	addCount(&to.Input, u.Input)
	addCount(&to.CacheRead, u.CacheRead)
	addCount(&to.CacheWrite, u.CacheWrite)
	addCount(&to.Output, u.Output)
	addCount(&to.Reasoning, u.Reasoning)
	addCost(to, &u)
}

// addCount adds to a number that may be unknown. What a pointer of it points to never
// changes.
func addCount(to **int64, n *int64) {
	if n == nil {
		return
	}
	v := *n
	if *to != nil {
		v += **to
	}
	*to = &v
}

// lose counts what a failed attempt has used.
func (p *Part) lose(u *journal.Usage) {
	addUsage(&p.Usage, *u)
	p.ledger.Lose(u)
}

// AddUsage adds u to a total. An unknown field stays unknown only while all are.
func AddUsage(to *journal.Usage, u journal.Usage) { addUsage(to, u) }
