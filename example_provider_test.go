package swarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// Parrot is a model of one's own: it writes down what it was told, and ends. A real one
// would send the request to a server here.
type Parrot struct{}

// Answer makes one attempt. It may be called concurrently.
func (Parrot) Answer(ctx context.Context, req *swarm.ModelRequest, preview func(swarm.ModelDelta)) (*swarm.ModelAnswer, error) {
	if err := ctx.Err(); err != nil {
		return nil, &swarm.ModelError{Class: swarm.ClassCancelled, Code: "model.cancelled", Detail: "cancelled", Cause: err}
	}
	if preview != nil {
		preview(swarm.ModelDelta{Text: req.Input})
	}
	if len(req.Tools) == 0 || req.Choice.Mode == "none" { // nothing may be called
		return &swarm.ModelAnswer{Text: req.Input, Finish: swarm.FinishStop}, nil
	}
	last := req.Messages[len(req.Messages)-1]
	call := swarm.ModelCall{Name: "workspace_finish", Args: json.RawMessage(`{"reason":"said"}`)}
	if last.Role != swarm.RoleTool {
		args, err := json.Marshal(map[string]string{"path": "output/main.md", "content": req.Input})
		if err != nil {
			return nil, &swarm.ModelError{Class: swarm.ClassPermanent, Code: "model.failed", Detail: err.Error()}
		}
		call = swarm.ModelCall{Name: "workspace_write_file", Args: args}
	}
	return &swarm.ModelAnswer{Calls: []swarm.ModelCall{call}, Finish: swarm.FinishCalls}, nil
}

// Capabilities names the kind of the provider, for records and series.
func (Parrot) Capabilities(string) swarm.Capabilities { return swarm.Capabilities{Provider: "parrot"} }

// A provider is two methods. swarmtest.Provider checks one against the contract.
func ExampleProvider() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{Providers: map[string]swarm.Provider{swarm.DefaultModel: Parrot{}}})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)

	team := swarm.NewTeam("birds", swarm.Profile{ID: "parrot", Prompt: "You repeat."})
	run, err := rt.Start(ctx, team, swarm.Input{Text: "Polly wants a cracker."})
	if err != nil {
		log.Fatal(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Outcome, res.Files)
	// Output: completed [output/main.md]
}
