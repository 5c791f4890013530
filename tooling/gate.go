package tooling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Counters are the calls of an invocation so far. The zero value is ready to use.
type Counters struct {
	Total   int
	PerTool map[string]int // by tool id
}

// Add counts a verdict, if it is to be counted.
func (c *Counters) Add(v *Verdict) {
	if !v.Counted {
		return
	}
	c.Total++
	if v.Binding == nil {
		return
	}
	if c.PerTool == nil {
		c.PerTool = map[string]int{}
	}
	c.PerTool[v.Binding.ID]++
}

// Ask is one call of an answer, as the gate sees it.
type Ask struct {
	Call     model.AnswerCall
	Index    int          // in the answer, from 0
	Choice   model.Choice // that the request of this turn carried
	Cut      bool         // the answer was cut at its length limit
	RunSpent bool         // the run's ledger has no call left
}

// Verdict is what becomes of one call before permission is asked.
type Verdict struct {
	Binding *Binding // nil for an unknown tool
	Args    *Object  // as received; nil when the arguments are invalid
	Checked *Object  // what the handler reads; nil when refused
	Raw     string   // raw text of the arguments
	Counted bool     // in the total, in the run's ledger and, with a Binding, for the tool
	Refusal *Result  // the call's result when it is refused; nil: admitted
}

// ToolID is the id of the tool, or "" for an unknown one.
func (v *Verdict) ToolID() string {
	if v.Binding == nil {
		return ""
	}
	return v.Binding.ID
}

// Replay is the object that a provider gets back as the arguments of the call.
func (v *Verdict) Replay() string {
	if v.Args == nil {
		return "{}"
	}
	return v.Args.Canonical()
}

// ArgsHash is the hash of the arguments, or "" when they are invalid.
func (v *Verdict) ArgsHash() string {
	if v.Args == nil {
		return ""
	}
	return v.Args.Hash()
}

// CheckTurn says whether a turn was asked with this snapshot; else it fails with
// tool.turn_snapshot_mismatch, which ends the run.
func (s *Snapshot) CheckTurn(id string) error {
	if id == s.ID {
		return nil
	}
	return fault.New("tool.turn_snapshot_mismatch", "the turn carries the snapshot of %q", id).With("judge calls", s.ID)
}

// Judge decides one call of an answer by the request gate (identity spec §11) and the
// rule of arguments. Calls are judged in model order; the caller adds each counted verdict
// to the counters before the next call. It is a pure function.
func (s *Snapshot) Judge(c *Counters, a Ask) Verdict {
	args, invalid := Normalise(a.Call.Args)
	v := Verdict{Args: args}
	if invalid != nil {
		v.Raw = invalid.Raw
	} else {
		v.Raw = args.Text()
	}
	v.Binding, _ = s.Lookup(a.Call.Name)
	if refusal, counted := s.admit(c, &a, v.Binding); refusal != nil {
		v.Refusal, v.Counted = refusal, counted
		return v
	}
	v.Counted = true
	if invalid == nil {
		v.Checked, invalid = v.Binding.Check(args)
	}
	if invalid != nil {
		r := invalid.Result()
		v.Refusal = &r
	}
	return v
}

func (s *Snapshot) admit(c *Counters, a *Ask, b *Binding) (refusal *Result, counted bool) {
	free := b != nil && finishing(b.ID)
	switch {
	case a.Cut:
		return refuse("model.answer_truncated", "The answer was cut at its length limit, so none of its calls was run. Send less at once; write a long text in parts, with append.")
	case !chosen(a.Choice, a.Call.Name):
		return refuse("model.tool_choice_violation", "This request asked for %s, so the call was not run.", choiceText(a.Choice))
	case a.Index >= s.Limits.MaxCallsPerTurn:
		return refuse("tool.turn_call_limit", "One answer may hold at most %d calls. Ask for the rest in the next one.", s.Limits.MaxCallsPerTurn)
	case !free && c.Total >= s.Limits.MaxCalls:
		return refuse("agent.tool_budget_exhausted", "All %d tool calls of this agent are used. %s", s.Limits.MaxCalls, s.endHint())
	case !free && a.RunSpent:
		return refuse("budget.calls", "All tool calls of this run are used. %s", s.endHint())
	case b == nil:
		r := s.unknown(a.Call.Name)
		return &r, true
	case !free && b.MaxCalls > 0 && c.PerTool[b.ID] >= b.MaxCalls:
		return refuse("agent.tool_budget_exhausted", "All %d calls of %s are used. Go on without it.", b.MaxCalls, b.Name)
	}
	return nil, true
}

func refuse(code, format string, args ...any) (*Result, bool) {
	r := Fail(code, fmt.Sprintf(format, args...))
	return &r, false
}

// endHint names the tool that ends the invocation.
func (s *Snapshot) endHint() string {
	for _, id := range []string{IDReturn, IDFinish} {
		if name := s.NameOf(id); name != "" {
			return "End with " + name + "."
		}
	}
	return "End now."
}

func chosen(c model.Choice, name string) bool {
	switch c.Mode {
	case "none":
		return false
	case "specific":
		return c.Name == name
	}
	return true
}

func choiceText(c model.Choice) string {
	if c.Mode == "specific" {
		return "a call of " + c.Name
	}
	return "an answer without calls"
}

const nearTools = 5 // tools that a refusal of an unknown name names at most

// unknown answers a name that the snapshot does not have.
func (s *Snapshot) unknown(name string) Result {
	for _, d := range s.Diagnostics {
		if d.Code != "agent.depth_exhausted" && d.Code != "question.no_human" {
			continue
		}
		if builtinName(strings.TrimPrefix(d.ToolID, sourceBuiltin+":")) == name {
			return Fail(d.Code, "The tool is not there: "+d.Reason+".")
		}
	}
	text := "There is no tool named " + Echo(name, maxValue) + "."
	if near := s.nearest(name); len(near) > 0 {
		text += " The nearest are: " + strings.Join(near, ", ") + "."
	} else {
		text += " There are no tools here."
	}
	return Fail("model.unknown_tool_call", text)
}

// nearest gives up to five names: first tools whose native name or id was used as it
// stands, then by edit distance, ties by name.
func (s *Snapshot) nearest(name string) []string {
	var near []string
	for i := range s.Bindings {
		b := &s.Bindings[i]
		_, native, _ := strings.Cut(b.ID, ":")
		if native == name || b.ID == name {
			near = append(near, b.Name)
		}
	}
	slices.Sort(near)
	for _, other := range Nearest(name, s.made.names, len(s.made.names)) {
		if len(near) >= nearTools {
			break
		}
		if !slices.Contains(near, other) {
			near = append(near, other)
		}
	}
	return near[:min(len(near), nearTools)]
}
