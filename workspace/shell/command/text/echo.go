package text

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
)

func echoCommand() *command.Command {
	return &command.Command{Name: "echo", Group: "text", Short: "write the arguments", Run: runEcho}
}

// runEcho takes options only as the builtin does: -n, -e, -E and their joins.
func runEcho(_ context.Context, c *command.Call) int {
	args := c.Args[1:]
	line, escapes := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				line = false
			default:
				escapes = letter == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var end bool
		if text, end = unescapeEcho(text); end {
			line = false
		}
	}
	c.Out.WriteString(text)
	if line {
		c.Out.WriteByte('\n')
	}
	return 0
}

// unescapeEcho replaces the escapes of echo -e; end says that \c was met.
func unescapeEcho(s string) (out string, end bool) {
	var buf []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			buf = append(buf, s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abefnrtv\`, s[i]); at >= 0 {
			buf = append(buf, "\a\b\x1b\f\n\r\t\v\\"[at])
			continue
		}
		switch s[i] {
		case 'c':
			return string(buf), true
		case '0', 'x':
			base, most := 8, 3
			if s[i] == 'x' {
				base, most = 16, 2
			}
			n, value := 0, 0
			for n < most && i+1+n < len(s) && hexDigit(s[i+1+n]) < base {
				value = value*base + hexDigit(s[i+1+n])
				n++
			}
			if base == 16 && n == 0 {
				buf = append(buf, `\x`...)
				continue
			}
			buf = append(buf, byte(value))
			i += n
		default:
			buf = append(buf, '\\', s[i])
		}
	}
	return string(buf), false
}

func hexDigit(b byte) int {
	switch {
	case isDigit(b):
		return int(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return 16
}

func printfCommand() *command.Command {
	return &command.Command{
		Name: "printf", Group: "text", Short: "write arguments under a format", Run: runPrintf,
		Usage: "Usage: printf FORMAT [ARGUMENT]...\nWrite FORMAT with its directives (%s %d %x %f %c %b %q and so on) filled in, again while ARGUMENTs are left.",
	}
}

func runPrintf(_ context.Context, c *command.Call) int {
	args := c.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	p := printf.Printer{
		Command: true,
		Error:   func(text string) { c.Errorf("%s", text) },
		Flush:   func(out []byte) error { c.Out.Write(out); return c.Out.Err() },
	}
	if c.Budget != nil {
		p.Variable = c.Budget.Variable
	}
	code, err := p.Print(args[0], args[1:])
	c.Out.Write(p.Out)
	if err != nil && c.Out.Err() == nil {
		c.Errorf("%v", err)
		return 1
	}
	return code
}
