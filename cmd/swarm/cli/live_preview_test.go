package cli

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

func taken(p *previews) map[string]string {
	got := map[string]string{}
	p.take(func(path, text string) { got[path] = text })
	return got
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	p := newPreviews()
	for _, row := range []struct {
		name string
		do   func()
		want map[string]string
	}{
		{"nothing", func() {}, map[string]string{}},
		{"pieces of two agents", func() {
			p.add("root", model.Delta{Text: "a"})
			p.add("root/b", model.Delta{Text: "x"})
			p.add("root", model.Delta{Text: "b"})
		}, map[string]string{"root": "ab", "root/b": "x"}},
		{"nothing new", func() {}, map[string]string{}},
		{"no text", func() { p.add("root", model.Delta{Args: "{", Reasoning: "hm"}) }, map[string]string{}},
		{"one goes on", func() { p.add("root", model.Delta{Text: "c"}) }, map[string]string{"root": "abc"}},
		{"a new attempt", func() {
			p.add("root", model.Delta{Reset: true})
			p.add("root", model.Delta{Text: "again"})
		}, map[string]string{"root": "again"}},
		{"an answer", func() {
			p.add("root", model.Delta{Text: "lost"})
			p.drop("root")
		}, map[string]string{}},
		{"the next turn", func() { p.add("root", model.Delta{Text: "new"}) }, map[string]string{"root": "new"}},
	} {
		row.do()
		if got := taken(p); !maps.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

func TestPreviewsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPreviews()
	for range 1000 {
		p.add("root", model.Delta{Text: strings.Repeat("x", 1000)})
	}
	p.add("root", model.Delta{Text: "end"})
	got := taken(p)["root"]
	if len(got) > 2*previewBytes || !strings.HasSuffix(got, "xend") {
		t.Errorf("%d bytes are kept, which end in %q", len(got), got[len(got)-4:])
	}
}

// Texts that come at once from many agents are not mixed up.
func TestPreviewsOfManyAgents(t *testing.T) {
	t.Parallel()
	p := newPreviews()
	l := newLiveRun(&swarm.Team{Name: "many", Agents: map[string]*agent.Profile{"a": {}}})
	l.root("lead")
	var wg sync.WaitGroup
	names := []string{"a", "b", "c", "d", "e"}
	for i, name := range names {
		l.task("task_"+name, name, "a", "root", false)
		wg.Go(func() {
			for range 100 {
				p.add("root/"+name, model.Delta{Text: string(rune('A' + i))})
			}
		})
	}
	for range 50 {
		p.take(l.s.preview)
	}
	wg.Wait()
	p.take(l.s.preview)
	view := l.s.view(120, 20, l.at, nil)
	for i, name := range names {
		row := "  " + name + " (a)"
		if want := "    " + strings.Repeat(string(rune('A'+i)), 100) + "\n"; !strings.Contains(view+"\n", want) || strings.Index(view, row) > strings.Index(view, strings.TrimSpace(want)) {
			t.Errorf("the text of %s is not below it:\n%s", name, view)
		}
	}
}

func TestPresented(t *testing.T) {
	t.Parallel()
	of := journal.Scope{Invocation: "root"}
	for _, row := range []struct {
		r                   journal.Record
		live, status, quiet bool
	}{
		{journal.Record{Payload: &journal.RunEnded{}}, true, true, true},
		{journal.Record{Scope: journal.Scope{Task: "task_1"}, Payload: &journal.TaskReturnAccepted{}}, true, true, true},
		{journal.Record{Scope: of, Payload: &journal.InvocationEnded{}}, true, true, true},
		{journal.Record{Scope: of, Payload: &journal.InvocationCreated{}}, true, true, false},
		{journal.Record{Scope: of, Payload: &journal.ModelFailed{}}, true, true, false},
		{journal.Record{Scope: of, Payload: &journal.ModelAnswered{}}, true, false, false},
		{journal.Record{Scope: of, Payload: &journal.CallRequested{}}, true, false, false},
	} {
		for presentation, want := range map[string]bool{"": row.live, "live": row.live, "status": row.status, "quiet": row.quiet} {
			if got := presented(&row.r, presentation); got != want {
				t.Errorf("%s under %q: %v, want %v", row.r.Type(), presentation, got, want)
			}
		}
	}
}
