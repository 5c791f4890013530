package swarm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// rested is a run that was paused before its second turn, with texts that were said on the
// way there.
func rested(t *testing.T, texts ...string) (*testBundle, *swarm.Run) {
	t.Helper()
	hold := newHolder(t, "hold", false)
	b := setup(t, setupOptions{
		script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish), swarmtest.Do(finish)}},
		tools:  []swarm.Tool{hold.tool},
	})
	r := b.start("go")
	recv(t, hold.begun)
	if err := r.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := r.Say(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	close(hold.let)
	b.outcome(b.wait(r), "paused", "")
	return b, r
}

// post leaves guidance in the table as a program does that does not count.
func (b *testBundle) post(r *swarm.Run, text string) {
	b.t.Helper()
	if _, err := b.rt.Store().Post(b.t.Context(), r.ID(), journal.Command{Kind: journal.CommandSay, Payload: text, By: "other"}); err != nil {
		b.t.Fatal(err)
	}
}

// unread gives what was said to a run and read by nobody, with the reasons.
func (b *testBundle) unread(run string) (out []string) {
	texts := map[string]string{}
	for _, rec := range b.records(run) {
		switch m := rec.Payload.(type) {
		case *journal.GuidanceSubmitted:
			texts[m.ID] = m.Text.Text
		case *journal.GuidanceDiscarded:
			out = append(out, texts[m.ID]+": "+m.Reason)
		}
	}
	return out
}

// Nobody is told that a text will be read that has no room: what waits in the journal and
// in the table counts together.
func TestSayToARunWithoutAnOwner(t *testing.T) {
	t.Parallel()
	b, r := rested(t, "one", "two", "three")
	want := []string{"one", "two", "three"}
	for i := range 5 {
		text := fmt.Sprint("hint ", i)
		want = append(want, text)
		if err := r.Say(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	c, err := b.rt.Send(t.Context(), swarm.Command{Run: r.ID(), Kind: journal.CommandSay, Text: "one more"})
	if fault.Code(err) != "guidance.full" || c.ID != 0 || !strings.Contains(err.Error(), r.ID()) {
		t.Errorf("the ninth: %+v, %v", c, err)
	}
	b.post(r, "not counted")
	b.outcome(b.wait(b.resume(r.ID())), "completed", "")
	b.heard("root", want...)
	if got := b.unread(r.ID()); len(got) != 1 || !strings.HasPrefix(got[0], "not counted: 8 texts wait already") {
		t.Errorf("read by nobody: %q", got)
	}
	rows, err := b.rt.Store().Commands(t.Context(), r.ID(), 0)
	if err != nil || fault.Code(journal.Refusal(rows[len(rows)-1].Answer)) != "guidance.full" {
		t.Errorf("the table says %+v, %v", rows, err)
	}
	b.check(r.ID())
}

// A text behind a cancel that waits is refused, or leaves a trace.
func TestSayBehindACancelThatWaits(t *testing.T) {
	t.Parallel()
	b, r := rested(t)
	if err := r.Say(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	if err := r.Cancel(t.Context(), "enough"); err != nil {
		t.Fatal(err)
	}
	if err := r.Say(t.Context(), "behind"); fault.Code(err) != "guidance.too_late" {
		t.Errorf("behind a cancel: %v", err)
	}
	b.post(r, "not asked")
	b.outcome(b.wait(b.resume(r.ID())), "cancelled", "enough")
	got := strings.Join(b.unread(r.ID()), "\n")
	if !strings.Contains(got, "before: the run has ended (cancelled)") || !strings.Contains(got, "not asked: the run is ending") {
		t.Errorf("read by nobody: %q", got)
	}
	b.check(r.ID())
}
