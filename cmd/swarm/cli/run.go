package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

// maxInput is the largest input of a run in bytes: far above what a model reads.
const maxInput = 16 << 20

// runFlags are the flags of run and resume.
type runFlags struct {
	out   string
	drain time.Duration
	to    *publisher // nil without --out
}

func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "", "file that gets what the run publishes")
	cmd.Flags().DurationVar(&f.drain, "drain", 20*time.Second, "time for what has begun to settle at a shutdown")
}

func (f *runFlags) options(out io.Writer) (o swarm.Options, err error) {
	if f.drain <= 0 {
		return o, usage("--drain is a duration above zero, not %s", f.drain)
	}
	o.Drain = f.drain
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
		team   teamFlags
		flags  runFlags
		input  string
		labels []string
	)
	cmd := &cobra.Command{
		Use:   "run TEAM [TEXT]",
		Short: "Run a team on a text",
		Long: "Runs a team on TEXT, else on the text of --input, else on standard input. The result\n" +
			"goes to standard output, progress to standard error. Ctrl-C once cancels the run and\n" +
			"waits until its agents have stopped, twice ends at once. SIGTERM pauses the run, so\n" +
			"that swarm resume goes on with it.",
		Example: "  swarm run hello \"Say hello\"",
		GroupID: groupRun,
		Args:    arguments("TEAM", "[TEXT]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := flags.options(a.out)
			if err != nil {
				return err
			}
			in, err := a.input(args[1:], input, labels)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), args[0], team.Options, &flags, o, in)
		},
	}
	team.add(cmd)
	flags.add(cmd)
	cmd.Flags().StringVar(&input, "input", "", "file that holds the input")
	cmd.Flags().StringArrayVar(&labels, "label", nil, "KEY=VALUE: a label of the run; may be repeated")
	return cmd
}

// input gathers what the run is given.
func (a *app) input(args []string, file string, labels []string) (swarm.Input, error) {
	var in swarm.Input
	for _, l := range labels {
		k, v, found := strings.Cut(l, "=")
		if !found || k == "" {
			return in, usage("--label is KEY=VALUE, not %q", l)
		}
		if in.Labels == nil {
			in.Labels = make(map[string]string)
		}
		in.Labels[k] = v
	}
	switch {
	case len(args) > 0 && file != "":
		return in, usage("the input is given twice, as TEXT and by --input; leave one out")
	case len(args) > 0:
		in.Text = args[0]
		return in, nil
	}
	from := a.in
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return in, usage("the input cannot be read: %w", err)
		}
		defer f.Close()
		from = f
	} else if f, ok := a.in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return in, usage("there is no input; give a text, --input FILE, or standard input")
		}
	}
	data, err := io.ReadAll(io.LimitReader(from, maxInput+1))
	if err != nil {
		return in, usage("the input cannot be read: %w", err)
	}
	if len(data) > maxInput {
		return in, usage("the input has more than %s bytes", grouped(maxInput))
	}
	in.Text = strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
	return in, nil
}

func (a *app) run(ctx context.Context, path string, changes config.Options, flags *runFlags, o swarm.Options, in swarm.Input) error {
	team, err := config.LoadWith(path, changes)
	if err != nil {
		return err
	}
	if !a.quiet {
		for _, f := range team.Warnings {
			a.errf("%s", f)
		}
	}
	if gone := missingMounts(team); len(gone) > 0 {
		return &exit{exitUsage, config.Faults(gone)}
	}
	o.Dir, o.Durability = a.dataDir(team), team.Durability
	rt, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	flags.ready(rt)
	return a.following(rt, o.Dir, 0, func(ctx context.Context) (*swarm.Run, error) { return rt.Start(ctx, team, in) })
}
