package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

var tooLong = &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "the prompt is too long", Status: 400}

// overflow has the request under way refused as too long.
func (d *driver) overflow() {
	d.t.Helper()
	d.live.Asking = false
	d.append(d.part.Failed(d.part.Attempts+1, tooLong)...)
}

// exhausted answers the closing turn and checks how it ends.
func (d *driver) exhausted(text string) {
	d.t.Helper()
	d.ask()
	closed := records[*journal.TurnClosed](d)
	if len(closed) != 1 || closed[0].Reason != "context_exhausted" || d.part.Closing != "context_exhausted" {
		d.t.Fatalf("closed %+v", closed)
	}
	if h := d.part.History; len(h) != 1 || h[0].Role != model.Host || !strings.Contains(h[0].Text, "No tool can be called any more") {
		d.t.Errorf("the closing turn reads %+v", h)
	}
	d.answer(swarmtest.Say(text))
	end := End{Outcome: journal.Partial, Reason: "context_exhausted", Code: "model.context_exhausted", Text: text}
	if text == "" {
		end = End{Outcome: journal.Failed, Reason: "context_exhausted", Code: "model.context_exhausted"}
	}
	d.wantEnd(end)
}

// limits-4: what is pinned leaves no room. It ends with a typed error, by a closing turn
// that fits, and never loops.
func TestPinnedTooLarge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		brief  int // tokens
		rounds int
		tries  int // compactions
		text   string
	}{
		{"limits-4 the brief alone is too long", 20_000, 0, 0, "as far as I came"},
		{"limits-4 nothing is said at the end", 20_000, 0, 0, ""},
		{"limits-4 two useless tries", 4300, 40, 2, "as far as I came"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			env := testEnv(t, nil)
			m := env.Models["default"]
			m.Window = 12_000
			env.Models["default"] = m
			d := newDriver(t, env, Birth{Kind: "root", Profile: "root", Path: "root", Brief: "begin " + strings.Repeat("word ", row.brief*4/5)})
			d.saying("It peeked.")
			for i := 0; i < row.rounds && d.part.Closing == ""; i++ {
				d.turnOrClose(i)
			}
			d.exhausted(row.text)
			if n := len(records[*journal.HistoryCompacted](d)) - 1; n != row.tries {
				t.Errorf("limits-4: %d tries", n)
			}
			if text := d.log[len(d.log)-1]; text.Type() == journal.TInvocationEnded {
				t.Error("it has ended by itself")
			}
		})
	}
}

// turnOrClose plays a round of a small call, unless the closing turn begins.
func (d *driver) turnOrClose(i int) {
	d.t.Helper()
	d.ask()
	if d.part.Closing != "" {
		d.live.Asking = false // asked again by who looks at it
		return
	}
	d.answer(swarmtest.Do(peeking))
	d.peeked(func(int) string { return fmt.Sprint("result ", i, strings.Repeat(" word", 60)) })
}

// limits-11: a request that is too long for the server is put in short and sent again, as
// the same turn; the second time it is a typed error. limits-3: nothing of it adds to the
// history.
func TestOverflow(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, func(p *Profile) { p.HistoryShare = 0.9 }) // nobody knows the window
	d.saying("It peeked.")
	for i := range 8 {
		d.round(i, 2000)
	}
	d.ask()
	turn, before := d.part.Turn, len(d.part.History)
	asked := d.part.Estimate()
	d.overflow()
	if len(d.part.History) != before {
		t.Errorf("limits-3: the history has %d messages after %d", len(d.part.History), before)
	}
	d.ask()
	c := records[*journal.HistoryCompacted](d)
	if len(c) != 1 || c[0].Why != "overflow" || d.part.Turn != turn || d.part.Attempts != 1 {
		t.Fatalf("limits-11: compactions %+v, turn %d after %d, %d attempts", c, d.part.Turn, turn, d.part.Attempts)
	}
	if now := d.part.Estimate(); now > asked*6/10 || len(d.part.History) >= before {
		t.Errorf("limits-11: %d tokens are left of %d", now, asked)
	}
	if len(records[*journal.ModelFailed](d)) != 0 {
		t.Error("limits-11: it counts as failed")
	}
	d.overflow()
	d.exhausted("as far as I came")
}

// After an answer the count begins anew, and what was too long once is not sent again.
func TestOverflowIsLearned(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.saying("It peeked.")
	for i := range 8 {
		d.round(i, 2000)
	}
	d.ask()
	limit := d.part.Estimate()
	d.overflow()
	d.ask()
	d.answer(swarmtest.Say("on"))
	for i := range 12 {
		d.round(i, 2000)
		if n := d.part.Estimate(); n >= limit+2500 {
			t.Fatalf("%d tokens are kept, and %d were too many", n, limit)
		}
	}
	d.ask()
	if d.part.Estimate() >= limit {
		t.Errorf("%d tokens go out, and %d were too many", d.part.Estimate(), limit)
	}
	d.overflow()
	d.ask()
	if d.part.Closing != "" {
		t.Error("one overflow in each of two turns ends it")
	}
}

// One huge result that overflows is shortened: there is nothing else to put in short.
func TestOverflowOfOneResult(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, nil)
	d.round(0, 12_000)
	d.ask()
	d.overflow()
	d.ask()
	shown := records[*journal.ResultsShown](d)
	if len(shown) == 0 || len(records[*journal.HistoryCompacted](d)) != 0 || d.part.Closing != "" {
		t.Fatalf("shown %+v", shown)
	}
	if res := d.last().Results[0]; !strings.Contains(res.Text, "not complete") || !strings.HasPrefix(res.Text, "result 0 word") {
		t.Errorf("it reads %.100q", res.Text)
	}
}

// The closing turn of another limit has to fit too: what is too long is put in short by
// rule, without a request.
func TestClosingTurnFits(t *testing.T) {
	t.Parallel()
	d := windowed(t, 9000, func(p *Profile) { p.Rounds = 3; p.CompactAt = 0.95 })
	for i := range 3 {
		d.round(i, 1000)
	}
	d.ask()
	if d.part.Closing != "budget.rounds" {
		t.Fatalf("closing %q", d.part.Closing)
	}
	d.overflow()
	d.ask()
	c := records[*journal.HistoryCompacted](d)
	if len(c) == 0 || c[0].By != "digest" || c[0].Code != "" {
		t.Errorf("compactions %+v", c)
	}
	if len(records[*journal.CompactionRequested](d)) != 0 {
		t.Error("a summary is asked for")
	}
	d.overflow()
	d.wantEnd(End{Outcome: journal.Failed, Reason: "model.failed", Code: "model.context_overflow", Text: "the prompt is too long"})
}

// Prompt and tools that do not fit by themselves end it at once.
func TestNothingFits(t *testing.T) {
	t.Parallel()
	d := windowed(t, 1000, nil)
	d.wantEnd(End{Outcome: journal.Failed, Reason: "context_exhausted", Code: "model.context_exhausted"})
	if n := len(records[*journal.ModelRequested](d)); n != 0 {
		t.Errorf("%d requests", n)
	}
}
