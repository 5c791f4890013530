package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// Trip is what the tool takes: its schema is made from this type.
type Trip struct {
	From   string   `json:"from" desc:"City where it begins."`
	To     string   `json:"to" desc:"City where it ends."`
	Class  string   `json:"class,omitempty" enum:"first|second" desc:"Default second."`
	Riders int      `json:"riders" min:"1" max:"9"`
	Extras []string `json:"extras,omitempty" max:"3"`
}

// Fare is what it gives back; the model reads it as JSON.
type Fare struct {
	Euros int `json:"euros"`
}

const traveller = `
version: 1
agents:
  clerk:
    - when: {turn: 1}
      calls: [{fare: {from: Bern, to: Rome, riders: 12}}]
    - when: {after: fare, error: true}
      calls: [{fare: {from: Bern, to: Rome, riders: 2, class: first}}]
    - when: {after: fare}
      calls: [{workspace.write_file: {path: output/main.md, content: '{{ json "fare" "euros" }} euros'}}]
    - when: {after: workspace.write_file}
      calls: [workspace.commit, {workspace.finish: {reason: answered}}]
`

// A Go function is a tool. Arguments that do not fit its type never reach it: the model is
// told what to write instead.
func ExampleNewTool() {
	ctx := context.Background()
	fare, err := swarm.NewTool("fare", "Price of a trip by train.", func(_ context.Context, t Trip) (Fare, error) {
		if t.From == t.To {
			return Fare{}, fmt.Errorf("the trip ends where it begins; name two cities")
		}
		return Fare{Euros: 120 * t.Riders}, nil
	}, swarm.ReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	rt, err := swarm.Open(ctx, swarm.Options{Tools: []swarm.Tool{fare}})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)

	team := swarm.NewTeam("travel", swarm.Profile{ID: "clerk", Prompt: "You sell trips."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(traveller)
	run, err := rt.Start(ctx, team, swarm.Input{Text: "Two people from Bern to Rome."})
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range run.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if call, ok := record.Payload.(*swarm.CallSettled); ok && call.Code != "" {
			fmt.Println("refused:", call.Code)
		}
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome+":", res.Text)
	// Output:
	// refused: tool.invalid_arguments
	// completed: 240 euros
}
