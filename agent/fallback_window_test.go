package agent

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// What a server has said of its window holds for its model and not for the one that stands
// in because its window is larger: the same request goes there as it is (limits-11).
func TestFallbackHasItsOwnWindow(t *testing.T) {
	t.Parallel()
	d := asked(t, Model{Fallback: []string{"b"}, Window: 20_000}, map[string]Model{"b": {Window: 500_000}})
	for i := range 6 {
		d.answer(swarmtest.Do(peeking))
		d.run(strings.Repeat("fine ", 100+i))
	}
	before := len(d.part.History)
	d.live.Asking = false
	d.append(d.part.GaveUp(1, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "maximum context length is 3000 tokens"})...)
	if d.part.model().Name != "b" {
		t.Fatalf("asks %s", d.part.model().Name)
	}
	d.ask()
	if n := len(records[*journal.HistoryCompacted](d)) + len(records[*journal.CompactionRequested](d)); n != 0 || len(d.part.History) != before || d.part.window() != 500_000 {
		t.Errorf("put in short %d times, %d messages of %d, window %d", n, len(d.part.History), before, d.part.window())
	}
	// One that overflows there too is put in short for it.
	d.live.Asking = false
	d.append(d.part.GaveUp(2, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "no"})...)
	d.next()
	if n := len(records[*journal.HistoryCompacted](d)) + len(records[*journal.CompactionRequested](d)); n != 1 {
		t.Errorf("put in short %d times", n)
	}
}

// A fallback that stands twice in the list, as in a team that was built in code, is asked
// once.
func TestFallbackTwice(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{{"b", "b"}, {"default", "b", "default", "b"}} {
		d := asked(t, Model{Fallback: list}, map[string]Model{"b": {}})
		for n := 0; d.part.Fatal == ""; n++ {
			if n == 5 {
				t.Fatalf("%v: it is asked again and again", list)
			}
			d.gaveUp(n+1, model.ClassOverload)
		}
	}
}

// A history that is put in short by rule costs nothing, also while a request is held back.
func TestDigestCostsNothing(t *testing.T) {
	t.Parallel()
	d := rootDriver(t, func(p *Profile) { p.Tokens = 1_000_000 })
	m := d.env.Models["default"]
	m.Window = 20_000
	d.env.Models["default"] = m
	d.ask()
	d.reports = func() journal.Usage { return usage(d.part.fit.meter.Sum(), 20, 0)() }
	for i := range 6 {
		d.answer(swarmtest.Do(peeking))
		d.run(strings.Repeat("fine ", 100+i))
	}
	for range 2 { // that are put in short by the rule, so that results cannot be shortened instead
		d.answer(swarmtest.Say(strings.Repeat("word ", 1500)))
		d.run("")
		d.answer(swarmtest.Do(peeking))
		d.run("fine")
	}
	spent, held := d.part.ledger.Tokens, d.part.ledger.Held
	if held.Tokens == 0 {
		t.Fatal("nothing is held back")
	}
	d.live.Asking = false
	d.append(d.part.GaveUp(1, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "no"})...)
	d.summary = func(*model.Request) []journal.Record {
		return d.part.Unsummarised(&model.Error{Class: model.ClassTransient, Code: "model.http_500"})
	}
	d.ask()
	if n := len(records[*journal.HistoryCompacted](d)); n != 1 {
		t.Fatalf("put in short %d times", n)
	}
	if d.part.ledger.Tokens != spent || d.part.ledger.Held != held {
		t.Errorf("%d tokens are used and %+v held, there were %d and %+v", d.part.ledger.Tokens, d.part.ledger.Held, spent, held)
	}
}
