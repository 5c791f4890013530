package swarm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

const payer = `
version: 1
agents:
  clerk:
    - when: {turn: 1}
      calls: [{pay: {euros: 30}}]
    - when: {after: pay, error: false}
      calls: [{workspace.finish: {reason: '{{ result "pay" }}'}}]
`

// A process dies right after a payment, before the end of the call was recorded. The next
// one asks by the key of the call whether it was made, and does not pay again.
func ExampleRuntime_Resume() {
	ctx := context.Background()
	paid := map[string]int{} // the bank, which knows payments by their key
	var die func()
	pay, err := swarm.NewTool("pay", "Pays an amount.", func(ctx context.Context, in struct {
		Euros int `json:"euros" min:"1"`
	}) (string, error) {
		paid[swarm.CallKey(ctx)] += in.Euros
		die()
		return "paid", nil
	}, swarm.Probe(func(_ context.Context, key string) (swarm.Happened, error) {
		if _, ok := paid[key]; ok {
			return swarm.Done, nil
		}
		return swarm.NotDone, nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	team := swarm.NewTeam("payments", swarm.Profile{ID: "clerk", Prompt: "You pay bills."})
	team.Models[swarm.DefaultModel] = swarm.Scripted(payer)

	// The first process, on a store that dies when it is told to. With Options.Dir nothing
	// of this is needed: what is on the disk outlives the process.
	memory := swarm.NewMemoryStore()
	crash := swarmtest.NewCrash(memory, 0, false)
	die = crash.Now
	first, err := swarm.Open(ctx, swarm.Options{Store: crash, Tools: []swarm.Tool{pay}})
	if err != nil {
		log.Fatal(err)
	}
	run, err := first.Start(ctx, team, swarm.Input{Text: "The bill is 30 euros."})
	if err != nil {
		log.Fatal(err)
	}
	_, err = run.Wait(ctx)
	fmt.Println("first:", swarm.Code(err))
	first.Close(ctx)
	memory.Close()

	second, err := swarm.Open(ctx, swarm.Options{Store: memory.Reopen(), Tools: []swarm.Tool{pay}})
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close(ctx)
	run, err = second.Resume(ctx, run.ID(), swarm.ResumeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	total := 0
	for _, euros := range paid {
		total += euros
	}
	fmt.Println("second:", res.Outcome, "- euros paid:", total)
	// Output:
	// first: journal.append_failed
	// second: completed - euros paid: 30
}
