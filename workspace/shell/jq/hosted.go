package jq

import (
	"io"
	"math"
)

// hosted gives the functions that ask the call: its inputs, its clock, its streams.
func hosted() map[string]builtin {
	return map[string]builtin{
		"input/0": func(m *machine, _ any, _ []any) (any, error) { return m.host.input() },
		"debug/0": func(m *machine, v any, _ []any) (any, error) {
			m.host.c.Err.Write(append((&style{}).appendValue(nil, newArray("DEBUG:", v)), '\n'))
			return v, nil
		},
		"stderr/0": func(m *machine, v any, _ []any) (any, error) {
			m.host.c.Err.Write((&style{}).appendValue(nil, v))
			return v, nil
		},
		"input_filename/0": func(m *machine, _ any, _ []any) (any, error) {
			if m.host.in.name == "" {
				return nil, nil
			}
			return m.host.in.name, nil
		},
		"input_line_number/0": func(m *machine, _ any, _ []any) (any, error) { return m.host.in.line(), nil },
		"get_search_list/0": func(m *machine, _ any, _ []any) (any, error) {
			list := &array{}
			for _, dir := range m.host.o.library {
				list.items = append(list.items, dir)
			}
			if list.items == nil {
				list.items = []any{ownModules}
			}
			return list, nil
		},
		"env/0":        func(m *machine, _ any, _ []any) (any, error) { return m.host.environ(), nil },
		"halt/0":       func(*machine, any, []any) (any, error) { return nil, &halted{silent: true} },
		"halt_error/1": func(_ *machine, v any, args []any) (any, error) { return haltError(v, args[0]) },
		"now/0":        func(m *machine, _ any, _ []any) (any, error) { return float64(m.host.c.Now().UnixMicro()) / 1e6, nil },
		"modulemeta/0": func(m *machine, v any, _ []any) (any, error) { return m.host.loader.meta(v) },
		"localtime/0":  func(m *machine, v any, _ []any) (any, error) { return partsOf(v, "localtime", m.host.zone()) },
		"strflocaltime/1": func(m *machine, v any, args []any) (any, error) {
			return formatTime(v, args[0], "strflocaltime/1", "localtime", m.host.zone())
		},
	}
}

func haltError(v, code any) (any, error) {
	if !isNumber(code) {
		return nil, words("halt_error/1: number required")
	}
	n, _ := whole(code)
	if n < math.MinInt32 || n > math.MaxInt32 {
		n = 0
	}
	return nil, &halted{code: n & 0xff, value: v}
}

// input gives the next input.
func (r *run) input() (any, error) {
	v, err := r.in.next()
	if err == io.EOF {
		return nil, words("break")
	}
	return v, err
}

// inputsLeft is inputs.
func inputsLeft(_ *special, e *frame, _ any, p *trail, out yield) error {
	for {
		v, err := e.m.host.in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := out(v, p); err != nil {
			return err
		}
		if err := e.m.tick(); err != nil {
			return err
		}
	}
}
