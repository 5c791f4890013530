package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
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
			if err := flags.check(); err != nil {
				return err
			}
			return a.events(cmd.Context(), args[0], flags)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.follow, "follow", "f", false, "go on until the run has ended")
	f.Int64Var(&flags.from, "from", 0, "first record")
	f.StringArrayVar(&flags.types, "type", nil, "only records of this type; may be repeated")
	f.StringVar(&flags.agent, "agent", "", "only records of the agent with this path, such as root/critic, or with this last part of it")
	return cmd
}

// check refuses types of records that there are not.
func (f *eventFlags) check() error {
	var names []string
	for _, t := range journal.Types() {
		names = append(names, string(t))
	}
	for _, t := range f.types {
		if !slices.Contains(names, t) {
			return usage("there are no records of type %q; the nearest type is %s", t, nearest(t, names))
		}
	}
	return nil
}

func (a *app) events(ctx context.Context, id string, flags eventFlags) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = shut(rt) }() // nothing was begun
	id = sum.Run
	d := newDescriber()
	var paths []string
	for r, err := range rt.Events(ctx, id, 0) {
		switch {
		case errors.Is(err, context.Canceled):
			return &exit{code: exitCancelled}
		case err != nil:
			return err
		}
		if p := who(&r); !slices.Contains(paths, p) {
			paths = append(paths, p)
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
	if flags.agent != "" && !slices.ContainsFunc(paths, flags.path) {
		return usage("the run has no agent %q; there are %s", flags.agent, strings.Join(paths, ", "))
	}
	return nil
}

// path says whether an agent path is meant: whole, or by its last part.
func (f *eventFlags) path(p string) bool { return p == f.agent || strings.HasSuffix(p, "/"+f.agent) }

func (f *eventFlags) match(r *journal.Record) bool {
	if r.Seq < f.from || f.agent != "" && !f.path(who(r)) {
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
	return a.printf("%s\n", shown(strings.TrimRight(line, " ")))
}
