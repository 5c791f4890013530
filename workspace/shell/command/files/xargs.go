package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const xargsUsage = `
Usage: xargs [OPTION]... COMMAND [ARGUMENT]...
Run COMMAND (echo by default) with arguments read from standard input.

  -0, --null             they end with NUL, and quotes mean nothing
  -d, --delimiter=SIGN   they end with SIGN
  -a, --arg-file=FILE    read them from FILE
  -n, -L, -s             most arguments, lines, bytes of one command
  -I TEXT, -i            a command for each line, which replaces TEXT in the arguments
  -P, --max-procs=N      so many commands at once; 0: as many as possible
  -r, --no-run-if-empty  nothing when there are no arguments
  -t, --verbose          print each command on standard error before it runs
  -E TEXT, -x            stop reading at this argument; stop when -s is passed
-p is refused: nobody answers.
`

func xargsCommand() *command.Command {
	return &command.Command{Name: "xargs", Group: "system", Short: "run a command with arguments from standard input", Usage: xargsUsage, Run: runXargs}
}

// xargs is one call of xargs.
type xargs struct {
	*run
	command []string
	most    int // arguments of one command; 0: no bound
	lines   int // of one command; 0: no bound
	bytes   int
	exact   bool // -x: what does not fit is an error
	replace string
	verbose bool
	stdin   io.Reader

	ctx    context.Context
	stop   context.CancelFunc
	mu     sync.Mutex // of code and the streams
	slots  chan struct{}
	group  sync.WaitGroup
	ran    bool
	broken bool // a command asked to stop
}

// maxProcs bounds -P 0.
const maxProcs = 64

func runXargs(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, `+0,null d,delimiter: a,arg-file: n,max-args: L,max-lines: l:: s,max-chars: I: i,replace:: P,max-procs: r,no-run-if-empty
		t,verbose E: e,eof:: x,exit p,interactive o,open-tty show-limits process-slot-var:`, 1)
	if !ok {
		return r.code
	}
	if r.opt.Has("p") {
		return c.UsageError(1, errors.New("-p asks for an answer, and there is nobody to give one"))
	}
	x := &xargs{run: r, command: r.opt.Args, bytes: 128 << 10, verbose: r.opt.Has("t"), exact: r.opt.Has("x"), stdin: strings.NewReader("")}
	if len(x.command) == 0 {
		x.command = []string{"echo"}
	}
	procs, err := x.options()
	if err != nil {
		return c.UsageError(1, err)
	}
	in := c.In
	if name := r.opt.Value("a", "-"); name != "-" {
		f, err := r.Open(name)
		if err != nil {
			c.Errorf("Cannot open input file '%s': %s", name, text(err))
			return 1
		}
		defer f.Close()
		in, x.stdin = f, c.In
	}
	words, err := x.words(in)
	if err != nil {
		return c.UsageError(1, err)
	}
	x.ctx, x.stop = context.WithCancel(ctx)
	defer x.stop()
	x.slots = make(chan struct{}, procs)
	x.feed(words)
	x.group.Wait()
	if ctx.Err() != nil {
		x.code = max(x.code, 1)
	}
	return x.code
}

func (x *xargs) options() (procs int, err error) {
	procs = 1
	number := func(s command.Seen, least int) int {
		n, e := strconv.Atoi(s.Value)
		if e != nil || n < least {
			err = fmt.Errorf("invalid number \"%s\" for -%s option", s.Value, s.Name)
		}
		return n
	}
	for _, s := range x.opt.Seen() {
		switch s.Name {
		case "n":
			x.most, x.lines, x.replace = number(s, 1), 0, ""
		case "L":
			x.lines, x.most, x.replace = number(s, 1), 0, ""
		case "l":
			x.lines, x.most, x.replace = 1, 0, ""
			if s.Joined {
				x.lines = number(s, 1)
			}
		case "I", "i":
			if x.replace = s.Value; x.replace == "" {
				x.replace = "{}"
			}
			x.lines, x.most = 0, 0
		case "s":
			x.bytes = min(number(s, 1), x.bytes)
		case "P":
			procs = number(s, 0)
		}
	}
	if procs == 0 || procs > maxProcs {
		procs = maxProcs
	}
	return procs, err
}

// feed runs commands over the words.
func (x *xargs) feed(next func() (word, error)) {
	base := 0
	for _, a := range x.command {
		base += len(a) + 1
	}
	var args []string
	size, lines := base, 0
	flush := func() {
		if len(args) > 0 {
			x.start(append(append([]string{}, x.command...), args...))
		}
		args, size, lines = nil, base, 0
	}
	for !x.done() {
		w, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			x.fault(1, "%v", err)
			break
		}
		if x.replace != "" {
			x.start(x.replaced(w.text))
			continue
		}
		if base+len(w.text)+1 > x.bytes {
			flush()
			x.fault(1, "argument line too long")
			return
		}
		if size+len(w.text)+1 > x.bytes {
			if x.exact && (x.most > 0 || x.lines > 0) {
				x.fault(1, "argument list too long")
				return
			}
			flush()
		}
		args = append(args, w.text)
		size += len(w.text) + 1
		if w.lineEnd {
			lines++
		}
		if x.most > 0 && len(args) == x.most || x.lines > 0 && lines == x.lines {
			flush()
		}
	}
	if x.done() {
		return
	}
	flush()
	if !x.ran && x.replace == "" && !x.opt.Has("r") && x.code == 0 {
		x.start(append([]string{}, x.command...))
	}
}

func (x *xargs) replaced(with string) []string {
	args := make([]string, len(x.command))
	for i, a := range x.command {
		args[i] = strings.ReplaceAll(a, x.replace, with)
		if i == 0 {
			args[i] = a
		}
	}
	return args
}

func (x *xargs) done() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.broken || x.ctx.Err() != nil || x.Out.Err() != nil
}

// start runs a command when there is a free slot.
func (x *xargs) start(args []string) {
	x.ran = true
	select {
	case x.slots <- struct{}{}:
	case <-x.ctx.Done():
		return
	}
	if x.done() {
		<-x.slots
		return
	}
	if x.verbose {
		shown := make([]string, len(args))
		for i, a := range args {
			shown[i] = quoted(a, "shell-escape")
		}
		locked{x, x.Err}.Write([]byte(strings.Join(shown, " ") + "\n"))
	}
	n := command.Nested{Args: args, In: x.stdin, Out: locked{x, x.Out}, Err: locked{x, x.Err}}
	if cap(x.slots) == 1 {
		x.ended(args[0], x.Shell(x.ctx, n))
		<-x.slots
		x.flush(args[0])
		return
	}
	done, ok := x.Budget.Job()
	if !ok {
		<-x.slots
		x.fault(1, "fork: Resource temporarily unavailable")
		return
	}
	x.group.Go(func() {
		defer done()
		x.ended(args[0], x.Shell(x.ctx, n))
		x.flush(args[0])
		<-x.slots
	})
}

// flush passes on what a command wrote: without a reader the command was killed.
func (x *xargs) flush(name string) {
	x.mu.Lock()
	err := x.Out.Flush()
	x.mu.Unlock()
	if err != nil {
		x.fault(125, "%s: terminated by signal 13", name)
	}
}

// ended takes in the exit status of a command.
func (x *xargs) ended(name string, code int) {
	known := x.All.Get(path.Base(name)) != nil || strings.Contains(name, "/")
	switch {
	case code == 0:
	case (code == 127 || code == 126) && !known:
		x.result(code, true)
	case code == 255:
		x.fault(124, "%s: exited with status 255; aborting", name)
	case code > 128:
		x.fault(125, "%s: terminated by signal %d", name, code-128)
	default:
		x.result(123, false)
	}
}

func (x *xargs) result(code int, stop bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.code = max(x.code, code)
	x.broken = x.broken || stop
}

// fault ends xargs with a message.
func (x *xargs) fault(code int, format string, args ...any) {
	x.mu.Lock()
	x.Errorf(format, args...)
	x.mu.Unlock()
	x.result(code, true)
}

// locked is a stream that commands running at once share.
type locked struct {
	x *xargs
	w io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.w.Write(p)
}
