package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// patience is how long a test waits for what must come. It is a guard, not a measure.
const patience = 2 * time.Minute

// none is the input of a tool without parameters.
type none struct{}

// goTool makes a tool of the test.
func goTool[In, Out any](t testing.TB, name string, fn func(context.Context, In) (Out, error), options ...tooling.GoOption) swarm.Tool {
	t.Helper()
	tool, err := tooling.NewGoTool(name, "A tool of the test.", fn, options...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// keyed makes a tool whose handler sees the whole call.
func keyed(t testing.TB, name string, fn func(context.Context, *tooling.Call) (string, error), options ...tooling.GoOption) swarm.Tool {
	t.Helper()
	tool := goTool(t, name, func(context.Context, map1) (string, error) { return "", nil }, options...)
	tool.Handle = func(ctx context.Context, c *tooling.Call) tooling.Result {
		text, err := fn(ctx, c)
		if err != nil {
			return tooling.Fail("tool.failed", err.Error())
		}
		return tooling.Result{Content: text}
	}
	return tool
}

// map1 is an input with one optional text.
type map1 struct {
	Who string `json:"who,omitempty"`
}

// holder is a tool that says when it has begun and waits until it is let go.
type holder struct {
	tool  swarm.Tool
	begun chan string // argument who of each call
	let   chan struct{}
	ran   atomic.Int32
}

// newHolder makes a tool that holds its caller. It heeds its context unless it is deaf.
func newHolder(t testing.TB, name string, deaf bool, options ...tooling.GoOption) *holder {
	h := &holder{begun: make(chan string, 1000), let: make(chan struct{})}
	h.tool = goTool(t, name, func(ctx context.Context, in map1) (string, error) {
		h.ran.Add(1)
		h.begun <- in.Who
		if deaf {
			<-h.let
			return "let go", nil
		}
		select {
		case <-h.let:
			return "let go", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, options...)
	return h
}

// counter is a writing tool that is neither idempotent nor repeatable. It counts its
// runs by call key.
type counter struct {
	mu     sync.Mutex
	ran    map[string]int
	before func() // of each effect; nil: nothing
	after  func()
}

func (c *counter) tool(t testing.TB, name string, options ...tooling.GoOption) swarm.Tool {
	return keyed(t, name, func(_ context.Context, call *tooling.Call) (string, error) {
		if c.before != nil {
			c.before()
		}
		c.mu.Lock()
		if c.ran == nil {
			c.ran = map[string]int{}
		}
		c.ran[call.Key]++
		c.mu.Unlock()
		if c.after != nil {
			c.after()
		}
		return "counted", nil
	}, options...)
}

// total gives all runs, and the most of one call.
func (c *counter) total() (sum, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.ran {
		sum += n
		most = max(most, n)
	}
	return sum, most
}

// byPath answers by the path of the invocation instead of its agent.
func byPath(s swarmtest.Script) model.Provider {
	return model.Func(func(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
		r := *req
		r.Agent = req.Path
		return s.Answer(ctx, &r, preview)
	})
}

// Calls that many tests make.
var (
	finish   = swarmtest.Call("workspace_finish", `{"reason":"ready"}`)
	awaitAll = swarmtest.Call("agent_await", `{"mode":"allCompleted","timeoutMs":300000}`)
	nothing  = swarmtest.Call("workspace_list_files", ``)
)

func delegateTo(id string) model.AnswerCall {
	return swarmtest.Call("agent_delegate", fmt.Sprintf(`{"agentId":%q,"task":{"objective":"do your part"}}`, id))
}

func handoffTo(id string) model.AnswerCall {
	return swarmtest.Call("agent_handoff", fmt.Sprintf(`{"agentId":%q,"handoff":{"objective":"go on"}}`, id))
}

func returning(summary string) model.AnswerCall {
	return swarmtest.Call("task_return", fmt.Sprintf(`{"summary":%q}`, summary))
}

func write(path, content string) model.AnswerCall {
	return swarmtest.Call("workspace_write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, path, content))
}

func read(path string) model.AnswerCall {
	return swarmtest.Call("workspace_read_file", fmt.Sprintf(`{"path":%q}`, path))
}

// use calls a tool of the test with its one text.
func use(name, who string) model.AnswerCall {
	return swarmtest.Call(name, fmt.Sprintf(`{"who":%q}`, who))
}

// child is a profile that may be delegated to; parent is one that may delegate.
func child() *agent.Profile {
	return &agent.Profile{Delegation: agent.Delegation{Callable: true, AsChild: true}}
}

func parent() *agent.Profile {
	return &agent.Profile{Delegation: agent.Delegation{CanDelegate: true}}
}

// chained is a profile that hands over and is handed to.
func chained() *agent.Profile {
	return &agent.Profile{Delegation: agent.Delegation{CanHandoff: true, Callable: true, AsHandoff: true}}
}

func (b *testBundle) start(input string) *swarm.Run {
	b.t.Helper()
	r, err := b.rt.Start(b.t.Context(), b.team, swarm.Input{Text: input})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *testBundle) resume(id string) *swarm.Run {
	b.t.Helper()
	r, err := b.rt.Resume(b.t.Context(), id, swarm.ResumeOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// rests waits until a run rests, for whatever reason.
func (b *testBundle) rests(r *swarm.Run) (swarm.Result, error) {
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	return r.Wait(ctx)
}

// dies waits for a run whose store dies.
func (b *testBundle) dies(r *swarm.Run) {
	b.t.Helper()
	if res, err := b.rests(r); fault.Code(err) != "journal.append_failed" {
		b.t.Fatalf("the run should have stopped with its store: %+v, %v", res, err)
	}
	b.close()
}

// seen waits for the first record of a run that matches.
func (b *testBundle) seen(r *swarm.Run, match func(*journal.Record) bool) journal.Record {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	for rec, err := range r.Events(ctx, 0) {
		if err != nil {
			b.t.Fatalf("events: %v\n%s", err, b.dump(r.ID()))
		}
		if match(&rec) {
			return rec
		}
	}
	b.t.Fatalf("the record never came\n%s", b.dump(r.ID()))
	return journal.Record{}
}

// ofType matches the n-th record of a type.
func ofType(typ journal.Type, n int) func(*journal.Record) bool {
	return func(r *journal.Record) bool {
		if r.Type() == typ {
			n--
		}
		return n == 0 && r.Type() == typ
	}
}

// recv takes a value that must come.
func recv[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// timers waits until so many timers are set on a clock.
func timers(t testing.TB, clock *swarmtest.Clock, n int) {
	t.Helper()
	set := make(chan struct{})
	go func() {
		clock.BlockUntil(n)
		close(set)
	}()
	recv(t, set)
}

// callView is one call as the journal tells it.
type callView struct {
	*journal.CallRequested
	Key, Path  string
	Turn       int
	Dispatched int                  // dispatch records
	Settled    *journal.CallSettled // nil: open
	Seq        int64                // of the settlement
}

func (c *callView) code() string {
	if c.Settled == nil {
		return "(open)"
	}
	return c.Settled.Code
}

// callsOf gives the calls of an invocation in the order they were asked for.
func callsOf(recs []journal.Record, path string) []*callView {
	var out []*callView
	byKey := map[string]*callView{}
	for i := range recs {
		r := &recs[i]
		if path != "" && r.Scope.Invocation != path {
			continue
		}
		switch m := r.Payload.(type) {
		case *journal.CallRequested:
			c := &callView{CallRequested: m, Key: r.Scope.Call, Path: r.Scope.Invocation, Turn: r.Scope.Turn}
			out, byKey[c.Key] = append(out, c), c
		case *journal.CallDispatched:
			byKey[r.Scope.Call].Dispatched++
		case *journal.CallSettled:
			byKey[r.Scope.Call].Settled, byKey[r.Scope.Call].Seq = m, r.Seq
		}
	}
	return out
}

// turnOf gives the calls of one turn.
func turnOf(recs []journal.Record, path string, turn int) []*callView {
	var out []*callView
	for _, c := range callsOf(recs, path) {
		if c.Turn == turn {
			out = append(out, c)
		}
	}
	return out
}

// codes gives the error codes of calls; "" for a success.
func codes(calls []*callView) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = c.code()
	}
	return out
}

// sameCodes compares codes with what is wanted.
func (b *testBundle) sameCodes(id string, calls []*callView, want ...string) {
	b.t.Helper()
	if got := codes(calls); strings.Join(got, "|") != strings.Join(want, "|") {
		b.t.Errorf("codes %q, want %q\n%s", got, want, b.dump(id))
	}
}

// payloads gives the payloads of one type, in order.
func payloads[P journal.Payload](recs []journal.Record) []P {
	var out []P
	for i := range recs {
		if p, ok := recs[i].Payload.(P); ok {
			out = append(out, p)
		}
	}
	return out
}

// place gives the index of the first record that matches, or -1.
func place(recs []journal.Record, match func(*journal.Record) bool) int {
	for i := range recs {
		if match(&recs[i]) {
			return i
		}
	}
	return -1
}

// inOrder checks that the first records that match stand in this order.
func (b *testBundle) inOrder(id string, matches ...func(*journal.Record) bool) {
	b.t.Helper()
	recs := b.records(id)
	last := -1
	for i, m := range matches {
		at := place(recs, m)
		if at <= last {
			b.t.Errorf("step %d stands at %d, after %d\n%s", i, at, last, b.dump(id))
		}
		last = at
	}
}

// of matches records of a type about a task or an invocation.
func of(typ journal.Type, subject string) func(*journal.Record) bool {
	return func(r *journal.Record) bool {
		return r.Type() == typ && (subject == "" || r.Scope.Task == subject || r.Scope.Invocation == subject)
	}
}

// results gives the results of a turn as the next request carries them.
func (b *testBundle) results(path string, turn int) []model.Result {
	for _, req := range b.reqs.Of(path) {
		if req.Turn <= turn {
			continue
		}
		for _, m := range req.Messages {
			if m.Role == model.Tool && m.Turn == turn {
				return m.Results
			}
		}
	}
	return nil
}

// awaited gives what the n-th await of an invocation brought, as its last request has it.
// A test that needs the result to come this way awaits in the turn that delegates:
// in a later one it may have come by itself.
func (b *testBundle) awaited(path string, n int) string {
	b.t.Helper()
	msgs := b.last(path).Messages
	for i := range msgs {
		for j := range msgs[i].Calls {
			if msgs[i].Calls[j].Name != "agent_await" {
				continue
			}
			if n--; n == 0 {
				return msgs[i+1].Results[j].Text
			}
		}
	}
	b.t.Errorf("%s has no such await", path)
	return ""
}

// last gives the newest request of an invocation.
func (b *testBundle) last(path string) model.Request {
	b.t.Helper()
	reqs := b.reqs.Of(path)
	if len(reqs) == 0 {
		b.t.Fatalf("no request of %s", path)
	}
	return reqs[len(reqs)-1]
}

// said gives everything that a request tells the model, as one text.
func said(req *model.Request) string {
	var s strings.Builder
	s.WriteString(req.System + "\n")
	for _, tool := range req.Tools {
		s.WriteString(tool.Name + " " + tool.Description + " " + string(tool.Schema) + "\n")
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		s.WriteString(m.Text + "\n")
		for j := range m.Calls {
			s.WriteString(m.Calls[j].Name + " " + m.Calls[j].Args + "\n")
		}
		for j := range m.Results {
			s.WriteString(m.Results[j].Text + "\n")
		}
	}
	return s.String()
}

// outcome checks how a run ended.
func (b *testBundle) outcome(res swarm.Result, outcome, reason string) {
	b.t.Helper()
	if res.Outcome != outcome || !strings.Contains(res.Reason, reason) {
		b.t.Fatalf("got %+v, want %s, %s\n%s", res, outcome, reason, b.dump(res.Run))
	}
}

// file gives the content of a file as the fold of the journal has it; "" and false when
// there is none.
func file(recs []journal.Record, path string) (string, bool) {
	text, ok := "", false
	for _, c := range payloads[*journal.FileChanged](recs) {
		if c.Path == path {
			text, ok = c.Content.Text, c.New != ""
		}
	}
	return text, ok
}

// killed is a store that dies at the first append that holds a matching record. That
// append is stored, and its answer lost, or it is lost itself.
type killed struct {
	*swarmtest.Crash
	match  func(*journal.Record) bool
	stored bool
}

func killOn(s journal.Store, match func(*journal.Record) bool, stored bool) *killed {
	return &killed{Crash: swarmtest.NewCrash(s, 0, false), match: match, stored: stored}
}

// Append implements [journal.Store].
func (k *killed) Append(ctx context.Context, batches []journal.Batch) []error {
	errs := make([]error, len(batches))
	for i := range batches {
		one := batches[i : i+1]
		for j := range one[0].Records {
			if !k.match(&one[0].Records[j]) {
				continue
			}
			if k.stored {
				k.Crash.Append(ctx, one)
			}
			k.Now()
			break
		}
		errs[i] = k.Crash.Append(ctx, one)[0]
	}
	return errs
}

// memory gives a store that encodes what it keeps.
func memory() *journal.Memory { return journal.NewMemory(journal.MemoryOptions{RoundTrip: true}) }

// reborn gives the data of a store whose process has gone.
func reborn(m *journal.Memory) *journal.Memory {
	_ = m.Close()
	return m.Reopen()
}

// tokens is a usage that a scripted model reports.
func tokens(in, out int64) journal.Usage {
	return journal.Usage{Requests: 1, Input: &in, Output: &out}
}

// jsonText encodes a text.
func jsonText(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// held answers by a script, and holds the first request of an agent.
type held struct {
	swarmtest.Script
	agent string
	first sync.Once
	begun chan struct{}
	let   chan struct{}
}

func newHeld(s swarmtest.Script, agentID string) *held {
	return &held{Script: s, agent: agentID, begun: make(chan struct{}), let: make(chan struct{})}
}

// Answer implements [swarm.Provider].
func (h *held) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if req.Agent == h.agent {
		h.first.Do(func() {
			close(h.begun)
			select {
			case <-h.let:
			case <-ctx.Done():
			}
		})
	}
	return h.Script.Answer(ctx, req, preview)
}

// unused gives an address that nobody listens at.
func unused(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
