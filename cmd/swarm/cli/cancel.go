package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func (a *app) cancelCommand() *cobra.Command {
	var reason string
	var noWait bool
	cmd := &cobra.Command{
		Use:   "cancel RUN [TASK]",
		Short: "End a run, or one task of it",
		Long: "Asks the process that owns a run to end it, and waits until every agent has stopped. With\n" +
			"TASK, the id of a task or the path of its agent, that task ends with everything below it,\n" +
			"and the rest of the run goes on. A run without an owner is cancelled as soon as it is\n" +
			"resumed.",
		Example: "  swarm cancel run_01 --reason \"wrong question\"",
		GroupID: groupRun,
		Args:    arguments("RUN", "[TASK]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return a.cancelTask(cmd.Context(), args[0], args[1], reason, !noWait)
			}
			return a.cancel(cmd.Context(), args[0], reason, !noWait)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as the command is stored")
	return cmd
}

func (a *app) cancel(ctx context.Context, id, reason string, wait bool) error {
	return a.command(ctx, id, func(rt *swarm.Runtime, sum journal.Summary) (*sent, error) {
		e := &errand{a: a, name: "cancel", what: "the cancel", wait: wait, later: "it is cancelled", settled: func(ctx context.Context, rt *swarm.Runtime, s *sent) error {
			for r, err := range rt.Events(ctx, s.Run, sum.LastSeq) {
				if err != nil {
					return err
				}
				if m, ok := r.Payload.(*journal.RunEnded); ok {
					s.stopped("", m.Outcome, m.Survivors)
				}
			}
			return nil
		}}
		return e.send(ctx, rt, sum, swarm.Command{Kind: journal.CommandCancel, Text: reason})
	})
}

// stopped says how what was cancelled has ended.
func (s *sent) stopped(what string, outcome journal.Outcome, survivors []string) {
	s.State, s.Survivors, s.text = string(outcome), survivors, what+string(outcome)
	if len(survivors) > 0 {
		s.text += "; these did not stop: " + strings.Join(survivors, ", ")
	}
}

// cancelTask ends one task. One that has ended is answered with its standing outcome.
func (a *app) cancelTask(ctx context.Context, id, name, reason string, wait bool) error {
	return a.command(ctx, id, func(rt *swarm.Runtime, sum journal.Summary) (*sent, error) {
		st, err := rt.Inspect(ctx, sum.Run)
		if err != nil {
			return &sent{}, err
		}
		t, err := taskOf(st, name)
		if err != nil {
			return &sent{}, err
		}
		what := fmt.Sprintf("%s (%s): ", t.ID, t.Path())
		if t.State == "ended" {
			s := &sent{Run: sum.Run, Command: "cancel", Answer: journal.Duplicate}
			s.stopped(what+"it had ended, ", t.Outcome, t.Survivors)
			return s, nil
		}
		e := &errand{a: a, name: "cancel", what: "the cancel", wait: wait, later: "the task is cancelled", settled: func(ctx context.Context, rt *swarm.Runtime, s *sent) error {
			for r, err := range rt.Events(ctx, s.Run, st.Seq+1) {
				if err != nil {
					return err
				}
				if m, ok := r.Payload.(*journal.TaskEnded); ok && r.Scope.Task == t.ID {
					s.stopped(what, m.Outcome, m.Survivors)
					return nil
				}
			}
			return nil
		}}
		return e.send(ctx, rt, sum, swarm.Command{Kind: journal.CommandCancelTask, Task: t.ID, Text: reason})
	})
}

// taskOf finds a task by its id, its key or the path of its agent.
func taskOf(st *delegate.State, name string) (*delegate.Task, error) {
	if t := st.Task(name); t != nil {
		return t, nil
	}
	if st.Inv[name] != nil {
		return nil, usage("%q has no task: it is the first agent of the run; without TASK the whole run is cancelled", name)
	}
	if len(st.TaskIDs) == 0 {
		return nil, usage("the run has no task %q: it has given none yet", name)
	}
	var names []string
	for _, id := range st.TaskIDs {
		names = append(names, id, st.Tasks[id].Path())
	}
	return nil, usage("the run has no task %q; the nearest name is %q", name, nearest(name, names))
}
