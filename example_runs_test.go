package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// Runs are listed newest first; labels are the program's own words about a run.
func ExampleRuntime_Runs() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	team := swarm.NewTeam("hello", swarm.Profile{ID: "greeter", Prompt: "You greet."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(greeting)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "world", Labels: map[string]string{"customer": "4711"}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		log.Fatal(err)
	}

	runs, err := rt.Runs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range runs {
		fmt.Println(r.Team, r.State, r.Run == run.ID())
	}
	for record, err := range run.Events(ctx, 1) { // the first record holds the labels
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.Payload.(*swarm.RunCreated).Labels)
		break
	}
	// Output:
	// hello completed true
	// map[customer:4711]
}
