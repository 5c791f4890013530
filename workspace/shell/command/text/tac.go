package text

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func tacCommand() *command.Command {
	return &command.Command{
		Name: "tac", Group: "text", Short: "write lines last to first", Run: runTac,
		Usage: `Usage: tac [OPTION]... [FILE]...
Write the lines of each FILE, the last one first.

  -b, --before          the separator stands before what it parts
  -r, --regex           the separator is a basic regular expression
  -s, --separator=TEXT  parts are ended by TEXT instead of line breaks`,
	}
}

func runTac(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "b,before r,regex s,separator:")
	if err != nil {
		return c.UsageError(1, err)
	}
	ends, err := separatorFinder(c, o)
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	names := o.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := 0
	for _, name := range names {
		b, err := readAll(ctx, c, name)
		if err != nil {
			if ctx.Err() != nil {
				return 1
			}
			c.Errorf("failed to open '%s' for reading: %v", name, view.Text(err))
			code = 1
			continue
		}
		var parts [][]byte
		at := 0
		for _, s := range ends(b) {
			cut := s[1]
			if o.Has("b") {
				cut = s[0]
			}
			if cut > at || !o.Has("b") {
				parts = append(parts, b[at:cut])
			}
			at = cut
		}
		parts = append(parts, b[at:])
		slices.Reverse(parts)
		c.Out.Write(bytes.Join(parts, nil))
	}
	return code
}

// separatorFinder gives a function that finds the separators of tac.
func separatorFinder(c *command.Call, o *command.Options) (func(b []byte) [][2]int, error) {
	sep := o.Value("s", "\n")
	if o.Has("r") {
		if sep == "" {
			return nil, errors.New("separator cannot be empty")
		}
		re, err := regex.Compile(sep, regex.Options{Multiline: true, Budget: c.Budget})
		if err != nil {
			return nil, err
		}
		return func(b []byte) [][2]int { return backwards(re, b) }, nil
	}
	if sep == "" {
		sep = "\x00"
	}
	return func(b []byte) (all [][2]int) {
		for at := 0; ; {
			i := bytes.Index(b[at:], []byte(sep))
			if i < 0 {
				return all
			}
			all = append(all, [2]int{at + i, at + i + len(sep)})
			at += i + len(sep)
		}
	}, nil
}

// backwards finds separators from the end: the last place where one begins, then the last
// place before it where one begins and ends, and so on.
func backwards(re *regex.Regexp, b []byte) (all [][2]int) {
	var starts []int
	for at := 0; at < len(b); {
		start, _, ok, err := re.Span(b, at)
		if !ok || err != nil {
			break
		}
		starts = append(starts, start)
		at = start + 1
	}
	limit := len(b)
	for _, at := range slices.Backward(starts) {
		start, end, ok, err := re.Span(b[:limit], at)
		if ok && err == nil && start == at && end > start {
			all = append(all, [2]int{start, end})
			limit = start
		}
	}
	slices.Reverse(all)
	return all
}
