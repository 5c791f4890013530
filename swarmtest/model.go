package swarmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Turn is one answer of a [Script].
type Turn struct {
	Text   string
	Calls  []model.AnswerCall
	Finish model.Finish // default calls or stop
	Err    *model.Error // the attempt fails instead
}

// Script is a model whose answers are given by agent and turn. A turn that is not given
// answers with the text "nothing more to do". Safe for concurrent use.
type Script map[string][]Turn

// Call makes a call with arguments as a JSON text; "" sends none.
func Call(name, args string) model.AnswerCall {
	c := model.AnswerCall{Name: name}
	if args != "" {
		c.Args = json.RawMessage(args)
	}
	return c
}

// Do makes a turn of calls.
func Do(calls ...model.AnswerCall) Turn { return Turn{Calls: calls} }

// Say makes a turn of text.
func Say(text string) Turn { return Turn{Text: text} }

// Answer implements [model.Provider].
func (s Script) Answer(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
	turns := s[req.Agent]
	if req.Turn > len(turns) {
		return &model.Answer{Text: "nothing more to do", Finish: model.FinishStop}, nil
	}
	t := turns[req.Turn-1]
	if t.Err != nil {
		return nil, t.Err
	}
	a := &model.Answer{Text: t.Text, Calls: t.Calls, Finish: t.Finish}
	if a.Finish == "" {
		a.Finish = model.FinishStop
		if len(a.Calls) > 0 {
			a.Finish = model.FinishCalls
		}
	}
	return a, nil
}

// Capabilities implements [model.Provider].
func (Script) Capabilities(string) model.Capabilities { return model.Capabilities{Provider: "script"} }

// Requests is a probe that validates every request and keeps what a test asks for. Safe
// for concurrent use.
type Requests struct {
	mu     sync.Mutex
	faults []string
	seen   map[string][]model.Request // by path
}

// Request implements the probe of a runtime.
func (r *Requests) Request(_ context.Context, req *model.Request) {
	faults := model.Validate(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range faults {
		r.faults = append(r.faults, fmt.Sprintf("%s turn %d: %s", req.Path, req.Turn, f))
	}
	if r.seen == nil {
		r.seen = map[string][]model.Request{}
	}
	r.seen[req.Path] = append(r.seen[req.Path], *req)
}

// Faults gives what was wrong with the requests so far.
func (r *Requests) Faults() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.faults...)
}

// Of gives the requests of one invocation, in order.
func (r *Requests) Of(path string) []model.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]model.Request(nil), r.seen[path]...)
}

// Count gives the number of all requests.
func (r *Requests) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, l := range r.seen {
		n += len(l)
	}
	return n
}
