package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var t0 = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// testBundle is a registry with the series of a runtime, and one run that is told records.
type testBundle struct {
	t   testing.TB
	m   *Metrics
	reg *prometheus.Registry
	now time.Time
	run *Run
	seq int64
	all []journal.Record
}

func setup(t testing.TB) *testBundle {
	t.Helper()
	b := &testBundle{t: t, reg: prometheus.NewRegistry(), now: t0}
	b.m = New(Options{Version: "1.2.3", Now: func() time.Time { return b.now }})
	if err := b.m.Register(b.reg); err != nil {
		t.Fatal(err)
	}
	b.run = b.m.Run("team")
	return b
}

// fact is a payload with its scope and how long after the one before it happened.
type fact struct {
	inv, task, call string
	after           time.Duration
	p               journal.Payload
}

// tell gives the run facts as one append.
func (b *testBundle) tell(facts ...fact) {
	b.t.Helper()
	from := len(b.all)
	for _, f := range facts {
		b.seq++
		b.now = b.now.Add(f.after)
		b.all = append(b.all, journal.Record{V: 1, Run: "run_x", Epoch: 1, Seq: b.seq, Prev: b.seq - 1, At: b.now,
			Scope: journal.Scope{Invocation: f.inv, Task: f.task, Call: f.call}, Payload: f.p})
	}
	b.run.Recorded(b.all[from:])
}

// values gives all series; a histogram is its count, and the sum beside it.
func (b *testBundle) values() map[string]string {
	b.t.Helper()
	families, err := b.reg.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				if l.GetValue() != "" {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			key := strings.TrimPrefix(f.GetName(), "swarm_")
			if len(labels) > 0 {
				key += " " + strings.Join(labels, " ")
			}
			switch h := m.GetHistogram(); {
			case h != nil:
				out[key] = fmt.Sprintf("%d/%v", h.GetSampleCount(), h.GetSampleSum())
			case m.GetGauge() != nil:
				out[key] = fmt.Sprint(m.GetGauge().GetValue())
			default:
				out[key] = fmt.Sprint(m.GetCounter().GetValue())
			}
		}
	}
	return out
}

// want compares series with lines of "NAME LABEL=VALUE … VALUE"; "none" is one that is not there.
func (b *testBundle) want(lines string) {
	b.t.Helper()
	got := b.values()
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			continue
		}
		have, ok := got[line[:at]]
		if !ok {
			have = "none"
		}
		if have != line[at+1:] {
			b.t.Errorf("%s is %s, want %s", line[:at], have, line[at+1:])
		}
	}
}

// root makes the first facts of a run.
func root() []fact {
	return []fact{
		{p: &journal.RunCreated{Name: "team"}},
		{p: &journal.RunStarted{}},
		{inv: "root", p: &journal.InvocationCreated{Path: "root", Kind: "root", Profile: "lead"}},
	}
}

// asks makes the facts of an answer with calls of tools, each allowed.
func asks(inv, task string, tools ...string) []fact {
	out := []fact{
		{inv: inv, task: task, p: &journal.ModelRequested{Provider: "openai", Model: "m"}},
		{inv: inv, task: task, p: &journal.ModelAnswered{Calls: len(tools)}},
	}
	for _, tool := range tools {
		key := inv + " " + tool
		out = append(out,
			fact{inv: inv, task: task, call: key, p: &journal.CallRequested{Tool: tool, Class: "read"}},
			fact{inv: inv, task: task, call: key, p: &journal.CallChecked{Decision: "allow"}})
	}
	return out
}

func settles(inv, task, tool string, outcome journal.Outcome) fact {
	return fact{inv: inv, task: task, call: inv + " " + tool, p: &journal.CallSettled{Outcome: outcome, Dispatched: true, Duration: time.Second}}
}
