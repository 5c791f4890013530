package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// heard gives what humans have said in a request, but for the input of the run.
func heard(req *model.Request) (out []string) {
	for _, m := range req.Messages[1:] {
		if m.Role == model.User {
			out = append(out, m.Text)
		}
	}
	return out
}

func (b *testBundle) heard(path string, want ...string) {
	b.t.Helper()
	req := b.last(path)
	if got := heard(&req); !slices.Equal(got, want) {
		b.t.Errorf("%s heard %q, want %q", path, got, want)
	}
}

// asked is a model that says which turn of an agent is asked for and waits until it is let
// go, and then answers by a script.
type asked struct {
	swarmtest.Script
	agent string
	turn  int
	begun chan struct{}
	let   chan struct{}
}

func askedFor(agent string, turn int, s swarmtest.Script) *asked {
	return &asked{Script: s, agent: agent, turn: turn, begun: make(chan struct{}, 10), let: make(chan struct{})}
}

// Answer implements [model.Provider].
func (a *asked) Answer(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
	if req.Agent == a.agent && req.Turn == a.turn {
		a.begun <- struct{}{}
		select {
		case <-a.let:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return a.Script.Answer(ctx, req, p)
}

// What is said while the model is asked is read with the next request, behind the results
// of the turn; it ends an await; after a handoff it goes to the new owner; no child hears it.
func TestSay(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false)
	m := askedFor("lead", 1, swarmtest.Script{
		"lead": {swarmtest.Do(delegateTo("kid")), swarmtest.Do(awaitAll), swarmtest.Do(awaitAll), swarmtest.Do(handoffTo("boss"))},
		"kid":  {swarmtest.Do(use("hold", "kid")), swarmtest.Do(returning("done"))},
		"boss": {swarmtest.Do(finish)},
	})
	b := setup(t, setupOptions{script: m, tools: []swarm.Tool{hold.tool}, agents: map[string]*agent.Profile{
		"lead": with(parent(), func(p *agent.Profile) { p.Delegation.CanHandoff = true }),
		"kid":  child(),
		"boss": {Delegation: agent.Delegation{Callable: true, AsHandoff: true}},
	}})
	r := b.start("go")
	recv(t, m.begun)
	if err := r.Say(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	close(m.let)
	if who := recv(t, hold.begun); who != "kid" {
		t.Fatalf("%s holds", who)
	}
	b.seen(r, func(rec *journal.Record) bool { // the lead awaits the kid
		c, ok := rec.Payload.(*journal.CallRequested)
		return ok && c.Name == "agent_await"
	})
	if err := r.Say(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	close(hold.let)
	b.outcome(b.wait(r), "completed", "")
	if text := b.awaited("root", 1); !strings.Contains(text, "A message of the user has ended this await") {
		t.Errorf("the await says %q", text)
	}
	b.heard("root", "first", "second")
	b.heard("root/boss")
	b.heard("root/kid")
}

// The owner after a handoff is given what waits, instead of the reminder of a text turn.
func TestSayToTheTargetOfAHandoff(t *testing.T) {
	t.Parallel()
	m := askedFor("boss", 1, swarmtest.Script{
		"lead": {swarmtest.Do(handoffTo("boss"))},
		"boss": {swarmtest.Say("thinking"), swarmtest.Do(finish)},
	})
	b := setup(t, setupOptions{script: m, agents: map[string]*agent.Profile{"lead": chained(), "boss": chained()}})
	r := b.start("go")
	recv(t, m.begun)
	if err := b.rt.Say(t.Context(), r.ID(), "over here"); err != nil {
		t.Fatal(err)
	}
	close(m.let)
	b.outcome(b.wait(r), "completed", "")
	b.heard("root/boss", "over here")
	if text := said(&b.reqs.Of("root/boss")[1]); strings.Contains(text, "Plain text is not a result") {
		t.Errorf("it is reminded too: %s", text)
	}
	b.heard("root")
}

// Refusals are typed errors in the process of the owner.
func TestSayIsRefused(t *testing.T) {
	t.Parallel()
	m := askedFor("root", 1, swarmtest.Script{"root": {swarmtest.Do(nothing), swarmtest.Do(finish)}})
	b := setup(t, setupOptions{script: m})
	r := b.start("go")
	recv(t, m.begun)
	for _, row := range []struct {
		name, text, code string
	}{
		{"empty", " \n", "guidance.empty"},
		{"too long", strings.Repeat("é", 16_001), "guidance.too_long"},
		{"as long as it may be", strings.Repeat("é", 16_000), ""},
	} {
		if err := r.Say(t.Context(), row.text); fault.Code(err) != row.code {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	for i := range 7 {
		if err := r.Say(t.Context(), fmt.Sprint("hint ", i)); err != nil {
			t.Fatal(err)
		}
	}
	err := r.Say(t.Context(), "one more")
	if !errors.Is(err, &swarm.Error{Code: "guidance.full"}) || !strings.Contains(err.Error(), r.ID()) {
		t.Errorf("the ninth: %v", err)
	}
	if err := r.CancelTask(t.Context(), "task_1", ""); fault.Code(err) != "agent.task_not_found" {
		t.Errorf("a task that is not there: %v", err)
	}
	for n, code := range map[int]string{swarm.MaxTaskChars: "agent.task_not_found", swarm.MaxTaskChars + 1: "command.invalid"} {
		if err := r.CancelTask(t.Context(), strings.Repeat("é", n), ""); fault.Code(err) != code {
			t.Errorf("a task of %d characters: %v", n, err)
		}
	}
	if _, err := b.rt.Send(t.Context(), swarm.Command{Run: r.ID(), Kind: "whistle"}); fault.Code(err) != "command.unknown" {
		t.Errorf("an unknown command: %v", err)
	}
	if err := b.rt.Say(t.Context(), "run_nope", "x"); fault.Code(err) != "journal.run_not_found" {
		t.Errorf("an unknown run: %v", err)
	}
	close(m.let)
	b.outcome(b.wait(r), "completed", "")
	if err := r.Say(t.Context(), "too late"); fault.Code(err) != "journal.ended" {
		t.Errorf("after the end: %v", err)
	}
}

// A run that rests keeps what is said to it until it goes on.
func TestSayToAPausedRun(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false)
	b := setup(t, setupOptions{
		script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}},
		tools:  []swarm.Tool{hold.tool},
	})
	r := b.start("go")
	recv(t, hold.begun)
	if err := r.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Say(t.Context(), "while it comes to rest"); err != nil {
		t.Fatal(err)
	}
	close(hold.let)
	b.outcome(b.wait(r), "paused", "")
	if err := r.Say(t.Context(), "while it rests"); err != nil {
		t.Fatal(err)
	}
	c, err := b.rt.Send(t.Context(), swarm.Command{Run: r.ID(), Kind: journal.CommandPause})
	if err != nil || c.Answer != journal.Duplicate || c.ID != 0 {
		t.Errorf("a pause of a run that rests: %+v, %v", c, err)
	}
	b.outcome(b.wait(b.resume(r.ID())), "completed", "")
	b.heard("root", "while it comes to rest", "while it rests")
}

// Another process says something to a run, is told what came of it, and sees its actors.
func TestSayFromAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(s model.Provider, tools ...swarm.Tool) *testBundle {
		return setup(t, setupOptions{script: s, tools: tools, store: (&fileDisk{dir}).open(t),
			agents: map[string]*agent.Profile{"root": parent(), "kid": child()}})
	}
	hold := newHolder(t, "hold", false)
	m := askedFor("root", 2, swarmtest.Script{
		"root": {swarmtest.Do(delegateTo("kid")), swarmtest.Do(nothing), swarmtest.Do(nothing), swarmtest.Do(finish)},
		"kid":  {swarmtest.Do(use("hold", "kid"))},
	})
	b, other := open(m, hold.tool), open(swarmtest.Script{})
	defer func() { _ = other.rt.Store().Close(); _ = b.rt.Store().Close() }()
	r := b.start("go")
	recv(t, m.begun)
	recv(t, hold.begun)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	send := func(c swarm.Command) (swarm.Command, error) {
		t.Helper()
		c.Run = r.ID()
		c, err := other.rt.Send(ctx, c)
		if err != nil || c.ID == 0 || c.Answer != "" {
			t.Fatalf("%s is stored as %+v, %v", c.Kind, c, err)
		}
		return other.rt.Answered(ctx, c)
	}
	for i := range 8 {
		if c, err := send(swarm.Command{Kind: journal.CommandSay, Text: fmt.Sprint("hint ", i)}); err != nil || c.Answer != journal.Recorded {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	if _, err := send(swarm.Command{Kind: journal.CommandSay, Text: "one more"}); fault.Code(err) != "guidance.full" {
		t.Errorf("the ninth: %v", err)
	}
	list, err := other.rt.RunTree(ctx, r.ID())
	if err != nil || !slices.ContainsFunc(list, func(a swarm.ActorView) bool { return a.Path == "kid" && a.Kind == "invocation" && a.WaitsFor == "hold" }) {
		t.Errorf("the actors are %+v, %v", list, err)
	}
	if here, err := b.rt.RunTree(ctx, r.ID()); err != nil || len(here) != len(list) {
		t.Errorf("in the process of the owner they are %+v, %v", here, err)
	}
	if c, err := send(swarm.Command{Kind: journal.CommandCancelTask, Task: "root/kid", Text: "no need"}); err != nil || c.Answer != journal.Recorded {
		t.Errorf("%+v, %v", c, err)
	}
	b.seen(r, of(journal.TTaskEnded, "task_1"))
	if c, err := send(swarm.Command{Kind: journal.CommandCancelTask, Task: "task_1"}); err != nil || c.Answer != journal.Duplicate {
		t.Errorf("%+v, %v", c, err)
	}
	// A pause is answered when the run rests.
	paused := make(chan error, 1)
	c, err := other.rt.Send(ctx, swarm.Command{Run: r.ID(), Kind: journal.CommandPause})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		c, err := other.rt.Answered(ctx, c)
		if err == nil && c.Answer != journal.Recorded {
			err = errors.New(c.Answer)
		}
		paused <- err
	}()
	if err := recv(t, paused); err != nil {
		t.Error(err)
	}
	close(m.let) // nobody hears the answer any more
	b.outcome(b.wait(r), "paused", "user")
	if _, err := other.rt.RunTree(ctx, r.ID()); fault.Code(err) != "command.no_owner" {
		t.Errorf("a run that rests has the actors: %v", err)
	}
	c, err = other.rt.Send(ctx, swarm.Command{Run: r.ID(), Kind: journal.CommandCancel, Text: "enough"})
	if err == nil {
		_, err = other.rt.Answered(ctx, c)
	}
	if fault.Code(err) != "command.no_owner" {
		t.Errorf("a command to a run without an owner: %v", err)
	}
	b.outcome(b.wait(b.resume(r.ID())), "cancelled", "enough")
	if c, err := other.rt.Answered(ctx, c); err != nil || c.Answer != journal.Recorded {
		t.Errorf("after the resume: %+v, %v", c, err)
	}
	rows, err := other.rt.Store().Commands(ctx, r.ID(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Answer == "" || row.Kind == journal.CommandTree && row.Answer != journal.Recorded {
			t.Errorf("the table keeps %+v", row)
		}
	}
	b.check(r.ID())
}
