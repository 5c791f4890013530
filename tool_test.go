package swarm_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// lines is a log that is read while others write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A tool that panics fails its call and nothing else; the stack is for the journal, the
// log says which tool of which run it was.
func TestToolPanics(t *testing.T) {
	t.Parallel()
	broken := goTool(t, "broken", func(context.Context, none) (string, error) { panic("no such drawer") })
	log := &lines{}
	b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{broken},
		opts:   func(o *swarm.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) },
		script: swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("broken", ""), nothing), swarmtest.Do(finish)}}})
	res := b.run("go")
	b.outcome(res, swarm.Completed, "")
	recs := b.records(res.Run)
	calls := turnOf(recs, "root", 1)
	b.sameCodes(res.Run, calls, "tool.panicked", "")
	if s := calls[0].Settled; !strings.Contains(s.Stack.Text, "tool_test.go") || strings.Contains(s.Content.Text, "tool_test.go") {
		t.Errorf("the stack is %q, the content %q", s.Stack.Text, s.Content.Text)
	}
	for _, want := range []string{"level=ERROR", `msg="tool panicked"`, "run=" + res.Run, "agent=root", "tool=extension/go:broken", "call=" + calls[0].Key, "no such drawer"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing in the log:\n%s", want, log)
		}
	}
}

// A probe decides a call whose end was not seen: settled, run again, or unknown.
func TestProbeAtResume(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		happen swarm.Happened
		err    error
		ran    int
		code   string
	}{
		{"done", swarm.Done, nil, 1, ""},
		{"not done", swarm.NotDone, nil, 2, ""},
		{"cannot say", swarm.CannotSay, nil, 1, "tool.outcome_unknown"},
		{"the probe fails", swarm.Done, errors.New("no line"), 1, "tool.outcome_unknown"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mem := memory()
			crash := swarmtest.NewCrash(mem, 0, false)
			var mu sync.Mutex
			var ran, asked []string
			pay, err := swarm.NewTool("pay", "Pays.", func(ctx context.Context, _ none) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				ran = append(ran, swarm.CallKey(ctx))
				crash.Now() // the process dies after the effect and before its end is recorded
				return "paid", nil
			}, swarm.Probe(func(_ context.Context, key string) (swarm.Happened, error) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, key)
				return row.happen, row.err
			}))
			if err != nil {
				t.Fatal(err)
			}
			o := setupOptions{store: crash, tools: []swarm.Tool{pay},
				script: swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("pay", "")), swarmtest.Do(finish)}}}
			b := setup(t, o)
			r := b.start("go")
			b.dies(r)

			o.store = reborn(mem)
			b = setup(t, o)
			b.outcome(b.wait(b.resume(r.ID())), swarm.Completed, "")
			recs := b.records(r.ID())
			b.sameCodes(r.ID(), turnOf(recs, "root", 1), row.code)
			mu.Lock()
			defer mu.Unlock()
			if len(asked) != 1 || asked[0] != ran[0] || len(ran) != row.ran || ran[len(ran)-1] != ran[0] {
				t.Errorf("ran with %q, asked with %q", ran, asked)
			}
			found := payloads[*journal.RecoveryClassified](recs)
			if len(found) != 1 || len(found[0].Calls) != 1 || found[0].Calls[0].Action != "ask its probe" {
				t.Errorf("classified %+v", found)
			}
		})
	}
}

// What is wrong with tools is said when the runtime is opened.
func TestOpenRefusesTools(t *testing.T) {
	t.Parallel()
	one := goTool(t, "twice", func(context.Context, none) (string, error) { return "", nil })
	for _, row := range []struct {
		name  string
		tools []swarm.Tool
		code  string
	}{
		{"a name that is taken", []swarm.Tool{one, one}, "tool.catalog_duplicate_id"},
		{"the zero value", []swarm.Tool{{}}, "tool.id_invalid"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, err := swarm.Open(t.Context(), swarm.Options{Tools: row.tools}); swarm.Code(err) != row.code {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The name of a built-in stays the built-in's; the other tool is there under a second one.
func TestToolWithTheNameOfABuiltin(t *testing.T) {
	t.Parallel()
	list := goTool(t, "workspace_list_files", func(context.Context, none) (string, error) { return "mine", nil }, swarm.ReadOnly())
	b := setup(t, setupOptions{tools: []swarm.Tool{list},
		script: swarmtest.Script{"root": {swarmtest.Do(nothing, swarmtest.Call("workspace_list_files__2", "")), swarmtest.Do(finish)}}})
	res := b.run("go")
	b.outcome(res, swarm.Completed, "")
	if got := b.results("root", 1); got[0].Text == "mine" || got[1].Text != "mine" {
		t.Errorf("got %q and %q", got[0].Text, got[1].Text)
	}
}

// A tool for other scenes is not there.
func TestToolScenes(t *testing.T) {
	t.Parallel()
	var tools []swarm.Tool
	for _, scene := range []string{"chat", "session"} {
		tools = append(tools, goTool(t, "in_"+scene, func(context.Context, none) (string, error) { return "ok", nil }, swarm.Scenes(scene)))
	}
	b := setup(t, setupOptions{tools: tools, script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
	b.outcome(b.run("go"), swarm.Completed, "")
	names := ""
	for _, d := range b.reqs.Of("root")[0].Tools {
		names += d.Name + " "
	}
	if strings.Contains(names, "in_chat ") || !strings.Contains(names, "in_session ") {
		t.Errorf("tools %q", names)
	}
}
