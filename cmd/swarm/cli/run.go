package cli

import (
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

// runFlags are the flags of run and resume.
type runFlags struct {
	out     string
	drain   time.Duration
	metrics string     // where series are served; "": nowhere
	record  string     // file that gets the traffic with models
	replay  string     // file whose answers stand in place of the models'
	to      *publisher // nil without --out
}

func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "file that gets what the run publishes")
	cmd.Flags().StringVar(&f.record, "record", "", "file that gets all traffic with models of the network, without known secrets")
	cmd.Flags().StringVar(&f.replay, "replay", "", "file of --record whose answers stand in place of the models'")
	cmd.Flags().DurationVar(&f.drain, "drain", 20*time.Second, "time for what has begun to settle at a shutdown")
	cmd.Flags().StringVar(&f.metrics, "metrics", "", "HOST:PORT that serves /metrics for Prometheus; :PORT is for this machine only")
}

func (f *runFlags) options(out io.Writer) (o swarm.Options, err error) {
	if f.drain <= 0 {
		return o, usage("--drain is a duration above zero, not %s", f.drain)
	}
	if f.record != "" && f.replay != "" {
		return o, usage("--record and --replay exclude each other; leave one out")
	}
	if f.replay != "" {
		if _, err := os.Stat(f.replay); err != nil {
			return o, usage("what --replay names cannot be read: %w", err)
		}
	}
	o.Drain, o.Record, o.Replay = f.drain, f.record, f.replay
	if f.out != "" {
		if f.to, err = newPublisher(f.out, out); err != nil {
			return o, err
		}
		o.OnCommit = f.to.commit
	}
	return o, nil
}

// ready gives the publisher the store that it reads, before a run begins.
func (f *runFlags) ready(rt *swarm.Runtime) {
	if f.to != nil {
		f.to.store = rt.Store()
	}
}

func (a *app) runCommand() *cobra.Command {
	var (
		team  teamFlags
		flags runFlags
		given inputFlags
	)
	cmd := &cobra.Command{
		Use:   "run TEAM [TEXT]",
		Short: "Run a team on a text",
		Long: "Runs a team on TEXT, else on the text of --input, else on standard input. A conversation\n" +
			"(--chat) whose last message is of the user needs no text. The result goes to standard\n" +
			"output, progress to standard error. Ctrl-C once cancels the run and waits until its\n" +
			"agents have stopped, twice ends at once. SIGTERM pauses the run, so that swarm resume\n" +
			"goes on with it.",
		Example: "  swarm run hello \"Say hello\"",
		GroupID: groupRun,
		Args:    arguments("TEAM", "[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := flags.options(a.out)
			if err != nil {
				return err
			}
			in, err := given.read(a, args[1:])
			if err != nil {
				return err
			}
			stop, err := a.serveMetrics(flags.metrics, &o)
			if err != nil {
				return err
			}
			defer stop()
			a.onTerminal(&o, flags.out)
			return a.run(cmd.Context(), args[0], team.Options, &flags, o, &given, in)
		},
	}
	team.add(cmd)
	flags.add(cmd)
	given.add(cmd)
	return cmd
}

func (a *app) run(ctx context.Context, path string, changes config.Options, flags *runFlags, o swarm.Options, given *inputFlags, in swarm.Input) error {
	team, err := config.LoadWith(path, changes)
	if err != nil {
		return err
	}
	if !a.quiet {
		found := slices.Concat(team.Warnings, a.shortSecrets(team))
		a.warnOf(path, found)
		for _, f := range found {
			if f.Code == "config.no_model" {
				a.parting = "no model is configured, so nothing was worked on; " + f.Mend
			}
		}
	}
	if gone := missingMounts(team); len(gone) > 0 {
		return &exit{exitUsage, config.Faults(gone)}
	}
	o.Dir, o.Durability = a.dataDir(team), team.Durability
	if in.Files, err = given.files(a, o.Dir); err != nil {
		return err
	}
	rt, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	flags.ready(rt)
	return a.following(rt, o.Dir, 0, func(ctx context.Context) (*swarm.Run, error) {
		r, err := rt.Start(ctx, team, in)
		return r, given.faults(err)
	})
}
