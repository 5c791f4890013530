package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// The answers of a model that is not asked: with a real one they are not needed.
const greeting = `
version: 1
agents:
  greeter:
    - when: {turn: 1}
      calls:
        - workspace.write_file: {path: output/main.md, content: "Hello, {{ input }}!"}
    - when: {after: workspace.write_file}
      calls: [workspace.commit, {workspace.finish: {reason: greeted}}]
`

// A team of one agent runs to its end.
func Example() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{}) // Dir: ".swarm" makes runs durable
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)

	team := swarm.NewTeam("hello", swarm.Profile{ID: "greeter", Prompt: "You greet whom you are told."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(greeting) // or swarm.OpenAI("gpt-5-mini")

	run, err := rt.Start(ctx, team, swarm.Input{Text: "world"})
	if err != nil {
		log.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome+":", res.Text)
	// Output: completed: Hello, world!
}
