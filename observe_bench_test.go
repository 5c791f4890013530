package swarm_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// BenchmarkTurn measures one turn with one call, in runs of a thousand turns, with nobody
// who counts and with a registerer.
func BenchmarkTurn(b *testing.B) {
	for _, row := range []struct {
		name string
		reg  prometheus.Registerer
	}{{"alone", nil}, {"counted", prometheus.NewRegistry()}} {
		b.Run(row.name, func(b *testing.B) { turnsWith(b, row.reg) })
	}
}

func turnsWith(b *testing.B, reg prometheus.Registerer) {
	const length = 1000
	turns := 0
	args := json.RawMessage(`{"who":"0123456789abcdef0123456789abcdef"}`)
	in, out := int64(1000), int64(50)
	provider := model.Func(func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		a := &model.Answer{Finish: model.FinishCalls, Calls: make([]model.AnswerCall, 1)}
		a.Usage.Input, a.Usage.Output = &in, &out
		if a.Calls[0] = (model.AnswerCall{Name: "echo", Args: args}); req.Turn > turns {
			a.Calls[0] = finish
		}
		return a, nil
	})
	echo := goTool(b, "echo", func(_ context.Context, in map1) (string, error) { return in.Who, nil }, tooling.ReadOnly(), tooling.Gate(""))
	rt, err := swarm.Open(b.Context(), swarm.Options{Providers: map[string]model.Provider{"default": provider}, Tools: []swarm.Tool{echo}, Registerer: reg})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := rt.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	const boundless = math.MaxInt32
	team := &swarm.Team{Version: 1, Name: "bench", Entry: "a", Agents: map[string]*agent.Profile{
		"a": {ID: "a", Rounds: boundless, MaxCalls: boundless, StallNote: boundless, StallStop: boundless}}}
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= length {
		turns = min(left, length)
		r, err := rt.Start(b.Context(), team, swarm.Input{Text: "go"})
		if err != nil {
			b.Fatal(err)
		}
		if res, err := r.Wait(b.Context()); err != nil || res.Outcome != "completed" {
			b.Fatalf("%+v %v", res, err)
		}
	}
}
