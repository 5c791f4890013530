package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed-cf6d8d1b/swarm"
)

// Errors are told apart by their codes, which never change; texts are for people.
func ExampleError() {
	ctx := context.Background()
	rt, err := swarm.Open(ctx, swarm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	_, err = rt.Resume(ctx, "run_none", swarm.ResumeOptions{})
	fmt.Println(swarm.Code(err), errors.Is(err, &swarm.Error{Code: "journal.run_not_found"}))

	team := swarm.NewTeam("shop", swarm.Profile{ID: "clerk"}, swarm.Profile{ID: "baker", Prompt: "You bake.", Model: "clever"})
	var faults swarm.Faults
	if err = team.Validate(); errors.As(err, &faults) {
		fmt.Println(swarm.Code(err))
		for _, f := range faults {
			fmt.Println("-", f.Code)
		}
	}
	// Output:
	// journal.run_not_found true
	// config.invalid
	// - config.model_unknown
	// - config.missing
}
