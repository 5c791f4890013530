package jq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Exit codes of jq.
const (
	exitFalse   = 1 // with -e: the last value was false or null
	exitUsage   = 2 // also an input that cannot be read
	exitCompile = 3
	exitNothing = 4 // with -e: there was no value
	exitError   = 5
)

// run is one run of jq.
type run struct {
	c     *command.Call
	o     *options
	style *style
	in    *inputs
	named *object // the variables of the command line, with their "$"

	loader *loader
	body   node
	frame  *frame
	env    *object // the environment, once it was asked for

	buf    []byte
	faulty int  // exit code of the last fault
	some   bool // a value was written
	last   any  // that value
	emit   func(v any) error
	extra  func(name string) (any, bool) // what env(NAME) of yq gives; may be nil
}

// compile makes the query ready. The error is for standard error.
func (r *run) compile(ctx context.Context, text string) error {
	q, err := parseProgram(text, r.c.Budget.Limits)
	if err != nil {
		return err
	}
	r.loader = newLoader(r.c, r.o.library)
	c := &compiler{loader: r.loader, environ: r.environ, extra: r.extra, prelude: map[string]*function{}, loading: map[string]bool{}}
	at := place{slots: new(int)}
	for i, name := range r.named.keys {
		at = at.with(scope{kind: aConstant, name: name, value: r.named.vals[i]})
	}
	own, err := r.loader.own()
	if err == nil && own != nil {
		at, err = c.module(own, ownModules, "", at)
	}
	if err == nil {
		r.body, err = c.program(q, at)
	}
	if err != nil {
		return fmt.Errorf("%v at <top-level>, line 1:\n%s", err, text)
	}
	r.frame = &frame{m: &machine{ctx: ctx, host: r, calls: callsWithin(r.c.Budget.Memory)}, vars: make([]any, *at.slots)}
	return nil
}

// environ gives the environment of the call as an object.
func (r *run) environ() any {
	if r.env == nil {
		r.env = &object{}
		for _, entry := range r.c.Env {
			name, value, _ := strings.Cut(entry, "=")
			r.env.put(name, value)
		}
	}
	return r.env
}

// zone gives the time zone of the call.
func (r *run) zone() *time.Location { return strftime.Zone(r.c.Getenv("TZ")) }

// setVariables gives the query what the command line names.
func (r *run) setVariables() error {
	named := &object{}
	r.named = &object{}
	for _, arg := range r.o.named {
		if named.find(arg.name) >= 0 {
			continue
		}
		v, err := r.argument(arg)
		if err != nil {
			return err
		}
		named.put(arg.name, v)
		r.named.put("$"+arg.name, v)
	}
	positional := newArray(r.o.positional...)
	r.named.put("$ARGS", newObject("positional", positional, "named", named))
	r.named.put("$__prog_args", positional)
	return nil
}

func (r *run) argument(arg namedArg) (any, error) {
	switch arg.kind {
	case "arg":
		return arg.value, nil
	case "argjson":
		v, err := oneValue(arg.value)
		if err != nil {
			return nil, words("Invalid JSON text passed to --argjson")
		}
		return v, nil
	}
	text, err := readFile(r.c, arg.value)
	if err != nil {
		return nil, worded("Bad JSON in --%s %s %s: Could not open %s: %s", arg.kind, arg.name, arg.value, arg.value, view.Text(err))
	}
	if arg.kind == "rawfile" {
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	}
	list, err := parseAll(text)
	if err != nil {
		return nil, worded("Bad JSON in --%s %s %s: %v", arg.kind, arg.name, arg.value, err)
	}
	if arg.kind == "argfile" && len(list) == 1 {
		return list[0], nil
	}
	return &array{items: list}, nil
}

// all runs the query for each input and gives the exit code.
func (r *run) all(ctx context.Context) int {
	if r.o.null {
		if code, end := r.one(ctx, nil); end {
			return code
		}
		return r.exit()
	}
	for ctx.Err() == nil {
		v, err := r.in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.reading(err)
			break
		}
		if code, end := r.one(ctx, v); end {
			return code
		}
	}
	return r.exit()
}

func (r *run) exit() int {
	switch {
	case r.in.broken != nil || r.in.failed:
		return exitUsage
	case r.faulty != 0:
		return r.faulty
	case !r.o.exitStatus:
		return 0
	case !r.some:
		return exitNothing
	case r.last == nil || r.last == false:
		return exitFalse
	}
	return 0
}

func (r *run) reading(err error) {
	if _, ok := errors.AsType[*parseError](err); ok {
		r.c.Errorf("error (at %s): %v", r.in.where(), err)
		return
	}
	r.c.Errorf("error: input error: %s", view.Text(err))
}

// one runs the query for one value. With end the program is over, with that exit code.
func (r *run) one(ctx context.Context, v any) (code int, end bool) {
	m := r.frame.m
	m.depth = 0
	err := m.call(r.body, r.frame, v, nil, func(v any, _ *trail) error { return r.emit(v) })
	switch {
	case err == nil:
		return 0, false
	case ctx.Err() != nil:
		return exitError, true
	}
	if halt, ok := errors.AsType[*halted](err); ok {
		if !halt.silent && halt.value != nil {
			writeRaw(r.c.Err, halt.value)
		}
		return halt.code, true
	}
	if r.in.broken != nil && errors.Is(err, r.in.broken) {
		r.reading(err)
		return exitUsage, true
	}
	r.fault(err)
	return 0, false
}

func (r *run) fault(err error) {
	r.faulty = exitError
	where := "<unknown>"
	if !r.o.null {
		where = r.in.where()
	}
	kind := ""
	if t, ok := errors.AsType[*thrown](err); ok {
		if _, isText := t.value.(string); !isText {
			kind = " (not a string)"
		}
	}
	r.c.Errorf("error (at %s)%s: %v", where, kind, err)
}

// writeRaw writes what halt_error ends with: a string as it is, another value as JSON.
func writeRaw(w io.Writer, v any) {
	if s, ok := v.(string); ok {
		io.WriteString(w, s)
		return
	}
	w.Write(append((&style{}).appendValue(nil, v), '\n'))
}

// write writes a value as the options say.
func (r *run) write(v any) error {
	r.some, r.last = true, v
	b := r.buf[:0]
	if r.o.seq {
		b = append(b, 0x1e)
	}
	s, isText := v.(string)
	switch {
	case r.o.rawOut && isText && r.o.ascii:
		b = r.style.appendString(b, s)
	case r.o.rawOut && isText:
		if r.o.nul && strings.Contains(s, "\x00") {
			return words("Cannot dump a string containing NUL with --raw-output0 option")
		}
		b = append(b, s...)
	default:
		b = r.style.appendValue(b, v)
	}
	switch {
	case r.o.nul:
		b = append(b, 0)
	case !r.o.join:
		b = append(b, '\n')
	}
	r.buf = b
	if cap(r.buf) > 1<<20 {
		r.buf = nil
	}
	_, err := r.c.Out.Write(b)
	if err == nil && r.o.unbuffered {
		err = r.c.Out.Flush()
	}
	return err
}

// usageError says what is wrong with the command line.
func usageError(c *command.Call, err error) int {
	c.Errorf("%v", err)
	io.WriteString(c.Err, "Use jq --help for help with command-line options.\n")
	return exitUsage
}
