package cli

import (
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// states are what a run can be in, in the order of its life.
var states = []string{"running", "interrupted", "paused", "parked", "completed", "failed", "cancelled", "partial", "unknown"}

func (a *app) runsCommand() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use:     "runs",
		Short:   "List runs with their states",
		Long:    "Lists the runs of a data directory, newest first. A run is running, interrupted (its\nprocess has gone and it has not ended), paused, parked, or it has its outcome.",
		Example: "  swarm runs --state paused",
		GroupID: groupLook,
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if state != "" && !slices.Contains(states, state) {
				return usage("--state is one of %s, not %q; the nearest is %s", strings.Join(states, ", "), state, nearest(state, states))
			}
			return a.runs(cmd, state)
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "only runs in this state")
	return cmd
}

func (a *app) runs(cmd *cobra.Command, state string) error {
	rt, err := a.openData(cmd.Context(), swarm.Options{})
	if fault.Code(err) == "journal.run_not_found" && a.data == "" {
		if !a.quiet {
			a.errf("there are no runs: %s is not there; --data DIR names another data directory", a.dataDir(nil))
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = shut(rt) }() // nothing was begun
	list, err := rt.Runs(cmd.Context())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	shown := 0
	for _, s := range list {
		if state != "" && s.State != state {
			continue
		}
		if a.json {
			if err := a.value(s); err != nil {
				return err
			}
			continue
		}
		if shown == 0 {
			_, _ = fmt.Fprintln(w, "RUN\tSTATE\tTEAM\tBEGUN\tRECORDS") // Flush tells
		}
		shown++
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Run, s.State, plain(s.Team, 64), s.Created.Local().Format(time.DateTime), grouped(s.LastSeq))
	}
	if shown == 0 && !a.json && !a.quiet {
		a.errf("there are no such runs")
	}
	return w.Flush()
}
