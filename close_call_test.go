package swarm_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// calling is a runtime with a call of a tool under way.
func calling(t *testing.T, hold *holder, clock swarm.Clock) (rt *swarm.Runtime, called chan error) {
	t.Helper()
	b := setup(t, setupOptions{script: swarmtest.Script{}}) // for its team
	rt, err := swarm.Open(t.Context(), swarm.Options{Clock: clock, Tools: []swarm.Tool{hold.tool}, Providers: map[string]swarm.Provider{"default": swarmtest.Script{}}})
	if err != nil {
		t.Fatal(err)
	}
	called = make(chan error, 1)
	go func() {
		_, err := rt.Call(context.Background(), b.team, swarm.ToolCall{Tool: "hold"})
		called <- err
	}()
	recv(t, hold.begun)
	return rt, called
}

// What a call has begun may settle while the runtime closes.
func TestCloseDrainsCalls(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false)
	rt, called := calling(t, hold, nil)
	closing := make(chan error, 1)
	go func() { closing <- rt.Close(context.Background()) }()
	for swarm.Code(func() error { _, err := rt.Runs(t.Context()); return err }()) != "runtime.closed" {
		runtime.Gosched() // until it takes no work any more
	}
	select {
	case err := <-closing:
		t.Fatalf("it did not wait for the tool: %v", err)
	default:
	}
	close(hold.let)
	if err := recv(t, closing); err != nil {
		t.Error(err)
	}
	if err := recv(t, called); err != nil && swarm.Code(err) != "runtime.closed" {
		t.Errorf("the call gave %v", err)
	}
}

// A tool of a call that does not stop is named.
func TestCloseNamesSurvivorsOfCalls(t *testing.T) {
	t.Parallel()
	clock, deaf := swarmtest.NewClock(), newHolder(t, "hold", true)
	rt, called := calling(t, deaf, clock)
	closing := make(chan error, 1)
	go func() { closing <- rt.Close(context.Background()) }()
	var err error
	for err == nil {
		select {
		case err = <-closing:
			if err == nil {
				t.Fatal("nobody was named")
			}
		default:
			clock.Advance(time.Second)
			runtime.Gosched()
		}
	}
	var left swarm.Survivors
	if swarm.Code(err) != "runtime.survivors" || !errors.As(err, &left) {
		t.Fatalf("got %v", err)
	}
	named := false
	for _, s := range left {
		named = named || s.Kind == "tool call" && s.WaitsFor == "effect extension/go:hold"
	}
	if !named {
		t.Errorf("the tool is not named: %v", err)
	}
	close(deaf.let)
	if err := recv(t, called); swarm.Code(err) != "runtime.closed" {
		t.Errorf("the call gave %v", err)
	}
}
