package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// A reader that stops goes on where it was, by the number of the last record it handled:
// nothing is missing and nothing comes twice.
func ExampleRun_Events() {
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

	var last int64
	show := func(record swarm.Record) {
		last = record.Seq
		switch m := record.Payload.(type) {
		case *swarm.ModelRequested:
			fmt.Println(record.Scope.Invocation, "asks its model, turn", record.Scope.Turn)
		case *swarm.CallRequested:
			fmt.Println(record.Scope.Invocation, "calls", m.Name)
		case *swarm.RunEnded:
			fmt.Println("ended:", m.Outcome)
		}
	}
	for record, err := range run.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		show(record)
		if record.Payload.Type() == "call_requested" {
			break // the run does not care
		}
	}
	fmt.Println("(and on)")
	for record, err := range rt.Events(ctx, run.ID(), last+1) {
		if err != nil {
			log.Fatal(err)
		}
		show(record)
	}
	// Output:
	// root asks its model, turn 1
	// root calls workspace_write_file
	// (and on)
	// root asks its model, turn 2
	// root calls workspace_commit
	// root calls workspace_finish
	// ended: completed
}
