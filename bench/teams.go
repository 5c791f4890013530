package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// boundless is a limit that no workload reaches.
const boundless = math.MaxInt32

// numbers are how often the models, the tools and the handoffs were used.
type numbers struct{ models, tools, handoffs int }

// counts are kept by the fake models and tools.
type counts struct{ models, tools, handoffs atomic.Int64 }

func (c *counts) reset() { c.models.Store(0); c.tools.Store(0); c.handoffs.Store(0) }

func (c *counts) check(want numbers) error {
	if got := (numbers{int(c.models.Load()), int(c.tools.Load()), int(c.handoffs.Load())}); got != want {
		return fmt.Errorf("wrong counts: models %d of %d, tools %d of %d, handoffs %d of %d",
			got.models, want.models, got.tools, want.tools, got.handoffs, want.handoffs)
	}
	return nil
}

// bench is a runtime with the fake models, the tools and the teams of the workloads.
type bench struct {
	rt     *swarm.Runtime
	counts counts

	one, eight, late, fanned, ring *swarm.Team
}

// echoArgs is what the tools take; the length of the text is 32 bytes.
type echoArgs struct {
	Text string `json:"text"`
}

var arguments = json.RawMessage(`{"text":"0123456789abcdef0123456789abcdef"}`)

// newBench opens a runtime: in memory, or durably in dir.
func newBench(ctx context.Context, dir string) (*bench, error) {
	b := &bench{}
	echo, err := b.echo("echo", 0)
	if err != nil {
		return nil, err
	}
	sleepy, err := b.echo("sleepy", toolSleep)
	if err != nil {
		return nil, err
	}
	b.rt, err = swarm.Open(ctx, swarm.Options{
		Dir: dir, Tools: []swarm.Tool{echo, sleepy},
		Providers: map[string]model.Provider{
			"one": b.calls(1, "echo", 0), "eight": b.calls(parallelCalls, "sleepy", 0), "late": b.calls(1, "echo", scaleLatency),
			"parent": b.parent(), "ring": b.handover(),
		},
	})
	if err != nil {
		return nil, err
	}
	b.one = team("one", &agent.Profile{ID: "a", Model: "one"})
	b.eight = team("eight", &agent.Profile{ID: "a", Model: "eight"})
	b.late = team("late", &agent.Profile{ID: "a", Model: "late"})
	parent := &agent.Profile{ID: "parent", Model: "parent", Delegation: agent.Delegation{CanDelegate: true, MaxRunning: fanOut, MaxChildren: boundless}}
	members := []*agent.Profile{parent}
	for i := range fanOut {
		members = append(members, &agent.Profile{ID: "child" + strconv.Itoa(i), Description: "Echoes.", Model: "one",
			Delegation: agent.Delegation{Callable: true, AsChild: true}})
	}
	b.fanned = team("fanned", members...)
	hand := agent.Delegation{CanHandoff: true, Callable: true, AsHandoff: true, MaxHandoffs: boundless, MaxHandoffRepeats: boundless}
	b.ring = team("ring", &agent.Profile{ID: "a", Description: "One.", Model: "ring", Delegation: hand},
		&agent.Profile{ID: "b", Description: "The other.", Model: "ring", Delegation: hand})
	return b, nil
}

// team makes a team whose limits no workload reaches; the first agent is the entry. The
// same call is made again and again on purpose, so the stall rule is out of reach too.
func team(name string, members ...*agent.Profile) *swarm.Team {
	t := &swarm.Team{Version: config.Version, Name: name, Entry: members[0].ID, Agents: map[string]*agent.Profile{},
		Budgets: agent.Budgets{Agents: boundless, AgentsRunning: boundless}}
	for _, p := range members {
		p.Allow = []string{"extension/go:echo", "extension/go:sleepy", "agent.delegate", "agent.await", "agent.handoff"}
		p.Rounds, p.MaxCalls, p.StallNote, p.StallStop = boundless, boundless, boundless, boundless
		t.Agents[p.ID] = p
	}
	return t
}

// echo makes a tool that gives its text back.
func (b *bench) echo(name string, sleep time.Duration) (swarm.Tool, error) {
	return tooling.NewGoTool(name, "Returns the text.", func(ctx context.Context, in echoArgs) (string, error) {
		b.counts.tools.Add(1)
		return in.Text, pause(ctx, sleep)
	}, tooling.ReadOnly(), tooling.Gate(""))
}

// calls is a model that asks for n calls of a tool in each turn, and then ends. It knows
// the number of turns from the task; the history is not looked at.
func (b *bench) calls(n int, tool string, latency time.Duration) model.Func {
	return func(ctx context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		b.counts.models.Add(1)
		turns, err := turnsOf(req)
		if err != nil {
			return nil, err
		}
		if req.Turn > turns {
			return end(req), nil
		}
		if err := pause(ctx, latency); err != nil {
			return nil, err
		}
		a := &model.Answer{Finish: model.FinishCalls, Calls: make([]model.AnswerCall, n)}
		for i := range a.Calls {
			a.Calls[i] = call(req.Turn, i, tool, arguments)
		}
		return a, nil
	}
}

// parent is the model of the agent that fans out.
func (b *bench) parent() model.Func {
	all := json.RawMessage(`{"mode":"allCompleted"}`)
	var tasks [fanOut]json.RawMessage
	for i := range tasks {
		tasks[i] = json.RawMessage(fmt.Sprintf(`{"agentId":"child%d","task":{"objective":"go"}}`, i))
	}
	return func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		b.counts.models.Add(1)
		turns, err := turnsOf(req)
		if err != nil {
			return nil, err
		}
		if req.Turn > turns {
			return end(req), nil
		}
		a := &model.Answer{Finish: model.FinishCalls, Calls: make([]model.AnswerCall, fanOut+1)}
		for i := range tasks {
			a.Calls[i] = call(req.Turn, i, "agent_delegate", tasks[i])
		}
		a.Calls[fanOut] = call(req.Turn, fanOut, "agent_await", all)
		return a, nil
	}
}

// handover is the model of two agents that hand over to each other. How many handoffs
// are left stands in the packet, because each owner begins a conversation of its own.
func (b *bench) handover() model.Func {
	return func(_ context.Context, req *model.Request, _ func(model.Delta)) (*model.Answer, error) {
		b.counts.models.Add(1)
		left, err := number(req.Input)
		if err != nil {
			return nil, err
		}
		if left == 0 {
			return end(req), nil
		}
		b.counts.handoffs.Add(1)
		to := "a"
		if req.Agent == "a" {
			to = "b"
		}
		args := json.RawMessage(`{"agentId":"` + to + `","handoff":{"objective":"` + mark + strconv.Itoa(left-1) + `"}}`)
		return &model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{call(left, 0, "agent_handoff", args)}}, nil
	}
}

// turnsOf gives the number of turns that a root is asked for; children have a fixed one.
func turnsOf(req *model.Request) (int, error) {
	if isChild(req) {
		return childTurns, nil
	}
	return number(req.Input)
}

func isChild(req *model.Request) bool { return strings.HasPrefix(req.Agent, "child") }

// mark stands before the number that a text gives to a model.
const mark = "n="

// number reads the number behind the mark in a text.
func number(text string) (int, error) {
	_, rest, _ := strings.Cut(text, mark)
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0, &model.Error{Class: model.ClassPermanent, Code: "model.failed", Detail: "the input has no number"}
	}
	return n, nil
}

func call(turn, i int, tool string, args json.RawMessage) model.AnswerCall {
	return model.AnswerCall{ProviderID: "c" + strconv.Itoa(turn) + "_" + strconv.Itoa(i), Name: tool, Args: args}
}

var (
	finishArgs = json.RawMessage(`{"reason":"done"}`)
	returnArgs = json.RawMessage(`{"summary":"done"}`)
)

// end is the last answer of an invocation.
func end(req *model.Request) *model.Answer {
	c := call(req.Turn, 0, "workspace_finish", finishArgs)
	if isChild(req) {
		c = call(req.Turn, 0, "task_return", returnArgs)
	}
	return &model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{c}}
}

// pause waits without holding a thread.
func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *bench) loop(ctx context.Context, turns int) error     { return b.whole(ctx, b.one, turns) }
func (b *bench) parallel(ctx context.Context, turns int) error { return b.whole(ctx, b.eight, turns) }
func (b *bench) fan(ctx context.Context, rounds int) error     { return b.whole(ctx, b.fanned, rounds) }
func (b *bench) slow(ctx context.Context) error                { return b.whole(ctx, b.late, scaleTurns) }
func (b *bench) chain(ctx context.Context, n int) error        { return b.whole(ctx, b.ring, n) }

// whole runs a team once, to its end.
func (b *bench) whole(ctx context.Context, t *swarm.Team, n int) error {
	run, err := b.rt.Start(ctx, t, swarm.Input{Text: mark + strconv.Itoa(n)})
	if err != nil {
		return err
	}
	res, err := run.Wait(ctx)
	if err != nil {
		return err
	}
	if res.Outcome != "completed" || res.Text != "done" {
		return fmt.Errorf("run %s ended %s (%s %s) with %q", res.Run, res.Outcome, res.Reason, res.Code, res.Text)
	}
	return nil
}
