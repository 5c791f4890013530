package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// exported gives the values of all series by name and labels; a histogram counts as the
// number of what it has seen.
func exported(t testing.TB, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				if l.GetValue() != "" {
					labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
				}
			}
			key := f.GetName()
			if len(labels) > 0 {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case m.GetHistogram() != nil:
				out[key] = float64(m.GetHistogram().GetSampleCount())
			case m.GetGauge() != nil:
				out[key] = m.GetGauge().GetValue()
			default:
				out[key] = m.GetCounter().GetValue()
			}
		}
	}
	return out
}

// differences compares series with lines of "NAME{LABELS} VALUE"; one that is not there is 0.
func differences(got map[string]float64, lines string) []string {
	var out []string
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			continue
		}
		if have := fmt.Sprint(got[line[:at]]); have != line[at+1:] {
			out = append(out, fmt.Sprintf("%s is %s, want %s", line[:at], have, line[at+1:]))
		}
	}
	return out
}

// counted compares series as they are.
func counted(t testing.TB, got map[string]float64, lines string) {
	t.Helper()
	for _, d := range differences(got, lines) {
		t.Error(d)
	}
}

// becomes scrapes until the series are as they should be: a mailbox may still hold what
// leads to it.
func becomes(t testing.TB, g prometheus.Gatherer, lines string) {
	t.Helper()
	end := time.Now().Add(patience)
	for d := differences(exported(t, g), lines); len(d) > 0; d = differences(exported(t, g), lines) {
		if time.Now().After(end) {
			t.Fatal(strings.Join(d, "\n"))
		}
		runtime.Gosched()
	}
}

// withMetrics has the series of a runtime in a registry of the test.
func withMetrics(reg *prometheus.Registry) func(*swarm.Options) {
	return func(o *swarm.Options) { o.Registerer = reg }
}

func TestSeriesOfADelegation(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	b := setup(t, setupOptions{
		agents: map[string]*agent.Profile{"lead": parent(), "critic": child()},
		script: byUsage(swarmtest.Script{
			"lead": {
				swarmtest.Do(delegateTo("critic"), awaitAll, swarmtest.Call("no_such_tool", ``), write("output/a.md", "x")),
				swarmtest.Say("hm"),
				swarmtest.Do(finish),
			},
			"critic": {swarmtest.Do(nothing, read("missing.md")), swarmtest.Do(returning("fine"))},
		}),
		opts: withMetrics(reg),
	})
	res := b.run("go")
	b.outcome(res, "completed", "")
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	listed := map[string]bool{}
	for _, s := range swarm.ExportedSeries() {
		listed[s.Name] = true
	}
	got := exported(t, reg)
	for key := range got { // each is looked at
		if name, _, _ := strings.Cut(key, "{"); !listed[name] {
			t.Errorf("%s is exported and not listed", key)
		}
	}
	counted(t, got, `
		swarm_runs_started_total{team="test"} 1
		swarm_run_duration_seconds{outcome="completed",team="test"} 1
		swarm_invocations_ended_total{agent="lead",kind="root",outcome="completed"} 1
		swarm_invocations_ended_total{agent="critic",kind="child",outcome="completed"} 1
		swarm_invocations{agent="lead",state="running"} 0
		swarm_turns_total{agent="lead",kind="root",outcome="calls"} 2
		swarm_turns_total{agent="lead",kind="root",outcome="text"} 1
		swarm_turns_total{agent="critic",kind="child",outcome="calls"} 2
		swarm_tasks_total{agent="critic",outcome="completed"} 1
		swarm_task_duration_seconds{agent="critic",outcome="completed"} 1
		swarm_task_queue_seconds{agent="critic"} 1
		swarm_pool_members{state="queued"} 0
		swarm_tool_calls_total{outcome="completed",source="builtin",tool="builtin:agent.delegate"} 1
		swarm_tool_calls_total{outcome="completed",source="builtin",tool="builtin:workspace.write_file"} 1
		swarm_tool_call_duration_seconds{outcome="completed",source="builtin",tool="builtin:workspace.write_file"} 1
		swarm_tool_calls_total{outcome="refused",source="unknown",tool="unknown"} 1
		swarm_tool_calls_total{outcome="failed",source="builtin",tool="builtin:workspace.read_file"} 1
		swarm_tool_calls_in_flight{effect="write",tool="builtin:workspace.write_file"} 0
		swarm_gate_wait_seconds{gate="ws",mode="write"} 1
		swarm_gate_wait_seconds{gate="ws",mode="read"} 2
		swarm_model_requests_total{model="script",outcome="completed",provider="scripted"} 5
		swarm_model_request_duration_seconds{model="script",outcome="completed",provider="scripted"} 5
		swarm_model_tokens_total{model="script",provider="scripted",type="input"} 50
		swarm_model_tokens_total{model="script",provider="scripted",type="output"} 10
		gen_ai_client_operation_duration_seconds{gen_ai_operation_name="chat",gen_ai_provider_name="scripted",gen_ai_request_model="script"} 5
		gen_ai_client_token_usage{gen_ai_operation_name="chat",gen_ai_provider_name="scripted",gen_ai_request_model="script",gen_ai_token_type="input"} 5
		swarm_journal_records_total{type="run_created"} 1
		swarm_journal_records_total{type="task_ended"} 1
	`)
	if n := sum(got, "swarm_journal_records_total"); n != float64(len(b.records(res.Run))) {
		t.Errorf("%v records were counted, the journal has %d", n, len(b.records(res.Run)))
	}
}

// byUsage has every answer of a model report ten tokens read and two written.
func byUsage(p model.Provider) model.Provider {
	return model.Func(func(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
		a, err := p.Answer(ctx, req, preview)
		if a != nil {
			a.Usage = tokens(10, 2)
		}
		return a, err
	})
}

// sum adds up all series of a name.
func sum(got map[string]float64, name string) float64 {
	n := 0.0
	for key, v := range got { // a sum
		if key == name || strings.HasPrefix(key, name+"{") {
			n += v
		}
	}
	return n
}

// While a run is at work its gauges say so, and when it has gone they say nothing more.
func TestGaugesOfARunAtWork(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	hold := newHolder(t, "hold", false)
	store := letting{memory(), make(chan string, 8)}
	b := setup(t, setupOptions{
		store:  store,
		agents: map[string]*agent.Profile{"lead": {Delegation: agent.Delegation{CanDelegate: true, MaxRunning: 1}}, "kid": child()},
		script: swarmtest.Script{
			"lead": {swarmtest.Do(delegateTo("kid"), delegateTo("kid"), awaitAll), swarmtest.Do(finish)},
			"kid":  {swarmtest.Do(use("hold", ""), use("hold", "")), swarmtest.Do(returning("x"))},
		},
		tools: []swarm.Tool{hold.tool}, opts: withMetrics(reg),
	})
	r := b.start("go")
	recv(t, hold.begun)
	becomes(t, reg, `
		swarm_runs_active{team="test"} 1
		swarm_invocations{agent="lead",state="waiting_children"} 1
		swarm_invocations{agent="kid",state="running"} 1
		swarm_pool_members{state="running"} 1
		swarm_pool_members{state="queued"} 1
		swarm_tool_calls_in_flight{effect="write",tool="extension/go:hold"} 2
		swarm_tool_calls_in_flight{effect="read",tool="builtin:agent.await"} 1
		swarm_gate_queue{gate="extension/go",mode="write"} 1
	`)
	if err := b.rt.Pause(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	close(hold.let)
	b.outcome(b.wait(r), "paused", "")
	recv(t, store.gone)
	got := exported(t, reg)
	for key, v := range got { // each is looked at
		name, _, _ := strings.Cut(key, "{")
		if slices.Contains([]string{"swarm_runs_active", "swarm_invocations", "swarm_pool_members", "swarm_tool_calls_in_flight", "swarm_gate_queue"}, name) && v != 0 {
			t.Errorf("%s is %v after the run has gone", key, v)
		}
	}
	counted(t, got, `
		swarm_runs_started_total{team="test"} 1
		swarm_runs_ended_total{outcome="paused",team="test"} 1
		swarm_drain_seconds 1
	`)
	b.outcome(b.wait(b.resume(r.ID())), "completed", "")
	recv(t, store.gone)
	got = exported(t, reg)
	counted(t, got, `
		swarm_runs_started_total{team="test"} 2
		swarm_runs_ended_total{outcome="completed",team="test"} 1
		swarm_runs_active{team="test"} 0
		swarm_recovered_calls_total{class="settled"} 3
		swarm_tasks_total{agent="kid",outcome="completed"} 2
	`)
	if n := sum(got, "swarm_journal_records_total"); n != float64(len(b.records(r.ID()))) {
		t.Errorf("%v records were counted, the journal has %d", n, len(b.records(r.ID())))
	}
}

// letting is a store that tells when a run was let go: its actor has gone before.
type letting struct {
	journal.Store
	gone chan string
}

// Release implements [journal.Store].
func (l letting) Release(ctx context.Context, run string, epoch int64) error {
	err := l.Store.Release(ctx, run, epoch)
	l.gone <- run
	return err
}

// What was counted by a process that died is not counted again by the one that resumes.
func TestNothingIsCountedTwice(t *testing.T) {
	t.Parallel()
	mem := memory()
	ran := &counter{}
	script := swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("count", ``)), swarmtest.Do(finish)}}
	reg := prometheus.NewRegistry()
	dying := letting{killOn(mem, ofType(journal.TCallSettled, 1), false), make(chan string, 1)}
	first := setup(t, setupOptions{script: script, tools: []swarm.Tool{ran.tool(t, "count")}, opts: withMetrics(reg), store: dying})
	r := first.start("go")
	_, _ = first.rests(r)
	recv(t, dying.gone)
	counted(t, exported(t, reg), `
		swarm_runs_active{team="test"} 0
		swarm_runs_ended_total{outcome="failed",team="test"} 1
		swarm_invocations{agent="root",state="running"} 0
		swarm_tool_calls_in_flight{effect="write",tool="extension/go:count"} 0
	`)
	first.dies(r)
	reg = prometheus.NewRegistry()
	second := setup(t, setupOptions{script: script, tools: []swarm.Tool{ran.tool(t, "count")}, opts: withMetrics(reg), store: reborn(mem)})
	before := len(second.records(r.ID()))
	second.outcome(second.wait(second.resume(r.ID())), "completed", "")
	got := exported(t, reg)
	counted(t, got, `
		swarm_recovered_calls_total{class="unknown"} 1
		swarm_tool_calls_total{outcome="unknown",source="extension/go",tool="extension/go:count"} 1
		swarm_turns_total{agent="root",kind="root",outcome="calls"} 1
		swarm_runs_started_total{team="test"} 1
	`)
	if n := sum(got, "swarm_journal_records_total"); n != float64(len(second.records(r.ID()))-before) {
		t.Errorf("%v records were counted, %d were there before and %d are now", n, before, len(second.records(r.ID())))
	}
}

// Hostile names: whatever a model invents and whatever a configuration holds, the number of
// series stays within bounds.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	const goTools, invented, agents, batch = 300, 1000, 30, 100
	var tools []swarm.Tool
	var mine []model.AnswerCall
	for i := range goTools {
		name := fmt.Sprintf("tool_%d", i)
		tools = append(tools, goTool(t, name, func(context.Context, none) (string, error) { return "ok", nil }, tooling.ReadOnly(), tooling.Gate("")))
		mine = append(mine, swarmtest.Call(name, ``))
	}
	var turns []swarmtest.Turn
	for i := 0; i < len(mine); i += batch {
		turns = append(turns, swarmtest.Do(mine[i:i+batch]...))
	}
	for i := 0; i < invented; i += batch {
		var calls []model.AnswerCall
		for j := range batch {
			calls = append(calls, swarmtest.Call(fmt.Sprintf("run_%d\xff\n{}=\"/etc\"", i+j), ``))
		}
		turns = append(turns, swarmtest.Do(calls...), swarmtest.Do(mine[0]))
	}
	profiles := map[string]*agent.Profile{"root": {Delegation: agent.Delegation{CanDelegate: true, MaxChildren: agents}, MaxCalls: 1 << 20, MaxCallsPerTurn: batch, Rounds: 1 << 20, StallStop: 1 << 20}}
	script := swarmtest.Script{}
	for i := range agents {
		id := fmt.Sprintf("a%d-%s", i, strings.Repeat("x", 58))
		profiles[id] = child()
		turns = append(turns, swarmtest.Do(delegateTo(id)))
		script[id] = []swarmtest.Turn{swarmtest.Do(returning("x"))}
	}
	script["root"] = append(turns, swarmtest.Do(awaitAll), swarmtest.Do(finish))
	reg := prometheus.NewRegistry()
	b := setup(t, setupOptions{agents: profiles, script: script, tools: tools, opts: withMetrics(reg)})
	b.team.Name = "t\xff" + strings.Repeat("é", 500)
	b.outcome(b.run("go"), "completed", "")
	got := exported(t, reg)
	perName := map[string]int{}
	for key := range got { // counted
		name, _, _ := strings.Cut(key, "{")
		perName[name]++
		if strings.Contains(key, `="run_`) && !strings.HasPrefix(key, "swarm_journal_records_total") || strings.Contains(key, "/etc") || strings.Contains(key, "task_1") {
			t.Errorf("a name that a model or the runtime made up is a label: %s", key)
		}
	}
	for name, most := range map[string]int{"swarm_tool_calls_total": 2*200 + 20, "swarm_invocations": 8 * (agents + 1), "swarm_turns_total": 4 * (agents + 1), "swarm_runs_ended_total": 1} {
		if n := perName[name]; n > most {
			t.Errorf("%d series of %s, at most %d are allowed", n, name, most)
		}
	}
	counted(t, got, `
		swarm_tool_calls_total{outcome="completed",source="other",tool="other"} 100
		swarm_tool_calls_total{outcome="refused",source="unknown",tool="unknown"} 1000
	`)
	if total := len(got); total > 1500 {
		t.Errorf("%d series in all", total)
	}
}

func TestOneRegistererOneRuntime(t *testing.T) {
	t.Parallel()
	e := swarm.NewExporter()
	part := func(name string) swarm.Options {
		return swarm.Options{Registerer: prometheus.WrapRegistererWith(prometheus.Labels{"part": name}, e.Registerer())}
	}
	first, err := swarm.Open(t.Context(), part("one"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = swarm.Open(t.Context(), part("one"))
	if !errors.Is(err, &swarm.Error{Code: "metrics.registered"}) || !strings.Contains(err.Error(), "WrapRegistererWith") {
		t.Errorf("got %v", err)
	}
	second, err := swarm.Open(t.Context(), part("two"))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(e.Handler())
	defer srv.Close()
	if body := get(t, srv.URL+"/metrics"); !strings.Contains(body, `part="one"`) || !strings.Contains(body, `part="two"`) {
		t.Error(body)
	}
	if body := get(t, srv.URL+"/healthz"); body != "ok\n" {
		t.Error(body)
	}
	for _, rt := range []*swarm.Runtime{first, second} {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if body := get(t, srv.URL+"/metrics"); strings.Contains(body, "swarm_") {
		t.Errorf("series are left: %s", body)
	}
	again, err := swarm.Open(t.Context(), part("one"))
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	if err := again.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// The document lists every series as it is exported, and names no other one.
func TestDocumentListsTheSeries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	known := map[string]bool{}
	for _, s := range swarm.ExportedSeries() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |", s.Name, s.Type, strings.Join(s.Labels, ", "), s.Help)
		if !strings.Contains(doc, "\n"+row+"\n") {
			t.Errorf("the row is missing: %s", row)
		}
		known[s.Name] = true
		for _, label := range s.Labels {
			known[label] = true
		}
		if s.Type == "histogram" {
			known[s.Name+"_bucket"], known[s.Name+"_sum"], known[s.Name+"_count"] = true, true, true
		}
	}
	for _, name := range regexp.MustCompile(`\b(swarm|gen_ai)_[a-z_]+[a-z]\b`).FindAllString(doc, -1) {
		if !known[name] {
			t.Errorf("%s is not exported", name)
		}
	}
}
