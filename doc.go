// Package swarm is the embedding API of the runtime: it runs teams of agents whose
// every step is a durable record, so that a run that was killed goes on where it was.
//
//	rt, err := swarm.Open(ctx, swarm.Options{Dir: ".swarm"})
//	defer rt.Close(ctx)
//	team, err := swarm.LoadTeam("team.yaml")
//	run, err := rt.Start(ctx, team, swarm.Input{Text: "Review the error handling."})
//	res, err := run.Wait(ctx)
//
// A [Runtime] has no global state: several work in one process. Every method is safe
// for concurrent use. Errors are [*Error] values that match by code with [errors.Is].
package swarm
