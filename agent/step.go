package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Ids of the tools that the runtime itself decides.
const (
	FinishTool   = "builtin:workspace.finish"
	ReturnTool   = "builtin:task.return"
	DelegateTool = "builtin:agent.delegate"
	AwaitTool    = "builtin:agent.await"
	CancelTool   = "builtin:agent.cancel"
	HandoffTool  = "builtin:agent.handoff"
	ListTool     = "builtin:agent.list"
	ResultTool   = "builtin:agent.read_result"
	planTool     = "builtin:update_plan"
	commitTool   = "builtin:workspace.commit"
)

// finishing says whether a tool ends its invocation and so waits for its siblings.
func finishing(tool string) bool {
	return tool == FinishTool || tool == ReturnTool || tool == HandoffTool
}

// decided says whether the run itself decides a call, so that no effect is started.
func decided(tool string) bool {
	switch tool {
	case FinishTool, ReturnTool, DelegateTool, AwaitTool, CancelTool, HandoffTool, ListTool, ResultTool:
		return true
	}
	return false
}

func (p *Part) rec(pl journal.Payload, turn int, call string) journal.Record {
	return journal.Record{Scope: journal.Scope{Invocation: p.Path, Task: p.Task, Turn: turn, Call: call}, Payload: pl}
}

// Answered gives the records of a complete answer: the answer, its calls, and the
// settlement of every call that is refused here.
func (p *Part) Answered(a *model.Answer, attempt int) []journal.Record {
	recs := make([]journal.Record, 0, 2+3*len(a.Calls))
	ans := &journal.ModelAnswered{Attempt: attempt, Text: journal.Text(clipped(sendable(a.Text))), Calls: len(a.Calls), Stop: bounded(string(a.Finish), maxWord), Usage: p.costed(a.Usage), Model: bounded(a.Model, maxWord)}
	if len(a.Native) > 0 {
		if b, _ := json.Marshal(a.Native); len(b) > journal.MaxInline {
			ans.NativeBlob = journal.Text(clipped(string(b)))
		} else {
			ans.Native = b
		}
	}
	recs = append(recs, p.rec(ans, p.Turn, ""))
	counters := p.Counters
	if len(a.Calls) > 1 {
		counters.PerTool = maps.Clone(counters.PerTool)
	}
	handoff := false
	for i := range a.Calls {
		handoff = handoff || p.toolOf(a.Calls[i].Name) == HandoffTool
	}
	for i := range a.Calls {
		recs = p.judge(recs, a, i, &counters, handoff)
	}
	return recs
}

func (p *Part) toolOf(name string) string {
	if b, ok := p.Snap.Lookup(name); ok {
		return b.ID
	}
	return ""
}

// judge adds the records of call i of an answer.
func (p *Part) judge(recs []journal.Record, a *model.Answer, i int, counters *tooling.Counters, handoff bool) []journal.Record {
	in := &a.Calls[i]
	key := CallKey(p.Run, p.Path, p.Turn, i)
	req := &journal.CallRequested{Index: i, Name: bounded(in.Name, 256), ProviderCallID: bounded(in.ProviderID, 256)}
	recs = append(recs, p.rec(req, p.Turn, key))
	refuse := func(r tooling.Result) []journal.Record {
		return append(recs, p.rec(settlement(r, false, 0), p.Turn, key))
	}
	ask := tooling.Ask{Call: *in, Index: i, Cut: a.Finish == model.FinishLength}
	if p.Closing != "" {
		ask.Choice.Mode = "none"
	}
	v := p.Snap.Judge(counters, ask)
	if v.Binding != nil {
		req.Tool, req.Class, req.Idempotent = v.Binding.ID, string(v.Binding.Effect.Class), v.Binding.Effect.Idempotent
	}
	if v.Args != nil {
		req.Args = journal.Text(v.Args.Canonical())
		if req.Class == string(tooling.Write) {
			req.ArgsHash = v.Args.Hash()
		}
	} else {
		req.Args, req.Invalid = journal.Text(clipped(strings.ToValidUTF8(v.Raw, "\uFFFD"))), true
	}
	p.judged = append(p.judged, judged{key, v.Checked})
	req.Counted = v.Counted
	if len(a.Calls) > 1 {
		counters.Add(&v)
	}
	if v.Refusal != nil {
		return refuse(*v.Refusal)
	}
	last := i == len(a.Calls)-1
	switch req.Tool {
	case FinishTool:
		if handoff {
			return refuse(tooling.Fail("agent.finish_beside_handoff", "a run cannot be finished in the turn that hands it over; do one of the two"))
		}
		if !last {
			return refuse(tooling.Fail("agent.finish_not_last", p.name(FinishTool)+" must be the last call of its turn; the other calls ran, call it again"))
		}
	case ReturnTool:
		if !last {
			return refuse(tooling.Fail("agent.return_not_last", p.name(ReturnTool)+" must be the last call of its turn; the other calls ran, call it again"))
		}
	}
	return append(recs, p.rec(&journal.CallChecked{Decision: "allow", By: "mode"}, p.Turn, key))
}

// name gives the model name of a tool of the snapshot.
func (p *Part) name(id string) string {
	if b, ok := p.Snap.ByID(id); ok {
		return b.Name
	}
	return id
}

// settlement makes the record of a result.
func settlement(r tooling.Result, dispatched bool, took time.Duration) *journal.CallSettled {
	r.Content = Readable(clipped(r.Content))
	if r.Observed = r.Observed[:min(len(r.Observed), maxObserved)]; len(r.Data) > maxText {
		r.Data = nil // the content says it all
	}
	s := &journal.CallSettled{Outcome: r.Outcome, Dispatched: dispatched, Code: bounded(r.Code, maxWord), Content: journal.Text(r.Content), Observed: r.Observed, Images: sound(r.Images), Duration: took}
	if len(r.Data) > journal.MaxInline {
		s.StructuredBlob = journal.Text(string(r.Data))
	} else {
		s.Structured = r.Data
	}
	if s.Outcome == "" {
		s.Outcome = journal.Completed
		if r.Code != "" {
			s.Outcome = journal.Failed
		}
	}
	if r.Stack != "" {
		s.Stack = journal.Text(r.Stack)
	}
	return s
}

// Settlement makes the record of a result for a call that the run decided.
func Settlement(r tooling.Result) *journal.CallSettled { return settlement(r, false, 0) }

// Done gives the records of a call whose effect has ended.
func (p *Part) Done(key string, r tooling.Result, took time.Duration) []journal.Record {
	c := p.Call(key)
	if c == nil || c.State == Settled {
		return nil
	}
	if n := max(len(r.Content), len(r.Data)); n > journal.MaxBlob {
		r.Code, r.Data, r.Outcome = "journal.payload_too_large", nil, ""
		r.Content = fmt.Sprintf("the result has %d bytes and the limit is %d, so it was not kept; the tool did run", n, journal.MaxBlob)
	}
	dispatched := c.State == Dispatched
	r.Content = Readable(r.Content)
	s := settlement(p.bound(c, &r), dispatched, took)
	recs := make([]journal.Record, 0, 2+len(r.Changes))
	recs = append(recs, p.rec(s, p.Turn, key))
	for i := range r.Changes {
		ch := &r.Changes[i]
		recs = append(recs, p.rec(&journal.FileChanged{Path: ch.Path, Kind: ch.Kind, Op: ch.Op, Old: ch.Old, New: ch.New, Size: ch.Size, Chars: ch.Chars,
			Exec: ch.Exec, ByCall: key, Content: contentOf(ch)}, p.Turn, key))
	}
	if r.Commit != nil {
		recs = append(recs, p.rec(r.Commit, p.Turn, key))
	}
	return recs
}

// contentOf gives the content of a change, or the reference to one that is stored already.
func contentOf(c *workspace.Change) journal.Content {
	if c.Content == "" && c.Size > 0 {
		return journal.Content{Hash: c.New, Size: c.Size, Chars: c.Chars}
	}
	return journal.Text(c.Content)
}

// bound applies the one policy for long results: the whole text goes to a read-only
// file of the workspace, the model reads its beginning and how to go on.
func (p *Part) bound(c *Call, r *tooling.Result) tooling.Result {
	limit := p.Profile.InlineChars
	if len(r.Content) <= limit || utf8.RuneCountInString(r.Content) <= limit {
		return *r
	}
	out := *r
	path := copyPath(p.Path, p.Turn, c.Index, c.Name)
	change := storedText(path, r.Content)
	r.Changes = append(r.Changes, change)
	out.Content = preview(r.Content, limit, path, p.Snap.NameOf("builtin:workspace.read_file"), p.Snap.NameOf("builtin:workspace.search_files"))
	return out
}

// Bounds of what comes from outside, so that no record and no blob is over its limit.
const (
	maxWord     = 200      // characters of a name or a code
	maxText     = 16 << 20 // bytes of a text
	maxObserved = 200      // files that one call reports to have seen
)

// clipped cuts a text that no record can hold, and says so.
func clipped(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := strings.ToValidUTF8(s[:maxText], "")
	return fmt.Sprintf("%s\n[%d bytes more were dropped: a text may be at most %d bytes long]", cut, len(s)-len(cut), maxText)
}

// AttemptFailed gives the record of a failed attempt that will be repeated.
func (p *Part) AttemptFailed(n int, e *model.Error) []journal.Record {
	m := &journal.ModelAttemptFailed{Attempt: n, Class: bounded(string(e.Class), maxWord), Code: bounded(e.Code, maxWord),
		Detail: bounded(e.Detail, 500), Status: e.Status, RetryAfter: e.RetryAfter, Usage: p.lost(e)}
	if e.Class == model.ClassOverflow {
		m.Window = model.WindowNamed(e.Detail)
	}
	return []journal.Record{p.rec(m, p.Turn, "")}
}

// Failed gives the record of a request that brought no answer. One that was too long for
// the server is a failed attempt: it is put in short and sent again.
func (p *Part) Failed(n int, e *model.Error) []journal.Record {
	if e.Class == model.ClassOverflow && (p.Closing == "" || p.fit.overflows == 0) {
		return p.AttemptFailed(n, e)
	}
	return []journal.Record{p.rec(&journal.ModelFailed{Class: bounded(string(e.Class), maxWord), Code: bounded(e.Code, maxWord), Detail: bounded(e.Detail, 500), Attempts: n, Usage: p.lost(e)}, p.Turn, "")}
}

// Spent gives the record of an attempt that was given up, when the server has reported what
// it used: that is spent all the same.
func (p *Part) Spent(n int, e *model.Error) []journal.Record {
	if e.Usage.Requests == 0 {
		return nil
	}
	return p.AttemptFailed(n, e)
}

// Recover gives the settlement of every call whose outcome cannot be known after its
// incarnation has died: dispatched, not settled, and not to be run again.
func (p *Part) Recover() []journal.Record {
	var recs []journal.Record
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.State == Dispatched && !p.rerun(c) {
			recs = append(recs, p.rec(settlement(p.unknown(c), true, 0), p.Turn, c.Key))
		}
	}
	return recs
}

// Class classifies an open call for the record of a recovery.
func (p *Part) Class(c *Call) journal.ClassifiedCall {
	switch {
	case c.State == Asked:
		return journal.ClassifiedCall{Key: c.Key, Class: "not_dispatched", Action: "dispatch"}
	case p.rerun(c):
		if t, ok := p.Env.Catalogue.Lookup(c.Tool); ok && t.Again == tooling.AgainProbe {
			return journal.ClassifiedCall{Key: c.Key, Class: "rerun", Action: "ask its probe"}
		}
		return journal.ClassifiedCall{Key: c.Key, Class: "rerun", Action: "run again"}
	}
	return journal.ClassifiedCall{Key: c.Key, Class: "unknown", Action: "settle as unknown"}
}

func (p *Part) rerun(c *Call) bool {
	if c.Binding == nil {
		return false
	}
	if e := c.Binding.Effect; e.Class != tooling.Write || e.Idempotent {
		return true
	}
	t, ok := p.Env.Catalogue.Lookup(c.Tool)
	return ok && t.Again != tooling.AgainNo && t.Again != ""
}

func (p *Part) unknown(c *Call) tooling.Result {
	var look []string
	for _, id := range []string{"builtin:workspace.read_file", "builtin:workspace.list_files", "builtin:read", "builtin:glob"} {
		if b, ok := p.Snap.ByID(id); ok && len(look) < 2 {
			look = append(look, b.Name)
		}
	}
	text := fmt.Sprintf("%s was started with %s and its end was not seen, so its effect may or may not have happened. Inspect the state first", c.Name, bounded(c.ArgsText, 200))
	if len(look) > 0 {
		text += " (for example with " + strings.Join(look, " or ") + ")"
	}
	return tooling.Result{Code: "tool.outcome_unknown", Outcome: journal.Unknown, Content: text + ", and repeat the call only if nothing happened."}
}

// Bounded cuts a word or a reason of somebody outside to what a record takes.
func Bounded(s string) string { return bounded(s, 500) }

func bounded(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	i := 0
	for j := range s {
		if i == n {
			return strings.ToValidUTF8(s[:j], "\uFFFD") + "…"
		}
		i++
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
