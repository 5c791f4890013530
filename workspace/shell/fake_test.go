//go:build linux

package shell_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

// fake is an evaluator that carries out one word and its argument a line. Some words do
// what no script can, and stand for a worker that was taken over.
// A script that begins with real is for the real evaluator.
type fake struct{ real shell.Evaluator }

const real = "#!/bin/bash\n"

func build() (shell.Evaluator, *command.Registry) { return fake{eval.New()}, userland.Registry() }

func (f fake) Eval(ctx context.Context, r *shell.Request) shell.Exit {
	if strings.HasPrefix(r.Script, real) {
		return f.real.Eval(ctx, r)
	}
	if r.FromInput {
		return interact(ctx, r)
	}
	for line := range strings.Lines(r.Script) {
		word, arg, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		do := words[word]
		if do == nil {
			fmt.Fprintf(r.Err, "bash: %s: command not found\n", word)
			return shell.Exit{Code: 127}
		}
		if exit, over := do(ctx, r, arg); over {
			return exit
		}
	}
	return shell.Exit{}
}

// interact echoes lines until one says exit.
func interact(ctx context.Context, r *shell.Request) shell.Exit {
	in := bufio.NewReader(r.In)
	for {
		r.Prompt(false)
		line, err := in.ReadString('\n')
		if err != nil || line == "exit\n" {
			return shell.Exit{Code: 4}
		}
		io.WriteString(r.Out, "got "+line)
	}
}

type word func(ctx context.Context, r *shell.Request, arg string) (exit shell.Exit, over bool)

var words map[string]word

func init() {
	words = map[string]word{
		"remove": then(func(r *shell.Request, arg string) error { return r.FS.Remove(arg) }),
		"out":    text(func(r *shell.Request) io.Writer { return r.Out }),
		"err":    text(func(r *shell.Request) io.Writer { return r.Err }),
		"exit": func(_ context.Context, _ *shell.Request, arg string) (shell.Exit, bool) {
			return shell.Exit{Code: number(arg)}, true
		},
		"fill":  fill,
		"write": write,
		"open":  open,
		"cat":   then(func(r *shell.Request, _ string) error { _, err := io.Copy(r.Out, r.In); return err }),
		"hold": func(ctx context.Context, _ *shell.Request, _ string) (shell.Exit, bool) {
			<-ctx.Done()
			return shell.Exit{Err: context.Cause(ctx)}, true
		},
		"stuck":  then(func(*shell.Request, string) error { select {} }),
		"panic":  then(func(*shell.Request, string) error { panic("injected \x1b[31m\nsecond line") }),
		"goexit": then(func(*shell.Request, string) error { runtime.Goexit(); return nil }),
		"crash":  then(func(*shell.Request, string) error { go panic("injected"); select {} }),
		"near": then(func(*shell.Request, string) error {
			_, err := os.NewFile(wire.FD, "socket").Write(wire.Report{Near: true}.Frame(wire.State))
			return err
		}),
		"deep": then(func(*shell.Request, string) error { return deep(0) }),
		"fault": func(_ context.Context, _ *shell.Request, arg string) (shell.Exit, bool) {
			return shell.Exit{Err: errors.New(arg)}, true
		},
		"loop": loop,
		"grow": grow,
		"pid":  then(func(r *shell.Request, _ string) error { _, err := fmt.Fprintln(r.Out, os.Getpid()); return err }),
		"env": then(func(r *shell.Request, _ string) error {
			_, err := io.WriteString(r.Out, strings.Join(r.Env, "\n"))
			return err
		}),
		"args": then(func(r *shell.Request, _ string) error {
			_, err := fmt.Fprintf(r.Out, "%q %q", r.Name, r.Args)
			return err
		}),
		"zone":    zone,
		"host":    host,
		"fds":     descriptors,
		"say":     then(func(_ *shell.Request, arg string) error { return say(unhex(arg)) }),
		"raw":     raw,
		"flood":   flood,
		"die":     then(func(*shell.Request, string) error { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }),
		"killall": then(func(*shell.Request, string) error { _ = syscall.Kill(0, syscall.SIGKILL); select {} }),
	}
}

// then makes a word that goes on when it did not fail.
func then(do func(r *shell.Request, arg string) error) word {
	return func(_ context.Context, r *shell.Request, arg string) (shell.Exit, bool) {
		if err := do(r, arg); err != nil {
			fmt.Fprintf(r.Err, "bash: %v\n", err)
			return shell.Exit{Code: 1}, true
		}
		return shell.Exit{}, false
	}
}

// text writes its argument, a quoted text of Go.
func text(to func(*shell.Request) io.Writer) word {
	return then(func(r *shell.Request, arg string) error {
		s, err := strconv.Unquote(`"` + arg + `"`)
		if err == nil {
			_, err = io.WriteString(to(r), s)
		}
		return err
	})
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// fill writes N bytes of output.
func fill(ctx context.Context, r *shell.Request, arg string) (shell.Exit, bool) {
	block := []byte(strings.Repeat("x", 1000))
	for n := number(arg); n > 0; n -= len(block) {
		if _, err := r.Out.Write(block[:min(n, len(block))]); err != nil {
			return shell.Exit{Err: err}, true
		}
		if ctx.Err() != nil {
			return shell.Exit{Err: context.Cause(ctx)}, true
		}
	}
	return shell.Exit{}, false
}

// write writes a file and ends a line there.
func write(_ context.Context, r *shell.Request, arg string) (shell.Exit, bool) {
	name, content, _ := strings.Cut(arg, " ")
	return then(func(*shell.Request, string) error {
		f, err := r.FS.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.WriteString(f, content+"\n")
		return err
	})(nil, r, "")
}

// open opens a file to write, leaves it so, and says that it did.
func open(_ context.Context, r *shell.Request, arg string) (shell.Exit, bool) {
	return then(func(*shell.Request, string) error {
		_, err := r.FS.Open(arg, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err == nil {
			_, err = io.WriteString(r.Out, "open\n")
		}
		return err
	})(nil, r, "")
}

// loop counts until its limit.
func loop(_ context.Context, r *shell.Request, _ string) (shell.Exit, bool) {
	for {
		if err := r.Budget.Loop(); err != nil {
			return shell.Exit{Err: err}, true
		}
	}
}

func deep(n int) error {
	if n < 0 {
		return nil
	}
	return errors.Join(deep(n+1), nil)
}

var kept [][]byte

// grow takes memory without an end: politely, looking at the context, or not at all.
func grow(ctx context.Context, _ *shell.Request, arg string) (shell.Exit, bool) {
	for arg != "politely" || ctx.Err() == nil {
		kept = append(kept, make([]byte, 64<<10))
	}
	return shell.Exit{Err: context.Cause(ctx)}, true
}

func zone(_ context.Context, r *shell.Request, _ string) (shell.Exit, bool) {
	fmt.Fprintln(r.Out, time.Local, time.Now().Location(), r.Now().Location(), os.Getenv("TZ") == "")
	return shell.Exit{}, false
}

// host shows all that a worker that was taken over finds in its own process.
func host(_ context.Context, r *shell.Request, _ string) (shell.Exit, bool) {
	for _, name := range []string{"environ", "cmdline", "maps"} {
		data, err := os.ReadFile("/proc/self/" + name)
		if err != nil {
			return shell.Exit{Err: err}, true
		}
		r.Out.Write(data)
	}
	fmt.Fprintln(r.Out, os.Environ(), os.Args)
	return shell.Exit{}, false
}

// descriptors lists what is open, a line each.
func descriptors(_ context.Context, r *shell.Request, _ string) (shell.Exit, bool) {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return shell.Exit{Err: err}, true
	}
	for _, e := range list {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			fmt.Fprintln(r.Out, e.Name(), target)
		}
	}
	return shell.Exit{}, false
}

// raw sends bytes, in hex, past everything that the worker would send, and waits.
func raw(_ context.Context, _ *shell.Request, arg string) (shell.Exit, bool) {
	if err := say(unhex(arg)); err != nil {
		panic(err)
	}
	select {}
}

func unhex(s string) []byte {
	data, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return data
}

// flood sends the same bytes for ever.
func flood(_ context.Context, _ *shell.Request, arg string) (shell.Exit, bool) {
	data := unhex(arg)
	data = []byte(strings.Repeat(string(data), max(1, 60_000/len(data))))
	for say(data) == nil {
	}
	select {}
}

// say writes to the worker's socket past everything that the worker would send.
func say(data []byte) error {
	for len(data) > 0 {
		n, err := syscall.Write(wire.FD, data)
		if err != nil && err != syscall.EINTR {
			return err
		}
		data = data[max(n, 0):]
	}
	return nil
}
