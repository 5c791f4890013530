package delegate

import (
	"fmt"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// What waits for a run that nobody works on: texts of its journal and of the table, each
// counted once.
func TestRoom(t *testing.T) {
	t.Parallel()
	submitted := func(n int, from int64) (out []journal.Record) {
		for i := range n {
			out = append(out, journal.Record{Payload: &journal.GuidanceSubmitted{ID: fmt.Sprint("guidance_", i), Command: from + int64(i)}})
		}
		return out
	}
	says := func(n int, answer string) (out []journal.Command) {
		for i := range n {
			out = append(out, journal.Command{ID: int64(i + 1), Kind: journal.CommandSay, Answer: answer})
		}
		return out
	}
	for _, row := range []struct {
		name    string
		records []journal.Record
		rows    []journal.Command
		code    string
	}{
		{"nothing waits", nil, nil, ""},
		{"one below", nil, says(MaxGuidance-1, ""), ""},
		{"table full", nil, says(MaxGuidance, ""), "guidance.full"},
		{"journal full", submitted(MaxGuidance, 100), nil, "guidance.full"},
		{"both together", submitted(3, 100), says(MaxGuidance-3, ""), "guidance.full"},
		{"answered rows", submitted(3, 100), says(MaxGuidance, journal.Recorded), ""},
		{"a record without its answer", submitted(5, 1), says(5, ""), ""},
		{"applied and discarded", append(submitted(MaxGuidance, 100), journal.Record{Payload: &journal.GuidanceApplied{ID: "guidance_0"}},
			journal.Record{Payload: &journal.GuidanceDiscarded{ID: "guidance_1"}}), says(1, ""), ""},
		{"other commands", nil, append(says(MaxGuidance-1, ""), journal.Command{ID: 90, Kind: journal.CommandCancelTask}), ""},
		{"a cancel waits", nil, []journal.Command{{ID: 1, Kind: journal.CommandCancel}}, "guidance.too_late"},
		{"a cancel is recorded", []journal.Record{{Payload: &journal.RunCancelRequested{}}}, nil, "guidance.too_late"},
	} {
		if err := Room(row.records, row.rows); fault.Code(err) != row.code {
			t.Errorf("%s: %v, want %q", row.name, err, row.code)
		}
	}
}

// A refusal that nobody hears leaves records, and one that is heard leaves none.
func TestRefusalThatNobodyHears(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	for i := range MaxGuidance {
		p.hear(fmt.Sprint("hint ", i))
	}
	say := func(text string, told bool) {
		p.said++
		p.take(p.st.Command(&journal.Command{ID: p.said, Run: testRun, Kind: journal.CommandSay, Payload: text, By: "user"}, told, p.now))
		if got := fault.Code(journal.Refusal(p.heard[p.said])); got == "" {
			t.Errorf("%q is answered %q", text, p.heard[p.said])
		}
	}
	before := len(p.log)
	say("heard", true)
	say(" ", false) // says nothing, so nothing is lost
	if n := len(p.log); n != before {
		t.Errorf("%d records of refusals that leave none", n-before)
	}
	say("lost", false)
	p.pump()
	if n := len(p.log); n != before+2 || p.log[n-1].Type() != journal.TGuidanceDiscarded || len(p.st.Guidance()) != MaxGuidance {
		t.Errorf("%d records, %d texts wait\n%s", n-before, len(p.st.Guidance()), p.dump())
	}
	p.do("root", peek)
	p.do("root", finish)
	p.wantRun(journal.Completed, "")
	checkGuidance(t, p)
}
