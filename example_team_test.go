package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

const reviewers = `
version: 1
agents:
  lead:
    - when: {turn: 1}
      calls:
        - agent.delegate: {agentId: critic, task: {objective: Check the facts.}}
        - agent.delegate: {agentId: critic, task: {objective: Check the tone.}}
        - agent.await: {mode: allCompleted}
    - when: {after: agent.await}
      calls:
        - workspace.write_file: {path: output/main.md, content: '{{ range json "agent.await" "tasks" }}{{ .capsule.summary }} {{ end }}'}
    - when: {after: workspace.write_file}
      calls: [workspace.commit, {workspace.finish: {reason: merged}}]
  critic:
    - when: {turn: 1, match: facts}
      calls: [{task.return: {summary: The facts hold.}}]
    - when: {turn: 1}
      calls: [{task.return: {summary: The tone is fine.}}]
`

// A lead gives two tasks at once, waits for both and merges what they bring.
func ExampleNewTeam() {
	ctx := context.Background()
	team := swarm.NewTeam("review",
		swarm.Profile{
			ID: "lead", Prompt: "You have texts checked and say what came of it.",
			Delegation: swarm.Delegation{CanDelegate: true, Targets: []string{"critic"}, MaxRunning: 2},
		},
		swarm.Profile{
			ID: "critic", Description: "Checks one aspect of a text.", Prompt: "You check what you are told.",
			Delegation: swarm.Delegation{Callable: true, AsChild: true},
		})
	team.Models[swarm.DefaultModel] = swarm.Scripted(reviewers)
	if err := team.Validate(); err != nil { // all faults at once
		log.Fatal(err)
	}
	rt, err := swarm.Open(ctx, swarm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "The sun is a star. Isn't that nice?"})
	if err != nil {
		log.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome+":", res.Text)
	// Output: completed: The facts hold. The tone is fine.
}
