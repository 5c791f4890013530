package text

import (
	"context"
	"io"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func foldCommand() *command.Command {
	return &command.Command{
		Name: "fold", Group: "text", Short: "break long lines", Run: runFold,
		Usage: `Usage: fold [OPTION]... [FILE]...
Break lines that are wider than 80 columns.

  -b, --bytes     count bytes, so that tabs and backspaces count as one
  -s, --spaces    break at spaces
  -w, --width=N   break at N columns; -N is the same`,
	}
}

func runFold(ctx context.Context, c *command.Call) int {
	args := append([]string(nil), c.Args...)
	for i := 1; i < len(args); i++ {
		if len(args[i]) > 1 && args[i][0] == '-' && isDigit(args[i][1]) {
			args[i] = "-w" + args[i][1:]
		}
	}
	o, err := command.Parse(args, "b,bytes s,spaces w,width:")
	if err != nil {
		return c.UsageError(1, err)
	}
	width, err := number(o.Value("w", "80"), 1, "number of columns")
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	f := folder{width: width, bytes: o.Has("b"), spaces: o.Has("s")}
	return eachInput(ctx, c, o.Args, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, '\n', func(line []byte, ended bool) bool {
			f.write(c.Out, line)
			if ended {
				c.Out.WriteByte('\n')
			}
			return c.Out.Err() == nil
		})
	})
}

type folder struct {
	width         int64
	bytes, spaces bool
}

// after gives the column behind a byte.
func (f *folder) after(column int64, b byte) int64 {
	if !f.bytes {
		switch b {
		case '\b':
			return max(column-1, 0)
		case '\r':
			return 0
		case '\t':
			return column + 8 - column%8
		}
	}
	return column + 1
}

func (f *folder) write(w *command.Writer, line []byte) {
	start, column := 0, int64(0)
	for i := 0; i < len(line); {
		next := f.after(column, line[i])
		if next <= f.width || i == start {
			column = next
			i++
			continue
		}
		end := i
		if f.spaces {
			for k := i - 1; k >= start; k-- {
				if line[k] == ' ' || line[k] == '\t' {
					end = k + 1
					break
				}
			}
		}
		w.Write(line[start:end])
		w.WriteByte('\n')
		start, column, i = end, 0, end
	}
	w.Write(line[start:])
}
