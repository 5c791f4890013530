package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

const providerName = "scripted"

// bytesPerToken is the ratio that estimated usage assumes: common for English and code.
const bytesPerToken = 4

// Clock is what latency runs on. AfterFunc calls f once after d, in any goroutine; stop
// says whether it prevented that.
type Clock interface {
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Options of a provider. The zero value works.
type Options struct {
	Clock      Clock // nil: real time
	Seed       int64 // of rand in templates
	Unchecked  bool  // leaves out the check of requests, for tests of that check
	Window     int   // tokens, as capability; 0: unknown
	NoPreviews bool  // sends no deltas
}

// Provider answers from a script.
type Provider struct {
	script *Script
	opt    Options
	pasts  pasts
	used   map[string][]atomic.Bool // by agent; filled by New, its entries are set later
}

var _ model.Provider = (*Provider)(nil)

// New makes a provider of a script.
func New(s *Script, opt Options) *Provider {
	p := &Provider{script: s, opt: opt, used: make(map[string][]atomic.Bool, len(s.agents))}
	for id, steps := range s.agents {
		p.used[id] = make([]atomic.Bool, len(steps))
	}
	return p
}

// Capabilities implements [model.Provider].
func (p *Provider) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: providerName, Window: p.opt.Window}
}

// Step gives the number of the step that would answer the request, from 1, or 0 when the
// script has none.
func (p *Provider) Step(req *model.Request) int {
	st, _, _ := p.pick(req)
	if st == nil {
		return 0
	}
	return st.number
}

// Unused is a step that never answered.
type Unused struct {
	Agent string
	Step  int // from 1
	Line  int
}

// Unused lists the steps that did not answer any request that this provider has seen, nor
// appear in its history.
func (p *Provider) Unused() []Unused {
	var all []Unused
	for _, id := range p.script.order {
		for i, st := range p.script.agents[id] {
			if !p.used[id][i].Load() {
				all = append(all, Unused{Agent: id, Step: st.number, Line: st.line})
			}
		}
	}
	return all
}

// Done is the error of a script with require_all and steps that were never used, code
// "model.script_unused"; nil else.
func (p *Provider) Done() error {
	unused := p.Unused()
	if !p.script.requireAll || len(unused) == 0 {
		return nil
	}
	var parts []string
	for _, u := range unused {
		parts = append(parts, fmt.Sprintf("%s step %d (line %d)", u.Agent, u.Step, u.Line))
	}
	return fault.New("model.script_unused", "never used: %s", strings.Join(parts, ", ")).With("finish script", p.script.file)
}

// Answer implements [model.Provider].
func (p *Provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if !p.opt.Unchecked {
		if err := model.Guard(req); err != nil {
			return nil, err
		}
	}
	if p.opt.NoPreviews {
		preview = nil
	}
	st, f, read := p.pick(req)
	if st == nil {
		return p.unmatched(req, f, read)
	}
	latency := p.script.latency
	if st.latency != nil {
		latency = *st.latency
	}
	if err := p.wait(ctx, latency); err != nil {
		return nil, err
	}
	a, err := p.build(req, st, f, read)
	if err != nil {
		return nil, err
	}
	if err := st.fault.fails(req, a, preview); err != nil {
		return nil, err
	}
	if preview != nil {
		show := model.Delta{Text: a.Text, Reasoning: a.Reasoning}
		if show.Text != "" || show.Reasoning != "" {
			preview(show)
		}
		for i := range a.Calls {
			preview(model.Delta{Call: i, Args: string(a.Calls[i].Args)})
		}
	}
	_, id := p.script.steps(req.Agent)
	p.used[id][st.number-1].Store(true)
	return a, nil
}

// pick gives the step that answers, what its templates see, and the estimated tokens of
// the messages.
func (p *Provider) pick(req *model.Request) (*step, *frame, int) {
	steps, id := p.script.steps(req.Agent)
	past := p.pasts.of(req, len(steps))
	for i, n := range past.used {
		if n > 0 {
			p.used[id][i].Store(true)
		}
	}
	f := &frame{req: req, turn: req.Turn, seed: p.opt.Seed}
	if f.turn == 0 {
		f.turn = past.answers + 1
	}
	g := lastGroup(req.Messages)
	for i, st := range steps {
		if st.times != unlimited && past.used[i] >= st.times {
			continue
		}
		if match, ok := st.when.holds(req, f.turn, g); ok {
			f.match = match
			return st, f, past.bytes
		}
	}
	return nil, f, past.bytes
}

// build renders a step.
func (p *Provider) build(req *model.Request, st *step, f *frame, read int) (*model.Answer, error) {
	a := &model.Answer{Native: st.native, Finish: st.finish, Model: req.Model}
	var err error
	if st.text != nil {
		if a.Text, err = st.text.render(f); err != nil {
			return nil, p.failed(st, err)
		}
	}
	if st.reasoning != nil {
		if a.Reasoning, err = st.reasoning.render(f); err != nil {
			return nil, p.failed(st, err)
		}
	}
	if len(st.calls) > 0 {
		a.Calls = make([]model.AnswerCall, len(st.calls))
	}
	for i := range st.calls {
		if a.Calls[i], err = st.calls[i].render(req, f); err != nil {
			return nil, p.failed(st, err)
		}
	}
	if st.text != nil && strings.TrimSpace(a.Text) == "" && st.text.tpl != nil && len(a.Calls) == 0 {
		return nil, p.failed(st, fmt.Errorf("%s: the template gave an empty text", st.text.place))
	}
	if a.Finish == "" {
		a.Finish = model.FinishStop
		if len(a.Calls) > 0 {
			a.Finish = model.FinishCalls
		}
	}
	u := &p.script.usage
	if st.usage != nil {
		u = st.usage
	}
	a.Usage = u.report(req, a, read)
	return a, nil
}

// render makes the call that the model asks for.
func (c *call) render(req *model.Request, f *frame) (model.AnswerCall, error) {
	out := model.AnswerCall{Name: c.tool}
	if !c.exact {
		t := findTool(req.Tools, c.tool)
		if t == nil {
			return out, fmt.Errorf("line %d: tool %s is not in the request; write =%s to send the name as it stands", c.line, c.tool, c.tool)
		}
		out.Name = t.Name
	}
	switch {
	case c.raw != nil:
		out.Args = quote(*c.raw)
	case c.args != nil:
		args, err := c.args.render(f)
		if err != nil {
			return out, err
		}
		out.Args = args
	}
	return out, nil
}

// report gives the usage of an answer.
func (u *usage) report(req *model.Request, a *model.Answer, read int) journal.Usage {
	switch u.kind {
	case "none":
		return journal.Usage{Requests: 1}
	case "given":
		return u.given
	}
	read += len(req.System)
	for i := range req.Tools {
		t := &req.Tools[i]
		read += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	wrote := len(a.Text)
	for i := range a.Calls {
		wrote += len(a.Calls[i].Name) + len(a.Calls[i].Args)
	}
	numbers := &[2]int64{tokens(read), tokens(wrote)}
	return journal.Usage{Requests: 1, Input: &numbers[0], Output: &numbers[1]}
}

func tokens(size int) int64 { return int64(size+bytesPerToken-1) / bytesPerToken }

// unmatched is the answer when no step fits.
func (p *Provider) unmatched(req *model.Request, f *frame, read int) (*model.Answer, error) {
	if !p.script.finishUnmatched {
		steps, _ := p.script.steps(req.Agent)
		return nil, &model.Error{Class: model.ClassPermanent, Code: "model.script_unmatched", Detail: fmt.Sprintf(
			"%s: none of %d steps answers turn %d of agent %s (%s)", p.script.file, len(steps), f.turn, req.Agent, req.Path)}
	}
	const reason = "The script has no more steps."
	a := &model.Answer{Text: reason, Finish: model.FinishStop, Model: req.Model}
	for _, end := range []struct{ tool, param string }{{"task.return", "summary"}, {"workspace.finish", "reason"}} {
		if t := findTool(req.Tools, end.tool); t != nil {
			args := json.RawMessage(fmt.Sprintf(`{%q:%q}`, end.param, reason))
			a.Text, a.Finish = "", model.FinishCalls
			a.Calls = []model.AnswerCall{{Name: t.Name, Args: args}}
			break
		}
	}
	a.Usage = p.script.usage.report(req, a, read)
	return a, nil
}

func (p *Provider) failed(st *step, err error) error {
	return &model.Error{Class: model.ClassPermanent, Code: "model.script_failed", Cause: err, Detail: fmt.Sprintf(
		"%s: step %d (line %d): %v", p.script.file, st.number, st.line, err)}
}

// wait lets the latency pass.
func (p *Provider) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	over := make(chan struct{})
	var stop func() bool
	if p.opt.Clock != nil {
		stop = p.opt.Clock.AfterFunc(d, func() { close(over) })
	} else {
		stop = time.AfterFunc(d, func() { close(over) }).Stop
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		stop()
		return cancelled(ctx)
	}
}

func cancelled(ctx context.Context) error {
	return &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Detail: "the request was cancelled", Cause: context.Cause(ctx)}
}

// fails gives the error of an attempt that the script wants to fail.
func (f *failure) fails(req *model.Request, a *model.Answer, preview func(model.Delta)) error {
	if f == nil || f.times != unlimited && max(req.Attempt, 1) > f.times {
		return nil
	}
	if f.cutAfter >= 0 {
		if runes := []rune(a.Text); preview != nil && f.cutAfter > 0 && len(runes) > 0 {
			preview(model.Delta{Text: string(runes[:min(f.cutAfter, len(runes))])})
		}
		return &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", RetryAfter: f.retryAfter,
			Detail: fmt.Sprintf("the script cuts the stream after %d characters", f.cutAfter)}
	}
	e := model.Classify(model.Reply{Status: f.status, Body: f.body()})
	e.RetryAfter = f.retryAfter
	return e
}

// body is the error body that a server would send.
func (f *failure) body() []byte {
	b, _ := marshal(map[string]any{"error": map[string]any{"code": f.code, "message": "the script wants this attempt to fail"}})
	return b
}
