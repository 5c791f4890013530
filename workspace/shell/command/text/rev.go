package text

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func revCommand() *command.Command {
	return &command.Command{
		Name: "rev", Group: "text", Short: "write each line from its end to its beginning", Run: runRev,
		Usage: "Usage: rev [FILE]...\nWrite the characters of each line in reverse order.",
	}
}

func runRev(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "")
	if err != nil {
		return c.UsageError(1, err)
	}
	var out []byte
	return eachInput(ctx, c, o.Args, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, '\n', func(line []byte, ended bool) bool {
			out = out[:0]
			for len(line) > 0 {
				_, n := utf8.DecodeLastRune(line)
				out = append(out, line[len(line)-n:]...)
				line = line[:len(line)-n]
			}
			if ended {
				out = append(out, '\n')
			}
			c.Out.Write(out)
			return c.Out.Err() == nil
		})
	})
}

func yesCommand() *command.Command {
	return &command.Command{
		Name: "yes", Group: "text", Short: "write a line again and again", Run: runYes,
		Usage: "Usage: yes [TEXT]...\nWrite a line with TEXT, or y, until nobody reads it any more.",
	}
}

func runYes(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "+")
	if err != nil {
		return c.UsageError(1, err)
	}
	line := "y\n"
	if len(o.Args) > 0 {
		line = strings.Join(o.Args, " ") + "\n"
	}
	block := strings.Repeat(line, max(1, 8<<10/len(line)))
	for ctx.Err() == nil && c.Out.Err() == nil {
		c.Out.WriteString(block)
	}
	return 1
}
