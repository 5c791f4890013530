package jq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
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
	order *order
	code  *gojq.Code
	names []string // of variables, in the order of values
	vars  []any

	buf    []byte
	faulty int  // exit code of the last fault
	some   bool // a value was written
	last   any  // that value
	emit   func(v any) error
	adapt  func(q *gojq.Query) // changes the query before it is compiled; may be nil
}

// compile makes the query ready. The error is for standard error.
func (r *run) compile(text string) error {
	p, err := parseProgram(text, r.c.Budget.Limits, r.order)
	if err != nil {
		return err
	}
	if r.adapt != nil {
		r.adapt(p.query)
	}
	for _, name := range slices.Sorted(maps.Keys(p.variables)) {
		r.names = append(r.names, name)
		r.vars = append(r.vars, p.variables[name])
	}
	options := append(r.functions(),
		gojq.WithModuleLoader(newLoader(r.c, r.o.library, text, r.order)),
		gojq.WithEnvironLoader(func() []string { return r.c.Env }),
		gojq.WithVariables(r.names),
		gojq.WithInputIter(r.in))
	r.code, err = gojq.Compile(p.query, options...)
	if err != nil {
		return compileError(err, text)
	}
	return nil
}

func compileError(err error, text string) error {
	words := err.Error()
	for from, to := range map[string]string{"function not defined: ": "", "variable not defined: ": "", "label not defined: $": "$*label-"} {
		if name, ok := strings.CutPrefix(words, from); ok {
			words = to + name + " is not defined"
		}
	}
	return fmt.Errorf("%s at <top-level>, line 1:\n%s", words, text)
}

// setVariables gives the query what the command line names.
func (r *run) setVariables() error {
	named := map[string]any{}
	for _, arg := range r.o.named {
		if _, ok := named[arg.name]; ok {
			continue
		}
		v, err := r.argument(arg)
		if err != nil {
			return err
		}
		named[arg.name] = v
		r.order.name(arg.name)
		r.names = append(r.names, "$"+arg.name)
		r.vars = append(r.vars, v)
	}
	positional := r.o.positional
	if positional == nil {
		positional = []any{}
	}
	r.names = append(r.names, "$ARGS", "$__prog_args")
	r.vars = append(r.vars, map[string]any{"named": named, "positional": positional}, positional)
	return nil
}

func (r *run) argument(arg namedArg) (any, error) {
	switch arg.kind {
	case "arg":
		return arg.value, nil
	case "argjson":
		v, err := r.order.oneValue(arg.value)
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
	list, err := r.order.parseAll(text)
	if err != nil {
		return nil, worded("Bad JSON in --%s %s %s: %v", arg.kind, arg.name, arg.value, err)
	}
	if arg.kind == "argfile" && len(list) == 1 {
		return list[0], nil
	}
	return list, nil
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
		r.order.forget()
		v, ok := r.in.Next()
		if !ok {
			break
		}
		if err, ok := v.(error); ok {
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
	iter := r.code.RunWithContext(ctx, v, r.vars...)
	for {
		v, ok := iter.Next()
		if !ok {
			return 0, false
		}
		err, failed := v.(error)
		if !failed {
			err = r.emit(v)
			if err == nil {
				continue
			}
		}
		if ctx.Err() != nil {
			return exitError, true
		}
		if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
			if v := halt.Value(); v != nil || halt.ExitCode() != 0 {
				writeRaw(r.c.Err, v)
			}
			return halt.ExitCode(), true
		}
		if r.in.broken != nil && errors.Is(err, r.in.broken) {
			r.reading(err)
			return exitUsage, true
		}
		r.fault(err)
		return 0, false
	}
}

func (r *run) fault(err error) {
	r.faulty = exitError
	where := "<unknown>"
	if !r.o.null {
		where = r.in.where()
	}
	if e, ok := errors.AsType[gojq.ValueError](err); ok {
		if s, ok := e.Value().(string); ok {
			r.c.Errorf("error (at %s): %s", where, s)
		} else {
			r.c.Errorf("error (at %s) (not a string): %s", where, (&style{order: r.order}).appendValue(nil, e.Value()))
		}
		return
	}
	r.c.Errorf("error (at %s): %s", where, message(err.Error(), nil))
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
