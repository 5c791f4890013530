package swarm

import "github.com/seed-cf6d8d1b/swarm/delegate"

// State is what the records of a run add up to; see [Runtime.Inspect].
type State = delegate.State

// Invocation is what a [State] knows of one agent.
type Invocation = delegate.Inv

// Task is what a [State] knows of one delegation or handoff.
type Task = delegate.Task
