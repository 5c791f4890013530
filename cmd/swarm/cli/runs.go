package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// states are what a run can be in, in the order of its life.
var states = []string{"running", "interrupted", "paused", "parked", "completed", "failed", "cancelled", "partial", "unknown"}

func (a *app) runsCommand() *cobra.Command {
	var which runFilter
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List runs with their states",
		Long: "Lists the runs of a data directory, newest first. A run is running, interrupted (its\n" +
			"process has gone and it has not ended), paused, parked, or it has its outcome. Where no\n" +
			"run was ever begun, this and every other command that looks at runs fails, and makes\n" +
			"nothing.",
		Example: "  swarm runs --state completed --label ticket=17",
		GroupID: groupLook,
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := which.check(); err != nil {
				return err
			}
			return a.runs(cmd.Context(), &which)
		},
	}
	cmd.Flags().StringArrayVar(&which.states, "state", nil, "only runs in this state; may be repeated")
	cmd.Flags().StringArrayVar(&which.labels, "label", nil, "KEY or KEY=VALUE: only runs with this label; may be repeated, then all must hold")
	return cmd
}

// runFilter narrows a list of runs.
type runFilter struct {
	states []string // any of them
	labels []string // all of them: KEY or KEY=VALUE
}

func (f *runFilter) check() error {
	for _, s := range f.states {
		if !slices.Contains(states, s) {
			return usage("--state is one of %s, not %q; the nearest is %s", strings.Join(states, ", "), s, nearest(s, states))
		}
	}
	for _, l := range f.labels {
		if key, _, _ := strings.Cut(l, "="); key == "" {
			return usage("--label is KEY or KEY=VALUE, not %q", l)
		}
	}
	return nil
}

// none says that a list is empty.
func (f *runFilter) none() string {
	if len(f.states)+len(f.labels) > 0 {
		return "there are no such runs"
	}
	return "there are no runs yet"
}

func (f *runFilter) state(s string) bool { return len(f.states) == 0 || slices.Contains(f.states, s) }

func (f *runFilter) label(have map[string]string) bool {
	for _, l := range f.labels {
		key, want, valued := strings.Cut(l, "=")
		if got, ok := have[key]; !ok || valued && got != want {
			return false
		}
	}
	return true
}

// listedRun is what runs prints of one run with --json.
type listedRun struct {
	journal.Summary
	Labels map[string]string `json:"labels,omitempty"`
}

func (a *app) runs(ctx context.Context, which *runFilter) (err error) {
	rt, err := a.openData(ctx, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	list, err := a.matchingRuns(ctx, rt, which)
	if err != nil {
		return err
	}
	if a.json {
		for i := range list {
			if err := a.value(&list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 && !a.quiet {
		a.errf("%s", which.none())
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for i := range list {
		if i == 0 {
			_, _ = fmt.Fprintln(w, "RUN\tSTATE\tTEAM\tBEGUN\tRECORDS") // Flush tells
		}
		s := &list[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Run, s.State, plain(s.Team, 64), s.Created.Local().Format(time.DateTime), grouped(s.LastSeq))
	}
	return w.Flush()
}

// matchingRuns gives the runs that a filter lets through, newest first. Labels are only
// read when somebody looks at them.
func (a *app) matchingRuns(ctx context.Context, rt *swarm.Runtime, which *runFilter) ([]listedRun, error) {
	all, err := rt.Runs(ctx)
	if err != nil {
		return nil, err
	}
	var out []listedRun
	for _, s := range all {
		if !which.state(s.State) {
			continue
		}
		one := listedRun{Summary: s}
		if a.json || len(which.labels) > 0 {
			one.Labels, err = rt.Labels(ctx, s.Run)
			if err != nil && fault.Code(err) != "journal.damaged" { // a run that cannot be read has none
				return nil, err
			}
		}
		if which.label(one.Labels) {
			out = append(out, one)
		}
	}
	return out, nil
}
