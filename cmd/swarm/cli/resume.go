package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
)

func (a *app) resumeCommand() *cobra.Command {
	var (
		flags runFlags
		o     swarm.ResumeOptions
	)
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped",
		Long: "Goes on with a run that was paused, parked or interrupted, under its own id. Nothing\n" +
			"that was settled is done again.",
		Example: "  swarm resume run_01",
		GroupID: groupRun,
		Args:    arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"entry", "input", "label", "model", "set"} {
				if cmd.Flags().Changed(name) {
					return usage("--%s cannot be given to resume: a run keeps the team and the input that it was begun with", name)
				}
			}
			if o.Expect < 0 {
				return usage("--expect is the number of a record, not %d", o.Expect)
			}
			so, err := flags.options(a.out)
			if err != nil {
				return err
			}
			stop, err := a.serveMetrics(flags.metrics, &so)
			if err != nil {
				return err
			}
			defer stop()
			a.onTerminal(&so, flags.out)
			return a.resume(cmd.Context(), args[0], &flags, so, o)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.TakeOver, "take-over", false, "also from a process that may still live")
	f.Int64Var(&o.Expect, "expect", 0, "refuse when the run is not at this record")
	for _, name := range []string{"entry", "input", "label", "model", "set"} {
		f.String(name, "", "")
		_ = f.MarkHidden(name) // fails only for a flag that is not there
	}
	return cmd
}

func (a *app) resume(ctx context.Context, id string, flags *runFlags, so swarm.Options, o swarm.ResumeOptions) error {
	rt, sum, err := a.openRun(ctx, id, so)
	if err != nil {
		return err
	}
	id = sum.Run
	flags.ready(rt)
	return a.following(rt, a.dataDir(nil), sum.LastSeq, func(ctx context.Context) (*swarm.Run, error) { return rt.Resume(ctx, id, o) })
}
