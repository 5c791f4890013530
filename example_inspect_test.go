package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// The state of a run, whoever owns it, is what its records add up to.
func ExampleRuntime_Inspect() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	team := swarm.NewTeam("hello", swarm.Profile{ID: "greeter", Prompt: "You greet."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(greeting)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "world"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		log.Fatal(err)
	}

	state, err := rt.Inspect(ctx, run.ID())
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range state.Order {
		agent := state.Inv[path]
		fmt.Println(path, agent.Profile, agent.Outcome, "turns:", agent.Turn, "calls:", agent.NCalls)
	}
	fmt.Println(state.Status, "after", state.Seq, "records")
	// Output:
	// root greeter completed turns: 2 calls: 3
	// ended after 24 records
}
