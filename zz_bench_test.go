package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{100, 1000, 4000} {
		for _, dur := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/durable=%v", n, dur), func(b *testing.B) {
				args := json.RawMessage(`{"text":"0123456789abcdef0123456789abcdef"}`)
				calls := []model.AnswerCall{{Name: "echo", Args: args}}
				p := model.Func(func(_ context.Context, r *model.Request, _ func(model.Delta)) (*model.Answer, error) {
					if r.Turn > n {
						return &model.Answer{Calls: []model.AnswerCall{{Name: "workspace_finish"}}, Finish: model.FinishCalls}, nil
					}
					return &model.Answer{Calls: calls, Finish: model.FinishCalls}, nil
				})
				echo, err := tooling.NewGoTool("echo", "echo", func(_ context.Context, in struct {
					Text string `json:"text"`
				}) (string, error) {
					return in.Text, nil
				}, tooling.ReadOnly(), tooling.Gate(""))
				if err != nil {
					b.Fatal(err)
				}
				o := swarm.Options{Tools: []swarm.Tool{echo}, Providers: map[string]model.Provider{"default": p}, Store: journal.NewMemory(journal.MemoryOptions{})}
				if dur {
					o.Store, o.Dir = nil, b.TempDir()
				}
				rt, err := swarm.Open(context.Background(), o)
				if err != nil {
					b.Fatal(err)
				}
				defer rt.Close(context.Background())
				team := &swarm.Team{Version: 1, Name: "t", Entry: "a", Agents: map[string]*agent.Profile{"a": {Rounds: 1 << 30, MaxCalls: 1 << 30, StallStop: 1 << 30}}, Models: map[string]config.Model{"default": {Provider: "scripted"}}}
				b.ReportAllocs()
				b.ResetTimer()
				for i := 0; i < b.N; i += n {
					r, err := rt.Start(context.Background(), team, swarm.Input{Text: "go"})
					if err != nil {
						b.Fatal(err)
					}
					res, err := r.Wait(context.Background())
					if err != nil || res.Outcome != "completed" {
						b.Fatal(res, err)
					}
				}
			})
		}
	}
}
