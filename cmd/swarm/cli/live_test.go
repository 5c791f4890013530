package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestLiveView(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		run    func() *liveRun
		widths []int
		height []int
	}{
		{"empty", func() *liveRun { return &liveRun{s: newLiveState(), at: liveStart} }, []int{80}, []int{1, 10}},
		{"working", workingRun, []int{20, 60, 80, 200}, []int{24}},
		{"working in few rows", workingRun, []int{80}, []int{0, 1, 2, 4, 8, 11}},
		{"writing", func() *liveRun {
			l := workingRun()
			l.ask("root/editor", 2)
			l.s.preview("root/editor", "The first sentence of a text that is still coming and that is longer than a row of the terminal. 汉字 and 👩‍🚀 are wide.\nA second line.")
			l.s.preview("root/critic/reader", "Reading.")
			return l
		}, []int{20, 60, 80, 200}, []int{30, 8}},
		{"many", func() *liveRun { return manyRun(40) }, []int{20, 80}, []int{4, 8, 16, 24, 60}},
		{"cancelling", func() *liveRun {
			l := workingRun()
			l.s.asked = askedCancel
			l.add(journal.Scope{}, &journal.RunCancelRequested{By: "user"})
			l.end("root/editor", journal.Cancelled, "cancelled")
			return l
		}, []int{20, 60, 80}, []int{24}},
		{"cancelled by another process", func() *liveRun {
			l := workingRun()
			l.add(journal.Scope{}, &journal.RunCancelRequested{By: "user"})
			return l
		}, []int{80}, []int{2}},
		{"pausing", func() *liveRun {
			l := workingRun()
			l.s.asked = askedPause
			return l
		}, []int{80}, []int{3}},
		{"paused", func() *liveRun {
			l := workingRun()
			l.add(journal.Scope{}, &journal.RunPaused{Reason: "user"})
			l.after(time.Hour)
			return l
		}, []int{80}, []int{24}},
		{"resumed", func() *liveRun {
			l := workingRun()
			l.add(journal.Scope{}, &journal.RunPaused{Reason: "user"})
			l.after(time.Hour)
			l.add(journal.Scope{}, &journal.RunResumed{From: "paused"})
			l.after(5 * time.Second)
			return l
		}, []int{80}, []int{24}},
		{"waiting for a place", func() *liveRun {
			l := workingRun()
			l.end("root/critic/reader", journal.Completed, "returned")
			l.settle("root/critic", "agent_await")
			l.begin("task_6", "writer", "writer", "root")
			l.of("root/writer", &journal.InvocationWaiting{Cause: "human"})
			return l
		}, []int{80}, []int{24}},
		{"handed over", func() *liveRun {
			l := newLiveRun(&swarm.Team{Name: "desk"})
			l.root("intake")
			l.add(journal.Scope{Task: "task_1"}, &journal.TaskCreated{ID: "task_1", Key: "editor", Kind: "transfer_control", Agent: "editor", Parent: "root"})
			l.end("root", journal.Transferred, "transferred to editor")
			l.of("root/editor", &journal.InvocationCreated{Path: "root/editor", Kind: "handoff", Profile: "editor", Parent: "root", Task: "task_1"})
			l.ask("root/editor", 1)
			return l
		}, []int{80}, []int{24}},
		{"ended", func() *liveRun {
			l := workingRun()
			for _, p := range []string{"root/critic/reader", "root/critic", "root/editor", "root/critic-002", "root/silent", "root/terse"} {
				l.end(p, journal.Completed, "returned")
			}
			l.add(journal.Scope{Task: "task_6"}, &journal.TaskEnded{Outcome: journal.Cancelled, Reason: "cancelled"})
			l.add(journal.Scope{Task: "task_7"}, &journal.TaskEnded{Outcome: journal.Cancelled, Reason: "cancelled"})
			l.end("root", journal.Partial, "budget.rounds")
			l.add(journal.Scope{}, &journal.RunEnded{Outcome: journal.Partial, Reason: "budget.rounds"})
			l.after(time.Hour)
			return l
		}, []int{80}, []int{24}},
		{"hostile", hostileRun, []int{20, 60, 80, 200}, []int{24}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l := row.run()
			var got bytes.Buffer
			for _, width := range row.widths {
				for _, height := range row.height {
					view := l.s.view(width, height, l.at, nil)
					sane(t, view, width, height)
					if strings.Contains(view, "  \n") {
						t.Errorf("rows end in spaces:\n%s", view)
					}
					fmt.Fprintf(&got, "-- %d columns, %d rows --\n%s\n", width, height, view)
				}
			}
			golden(t, strings.ReplaceAll(row.name, " ", "_"), got.Bytes())
		})
	}
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "live", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// A view fits at every size, and shows every agent when there is room.
func TestLiveViewFits(t *testing.T) {
	t.Parallel()
	for _, run := range []*liveRun{workingRun(), manyRun(23), hostileRun()} {
		for width := 1; width < 120; width += 7 {
			for height := range 30 {
				view := run.s.view(width, height, run.at, nil)
				sane(t, view, width, height)
				if width > 60 && height > len(run.s.all)+1 && strings.Contains(view, "more:") {
					t.Errorf("agents are left out of %d rows:\n%s", height, view)
				}
			}
		}
	}
}

// Colours change no text.
func TestLiveLooks(t *testing.T) {
	t.Parallel()
	l := workingRun()
	l.s.preview("root/editor", "a text")
	plainView, coloured := l.s.view(80, 24, l.at, nil), l.s.view(80, 24, l.at, newLooks())
	if plainView == coloured {
		t.Error("there are no colours")
	}
	if got := ansi.Strip(coloured); got != plainView {
		t.Errorf("got\n%s\nwant\n%s", got, plainView)
	}
}

// What failed attempts have used counts for their agent and for the run.
func TestLiveUsageOfFailedAttempts(t *testing.T) {
	t.Parallel()
	l := newLiveRun(&swarm.Team{Name: "lost"})
	l.root("lead")
	in, out := int64(70), int64(3)
	l.ask("root", 1)
	l.of("root", &journal.ModelAttemptFailed{Attempt: 1, Class: "transient", Usage: journal.Usage{Requests: 1, Input: &in, Output: &out}})
	l.of("root", &journal.ModelFailed{Attempts: 2, Usage: journal.Usage{Requests: 1, Input: &in}})
	for name, u := range map[string]*journal.Usage{"the agent": &l.s.byPath["root"].usage, "the run": &l.s.usage} {
		if u.Requests != 2 || *u.Input != 140 || *u.Output != 3 {
			t.Errorf("%s has used %+v", name, u)
		}
	}
}

func TestLiveFoldOfOddRecords(t *testing.T) {
	t.Parallel()
	l := newLiveRun(&swarm.Team{Name: "odd"})
	// Those of agents and tasks that are not there change nothing.
	l.ask("root/nobody", 1)
	l.add(journal.Scope{Task: "task_9"}, &journal.TaskQueued{})
	l.add(journal.Scope{Task: "task_9"}, &journal.TaskEnded{Outcome: journal.Completed})
	l.settle("root/nobody", "read")
	l.s.preview("root/nobody", "text")
	if len(l.s.all) != 0 {
		t.Errorf("%d agents", len(l.s.all))
	}
	l.root("lead")
	l.call("root", "builtin:read", "read", "{}")
	l.call("root", "builtin:read", "read", "{}") // asked for again
	if n := len(l.s.byPath["root"].open); n != 1 || l.s.calls != 1 {
		t.Errorf("%d open calls, %d counted", n, l.s.calls)
	}
}

func BenchmarkLiveFrame(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			l := manyRun(n)
			for b.Loop() {
				if l.s.view(100, 16, l.at, nil) == "" {
					b.Fatal("nothing is shown")
				}
			}
		})
	}
}

func BenchmarkLiveFold(b *testing.B) {
	l := manyRun(1000)
	in, out := int64(10), int64(10)
	asked := &journal.Record{Run: "run_01", Seq: 1, At: l.at, Scope: journal.Scope{Invocation: "root/worker-010", Turn: 2}, Payload: &journal.ModelRequested{Model: "gpt-5-mini"}}
	answered := &journal.Record{Run: "run_01", Seq: 1, At: l.at, Scope: asked.Scope, Payload: &journal.ModelAnswered{Usage: journal.Usage{Input: &in, Output: &out}}}
	b.ReportAllocs()
	for b.Loop() {
		l.s.fold(asked)
		l.s.fold(answered)
	}
}
