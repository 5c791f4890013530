package tooling

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// A probe is asked only for a call whose end was not seen, and decides it.
func TestProbe(t *testing.T) {
	t.Parallel()
	say := func(h Happened, err error) func(context.Context, string) (Happened, error) {
		return func(_ context.Context, key string) (Happened, error) {
			if key != "k1" {
				return Done, errors.New("another key: " + key)
			}
			return h, err
		}
	}
	for _, row := range []struct {
		name    string
		again   bool
		probe   func(context.Context, string) (Happened, error)
		ran     bool
		outcome journal.Outcome
		code    string
		want    string
		stack   bool
	}{
		{name: "first attempt", probe: say(Done, nil), ran: true, want: "ran"},
		{name: "done", again: true, probe: say(Done, nil), want: "done: the effect happened"},
		{name: "not done", again: true, probe: say(NotDone, nil), ran: true, want: "ran"},
		{name: "cannot say", again: true, probe: say(CannotSay, nil), outcome: journal.Unknown, code: "tool.outcome_unknown", want: "could not say."},
		{name: "no known answer", again: true, probe: say("maybe", nil), outcome: journal.Unknown, code: "tool.outcome_unknown", want: "Inspect the state"},
		{name: "error", again: true, probe: say(Done, errors.New("no line")), outcome: journal.Unknown, code: "tool.outcome_unknown", want: "could not say (no line)"},
		{name: "panic", again: true, probe: func(context.Context, string) (Happened, error) { panic("broken") }, outcome: journal.Unknown, code: "tool.outcome_unknown", want: "failed inside: broken", stack: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ran := false
			tool, err := NewGoTool("pay", "", func(context.Context, struct{}) (string, error) { ran = true; return "ran", nil }, Probe(row.probe))
			if err != nil {
				t.Fatal(err)
			}
			if tool.Again != AgainProbe {
				t.Errorf("again %q", tool.Again)
			}
			if _, err := NewCatalogue(tool); err != nil {
				t.Error(err)
			}
			args, _ := compiled(t, string(tool.Schema)).Check(read(t, `{}`), nil)
			got := tool.Handle(t.Context(), &Call{Key: "k1", Again: row.again, Args: args})
			if ran != row.ran || got.Outcome != row.outcome || got.Code != row.code || !strings.Contains(got.Content, row.want) || (got.Stack != "") != row.stack {
				t.Errorf("ran %v, %+v", ran, got)
			}
		})
	}
}
