package delegate

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func scoped(p journal.Payload, turn int, call string) journal.Record {
	return journal.Record{Scope: journal.Scope{Invocation: "root", Turn: turn, Call: call}, Payload: p}
}

// What a summary cost is charged to its invocation and to the run, and warnings stand in
// the record of the end.
func TestContextIsCharged(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("worker")))
	p.propose("root", []journal.Record{
		scoped(&journal.HistoryCompacted{Why: "window", From: 1, To: 1, By: "summary", Text: journal.Text("so far"), Usage: usage(700, 30)}, 1, ""),
		scoped(&journal.AnchorSet{Name: "compaction/window"}, 1, ""),
		scoped(&journal.ContextWarned{Code: "context_summary_failed", Detail: "it failed"}, 1, ""),
	}, nil)
	if in := p.st.Usage.Input; in == nil || *in != 700 || *p.st.Inv["root"].Usage.Output != 30 {
		t.Errorf("charged %+v, %+v", p.st.Usage, p.st.Inv["root"].Usage)
	}
	p.say("root", swarmtest.Do(finish))
	if e := p.st.Ended; e == nil || len(e.Warnings) == 0 || !strings.Contains(strings.Join(e.Warnings, "\n"), "root: context_summary_failed: it failed") || *e.Usage.Input != 710 {
		t.Errorf("ended %+v", e)
	}
}

// No summary is asked for when the work is being ended, or when the run comes to rest.
func TestSummaryBeginsSomething(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("worker")))
	asks := scoped(&journal.CompactionRequested{Why: "window", From: 1, To: 2}, 1, "")
	rest := &agent.Proposal{Path: "root", Records: []journal.Record{asks, scoped(&journal.AnchorSet{Name: "x"}, 1, "")}}
	if !p.st.Facts(rest) || len(rest.Records) != 1 || rest.Records[0].Type() != journal.TAnchorSet {
		t.Errorf("a run that rests keeps %+v", rest.Records)
	}
	p.st.Inv["root"].Halting = true
	p.propose("root", []journal.Record{asks}, nil)
	if p.count(journal.TCompactionRequested) != 0 || p.lost != 1 {
		t.Errorf("%d requests are taken, %d proposals are lost", p.count(journal.TCompactionRequested), p.lost)
	}
	p.st.Inv["root"].Halting = false
	p.propose("root", []journal.Record{asks}, nil)
	if p.count(journal.TCompactionRequested) != 1 {
		t.Error("it is refused")
	}
}

// The readable copy of a result may be made long after its call has settled; other files
// may not, and it is none of the files that an agent has changed.
func TestCopiesAreTaken(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, path string
		taken      bool
	}{
		{"a copy", "tool-results/calls/root/t1-c0-peek.txt", true},
		{"another file", "output/a.md", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{}), worker("worker")))
			p.do("root", peek)
			call := agent.CallKey(testRun, "root", 1, 0)
			p.propose("root", []journal.Record{scoped(&journal.FileChanged{Path: row.path, Op: "write", New: "h", ByCall: call}, 1, call),
				scoped(&journal.ResultsSwept{Results: journal.Projections(nil)}, 1, "")}, nil)
			if _, ok := p.st.Files.Get(row.path); ok != row.taken || (p.lost == 0) != row.taken {
				t.Errorf("taken: %t, %d proposals are lost", ok, p.lost)
			}
			if n := len(p.st.Inv["root"].Changed); n != 0 {
				t.Errorf("%d files count as changed", n)
			}
		})
	}
}

// A conversation that is put in short while a request is held back: what a summary has cost
// is charged, what is held stays so.
func TestCompactionKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{Tokens: 1_000_000}, lead(agent.Delegation{}), worker("worker")))
	before := p.st.ledger
	if before.Held.Tokens == 0 {
		t.Fatalf("nothing is held back: %+v", before)
	}
	p.propose("root", []journal.Record{scoped(&journal.HistoryCompacted{By: "digest"}, 1, "")}, nil)
	if p.st.ledger != before {
		t.Errorf("by rule: %+v, was %+v", p.st.ledger, before)
	}
	p.propose("root", []journal.Record{scoped(&journal.HistoryCompacted{By: "summary", Usage: usage(100, 20)}, 1, "")}, nil)
	if before.Tokens += 120; p.st.ledger != before {
		t.Errorf("by a model: %+v, want %+v", p.st.ledger, before)
	}
}
