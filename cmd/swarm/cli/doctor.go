package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
)

// States of a check.
const (
	fine   = "ok"
	warns  = "warn"
	broken = "broken"
)

// finding is what one check of doctor has found.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, warn or broken
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"`
	Run   string `json:"run,omitempty"` // of damage
	Seq   int64  `json:"seq,omitempty"` // of the first record that is damaged
}

// doctor looks for what would keep runs from working, and changes nothing.
type doctor struct {
	a     *app
	found []finding
}

func (d *doctor) add(check, state, mend, format string, args ...any) {
	d.found = append(d.found, finding{Check: check, State: state, Text: fmt.Sprintf(format, args...), Mend: mend})
}

func (a *app) doctorCommand() *cobra.Command {
	var (
		team        teamFlags
		live, store bool
	)
	cmd := &cobra.Command{
		Use:   "doctor [TEAM]",
		Short: "Say what would keep runs from working, and the mend",
		Long: "Looks at the data directory and the runs in it, and with TEAM at everything that the\n" +
			"team needs. It changes nothing, makes no data directory, and asks nobody over the\n" +
			"network unless --live is given. No key is ever printed.",
		Example: "  swarm doctor hello",
		GroupID: groupOperate,
		Args:    arguments("[TEAM]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if live && len(args) == 0 {
				return usage("--live asks the models of a team; name the TEAM")
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			d := &doctor{a: a}
			var t *swarm.Team
			if len(args) > 0 {
				t = d.team(args[0], team.Options)
			}
			if t != nil && live {
				d.live(ctx, t)
			}
			d.shell(ctx)
			dir := a.dataDir(t)
			if d.data(dir) {
				d.runs(ctx, dir, store)
			}
			return d.report(ctx)
		},
	}
	team.add(cmd)
	cmd.Flags().BoolVar(&live, "live", false, "ask each model of TEAM one question, which its server may bill")
	cmd.Flags().BoolVar(&store, "store", false, "verify every record and every blob of the data directory")
	return cmd
}

// report prints the findings. Something that is broken makes the exit code 1.
func (d *doctor) report(ctx context.Context) error {
	bad, warnings := 0, 0
	for _, f := range d.found {
		switch f.State {
		case broken:
			bad++
		case warns:
			warnings++
		}
	}
	err := d.print(bad, warnings)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return &exit{code: exitCancelled}
	case bad > 0:
		return &exit{code: exitFailed}
	}
	return nil
}

func (d *doctor) print(bad, warnings int) error {
	if d.a.json {
		return d.a.value(struct {
			OK      bool      `json:"ok"`
			Version string    `json:"version"`
			Go      string    `json:"go"`
			Checks  []finding `json:"checks"`
		}{bad == 0, swarm.Version, runtime.Version(), d.found})
	}
	if !d.a.quiet {
		if err := d.a.printf("swarm %s (%s %s/%s)\n", swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(d.a.out, 0, 0, 2, ' ', 0)
	for _, f := range d.found {
		if f.State != fine || !d.a.quiet {
			f.row(w)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if d.a.quiet {
		return nil
	}
	return d.a.printf("%s: %d broken, %s\n", count(len(d.found), "check"), bad, count(warnings, "warning"))
}

// row prints a finding: the mend stands on a line of its own, below what it mends.
func (f *finding) row(w io.Writer) {
	text := f.Text
	if f.Seq > 0 {
		text = fmt.Sprintf("record %d: %s", f.Seq, text)
	}
	if f.Run != "" {
		text = f.Run + ": " + text
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.State, plain(f.Check, 40), plain(text, lineFail)) // Flush tells
	if f.Mend != "" {
		_, _ = fmt.Fprintf(w, "\t\tmend: %s\n", plain(f.Mend, lineFail))
	}
}
