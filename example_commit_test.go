package swarm_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/seed-cf6d8d1b/swarm"
)

// Shelf is where a program keeps what runs publish. A commit may come a second time, with
// the same id and bytes, when the process died before the answer was recorded: it is taken
// once.
type Shelf struct {
	mu    sync.Mutex
	taken map[string]string // number by commit id
}

// Take is a handler of commits.
func (s *Shelf) Take(_ context.Context, c swarm.Commit) (ref string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ref, ok := s.taken[c.ID]; ok {
		return ref, nil
	}
	ref = fmt.Sprintf("shelf-%d", len(s.taken)+1)
	s.taken[c.ID] = ref
	fmt.Printf("%s: %s\n", c.Path, c.Content)
	return ref, nil
}

// What a run publishes comes to the program, and the program's name for it into the record.
func ExampleOptions_onCommit() {
	ctx := context.Background()
	shelf := &Shelf{taken: map[string]string{}}
	rt, err := swarm.Open(ctx, swarm.Options{OnCommit: shelf.Take})
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
	for record, err := range run.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if m, ok := record.Payload.(*swarm.CommitSettled); ok {
			fmt.Println(m.Outcome, "as", m.Ref)
		}
	}
	// Output:
	// output/main.md: Hello, world!
	// completed as shelf-1
}
