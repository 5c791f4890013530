package metrics

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want string }{
		{"plain", "lead", "lead"},
		{"empty", "", "unknown"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
		{"long", strings.Repeat("é", 300), strings.Repeat("é", maxValue)},
	} {
		if got := clean(row.in); got != row.want || !utf8.ValidString(got) {
			t.Errorf("%s: %q", row.name, got)
		}
	}
	n := names{max: 2}
	got := []string{n.label("a"), n.label("b"), n.label("c"), n.label("a"), n.label("d")}
	if fmt.Sprint(got) != "[a b other a other]" {
		t.Error(got)
	}
}

// Values that come from a configuration without end come to an end.
func TestManyNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 1200 {
		b.m.Run(fmt.Sprintf("team%d", i))
		b.m.agent(fmt.Sprintf("agent%d", i)).state(isRunning)
		b.m.tool(fmt.Sprintf("extension/go:tool%d", i)).call(0)
		b.m.tool(fmt.Sprintf("builtin:tool%d", i)).call(0)
		b.m.model("openai", fmt.Sprintf("m%d", i)).answered(0, time.Second)
		b.m.handoff(fmt.Sprintf("a%d", i), "b")
		b.m.gate(fmt.Sprintf("gate%d", i))
		b.m.recordsOf(journal.Type(fmt.Sprintf("type%d", i)))
	}
	perName := map[string]int{}
	for key := range b.values() { // counted
		name, _, _ := strings.Cut(key, " ")
		perName[name]++
	}
	for name, want := range map[string]int{"runs_active": maxTeams + 1, "invocations": maxAgents + 1, "tool_calls_total": maxTools + maxBuiltins + 1,
		"model_requests_total": maxModels + 1, "handoffs_total": maxHandoffs + 1, "gate_queue": 2 * (maxGates + 1), "journal_records_total": maxTypes + 1} {
		if perName[name] != want {
			t.Errorf("%d series of %s, want %d", perName[name], name, want)
		}
	}
}

// The lengths of the arrays of series fit the sets that index them.
func TestSetsFitTheirArrays(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		s    set
		n    int
	}{{"outcomes", outcomes, nOutcomes}, {"kinds", kinds, nKinds}, {"states", states, nStates}, {"turns", turns, nTurns}, {"effects", effects, nEffects},
		{"tokens", tokens, nTokens}, {"classes", classes, nClasses}, {"reasons", reasons, nReasons}, {"members", members, nMembers}} {
		if len(row.s) != row.n {
			t.Errorf("%s has %d values and its arrays %d", row.name, len(row.s), row.n)
		}
	}
	for _, row := range []struct {
		s     set
		at    int
		value string
	}{{outcomes, isRefused, "refused"}, {states, isCreated, "created"}, {states, isRunning, "running"}, {states, isChildren, "waiting_children"},
		{states, isSlot, "waiting_slot"}, {states, isLimiter, "waiting_limiter"}, {states, isClosing, "closing"}, {effects, isNone, "none"}, {classes, isCompleted, "completed"}} {
		if row.s[row.at] != row.value {
			t.Errorf("%s stands where %s is looked for", row.s[row.at], row.value)
		}
	}
}

// All lists exactly what is described, and a registry takes it.
func TestAllIsWhatIsDescribed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ch := make(chan *prometheus.Desc, 1000)
	b.m.Describe(ch)
	close(ch)
	n := 0
	for range ch {
		n++
	}
	seen := map[string]bool{}
	for _, s := range All() {
		if seen[s.Name] || s.Help == "" || !strings.HasSuffix(s.Help, ".") {
			t.Errorf("%+v", s)
		}
		seen[s.Name] = true
	}
	if n != len(All()) || n < 40 {
		t.Errorf("%d are described and %d listed", n, len(All()))
	}
}

func TestRegisteredTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := New(Options{})
	if err := other.Register(b.reg); fault.Code(err) != "metrics.registered" {
		t.Errorf("got %v", err)
	}
	other.Unregister() // was never registered: takes nothing back
	if len(b.values()) == 0 {
		t.Error("the series of another runtime have gone")
	}
	b.m.Unregister()
	if err := other.Register(b.reg); err != nil {
		t.Error(err)
	}
}

// provide is a provider that does what a test says.
type provide func(preview func(model.Delta)) (*model.Answer, error)

func (p provide) Answer(_ context.Context, _ *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	return p(preview)
}

func (provide) Capabilities(string) model.Capabilities { return model.Capabilities{Window: 7} }

func TestRequestsOfModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer provide
		ended  bool
		want   string
	}{
		{"answered", func(func(model.Delta)) (*model.Answer, error) { return &model.Answer{}, nil }, false, `
			model_requests_total model=m outcome=completed provider=openai 1
			model_request_duration_seconds model=m outcome=completed provider=openai 1/2
			gen_ai_client_operation_duration_seconds gen_ai_operation_name=chat gen_ai_provider_name=openai gen_ai_request_model=m 1/2
			model_first_token_seconds model=m provider=openai none`},
		{"in pieces", func(preview func(model.Delta)) (*model.Answer, error) {
			preview(model.Delta{Reset: true})
			preview(model.Delta{Text: "a"})
			preview(model.Delta{Text: "b"})
			return &model.Answer{}, nil
		}, false, "model_first_token_seconds model=m provider=openai 1/1"},
		{"refused", func(func(model.Delta)) (*model.Answer, error) { return nil, &model.Error{Class: model.ClassRate} }, false, `
			model_requests_total model=m outcome=rate_limited provider=openai 1
			gen_ai_client_operation_duration_seconds error_type=rate_limited gen_ai_operation_name=chat gen_ai_provider_name=openai gen_ai_request_model=m 1/2`},
		{"a class of a newer program", func(func(model.Delta)) (*model.Answer, error) { return nil, &model.Error{Class: "tired"} }, false,
			"model_requests_total model=m outcome=failed provider=openai 1"},
		{"another error", func(func(model.Delta)) (*model.Answer, error) { return nil, errors.New("x") }, false, "model_requests_total model=m outcome=failed provider=openai 1"},
		{"neither", func(func(model.Delta)) (*model.Answer, error) { return nil, nil }, false, "model_requests_total model=m outcome=failed provider=openai 1"},
		{"cancelled", func(func(model.Delta)) (*model.Answer, error) { return nil, context.Canceled }, true, "model_requests_total model=m outcome=cancelled provider=openai 1"},
		{"panics", func(func(model.Delta)) (*model.Answer, error) { panic("boom") }, false, "model_requests_total model=m outcome=failed provider=openai 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			shown := 0
			p := b.m.Provider(provide(func(preview func(model.Delta)) (*model.Answer, error) {
				b.now = b.now.Add(time.Second)
				defer func() { b.now = b.now.Add(time.Second) }()
				return row.answer(preview)
			}), "openai", "m")
			if p.Capabilities("").Window != 7 {
				t.Error("the capabilities are not those of the provider")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.ended {
				cancel()
			}
			func() {
				defer func() { _ = recover() }() // a panic goes on to whoever asked
				_, _ = p.Answer(ctx, &model.Request{}, func(model.Delta) { shown++ })
			}()
			b.want(row.want)
			if row.name == "in pieces" && shown != 3 {
				t.Errorf("%d pieces were shown", shown)
			}
		})
	}
}

func TestTokensAndRetries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tell(root()...)
	in, out, bad, lost, cost := int64(100), int64(20), int64(-1), int64(7), int64(5e8)
	b.tell(fact{inv: "root", p: &journal.ModelRequested{Provider: "openai", Model: "m"}},
		fact{inv: "root", p: &journal.ModelAttemptFailed{Class: "overloaded"}},
		fact{inv: "root", p: &journal.ModelAttemptFailed{Class: "text of a server", Usage: journal.Usage{Requests: 1, Input: &lost, Cost: &cost}}},
		fact{inv: "root", p: &journal.ModelAnswered{Usage: journal.Usage{Input: &in, Output: &out, CacheRead: &bad}}},
		fact{inv: "root", p: &journal.ModelFailed{Usage: journal.Usage{Requests: 1, Input: &lost, Cost: &cost}}})
	b.want(`
		model_cost_usd_total agent=lead model=m provider=openai 1
		model_tokens_total model=m provider=openai type=input 114
		model_tokens_total model=m provider=openai type=output 20
		model_tokens_total model=m provider=openai type=cache_read none
		gen_ai_client_token_usage gen_ai_operation_name=chat gen_ai_provider_name=openai gen_ai_request_model=m gen_ai_token_type=input 3/114
		model_retries_total provider=openai reason=overloaded 1
		model_retries_total provider=openai reason=failed 1
		turns_total agent=lead kind=root outcome=text 1
		turns_total agent=lead kind=root outcome=failed 1`)
}

// What a gate leaves in its queue is taken back with its run, or by the gate that follows.
func TestGate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.run.Gate("ws")
	g.Queued(actors.Write, 2)
	g.Queued(actors.Write, -1)
	g.Granted(actors.Write, 3*time.Second)
	b.want("gate_queue gate=ws mode=write 1\ngate_queue gate=ws mode=read 0\ngate_wait_seconds gate=ws mode=write 1/3")
	b.run.Gate("ws")
	b.want("gate_queue gate=ws mode=write 0")
	g.Queued(actors.Read, 1)
	b.run.Closed("completed", "")
	b.want("gate_queue gate=ws mode=read 0")
}

func TestFlushes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.m.Flushed(3, 4000, 2*time.Millisecond)
	b.want("journal_append_seconds 1/0.002\njournal_batch_records 1/3\njournal_bytes_total 4000")
}

// The engine's numbers are read at the scrape.
func TestEngine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.want("actors kind=worker none\nbuild_info go=" + runtime.Version() + " version=1.2.3 1")
	sys := actors.New(actors.Options{Rand: func() float64 { return 0 }})
	defer sys.Shutdown(context.Background())
	b.m.Watch(sys)
	b.m.remade.Store(2)
	made := make(chan int, 4)
	ref, err := sys.Spawn(actors.Spec{Name: "w", Kind: "worker", Life: actors.Transient, New: func() actors.Actor {
		return actors.Func(func(c *actors.Context, msg any) {
			switch m := msg.(type) {
			case actors.Started:
				made <- m.Incarnation
			case string:
				panic("boom /etc/passwd")
			case actors.Request:
				m.Reply.Ok(nil)
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-made
	sys.Tell(ref, "fail")
	<-made
	sys.Tell(actors.Ref{}, "nobody")
	if _, err := sys.Ask(t.Context(), ref, "hello", time.Minute); err != nil {
		t.Fatal(err)
	}
	_, _ = sys.Ask(t.Context(), ref, "hello", 0) // too late by itself
	b.want(`
		actors kind=worker 1
		actor_restarts_total kind=worker 1
		actor_restarts_total kind=invocation 2
		actor_failures_total kind=worker 1
		actor_escalations_total kind=worker 0
		mailbox_length kind=worker 0
		asks_total outcome=answered 1
		asks_total outcome=deadline 1
		asks_open 0
		undelivered_total reason=nobody 1
		effects_leaked 0`)
	for key := range b.values() {
		if strings.Contains(key, "boom") {
			t.Errorf("the reason of a panic is a label: %s", key)
		}
	}
}
