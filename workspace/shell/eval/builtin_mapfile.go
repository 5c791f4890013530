package eval

import (
	"context"
	"errors"
	"io"
	"strconv"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// mapping is what one mapfile was asked for.
type mapping struct {
	sh       *Shell
	in       *input
	delim    byte
	most     int // lines; 0 all
	origin   int // -1: the array begins empty
	skip     int
	trim     bool
	callback string
	quantum  int
	total    int // bytes taken
	line     []byte
}

// mapfileBuiltin executes mapfile and readarray.
func mapfileBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	m := mapping{sh: sh, in: b.in, delim: '\n', origin: -1, quantum: 5000}
	g := sh.options(b, args, "C:O:c:d:n:s:tu:")
	for letter := g.next(); letter != 0; letter = g.next() {
		if !m.option(ctx, b, args[0], letter, g.value) {
			return 1
		}
	}
	if g.bad {
		return 2
	}
	name := "MAPFILE"
	if len(g.args) > 0 {
		name = g.args[0]
	}
	if !isName(name) {
		return sh.badName(b, args[0], name)
	}
	name, err := sh.arrayTarget(ctx, name)
	if err != nil {
		return sh.failed(ctx, b, args[0], err)
	}
	if m.origin < 0 {
		sh.Update(name, func(v *vars.Var) { v.Kind, v.List, v.Str = vars.Indexed, vars.ArrayOf([]string{}...), "" })
		m.origin = 0
	}
	if err := m.lines(ctx, name); err != nil {
		return sh.failed(ctx, b, args[0], err)
	}
	return 0
}

// option takes one option; false when its value is wrong, which was reported.
func (m *mapping) option(ctx context.Context, b *streams, name string, letter byte, value string) bool {
	number := func(into *int, what string) bool {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			m.sh.errorf(b, "%s: %s: invalid %s", name, value, what)
			return false
		}
		*into = n
		return true
	}
	switch letter {
	case 'd':
		m.delim = 0
		if value != "" {
			m.delim = value[0]
		}
	case 't':
		m.trim = true
	case 'C':
		m.callback = value
	case 'n':
		return number(&m.most, "line count")
	case 's':
		return number(&m.skip, "line count")
	case 'O':
		return number(&m.origin, "array origin")
	case 'c':
		if !number(&m.quantum, "callback quantum") {
			return false
		}
		m.quantum = max(m.quantum, 1)
	case 'u':
		var fd int
		if !number(&fd, "file descriptor specification") {
			return false
		}
		m.in = m.sh.input(ctx, fd)
		if m.in.open == nil {
			m.sh.errorf(b, "%s: %s: invalid file descriptor: Bad file descriptor", name, value)
			return false
		}
	}
	return true
}

// lines reads lines into the array.
func (m *mapping) lines(ctx context.Context, name string) error {
	for range m.skip {
		if _, more, err := m.next(); err != nil || !more {
			return err
		}
	}
	pending := make([]string, 0, 64)
	at := m.origin
	flush := func() {
		values, from := pending, at-len(pending)
		m.sh.Update(name, func(v *vars.Var) {
			v.Kind = vars.Indexed
			for i, value := range values {
				v.List = v.List.Put(from+i, value)
			}
		})
		pending = pending[:0]
	}
	for n := 0; m.most == 0 || n < m.most; n++ {
		line, more, err := m.next()
		if err != nil {
			flush()
			return err
		}
		if !more {
			break
		}
		if m.callback != "" && (n+1)%m.quantum == 0 {
			flush()
			m.sh.evalText(ctx, m.callback+" "+strconv.Itoa(at)+" "+expand.Quote(line))
			if m.sh.flow != flowNone {
				return nil
			}
		}
		pending = append(pending, line)
		at++
		if len(pending) == cap(pending) {
			flush()
		}
	}
	flush()
	return nil
}

// next reads one line; more is false at the end.
func (m *mapping) next() (text string, more bool, err error) {
	line := m.line[:0]
	defer func() { m.line = line }()
	for {
		line = m.in.takeRun(line, m.delim, m.delim)
		c, err := m.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.EINTR):
			m.total += len(line)
			return string(line), len(line) > 0, nil
		case err != nil:
			return "", false, &expand.Error{Text: "read error: " + view.Text(err), Code: 1}
		}
		if m.total+len(line) > m.sh.budget.Variable {
			return "", false, m.sh.budget.Exceed(variableHit(m.sh.budget.Variable))
		}
		if c != m.delim || !m.trim {
			line = append(line, c)
		}
		if c == m.delim {
			m.total += len(line) + 1
			return string(line), true, nil
		}
	}
}

// arrayTarget gives the variable that a builtin fills as an indexed array.
func (sh *Shell) arrayTarget(ctx context.Context, name string) (string, error) {
	base, _, err := sh.exp.Resolve(ctx, name)
	if err != nil {
		return "", err
	}
	switch v := sh.vars.Get(base); {
	case v.Has(vars.ReadOnly):
		return "", &expand.Error{Text: base + ": readonly variable", Code: 1}
	case v.Kind == vars.Assoc:
		return "", &expand.Error{Text: base + ": not an indexed array", Code: 1}
	}
	return base, nil
}

// setArray makes a variable an indexed array of the values.
func (sh *Shell) setArray(ctx context.Context, name string, values []string) error {
	base, err := sh.arrayTarget(ctx, name)
	if err != nil {
		return err
	}
	if values == nil {
		values = []string{} // an array without elements, not one without a value
	}
	sh.Update(base, func(v *vars.Var) {
		v.Kind, v.List, v.Str = vars.Indexed, vars.ArrayOf(values...), ""
	})
	return nil
}
