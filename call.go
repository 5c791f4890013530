package swarm

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// ToolCall is one call of a tool outside of a model.
type ToolCall struct {
	Agent string // that makes the call; empty: the entry
	Kind  string // root, child or handoff; empty: the most natural one
	Tool  string // id, name of a built-in, or model name
	Args  string // JSON text, as a model writes it; empty: none
}

// CallResult is what came of a [ToolCall].
type CallResult struct {
	Agent      string          `json:"agent"`
	Kind       string          `json:"kind"`
	Tool       string          `json:"tool"`
	Name       string          `json:"name"` // by which the model calls it
	Outcome    journal.Outcome `json:"outcome"`
	Code       string          `json:"code,omitempty"` // set exactly when the result is an error
	Text       string          `json:"text"`           // as the model reads it
	Data       json.RawMessage `json:"data,omitempty"` // structured form
	Dispatched bool            `json:"dispatched"`     // the tool was begun
	Duration   time.Duration   `json:"duration_ns"`
	Files      []string        `json:"files"` // of the run workspace that it changed
}

// Call makes one call of a tool as an agent would: a run in memory asks for it, so that it
// passes every check that a model's call passes, and ends. The workspace of that run is
// empty; directories that the team mounts are the real ones. A result that is an error is
// no error of Call. Errors: those of [Runtime.Tools]; "permission.denied" for a tool that
// the profile keeps from the agent; "tool.not_in_catalog" with the nearest one;
// "tool.not_here" for one that the agent lacks for another reason; "tool.needs_run" for one
// that only makes sense within a run; "runtime.closed" also when the runtime is closed
// during the call.
func (rt *Runtime) Call(ctx context.Context, team *Team, c ToolCall) (*CallResult, error) {
	var out *CallResult
	m := new(oneCall)
	err := rt.aside(ctx, team, m, func(inner *Runtime, t *Team) error {
		found, err := inner.find(t, &c)
		if err != nil {
			return err
		}
		if err := found.callable(); err != nil {
			return err
		}
		stage(t, found)
		m.agent, m.call = found.agent, model.AnswerCall{Name: found.name, Args: wire(c.Args)}
		out = &CallResult{Agent: found.agent, Kind: found.kind, Tool: found.id, Name: found.name, Files: []string{}}
		return inner.callOnce(ctx, t, m, out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// wire gives arguments as a model server sends them: as a string of JSON.
func wire(args string) json.RawMessage {
	if args == "" {
		return nil
	}
	b, _ := json.Marshal(args) // a string always marshals
	return b
}

// callOnce runs the team until the call has its result.
func (rt *Runtime) callOnce(ctx context.Context, t *Team, m *oneCall, out *CallResult) error {
	run, err := rt.Start(ctx, t, Input{Text: "Make one call."})
	if err != nil {
		return err
	}
	res, err := run.Wait(ctx)
	if err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurry)
		defer cancel()
		if run.Cancel(stop, "the call was given up") == nil {
			_, _ = run.Wait(stop) // what does not end in time is stopped with the runtime
		}
		return err
	}
	read := m.result()
	if read == nil && rt.ending.Load() {
		return fault.New("runtime.closed", "the runtime was closed before the result was there; the tool may have done its work").With("call tool", out.Tool)
	}
	if read == nil {
		return fault.New("tool.not_run", "the run ended before the call had a result: %s %s", res.Outcome, res.Reason).With("call tool", out.Tool)
	}
	out.Text = read.Text
	records, err := rt.store.Read(ctx, run.ID(), journal.Query{})
	if err != nil {
		return err
	}
	for i := range records {
		if records[i].Scope.Call != read.Key {
			continue
		}
		switch p := records[i].Payload.(type) {
		case *journal.CallSettled:
			out.Outcome, out.Code, out.Dispatched, out.Duration, out.Data = p.Outcome, p.Code, p.Dispatched, p.Duration, p.Structured
			if p.StructuredBlob.Text != "" {
				out.Data = json.RawMessage(p.StructuredBlob.Text)
			}
		case *journal.FileChanged:
			out.Files = append(out.Files, p.Path)
		}
	}
	return nil
}

// stage prepares a copy of a team for one call of an agent. Budgets of the whole run and
// rounds say nothing about one call. A child gets its task from an agent that does nothing
// else.
func stage(t *Team, f *found) {
	t.Budgets = agent.Budgets{Depth: t.Budgets.Depth}
	t.Agents = maps.Clone(t.Agents)
	calls := *t.Agents[f.agent]
	calls.Rounds = 0
	t.Agents[f.agent] = &calls
	if t.Entry = f.agent; f.kind != tooling.KindChild {
		return
	}
	calls.Delegation.Callable, calls.Delegation.AllowedCallers = true, nil
	id := "caller"
	for t.Agents[id] != nil {
		id += "-"
	}
	t.Agents[id] = &agent.Profile{Model: calls.Model, Allow: []string{tooling.IDDelegate, tooling.IDAwait},
		Delegation: agent.Delegation{CanDelegate: true, Targets: []string{f.agent}, TaskDeadline: callDeadline}}
	t.Entry = id
}

const (
	callDeadline = 24 * time.Hour // of the task of a call: the tool's own time limit is what counts
	awaitMS      = "300000"       // the longest that one await takes
)

// oneCall is a model that makes one call and keeps what it reads of it. Any other agent
// only gives the task and waits.
type oneCall struct {
	agent string // id of the agent that makes the call
	call  model.AnswerCall

	mu   sync.Mutex
	read *model.Result
}

func (m *oneCall) result() *model.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read
}

// Answer implements [model.Provider].
func (m *oneCall) Answer(ctx context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
	waits := req.Agent != m.agent
	switch {
	case waits && req.Turn == 1:
		id, _ := json.Marshal(m.agent) // a string always marshals
		return asks(req, tooling.IDDelegate, `{"agentId":`+string(id)+`,"task":{"objective":"Make one call."}}`), nil
	case waits && m.result() == nil:
		return asks(req, tooling.IDAwait, `{"timeoutMs":`+awaitMS+`}`), nil
	case !waits && req.Turn == 1:
		return &model.Answer{Calls: []model.AnswerCall{m.call}, Finish: model.FinishCalls}, nil
	case !waits:
		m.keep(req)
	}
	return mute{}.Answer(ctx, req, nil)
}

// keep takes the result of the call from the request that shows it.
func (m *oneCall) keep(req *model.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range req.Messages {
		if r := req.Messages[i].Results; len(r) > 0 && m.read == nil {
			m.read = &r[0]
		}
	}
}

// asks makes an answer that calls one tool of a request.
func asks(req *model.Request, id, args string) *model.Answer {
	a := &model.Answer{Finish: model.FinishCalls}
	for i := range req.Tools {
		if req.Tools[i].ID == id {
			a.Calls = []model.AnswerCall{{Name: req.Tools[i].Name, Args: json.RawMessage(args)}}
		}
	}
	return a
}

// Capabilities implements [model.Provider].
func (m *oneCall) Capabilities(string) model.Capabilities { return model.Capabilities{} }
