package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func (a *app) pauseCommand() *cobra.Command {
	var noWait bool
	cmd := &cobra.Command{
		Use:   "pause RUN",
		Short: "Bring a run to rest",
		Long: "Asks the process that owns a run to begin nothing more and to let settle what has begun,\n" +
			"and waits until the run is paused. swarm resume goes on with it. A run without an owner\n" +
			"rests already.",
		Example: "  swarm pause run_01",
		GroupID: groupRun,
		Args:    arguments("RUN"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.pause(cmd.Context(), args[0], !noWait) },
	}
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as the command is stored")
	return cmd
}

func (a *app) pause(ctx context.Context, id string, wait bool) error {
	return a.command(ctx, id, func(rt *swarm.Runtime, sum journal.Summary) (*sent, error) {
		e := &errand{a: a, name: "pause", what: "the pause", wait: wait, later: "it is paused", settled: func(_ context.Context, _ *swarm.Runtime, s *sent) error {
			s.State, s.text = "paused", "paused; go on with: "+a.resumeLine(s.Run)
			if s.ID == 0 {
				s.State, s.text = sum.State, "the run has no owner now ("+sum.State+"), so it rests already; go on with: "+a.resumeLine(s.Run)
			}
			return nil
		}}
		return e.send(ctx, rt, sum, swarm.Command{Kind: journal.CommandPause})
	})
}
