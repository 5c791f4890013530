package eval

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

// echoBuiltin executes echo.
func echoBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	args, newline, escapes := args[1:], true, sh.opt(shoptXPGEcho)
	for len(args) > 0 && isEchoOption(args[0]) {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	size := 1
	for _, arg := range args {
		size += len(arg) + 1
	}
	out := make([]byte, 0, size)
	for i, arg := range args {
		if i > 0 {
			out = append(out, ' ')
		}
		if !escapes {
			out = append(out, arg...)
			continue
		}
		var ended bool
		if out, ended = appendEscaped(out, arg); ended {
			newline = false
			break
		}
	}
	if newline {
		out = append(out, '\n')
	}
	b.out.Write(out)
	return 0
}

func isEchoOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "neE") == ""
}

// appendEscaped appends an argument with its escapes; ended says that \c was met.
func appendEscaped(out []byte, arg string) (_ []byte, ended bool) {
	for arg != "" {
		plain := strings.IndexByte(arg, '\\')
		if plain < 0 {
			return append(out, arg...), false
		}
		out = append(out, arg[:plain]...)
		arg = arg[plain:]
		switch {
		case len(arg) > 1 && arg[1] == 'c':
			return out, true
		case len(arg) > 1 && arg[1] >= '1' && arg[1] <= '7':
			// Only \0 begins an octal number here.
			out = append(out, '\\')
			arg = arg[1:]
			continue
		}
		var n int
		if out, n, _ = printf.AppendEscape(out, arg, true); n == 0 {
			out = append(out, '\\')
			n = 1
		}
		arg = arg[n:]
	}
	return out, false
}

// printfBuiltin executes printf.
func printfBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	g := sh.options(b, args, "v:")
	target := ""
	for letter := g.next(); letter != 0; letter = g.next() {
		target = g.value
		if !isTarget(target) {
			sh.badName(b, "printf", target)
			return 2
		}
	}
	switch {
	case g.bad:
		return 2
	case len(g.args) == 0:
		return sh.usage(b, "printf")
	}
	var p printf.Printer
	p = printf.Printer{
		Error: func(text string) {
			// Lines that are complete come before the complaint, as standard output is
			// written line by line.
			if end := bytes.LastIndexByte(p.Out, '\n') + 1; target == "" && end > 0 {
				b.out.Write(p.Out[:end])
				p.Out = append(p.Out[:0], p.Out[end:]...)
			}
			sh.errorf(b, "printf: %s", text)
		},
		Quote:    expand.Quote,
		Time:     sh.clockText,
		Variable: sh.budget.Variable,
		Count: func(name string, n int) bool {
			return isName(name) && sh.exp.SetString(ctx, name, strconv.Itoa(n), false) == nil
		},
	}
	if target == "" {
		p.Flush = func(out []byte) error {
			_, err := b.out.Write(out)
			return err
		}
	}
	code, err := p.Print(g.args[0], g.args[1:])
	if hit, ok := errors.AsType[*limits.Hit](err); ok {
		return sh.fail(ctx, sh.budget.Exceed(hit))
	}
	switch {
	case target == "":
		if len(p.Out) > 0 {
			b.out.Write(p.Out)
		}
	default:
		if err := sh.exp.SetString(ctx, target, string(p.Out), false); err != nil {
			return sh.failed(ctx, b, "printf", err)
		}
	}
	return code
}

// failed reports an error of an assignment that a builtin made and gives 1. One of an
// expansion that ends the shell, and a limit, do more than that.
func (sh *Shell) failed(ctx context.Context, b *streams, builtin string, err error) int {
	if e, ok := errors.AsType[*expand.Error](err); ok && !e.Exit {
		sh.errorf(b, "%s: %s", builtin, e.Text)
		return 1
	}
	return sh.fail(ctx, err)
}

// clockText gives the text of %(layout)T: -1 is now, -2 the start of the shell.
func (sh *Shell) clockText(layout string, seconds int64) string {
	at := time.Unix(seconds, 0)
	switch seconds {
	case -1:
		at = sh.now()
	case -2:
		at = time.Unix(0, sh.started)
	}
	return string(strftime.Library(nil, layout, at.In(strftime.Zone(sh.Get("TZ").String()))))
}
