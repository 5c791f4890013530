package text

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func basenameCommand() *command.Command {
	return &command.Command{
		Name: "basename", Group: "text", Short: "strip the directory from names", Run: runBasename,
		Usage: `Usage: basename NAME [SUFFIX], or basename OPTION... NAME...
Write NAME without its directories, and without SUFFIX.

  -a, --multiple       every operand is a NAME
  -s, --suffix=SUFFIX  take off SUFFIX; implies -a
  -z, --zero           end each with NUL instead of a line break`,
	}
}

func runBasename(_ context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "+a,multiple s,suffix: z,zero")
	names := []string(nil)
	suffix := ""
	if err == nil {
		names, suffix = o.Args, o.Value("s", "")
		switch {
		case len(names) == 0:
			err = errors.New("missing operand")
		case o.Has("a", "s"):
		case len(names) > 2:
			err = fmt.Errorf("extra operand '%s'", names[2])
		case len(names) == 2:
			names, suffix = names[:1], names[1]
		}
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	for _, name := range names {
		base := baseName(name)
		if base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		c.Out.WriteString(base + string(rune(terminator(o))))
	}
	return 0
}

func baseName(name string) string {
	if name == "" {
		return ""
	}
	return path.Base(name)
}

func dirnameCommand() *command.Command {
	return &command.Command{
		Name: "dirname", Group: "text", Short: "strip the last part from names", Run: runDirname,
		Usage: "Usage: dirname [OPTION] NAME...\nWrite each NAME without its last part; . when there is no other.\n\n  -z, --zero  end each with NUL instead of a line break",
	}
}

func runDirname(_ context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "z,zero")
	if err == nil && len(o.Args) == 0 {
		err = errors.New("missing operand")
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	for _, name := range o.Args {
		c.Out.WriteString(dirName(name) + string(rune(terminator(o))))
	}
	return 0
}

func dirName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" {
		if name == "" {
			return "."
		}
		return "/"
	}
	i := strings.LastIndexByte(trimmed, '/')
	if i < 0 {
		return "."
	}
	if dir := strings.TrimRight(trimmed[:i], "/"); dir != "" {
		return dir
	}
	return "/"
}
