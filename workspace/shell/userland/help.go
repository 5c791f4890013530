package userland

import (
	"context"
	_ "embed" // the list of differences
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// differences is where the shell differs on purpose. The tests write it from their cases.
//
//go:embed differences.txt
var differences string

// help is what the builtin help has no text of its own for.
func help() *command.Command {
	return &command.Command{
		Name: "help", Group: "system", Short: "list the commands, explain one, or say where the shell differs (help differences)",
		Run: func(_ context.Context, c *command.Call) int {
			if len(c.Args) == 2 && c.Args[1] == "differences" {
				_, _ = io.WriteString(c.Out, differences) // the writer keeps its error
				return 0
			}
			c.Errorf("no help topics match `%s'.  Try `help', or `NAME --help'.", c.Args[len(c.Args)-1])
			return 1
		},
	}
}
