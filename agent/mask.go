package agent

import (
	"slices"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// What comes from outside has its secrets masked before anybody decides on it: answers and
// errors of models, and results of tools. Texts are cut later, so that no part of a value
// is left at a cut. Nothing that was given is changed: it may belong to somebody else.

// maskAnswer masks a complete answer.
func (e *Env) maskAnswer(a *model.Answer) *model.Answer {
	s := e.Secrets
	if s.Empty() || a == nil {
		return a
	}
	b := *a
	b.Text, b.Reasoning, b.Model, b.ID = s.Mask(a.Text), s.Mask(a.Reasoning), s.Mask(a.Model), s.Mask(a.ID)
	b.Finish = model.Finish(s.Mask(string(a.Finish)))
	b.Calls = slices.Clone(a.Calls)
	for i := range b.Calls {
		c := &b.Calls[i]
		c.Name, c.ProviderID, c.Args = s.Mask(c.Name), s.Mask(c.ProviderID), s.MaskJSON(c.Args)
	}
	b.Native = slices.Clone(a.Native)
	for i, part := range b.Native {
		b.Native[i] = s.MaskJSON(part)
	}
	return &b
}

// maskError masks a failed attempt. Its cause is left out: nothing reads it but people.
func (e *Env) maskError(in *model.Error) *model.Error {
	if e.Secrets.Empty() {
		return in
	}
	out := *in
	out.Code, out.Detail, out.Cause = e.Secrets.Mask(in.Code), e.Secrets.Mask(in.Detail), nil
	return &out
}

// maskFailure masks why an actor or an effect failed.
func (e *Env) maskFailure(f *actors.Failure) *actors.Failure {
	if e.Secrets.Empty() || f == nil {
		return f
	}
	g := *f
	g.Reason, g.Stack = e.Secrets.Mask(f.Reason), e.Secrets.Mask(f.Stack)
	return &g
}

// maskResult masks a result whose structured form is fixed.
func (e *Env) maskResult(r tooling.Result) tooling.Result {
	s := e.Secrets
	if s.Empty() {
		return r
	}
	r.Content, r.Code, r.Stack = s.Mask(r.Content), s.Mask(r.Code), s.Mask(r.Stack)
	r.Structured, r.Data = nil, s.MaskJSON(r.Data)
	r.Changes = maskChanges(s, r.Changes)
	r.Observed = slices.Clone(r.Observed)
	for i := range r.Observed {
		r.Observed[i].Path = s.Mask(r.Observed[i].Path)
	}
	r.Images = slices.Clone(r.Images)
	for i := range r.Images {
		r.Images[i].Path = s.Mask(r.Images[i].Path)
	}
	if r.Commit != nil {
		c := *r.Commit
		c.Ref, c.Reason = s.Mask(c.Ref), s.Mask(c.Reason)
		r.Commit = &c
	}
	return r
}

// maskChanges masks the files that a call wrote. A file that is masked is another file, and
// so is what a later change of the call finds.
func maskChanges(s secret.Set, in []workspace.Change) []workspace.Change {
	out := slices.Clone(in)
	became := map[string]string{} // hash by the one before masking
	for i := range out {
		c := &out[i]
		c.Path = s.Mask(c.Path)
		if hash, ok := became[c.Old]; ok {
			c.Old = hash
		}
		text := s.Mask(c.Content)
		if text == c.Content {
			continue
		}
		hash := workspace.HashOf([]byte(text))
		became[c.New] = hash
		c.Content, c.New, c.Size, c.Chars = text, hash, len(text), utf8.RuneCountInString(text)
	}
	return out
}

// masked gives how the pieces of one attempt are shown, and what to call when the answer
// is complete. Of each text the end is held back while it may be the beginning of a value.
func (e *Env) masked(show func(model.Delta)) (piece func(model.Delta), end func()) {
	if e.Secrets.Empty() {
		return show, func() {}
	}
	p := &pieces{show: show, text: e.Secrets.Stream(), reasoning: e.Secrets.Stream(), stream: e.Secrets.Stream}
	return p.piece, p.end
}

type pieces struct {
	show            func(model.Delta)
	stream          func() *secret.Stream
	text, reasoning *secret.Stream
	args            []*secret.Stream // by index of the call
}

func (p *pieces) piece(d model.Delta) {
	if d.Reset {
		p.text, p.reasoning, p.args = p.stream(), p.stream(), nil
	}
	if d.Args != "" && d.Call >= 0 && d.Call < model.MaxCalls { // more are refused
		for len(p.args) <= d.Call {
			p.args = append(p.args, p.stream())
		}
		d.Args = p.args[d.Call].Next(d.Args)
	} else {
		d.Args = ""
	}
	d.Text, d.Reasoning = p.text.Next(d.Text), p.reasoning.Next(d.Reasoning)
	p.some(d)
}

func (p *pieces) end() {
	p.some(model.Delta{Text: p.text.End(), Reasoning: p.reasoning.End()})
	for i, s := range p.args {
		p.some(model.Delta{Call: i, Args: s.End()})
	}
}

func (p *pieces) some(d model.Delta) {
	if d.Reset || d.Text != "" || d.Reasoning != "" || d.Args != "" {
		p.show(d)
	}
}
