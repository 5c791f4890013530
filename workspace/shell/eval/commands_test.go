package eval

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// testCommands are small stand-ins for the commands of the userland, enough for scripts
// that are about the evaluator: a command that reads, one that writes for ever, one that
// waits, one that runs others.
func testCommands() []*command.Command {
	make := func(name string, run func(ctx context.Context, c *command.Call) int) *command.Command {
		return &command.Command{Name: name, Group: "text", Short: name, Run: run}
	}
	each := func(c *command.Call, names []string, do func(r io.Reader) error) int {
		if len(names) == 0 {
			names = []string{"-"}
		}
		status := 0
		for _, name := range names {
			r, err := c.Open(name)
			if err == nil {
				err = do(r)
				r.Close()
			}
			if err != nil {
				status = c.Fail(name, err)
			}
		}
		return status
	}
	lines := func(c *command.Call) []string {
		b, _ := io.ReadAll(c.In)
		return strings.SplitAfter(string(b), "\n")
	}
	return []*command.Command{
		make("cat", func(_ context.Context, c *command.Call) int {
			return each(c, c.Args[1:], func(r io.Reader) error { _, err := io.Copy(c.Out, r); return err })
		}),
		make("head", func(_ context.Context, c *command.Call) int {
			n, names := 10, c.Args[1:]
			if len(names) > 0 && names[0] == "-n" {
				n, _ = strconv.Atoi(names[1])
				names = names[2:]
			} else if len(names) > 0 && names[0][0] == '-' {
				n, _ = strconv.Atoi(names[0][1:])
				names = names[1:]
			}
			return each(c, names, func(r io.Reader) error {
				in := bufio.NewReader(r)
				for range n {
					line, err := in.ReadString('\n')
					io.WriteString(c.Out, line)
					if err != nil {
						break
					}
				}
				return nil
			})
		}),
		make("yes", func(ctx context.Context, c *command.Call) int {
			for c.Out.Err() == nil && ctx.Err() == nil {
				io.WriteString(c.Out, "y\n")
			}
			return 0
		}),
		make("sleep", func(ctx context.Context, c *command.Call) int {
			n, _ := strconv.ParseFloat(c.Args[1], 64)
			if c.Sleep(ctx, time.Duration(n*float64(time.Second))) != nil {
				return 1
			}
			return 0
		}),
		make("sort", func(_ context.Context, c *command.Call) int {
			all := lines(c)
			slices.Sort(all)
			io.WriteString(c.Out, strings.Join(all, ""))
			return 0
		}),
		make("wc", func(_ context.Context, c *command.Call) int {
			b, _ := io.ReadAll(c.In)
			n := strings.Count(string(b), "\n")
			if slices.Contains(c.Args, "-c") {
				n = len(b)
			}
			io.WriteString(c.Out, strconv.Itoa(n)+"\n")
			return 0
		}),
		make("tr", func(_ context.Context, c *command.Call) int {
			b, _ := io.ReadAll(c.In)
			io.WriteString(c.Out, strings.ToUpper(string(b)))
			return 0
		}),
		make("tee", func(_ context.Context, c *command.Call) int {
			f, err := c.FS.Open(c.Abs(c.Args[1]), 0x241, 0o644)
			if err != nil {
				return c.Fail(c.Args[1], err)
			}
			defer f.Close()
			io.Copy(io.MultiWriter(f, c.Out), c.In)
			return 0
		}),
		make("env", func(ctx context.Context, c *command.Call) int {
			env, rest := slices.Clone(c.Env), c.Args[1:]
			for len(rest) > 0 && strings.Contains(rest[0], "=") {
				env, rest = append(env, rest[0]), rest[1:]
			}
			if len(rest) > 0 {
				return c.Shell(ctx, command.Nested{Args: rest, In: c.In, Out: c.Out, Err: c.Err, Env: env})
			}
			io.WriteString(c.Out, strings.Join(env, "\n")+"\n")
			return 0
		}),
		make("xargs", func(ctx context.Context, c *command.Call) int {
			var words []string
			for _, l := range lines(c) {
				words = append(words, strings.Fields(l)...)
			}
			return c.Shell(ctx, command.Nested{Args: append(slices.Clone(c.Args[1:]), words...), Out: c.Out, Err: c.Err})
		}),
		make("timeout", func(ctx context.Context, c *command.Call) int {
			n, _ := strconv.ParseFloat(c.Args[1], 64)
			ctx, stop := context.WithTimeout(ctx, time.Duration(n*float64(time.Second)))
			defer stop()
			status := c.Shell(ctx, command.Nested{Args: c.Args[2:], In: c.In, Out: c.Out, Err: c.Err})
			if ctx.Err() != nil {
				return 124
			}
			return status
		}),
		make("chmod", func(_ context.Context, c *command.Call) int {
			if err := c.FS.Chmod(c.Abs(c.Args[2]), 0o755); err != nil {
				return c.Fail(c.Args[2], err)
			}
			return 0
		}),
		make("mkdir", func(_ context.Context, c *command.Call) int {
			if err := c.FS.Mkdir(c.Abs(c.Args[len(c.Args)-1]), 0o755); err != nil {
				return c.Fail(c.Args[1], err)
			}
			return 0
		}),
		make("rm", func(_ context.Context, c *command.Call) int {
			if err := c.FS.Remove(c.Abs(c.Args[len(c.Args)-1])); err != nil {
				return c.Fail(c.Args[1], err)
			}
			return 0
		}),
		make("ls", func(_ context.Context, c *command.Call) int {
			list, err := c.FS.ReadDir(c.Abs(append(c.Args, ".")[1]))
			if err != nil {
				return c.Fail(".", err)
			}
			for _, e := range list {
				io.WriteString(c.Out, e.Name()+"\n")
			}
			return 0
		}),
		make("panic", func(context.Context, *command.Call) int { panic("on purpose") }),
	}
}
