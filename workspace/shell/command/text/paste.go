package text

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func pasteCommand() *command.Command {
	return &command.Command{
		Name: "paste", Group: "text", Short: "join the lines of files side by side", Run: runPaste,
		Usage: `Usage: paste [OPTION]... [FILE]...
Write lines that are made of the lines of each FILE, parted by tabs.

  -d, --delimiters=LIST  take the delimiters from LIST, one after the other; \n \t \\ \0 none
  -s, --serial           make one line of each file
  -z, --zero-terminated  lines end with NUL`,
	}
}

func runPaste(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "d,delimiters: s,serial z,zero-terminated")
	if err != nil {
		return c.UsageError(1, err)
	}
	delimiters, err := parseDelimiters(o.Value("d", `\t`))
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	names := o.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	end := terminator(o)
	if o.Has("s") {
		return eachInput(ctx, c, names, func(_ string, r io.Reader) error {
			n := 0
			err := eachLine(ctx, c, r, end, func(line []byte, _ bool) bool {
				if n > 0 {
					c.Out.WriteString(delimiters[(n-1)%len(delimiters)])
				}
				n++
				c.Out.Write(line)
				return c.Out.Err() == nil
			})
			c.Out.WriteByte(end)
			return err
		})
	}
	return pasteParallel(ctx, c, names, delimiters, end)
}

// parseDelimiters gives the delimiters; \0 is the empty one.
func parseDelimiters(s string) ([]string, error) {
	var list []string
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			list = append(list, s[i:i+1])
			continue
		}
		if i++; i == len(s) {
			return nil, errors.New("delimiter list ends with an unescaped backslash: " + s)
		}
		switch at := strings.IndexByte(`0bfnrtv`, s[i]); {
		case at == 0:
			list = append(list, "")
		case at > 0:
			list = append(list, "\x00\b\f\n\r\t\v"[at:at+1])
		default:
			list = append(list, s[i:i+1])
		}
	}
	if len(list) == 0 {
		list = []string{""}
	}
	return list, nil
}

func pasteParallel(ctx context.Context, c *command.Call, names, delimiters []string, end byte) int {
	files := make([]*lineReader, len(names))
	var stdin *lineReader
	for i, name := range names {
		if name == "-" {
			if stdin == nil {
				stdin = newLines(ctx, c, c.In, end)
			}
			files[i] = stdin // several share the lines
			continue
		}
		f, err := c.Open(name)
		if err != nil {
			return c.Fail(name, err)
		}
		defer f.Close()
		files[i] = newLines(ctx, c, f, end)
	}
	code := 0
	open := len(files)
	for open > 0 && ctx.Err() == nil {
		var row []byte
		some := false
		for i, f := range files {
			if i > 0 {
				row = append(row, delimiters[(i-1)%len(delimiters)]...)
			}
			if f == nil {
				continue
			}
			line, _, err := f.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					code = c.Fail(names[i], err)
				}
				files[i] = nil
				open--
				continue
			}
			some = true
			row = append(row, line...)
		}
		if some {
			c.Out.Write(append(row, end))
		}
	}
	return code
}
