package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// actorsView is what show --tree says of a run.
type actorsView struct {
	Run    string            `json:"run"`
	Actors []swarm.ActorView `json:"actors"`
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
	v := actorsView{Run: sum.Run, Actors: list}
	if a.json {
		return a.value(v)
	}
	return a.printActors(&v)
}

func (a *app) printActors(v *actorsView) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ACTOR\tKIND\tSTATE\tWAITS FOR\tSINCE\tINCARNATION\tRESTARTS\tMAILBOX\t") // Flush tells
	for i := range v.Actors {
		n := &v.Actors[i]
		name, depth := v.Run, 0
		if n.Path != "." {
			name, depth = n.Path[strings.LastIndexByte(n.Path, '/')+1:], 1+strings.Count(n.Path, "/")
		}
		waits, since := "-", "-"
		if n.WaitsFor != "" {
			waits = plain(n.WaitsFor, 40)
		}
		if !n.Since.IsZero() {
			since = n.Since.UTC().Format(time.TimeOnly)
		}
		_, _ = fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", strings.Repeat("  ", depth), plain(name, 64), n.Kind, n.State, waits, since,
			n.Incarnation, n.Restarts, n.Mailbox)
	}
	return w.Flush()
}
