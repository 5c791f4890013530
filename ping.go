package swarm

import (
	"context"
	"errors"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// Pong is what a model said when it was asked whether it is there.
type Pong struct {
	Took  time.Duration // from the request to the complete answer
	Model string        // as the server names it; empty: it does not
}

// pingOutput bounds the answer, in tokens: room for a model that thinks before it answers.
const pingOutput = 256

// Ping asks one model of a team a short question, outside of any run: one attempt, which is
// not tried again and not recorded, and which a server may bill. ctx bounds the time.
// Errors: "config.model_unknown", those of making the model, and a [ModelError], whose text
// has no secret.
func (rt *Runtime) Ping(ctx context.Context, team *Team, model string) (Pong, error) {
	m, ok := team.Models[model]
	if !ok {
		return Pong{}, fault.New("config.model_unknown", "the team has no model %q", model).With("ping", team.Name)
	}
	m.Record = "" // it is of no run
	alone := *team
	alone.Models = map[string]Model{model: m}
	if err := literals(&alone); err != nil {
		return Pong{}, err
	}
	k := rt.keys(team)
	made, err := rt.models(&alone, k)
	set := secret.New(k.values)
	if err != nil {
		return Pong{}, set.Error(err)
	}
	rt.known.add(set, rt.o.Logger)
	one := made[model]
	if p, ok := one.Provider.(interface{ Close() }); ok {
		defer p.Close()
	}
	begun := rt.o.Clock.Now()
	answer, err := one.Provider.Answer(ctx, &ModelRequest{Model: one.Name, MaxOutput: pingOutput, Turn: 1, Attempt: 1,
		System: "You are asked whether you can be reached.", Messages: []Message{{Role: RoleUser, Text: "Answer with the one word: here"}}}, nil)
	took := rt.o.Clock.Now().Sub(begun)
	var e *ModelError
	switch {
	case errors.As(err, &e):
		masked := *e
		masked.Code, masked.Detail, masked.Cause = set.Mask(e.Code), set.Mask(e.Detail), nil
		return Pong{Took: took}, &masked
	case err != nil:
		return Pong{Took: took}, set.Error(err)
	}
	return Pong{Took: took, Model: set.Mask(answer.Model)}, nil
}
