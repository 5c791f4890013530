package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// eventFlags narrow what events shows.
type eventFlags struct {
	follow bool
	from   int64
	types  []string
	agent  string
}

func (a *app) eventsCommand() *cobra.Command {
	var flags eventFlags
	cmd := &cobra.Command{
		Use:     "events RUN",
		Short:   "Print the journal of a run",
		Example: "  swarm events run_01 --agent root --type call_settled",
		GroupID: groupLook,
		Args:    arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.from < 0 {
				return usage("--from is the number of a record, not %d", flags.from)
			}
			return a.events(cmd.Context(), args[0], flags)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.follow, "follow", "f", false, "go on until the run has ended")
	f.Int64Var(&flags.from, "from", 0, "first record")
	f.StringArrayVar(&flags.types, "type", nil, "only records of this type; may be repeated")
	f.StringVar(&flags.agent, "agent", "", "only records of the agent with this path, such as root/critic")
	return cmd
}

func (a *app) events(ctx context.Context, id string, flags eventFlags) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = shut(rt) }() // nothing was begun
	d := newDescriber()
	for r, err := range rt.Events(ctx, id, 0) {
		switch {
		case errors.Is(err, context.Canceled):
			return &exit{code: exitCancelled}
		case err != nil:
			return err
		}
		text, _ := d.line(&r) // also of what is not shown, for the names in it
		if flags.match(&r) {
			if err := a.event(&r, text); err != nil {
				return err
			}
		}
		if !flags.follow && r.Seq >= sum.LastSeq {
			break
		}
	}
	return nil
}

func (f *eventFlags) match(r *journal.Record) bool {
	if r.Seq < f.from || f.agent != "" && who(r) != f.agent {
		return false
	}
	for _, t := range f.types {
		if string(r.Type()) == t {
			return true
		}
	}
	return len(f.types) == 0
}

func (a *app) event(r *journal.Record, text string) error {
	if a.json {
		return a.record(r)
	}
	line := fmt.Sprintf("%5d  %s  %-16s %-20s  %s", r.Seq, r.At.Local().Format("15:04:05.000"), who(r), r.Type(), text)
	return a.printf("%s\n", strings.TrimRight(line, " "))
}
