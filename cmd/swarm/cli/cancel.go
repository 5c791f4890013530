package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// commandWait is how long a command waits for the owner of its run (command line spec §4).
const commandWait = 10 * time.Second

func (a *app) cancelCommand() *cobra.Command {
	var reason string
	var noWait bool
	cmd := &cobra.Command{
		Use:   "cancel RUN",
		Short: "End a run",
		Long: "Asks the process that owns a run to end it, and waits until every agent has stopped.\n" +
			"A run without an owner is cancelled as soon as it is resumed.",
		Example: "  swarm cancel run_01 --reason \"wrong question\"",
		GroupID: groupRun,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return usage("cancelling one task is not in this version; cancel the whole run")
			}
			return arguments("RUN")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.cancel(cmd.Context(), args[0], reason, !noWait)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as the command is stored")
	return cmd
}

func (a *app) cancel(ctx context.Context, id, reason string, wait bool) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	id = sum.Run
	if err := rt.Cancel(ctx, id, reason); err != nil {
		return err
	}
	said := func(state, text string) error {
		if a.json {
			return a.value(struct {
				Run   string `json:"run"`
				State string `json:"state"`
			}{id, state})
		}
		return a.printf("%s: %s\n", id, text)
	}
	switch {
	case sum.State != "running":
		return said("stored", "the run has no owner now ("+sum.State+"); it is cancelled as soon as it is resumed, by: swarm resume "+id)
	case !wait:
		return said("stored", "the cancel is stored")
	}
	ctx, stop := context.WithTimeout(ctx, commandWait)
	defer stop()
	for r, err := range rt.Events(ctx, id, sum.LastSeq) {
		if errors.Is(err, context.DeadlineExceeded) {
			return said("stored", "the cancel is stored, and the run has not ended yet")
		}
		if err != nil {
			return err
		}
		if m, ok := r.Payload.(*journal.RunEnded); ok {
			text := string(m.Outcome)
			if len(m.Survivors) > 0 {
				text += "; these did not stop: " + strings.Join(m.Survivors, ", ")
			}
			return said(string(m.Outcome), text)
		}
	}
	return said("stored", "the cancel is stored")
}
