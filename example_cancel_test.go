package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

const waiter = `
version: 1
agents:
  clerk:
    - when: {turn: 1}
      calls: [wait]
`

// A cancel reaches every agent and every tool of the run by their contexts.
func ExampleRun_Cancel() {
	ctx := context.Background()
	begun := make(chan struct{})
	wait, err := swarm.NewTool("wait", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
		close(begun)
		<-ctx.Done()
		fmt.Println("the tool stops")
		return "", ctx.Err()
	}, swarm.ReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	rt, err := swarm.Open(ctx, swarm.Options{Tools: []swarm.Tool{wait}})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	team := swarm.NewTeam("patience", swarm.Profile{ID: "clerk", Prompt: "You wait."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(waiter)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "Wait."})
	if err != nil {
		log.Fatal(err)
	}
	<-begun
	if err := run.Cancel(ctx, "it is late"); err != nil {
		log.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome+":", res.Reason)
	// Output:
	// the tool stops
	// cancelled: cancelled by user: it is late
}
