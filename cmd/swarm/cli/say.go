package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func (a *app) sayCommand() *cobra.Command {
	var noWait bool
	cmd := &cobra.Command{
		Use:   "say RUN TEXT",
		Short: "Give guidance to the agent that owns a run",
		Long: "The agent that owns the run, its first one or the one that the work was handed to, reads\n" +
			"TEXT before its next request to the model; if it awaits other agents, the await ends for\n" +
			"it. - instead of TEXT reads standard input. It works from any process on the data\n" +
			"directory, and returns when the owner has recorded the text. A run without an owner\n" +
			"reads it when it is resumed. At most 8 texts wait, of at most 16,000 characters each.",
		Example: "  swarm say run_01 \"leave out the appendix\"",
		GroupID: groupRun,
		Args:    arguments("RUN", "TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := args[1]
			if text == "-" {
				var err error
				if text, err = a.spoken(); err != nil {
					return err
				}
			}
			return a.say(cmd.Context(), args[0], text, !noWait)
		},
	}
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as the text is stored")
	return cmd
}

// spoken reads a text from standard input. A text over the limit is not read to its end.
func (a *app) spoken() (string, error) {
	const bytesOfOne = 4 // longest character
	data, err := readAll("standard input", a.in, delegate.MaxGuidanceChars*bytesOfOne+1)
	return text(data), err
}

func (a *app) say(ctx context.Context, id, text string, wait bool) error {
	e := &errand{a: a, name: "say", what: "the text", wait: wait, later: "it reads the text", settled: func(_ context.Context, _ *swarm.Runtime, s *sent) error {
		s.State, s.text = s.Answer, "recorded; the owner reads it before its next turn"
		return nil
	}}
	return a.command(ctx, id, func(rt *swarm.Runtime, sum journal.Summary) (*sent, error) {
		return e.send(ctx, rt, sum, swarm.Command{Kind: journal.CommandSay, Text: text})
	})
}
