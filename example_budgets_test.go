package swarm_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed-cf6d8d1b/swarm"
)

const endless = `
version: 1
agents:
  clerk:
    - when: {has_tool: dice.roll, turn: "1-3"}
      times: any
      calls: [{dice.roll: {formula: 1d6}}]
    - when: {any: true}
      text: I rolled twice.
`

// A run that has used up a budget gets one closing turn without tools, and ends.
func ExampleBudgets() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	team := swarm.NewTeam("dice", swarm.Profile{ID: "clerk", Prompt: "You roll dice.", Allow: []string{"dice.roll"}})
	team.Models[swarm.DefaultModel] = swarm.Scripted(endless)
	team.Budgets = swarm.Budgets{Calls: 2}
	run, err := rt.Start(ctx, team, swarm.Input{Text: "Roll on."})
	if err != nil {
		log.Fatal(err)
	}
	for record, err := range run.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		switch m := record.Payload.(type) {
		case *swarm.CallSettled:
			fmt.Println(strings.TrimSpace("call " + string(m.Outcome) + " " + m.Code))
		case *swarm.RunEnded:
			fmt.Println("run", m.Outcome, m.Reason)
		}
	}
	// Output:
	// call completed
	// call completed
	// call failed budget.calls
	// run partial budget.calls
}
