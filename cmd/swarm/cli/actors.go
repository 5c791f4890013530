package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// actorsView is what show --tree says of a run.
type actorsView struct {
	Run    string      `json:"run"`
	Actors []actorView `json:"actors"`
}

// actorView is an actor, and the agent that it is or works for.
type actorView struct {
	swarm.ActorView
	Agent   string `json:"agent,omitempty"` // path
	Profile string `json:"profile,omitempty"`
}

// viewActors finds the agents of actors, and sorts parents before their children.
func viewActors(list []swarm.ActorView, st *swarm.State) []actorView {
	agents := map[string]*swarm.Invocation{} // by the last part of the path, which is unique in a run
	for path, inv := range st.Inv {
		agents[path[strings.LastIndexByte(path, '/')+1:]] = inv
	}
	out := make([]actorView, len(list))
	for i := range list {
		out[i].ActorView = list[i]
		first, _, _ := strings.Cut(list[i].Path, "/")
		if inv := agents[first]; inv != nil {
			out[i].Agent, out[i].Profile = inv.Path, inv.Profile
		}
	}
	slices.SortStableFunc(out, func(a, b actorView) int { return slices.Compare(a.parts(), b.parts()) })
	return out
}

// shown is the name of an actor in a table: below its agent, by the path of that.
func (v *actorView) shown() string {
	if v.Agent == "" {
		return v.Path
	}
	_, below, _ := strings.Cut(v.Path, "/")
	return strings.TrimSuffix(v.Agent+"/"+below, "/")
}

// parts is the order of actors: the run, its agents with what belongs to each, the rest.
func (v *actorView) parts() []string {
	rank := "2"
	switch {
	case v.Path == ".":
		rank = "0"
	case v.Agent != "":
		rank = "1"
	}
	return append([]string{rank}, strings.Split(v.shown(), "/")...)
}

// state says what the actor does, in the words of the live tree, and what it waits for.
func (v *actorView) state() (state, waits string) {
	switch v.WaitsFor {
	case "children", "slot", "human":
		return "waiting_" + v.WaitsFor, "-"
	}
	return v.State, orDash(plain(v.WaitsFor, 40))
}

// showActors shows the live actors of a run, whoever owns it.
func (a *app) showActors(ctx context.Context, id string) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	ctx, stop := context.WithTimeout(ctx, commandWait)
	defer stop()
	list, err := rt.RunTree(ctx, sum.Run)
	var e *swarm.Error
	switch {
	case errors.As(err, &e) && e.Code == "command.no_owner":
		e.Detail += "; go on with: " + a.resumeLine(sum.Run)
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New("command.timeout", "its owner has not answered within %s", commandWait).With("tree", sum.Run)
	case err != nil:
		return err
	}
	st, err := rt.Inspect(ctx, sum.Run)
	if err != nil {
		return err
	}
	v := actorsView{Run: sum.Run, Actors: viewActors(list, st)}
	if a.json {
		return a.value(v)
	}
	return a.printActors(&v)
}

func (a *app) printActors(v *actorsView) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ACTOR\tPROFILE\tKIND\tSTATE\tWAITS FOR\tSINCE\tINCARNATION\tRESTARTS\tMAILBOX\t") // Flush tells
	for i := range v.Actors {
		n := &v.Actors[i]
		name, since := n.shown(), "-"
		if n.Path == "." {
			name = v.Run
		}
		state, waits := n.state()
		if !n.Since.IsZero() {
			since = n.Since.UTC().Format(time.TimeOnly)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", plain(name, 200), orDash(n.Profile), n.Kind, state, waits, since,
			n.Incarnation, n.Restarts, n.Mailbox)
	}
	return w.Flush()
}
