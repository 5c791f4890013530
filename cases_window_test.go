package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// narrow is a model with a window: what has more tokens is refused, as a server refuses
// it. Each request is checked as a provider checks it.
type narrow struct {
	script swarmtest.Script
	window int64 // 0: none
	silent bool  // its error does not name the window
	usage  bool  // it reports what it has read

	mu        sync.Mutex
	refused   int
	summaries int
	summary   func() (*model.Answer, error) // nil: a good one
}

func (n *narrow) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: "narrow"}
}

func (n *narrow) Answer(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
	if err := model.Guard(req); err != nil {
		return nil, err
	}
	size := model.HeadTokens(req.System, req.Tools)
	for i := range req.Messages {
		size += model.MessageTokens(&req.Messages[i])
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.window > 0 && size > n.window {
		n.refused++
		e := &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Status: 400, Detail: "the prompt is too long"}
		if !n.silent {
			e.Detail = fmt.Sprintf("this model's maximum context length is %d tokens", n.window)
		}
		return nil, e
	}
	if strings.HasSuffix(req.Agent, "#summary") {
		n.summaries++
		if n.summary != nil {
			return n.summary()
		}
		return &model.Answer{Text: "The agent looked and found words.", Finish: model.FinishStop, Usage: journal.Usage{Requests: 1, Input: &size}}, nil
	}
	a, err := n.script.Answer(ctx, req, p)
	if err == nil && n.usage {
		b := *a
		b.Usage = journal.Usage{Requests: 1, Input: &size}
		a = &b
	}
	return a, err
}

// looks makes turns that look at something new each time, and then what ends the work.
func looks(n int, end model.AnswerCall) []swarmtest.Turn {
	var turns []swarmtest.Turn
	for i := range n {
		turns = append(turns, swarmtest.Do(swarmtest.Call("look", fmt.Sprintf(`{"who":"%d"}`, i))))
	}
	return append(turns, swarmtest.Do(end))
}

// looker is a tool that brings a text of about so many tokens, and counts its calls.
func looker(t *testing.T, tokens int, ran *sync.Map) swarm.Tool {
	return keyed(t, "look", func(_ context.Context, c *tooling.Call) (string, error) {
		if n, loaded := ran.LoadOrStore(c.Key, 1); loaded {
			ran.Store(c.Key, n.(int)+1)
		}
		return c.Key[:8] + strings.Repeat(" word", tokens*4/5), nil
	}, tooling.ReadOnly())
}

// windowScene is a team of one agent, or of one with a child, whose model is narrow.
func windowScene(t *testing.T, store journal.Store, n *narrow, tokens int, ran *sync.Map) setupOptions {
	long := func(p *agent.Profile) { p.Rounds, p.MaxCalls = 1000, 1000 }
	return setupOptions{store: store, script: n, tools: []swarm.Tool{looker(t, tokens, ran)}, agents: map[string]*agent.Profile{
		"lead":   with(&agent.Profile{Delegation: agent.Delegation{CanDelegate: true}}, long),
		"worker": with(child(), long),
	}}
}

// sized gives the team's model a window.
func (b *testBundle) sized(window int) {
	m := b.team.Models["default"]
	m.Window = window
	b.team.Models["default"] = m
}

// A run of 300 turns in a small window compacts again and again, and ends.
func TestLongRunCompacts(t *testing.T) {
	t.Parallel()
	n := &narrow{script: swarmtest.Script{"lead": looks(300, finish)}, window: 10_000, usage: true}
	b := setup(t, windowScene(t, nil, n, 300, new(sync.Map)))
	b.sized(10_000)
	res := b.run("go")
	recs := b.records(res.Run)
	if res.Outcome != swarm.Completed {
		t.Fatalf("got %+v", res)
	}
	c := payloads[*journal.HistoryCompacted](recs)
	if len(c) < 10 || n.refused != 0 || n.summaries != len(c) {
		t.Errorf("%d compactions, %d summaries, %d requests were too long", len(c), n.summaries, n.refused)
	}
	if asked := payloads[*journal.ModelRequested](recs); len(asked) != 301 {
		t.Errorf("%d turns were asked for", len(asked))
	}
}

// The same cases through the API: limits-3, limits-4, limits-6, limits-7, limits-11.
func TestWindow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		model   *narrow
		window  int // of the team file
		input   string
		tokens  int // of a result
		outcome string
		code    string
		check   func(t *testing.T, n *narrow, recs []journal.Record)
	}{
		{"limits-7 a child works for 60 rounds", &narrow{window: 9000, usage: true, script: swarmtest.Script{
			"lead": {swarmtest.Do(delegateTo("worker")), swarmtest.Do(awaitAll), swarmtest.Do(finish)}, "worker": looks(60, returning("looked"))}},
			9000, "go", 300, swarm.Completed, "", func(t *testing.T, n *narrow, recs []journal.Record) {
				for i := range recs {
					if m, ok := recs[i].Payload.(*journal.HistoryCompacted); ok && (recs[i].Scope.Invocation != "root/worker" || m.By != "summary") {
						t.Errorf("limits-7: %s compacted %+v", recs[i].Scope.Invocation, m)
					}
				}
				if n.refused > 0 || n.summaries < 3 {
					t.Errorf("limits-7: %d requests were too long, %d summaries", n.refused, n.summaries)
				}
			}},
		{"limits-11 the provider says that it is too long", &narrow{window: 9000, script: swarmtest.Script{"lead": looks(20, finish)}},
			0, "go", 600, swarm.Completed, "", func(t *testing.T, n *narrow, recs []journal.Record) {
				if n.refused == 0 || n.refused > 2 || len(payloads[*journal.HistoryCompacted](recs)) == 0 {
					t.Errorf("limits-11: refused %d times, %d compactions", n.refused, len(payloads[*journal.HistoryCompacted](recs)))
				}
				if m := payloads[*journal.ModelAttemptFailed](recs); m[0].Class != "context_overflow" || m[0].Window != 9000 {
					t.Errorf("limits-11: the attempt failed with %+v", m[0])
				}
			}},
		{"limits-11 and does not say what its window is", &narrow{window: 9000, silent: true, script: swarmtest.Script{"lead": looks(20, finish)}},
			0, "go", 600, swarm.Completed, "", func(t *testing.T, n *narrow, recs []journal.Record) {
				if n.refused == 0 || n.refused > 3 {
					t.Errorf("limits-11: refused %d times", n.refused)
				}
			}},
		{"limits-11 the second time it is an error", &narrow{window: 1, script: swarmtest.Script{"lead": looks(20, finish)}},
			0, "go", 600, swarm.Failed, "model.context_exhausted", func(t *testing.T, n *narrow, recs []journal.Record) {
				if n.refused > 3 {
					t.Errorf("limits-11: asked %d times", n.refused)
				}
			}},
		{"limits-4 the input alone is too long", &narrow{window: 8000, script: swarmtest.Script{"lead": {swarmtest.Say("as far as I came")}}},
			8000, strings.Repeat("word ", 12_000), 300, swarm.Partial, "model.context_exhausted", func(t *testing.T, n *narrow, recs []journal.Record) {
				if asked := payloads[*journal.ModelRequested](recs); len(asked) != 1 || !asked[0].Closing || n.refused > 0 {
					t.Errorf("limits-4: asked %d times, refused %d", len(asked), n.refused)
				}
			}},
		{"limits-6 the summariser fails", &narrow{window: 9000, script: swarmtest.Script{"lead": looks(30, finish)},
			summary: func() (*model.Answer, error) {
				return nil, &model.Error{Class: model.ClassTransient, Code: "model.http_500", Status: 500}
			}},
			9000, "go", 600, swarm.Completed, "", func(t *testing.T, n *narrow, recs []journal.Record) {
				ended := payloads[*journal.RunEnded](recs)[0]
				if len(ended.Warnings) != 1 || !strings.Contains(ended.Warnings[0], "root: context_summary_failed: ") || !strings.Contains(ended.Warnings[0], "model.http_500") {
					t.Errorf("limits-6: warnings %q", ended.Warnings)
				}
				for _, c := range payloads[*journal.HistoryCompacted](recs) {
					if c.By != "digest" || c.Code != "model.http_500" {
						t.Errorf("limits-6: %+v", c)
					}
				}
			}},
		{"limits-6 the summariser breaks", &narrow{window: 9000, script: swarmtest.Script{"lead": looks(30, finish)}, summary: func() (*model.Answer, error) { panic("no") }},
			9000, "go", 600, swarm.Completed, "", nil},
		{"limits-3 what is kept for the answer is larger than what is left", &narrow{window: 9000, script: swarmtest.Script{"lead": looks(1, finish)}},
			3000, "go", 300, swarm.Failed, "model.context_exhausted", func(t *testing.T, n *narrow, recs []journal.Record) {
				if asked := payloads[*journal.ModelRequested](recs); len(asked) != 0 {
					t.Errorf("limits-3: asked %d times", len(asked))
				}
			}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, windowScene(t, nil, row.model, row.tokens, new(sync.Map)))
			if row.window > 0 {
				b.sized(row.window)
			}
			res := b.run(row.input)
			recs := b.records(res.Run)
			if res.Outcome != row.outcome || res.Code != row.code {
				t.Fatalf("got %+v\n%s", res, b.dump(res.Run))
			}
			if row.check != nil {
				row.check(t, row.model, recs)
			}
			used := int64(0)
			for _, m := range payloads[*journal.ModelAnswered](recs) {
				if m.Usage.Input != nil {
					used += *m.Usage.Input
				}
			}
			for _, m := range payloads[*journal.HistoryCompacted](recs) {
				if m.Usage.Input != nil {
					used += *m.Usage.Input
				}
			}
			if got := res.Usage.Input; got != nil && *got != used || got == nil && used > 0 {
				t.Errorf("%v tokens are charged, %d were used", got, used)
			}
		})
	}
}

// The process dies at every append of a run that sweeps, compacts and overflows: it comes
// to the same end, every call runs at most as often as it may, and each request is valid.
func TestKillAroundCompaction(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		window int
		share  float64
	}{
		{"window", 9000, 0},
		{"overflow", 0, 0},
		{"sweep", 12_000, 0.2},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("durability-3/%s/stored=%t", row.name, stored), func(t *testing.T) {
				t.Parallel()
				n := 1
				for ; !t.Failed() && n < 400; n++ {
					if killedInWindow(t, row.window, row.share, n, stored) {
						break
					}
				}
				if n < 30 {
					t.Errorf("only %d appends", n)
				}
			})
		}
	}
}

// killedInWindow runs the scene and kills it at append n, then lets it go on. It reports
// whether the run had ended before append n.
func killedInWindow(t *testing.T, window int, share float64, n int, stored bool) bool {
	t.Helper()
	d, ran := new(memoryDisk), new(sync.Map)
	id := ""
	for _, at := range []int{n, 1 + n%4, 0} {
		st := d.open(t)
		crash := swarmtest.NewCrash(st, at, stored)
		m := &narrow{script: swarmtest.Script{"lead": looks(14, finish)}, window: 9000, usage: true}
		o := windowScene(t, crash, m, 600, ran)
		o.agents["lead"].HistoryShare = share
		b := setup(t, o)
		if window > 0 {
			m.window = int64(window)
			b.sized(window)
		}
		var r *swarm.Run
		var err error
		if id == "" {
			r, err = b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"})
		} else {
			r, err = b.rt.Resume(t.Context(), id, swarm.ResumeOptions{})
		}
		if err == nil {
			id = r.ID()
			_, err = b.rests(r)
		}
		if code := fault.Code(err); err != nil && code != "journal.append_failed" && code != "journal.ended" {
			t.Fatalf("append %d: the run stopped: %v", n, err)
		}
		b.close()
		if runs, _ := st.Runs(context.Background()); len(runs) > 0 {
			id = runs[0].Run
		}
		for _, f := range b.reqs.Faults() {
			t.Errorf("append %d: request: %s", n, f)
		}
		d.close(st)
		if at == n && crash.Appends() < n {
			windowEnded(t, d, id, row(window, share))
			return true
		}
	}
	windowEnded(t, d, id, row(window, share))
	return false
}

// row says which records the scene has.
func row(window int, share float64) journal.Type {
	if share > 0 {
		return journal.TResultsSwept
	}
	return journal.THistoryCompacted
}

func windowEnded(t *testing.T, d disk, id string, typ journal.Type) {
	t.Helper()
	st := d.open(t)
	defer d.close(st)
	recs, err := st.Read(context.Background(), id, journal.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range journal.Verify(recs) {
		t.Errorf("journal: %s", f)
	}
	ended := payloads[*journal.RunEnded](recs)
	if len(ended) != 1 || ended[0].Outcome != journal.Completed {
		t.Errorf("the run ended %+v", ended)
	}
	seen, compacted := 0, 0
	for i := range recs {
		switch recs[i].Type() {
		case typ:
			seen++
		case journal.TCallSettled:
			compacted++
		}
	}
	if seen == 0 || compacted != 15 {
		t.Errorf("%d records of type %s, %d calls", seen, typ, compacted)
	}
}

// A summary of the model that the profile names, which the team has to know.
func TestCompactionModelOfTheTeam(t *testing.T) {
	t.Parallel()
	n := &narrow{script: swarmtest.Script{"lead": looks(20, finish)}, window: 9000}
	small := &narrow{}
	o := windowScene(t, nil, n, 600, new(sync.Map))
	o.agents["lead"].CompactionModel = "small"
	o.opts = func(s *swarm.Options) { s.Providers["small"] = small }
	b := setup(t, o)
	b.sized(9000)
	if res := b.run("go"); res.Outcome != swarm.Completed || n.summaries != 0 || small.summaries == 0 {
		t.Errorf("got %+v, %d and %d summaries", res, n.summaries, small.summaries)
	}
	o = windowScene(t, nil, n, 600, new(sync.Map))
	o.agents["lead"].CompactionModel = "nobody"
	b = setup(t, o)
	if _, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "go"}); fault.Code(err) != "config.invalid" || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("started: %v", err)
	}
}

// The window of a model is what the team says, else that of a known model, else that of
// its provider.
func TestWindowOfModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		model  config.Model
		window int // 0: no bound is known
	}{
		{"the team says", config.Model{Provider: "scripted", Model: "gpt-4o", Window: 4000}, 4000},
		{"a known model", config.Model{Provider: "openai", Model: "gpt-4o"}, 128_000},
		{"the team knows better", config.Model{Provider: "openai", Model: "gpt-4o", Window: 5000}, 5000},
		{"nobody knows", config.Model{Provider: "openai", Model: "mine"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := &narrow{script: swarmtest.Script{"lead": looks(0, finish)}}
			b := setup(t, windowScene(t, nil, n, 1, new(sync.Map)))
			b.team.Models["default"] = row.model
			size := max(row.window, 100_000) + 3000
			res := b.run(strings.Repeat("word ", size*4/5)) // longer than the window in any case
			if closed := payloads[*journal.TurnClosed](b.records(res.Run)); (len(closed) > 0) != (row.window > 0) {
				t.Errorf("got %+v, closed %+v", res, closed)
			}
		})
	}
}
