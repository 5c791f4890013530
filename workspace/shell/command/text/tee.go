package text

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func teeCommand() *command.Command {
	return &command.Command{
		Name: "tee", Group: "text", Short: "copy standard input to files and standard output", Run: runTee,
		Usage: `Usage: tee [OPTION]... [FILE]...
Copy standard input to each FILE and to standard output.

  -a, --append             append to the files
  -i, --ignore-interrupts  ignored
  -p, --output-error[=MODE]  go on when standard output has no reader any more`,
	}
}

func runTee(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "a,append i,ignore-interrupts p output-error::")
	if err != nil {
		return c.UsageError(1, err)
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if o.Has("a") {
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	code := 0
	files := map[string]view.File{}
	for _, name := range o.Args {
		f, err := c.FS.Open(c.Abs(name), flag, 0o666&^c.Umask)
		if err != nil {
			code = c.Fail(name, err)
			continue
		}
		defer f.Close()
		files[name] = f
	}
	goOn := o.Has("p", "output-error")
	if goOn {
		ctx = context.WithoutCancel(ctx) // which a reader that is gone would end
	}
	buf := make([]byte, chunk)
	for {
		n, err := ctxReader{ctx, c.In}.Read(buf)
		for _, name := range o.Args {
			if f := files[name]; f != nil {
				if _, err := f.Write(buf[:n]); err != nil {
					code = c.Fail(name, err)
					delete(files, name)
				}
			}
		}
		c.Out.Write(buf[:n])
		if c.Out.Flush() != nil && (!goOn || len(files) == 0) {
			return code
		}
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return code
		}
		if err != nil {
			return c.Fail("read error", err)
		}
	}
}
