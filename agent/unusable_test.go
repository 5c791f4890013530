package agent

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// try is what one attempt brings.
type try struct {
	ans *model.Answer
	err error
}

func used(in, out int64) journal.Usage {
	return journal.Usage{Requests: 1, Input: num(in), Output: num(out)}
}

// What is asked for once more, and what becomes of it then.
func TestOnceMore(t *testing.T) {
	t.Parallel()
	bad := func(text string, calls ...model.AnswerCall) try {
		return try{ans: &model.Answer{Text: text, Calls: calls, Finish: model.FinishBadCall, Usage: used(10, 2)}}
	}
	fails := func(class model.Class, code string) try { return try{err: modelErr(class, code, 0)} }
	finished := func(f model.Finish) try { return try{ans: &model.Answer{Text: "half", Finish: f}} }
	renewed := try{err: &model.Error{Class: model.ClassAuth, Code: "model.auth", Renewed: true}}
	good := try{ans: &model.Answer{Text: "fine"}}
	for _, row := range []struct {
		name  string
		retry Retry
		tries []try
		want  []string
	}{
		{"a malformed call", Retry{}, []try{bad(""), good}, []string{"again 1 model.malformed_call", `answer 2 "fine"`}},
		{"a malformed call again", Retry{}, []try{bad(""), bad("")}, []string{"again 1 model.malformed_call", `answer 2 ""`}},
		{"with text", Retry{}, []try{bad("one"), bad("two")}, []string{"again 1 model.malformed_call", `answer 2 "two"`}},
		{"calls decide", Retry{}, []try{bad("one", poking)}, []string{`answer 1 "one"`}},
		{"not when the attempts are used up", Retry{Attempts: 1}, []try{bad("one")}, []string{`answer 1 "one"`}},
		{"after another failure", Retry{}, []try{fails(model.ClassTransient, "model.http_500"), bad("one"), good},
			[]string{"again 1 model.http_500", "again 2 model.malformed_call", `answer 3 "fine"`}},
		{"an empty answer has its own", Retry{}, []try{bad("one"), fails(model.ClassTransient, codeEmpty), good},
			[]string{"again 1 model.malformed_call", "again 2 model.empty_answer", `answer 3 "fine"`}},
		{"limits-8 filtered", Retry{}, []try{finished(model.FinishFilter)}, []string{"failed 1 model.content_filter"}},
		{"limits-11 the window was full", Retry{}, []try{finished(model.FinishOverflow)}, []string{"failed 1 model.context_overflow"}},
		{"limits-8 another key", Retry{}, []try{renewed, good}, []string{"again 1 model.auth", `answer 2 "fine"`}},
		{"limits-8 another key is refused too", Retry{}, []try{renewed, renewed}, []string{"again 1 model.auth", "failed 2 model.auth"}},
		{"limits-8 no other key", Retry{}, []try{fails(model.ClassAuth, "model.auth")}, []string{"failed 1 model.auth"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			a := newAsking(t, row.retry, func(int) (*model.Answer, error) {
				n++
				return row.tries[n-1].ans, row.tries[n-1].err
			}, least)
			a.clock.Advance(time.Microsecond)
			same(t, "heard", a.words(), row.want)
		})
	}
}

// What a failed attempt has used goes with it, whatever becomes of the request; of a
// summary, whose failed attempts have no record, the last one brings all of it.
func TestUsageOfFailedAttempts(t *testing.T) {
	t.Parallel()
	cut := try{err: &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Usage: used(10, 2)}}
	silent := try{err: &model.Error{Class: model.ClassTransient, Code: "model.http_500"}}
	empty := try{err: &model.Error{Class: model.ClassTransient, Code: codeEmpty, Usage: used(7, 1)}}
	bad := try{ans: &model.Answer{Finish: model.FinishBadCall, Usage: used(5, 3)}}
	good := try{ans: &model.Answer{Text: "fine", Usage: used(20, 4)}}
	for _, row := range []struct {
		name  string
		quiet bool
		tries []try
		want  []int64 // tokens that the parent hears of, one number for each thing that it hears
	}{
		{"a stream that was cut", false, []try{cut, good}, []int64{12, 24}},
		{"one that said nothing", false, []try{silent, good}, []int64{0, 24}},
		{"an empty answer is charged as a bad turn", false, []try{empty, empty}, []int64{8, 8}},
		{"a malformed call", false, []try{bad, bad}, []int64{8, 8}},
		{"for good", false, []try{cut, cut, cut}, []int64{12, 12, 12}},
		{"of a summary", true, []try{cut, silent, good}, []int64{12, 0, 36}},
		{"of a summary that fails", true, []try{cut, cut, cut}, []int64{12, 12, 36}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a, n := &asking{stage: newStage(t)}, 0
			provider := model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
				n++
				return row.tries[n-1].ans, row.tries[n-1].err
			})
			parent := a.listener(t, &a.heard)
			a.ref = a.spawn(t, actors.Spec{Kind: "model call", New: func() actors.Actor { return &modelCall{parent: parent, sh: &Shared{Env: &Env{}, Rand: least}} }})
			a.Tell(a.ref, &askModel{m: Model{Provider: provider, Retry: Retry{Attempts: 3}}, quiet: row.quiet, req: model.Request{Turn: 1, Attempt: 1}})
			a.clock.Advance(time.Microsecond)
			var got []int64
			for _, m := range a.heard {
				u := journal.Usage{}
				switch m := m.(type) {
				case *answered:
					u = m.answer.Usage
				case *attemptFailed:
					u = m.err.Usage
				case *modelFailed:
					u = m.err.Usage
				}
				sum := int64(0)
				for _, n := range []*int64{u.Input, u.Output} {
					if n != nil {
						sum += *n
					}
				}
				got = append(got, sum)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("heard of %v tokens, want %v: %q", got, row.want, a.words())
			}
		})
	}
}

// A call that the server could not read twice is a bad turn, with or without text.
func TestMalformedTurn(t *testing.T) {
	t.Parallel()
	turn := func(text string) swarmtest.Turn { return swarmtest.Turn{Text: text, Finish: model.FinishBadCall} }
	for name, text := range map[string]string{"without text": "", "with text": "I write it."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, func(p *Profile) { p.MaxBadTurns = 2 })
			d.turn(turn(text))
			d.ask()
			d.wantHost("could not be read", "one JSON object", "last reminder")
			c := d.log[len(d.log)-2].Payload.(*journal.TurnCorrected)
			if c.Rule != "malformed_call" || c.Count != 1 || c.Bound != 2 || d.part.TextTurns != 0 {
				t.Errorf("corrected by %+v, %d turns of text", c, d.part.TextTurns)
			}
			if said := d.part.History[len(d.part.History)-2]; (said.Role == model.Assistant) != (text != "") || text != "" && said.Text != text {
				t.Errorf("the history has %+v", said)
			}
			d.answer(turn(text))
			d.ask()
			if d.part.Closing != "bad_turns" {
				t.Errorf("closing %q", d.part.Closing)
			}
		})
	}
}

// Failed attempts are charged to the budgets, with what their model costs.
func TestFailedAttemptsAreCharged(t *testing.T) {
	t.Parallel()
	one := price.Rate(1e9) // a dollar for a million tokens
	fails := func(class model.Class, u journal.Usage) *model.Error {
		return &model.Error{Class: class, Code: "model.test", Usage: u}
	}
	d := asked(t, Model{Price: &price.Price{Input: &one, Output: &one}, Fallback: []string{"b"}}, map[string]Model{"b": {Price: price.Free()}})
	d.append(d.part.AttemptFailed(1, fails(model.ClassTransient, used(100, 20)))...)
	d.append(d.part.AttemptFailed(2, fails(model.ClassTransient, journal.Usage{}))...)
	d.append(d.part.AttemptFailed(3, fails(model.ClassTransient, journal.Usage{Requests: 1, Input: num(30)}))...) // its cost is not known
	d.live.Asking = false
	d.append(d.part.GaveUp(4, fails(model.ClassOverload, used(1000, 0)))...)
	d.append(d.part.Failed(5, fails(model.ClassPermanent, used(5000, 0)))...) // of the other model
	u, l := d.part.Usage, d.part.ledger
	if u.Requests != 4 || *u.Input != 6130 || *u.Output != 20 || *u.Cost != 1120_000 || u.CostMissing != 1 {
		t.Errorf("used %+v", u)
	}
	if l.Tokens != 6150 || l.Money != 1120_000 {
		t.Errorf("the ledger has %+v", l)
	}
	failed := d.log[len(d.log)-1].Payload.(*journal.ModelFailed)
	if *failed.Usage.Input != 5000 || *failed.Usage.Cost != 0 {
		t.Errorf("recorded %+v", failed.Usage)
	}
	if recs := d.part.Spent(6, fails(model.ClassCancelled, journal.Usage{})); recs != nil {
		t.Errorf("nothing was used, and %+v is recorded", recs)
	}
}

// What the tree view says of who waits for a limiter.
func TestWaitsForLimiter(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]limited{
		"limiter: concurrency":                     {reason: "concurrency"},
		"limiter: concurrency, place 3":            {"concurrency", 3, 0},
		"limiter: retry_after, place 1, about 1s":  {"retry_after", 1, time.Millisecond},
		"limiter: tokens, place 12, about 2m5s":    {"tokens", 12, 125*time.Second + 400*time.Millisecond},
		"limiter: requests, place 7, about 1h0m0s": {"requests", 7, time.Hour},
	} {
		if got := l.String(); got != want || !strings.HasPrefix(got, WaitsForLimiter) {
			t.Errorf("%+v: %q, want %q", l, got, want)
		}
	}
}
