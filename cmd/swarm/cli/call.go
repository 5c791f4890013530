package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

func (a *app) callCommand() *cobra.Command {
	var flags teamFlags
	var c swarm.ToolCall
	var explain bool
	cmd := &cobra.Command{
		Use:   "call TEAM TOOL [JSON]",
		Short: "Call one tool as an agent would",
		Long: "Calls one tool outside of a model, with the checks that a call of the agent passes, and\n" +
			"prints the result as the model would read it. TOOL is an id or the name by which the\n" +
			"model calls it. JSON are the arguments; - reads them from standard input and @FILE from\n" +
			"a file. The workspace is an empty one that is gone afterwards; directories that the\n" +
			"team mounts are the real ones. Tools that only make sense within a run are refused.",
		Example: "  swarm call hello workspace.write_file '{\"path\": \"output/a.md\", \"content\": \"Hello\"}'",
		GroupID: groupTools,
		Args:    arguments("TEAM", "TOOL", "[JSON]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKind(c.Kind); err != nil {
				return err
			}
			text, err := a.callArgs(args[2:])
			if err != nil {
				return err
			}
			c.Tool, c.Args = args[1], text
			return a.call(cmd.Context(), args[0], flags.Options, c, explain)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&c.Agent, "agent", "", "id of the agent that calls; without it the entry")
	f.StringVar(&c.Kind, "kind", "", "as what the agent is called: root, child or handoff")
	f.BoolVar(&explain, "explain", false, "run nothing: say what would be decided, by which entry, and where it stands")
	return cmd
}

// maxCallArgs is how many bytes of arguments are read: more than any tool takes.
const maxCallArgs = 4 << 20

// callArgs gives the arguments of a call as a text.
func (a *app) callArgs(args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	from := a.in
	switch file, named := strings.CutPrefix(args[0], "@"); {
	case named:
		f, err := os.Open(file)
		if err != nil {
			return "", usage("the arguments cannot be read: %w", err)
		}
		defer f.Close()
		from = f
	case args[0] != "-":
		return args[0], nil
	}
	b, err := io.ReadAll(io.LimitReader(from, maxCallArgs+1))
	if err != nil {
		return "", usage("the arguments cannot be read: %w", err)
	}
	if len(b) > maxCallArgs {
		return "", usage("the arguments have more than %s bytes", grouped(maxCallArgs))
	}
	return string(b), nil
}

func (a *app) call(ctx context.Context, path string, o config.Options, c swarm.ToolCall, explain bool) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	rt, team, err := a.aside(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	if explain {
		e, err := rt.Explain(ctx, team, c)
		if err != nil {
			return err
		}
		return a.explained(e)
	}
	r, err := rt.Call(ctx, team, c)
	if errors.Is(err, context.Canceled) {
		return &exit{code: exitCancelled}
	}
	if err != nil {
		return err
	}
	if a.json {
		err = a.value(r)
	} else {
		err = a.printf("%s\n", strings.TrimSuffix(r.Text, "\n"))
	}
	switch {
	case err != nil || r.Code == "":
		return err
	case strings.HasPrefix(r.Code, "permission."):
		return &exit{code: exitRefused}
	}
	return &exit{code: exitFailed}
}

// explained prints a decision and what led to it.
func (a *app) explained(e *swarm.Explanation) error {
	if a.json {
		return a.value(e)
	}
	head := e.Decision
	if e.Code != "" {
		head += " " + e.Code
	}
	if err := a.printf("%s (%s) for %s as %s: %s\n", e.Tool, e.Name, e.Agent, e.Kind, head); err != nil {
		return err
	}
	g := grid{indent: "  "}
	for _, s := range e.Steps {
		g.row(s.Says, s.Layer, orDash(s.Entry), plain(s.Text, lineFail))
	}
	return g.print(a)
}
