package jq

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

func itoa(n int) string { return strconv.Itoa(n) }

// functions gives what the engine lacks, bound to the run.
func (r *run) functions() []gojq.CompilerOption {
	plain := &style{order: r.order}
	write := func(b []byte) { r.c.Err.Write(b) }
	options := []gojq.CompilerOption{
		gojq.WithFunction("debug", 0, 0, func(v any, _ []any) any {
			write(append(plain.appendValue(nil, []any{"DEBUG:", v}), '\n'))
			return v
		}),
		gojq.WithFunction("stderr", 0, 0, func(v any, _ []any) any {
			write(plain.appendValue(nil, v))
			return v
		}),
		gojq.WithFunction("input_filename", 0, 0, func(any, []any) any {
			if r.in.name == "" {
				return nil
			}
			return r.in.name
		}),
		gojq.WithFunction("input_line_number", 0, 0, func(any, []any) any { return r.in.line() }),
		gojq.WithFunction("_search_list", 0, 0, func(any, []any) any {
			dirs := []any{}
			for _, dir := range r.o.library {
				dirs = append(dirs, dir)
			}
			return dirs
		}),
		gojq.WithFunction("_now", 0, 0, func(any, []any) any { return float64(r.c.Now().UnixMicro()) / 1e6 }),
		gojq.WithFunction("_localtime", 0, 0, func(v any, _ []any) any {
			f, ok := gojq.ToFloat64(v)
			if !ok {
				return errors.New("localtime() requires a number")
			}
			return broken(f, r.zone())
		}),
		gojq.WithFunction("_strflocaltime", 1, 1, func(v any, args []any) any { return r.strflocaltime(v, args[0]) }),
		gojq.WithFunction("_message", 1, 1, func(v any, args []any) any {
			text, ok := v.(string)
			if !ok {
				return v
			}
			var keys []string
			for _, key := range args[0].([]any) {
				keys = append(keys, key.(string))
			}
			return message(text, keys)
		}),
		gojq.WithFunction("_ltrimstr", 1, 1, func(v any, args []any) any { return trimmed(v, args[0], strings.TrimPrefix) }),
		gojq.WithFunction("_rtrimstr", 1, 1, func(v any, args []any) any { return trimmed(v, args[0], strings.TrimSuffix) }),
		gojq.WithFunction("_tonumber", 0, 0, func(v any, _ []any) any { return r.order.toNumber(v) }),
		gojq.WithFunction("_fromjson", 0, 0, func(v any, _ []any) any { return r.order.fromJSON(v) }),
		gojq.WithFunction("_text", 0, 0, func(v any, _ []any) any {
			if s, ok := v.(string); ok {
				return s
			}
			return string(plain.appendValue(nil, v))
		}),
		gojq.WithFunction("_keys", 0, 0, func(v any, _ []any) any {
			object, ok := v.(map[string]any)
			if !ok {
				return v
			}
			keys := r.order.keys(object)
			list := make([]any, len(keys))
			for i, key := range keys {
				list[i] = key
			}
			return list
		}),
		gojq.WithFunction("_named", 0, 0, func(v any, _ []any) any {
			switch v := v.(type) {
			case string:
				r.order.name(v)
			case []any:
				for _, key := range v {
					if s, ok := key.(string); ok {
						r.order.name(s)
					}
				}
			}
			return v
		}),
		gojq.WithFunction("_lead", 1, 1, func(v any, args []any) any {
			r.order.begins(v, args[0].([]any))
			return v
		}),
		gojq.WithFunction("_entries", 0, 0, func(v any, _ []any) any {
			r.order.entries(v)
			return v
		}),
		gojq.WithFunction("_tojson", 0, 0, func(v any, _ []any) any { return string(plain.appendValue(nil, v)) }),
	}
	return options
}

// trimmed takes a text from a string; anything else stays as it is.
func trimmed(v, affix any, cut func(s, affix string) string) any {
	s, ok := v.(string)
	a, also := affix.(string)
	if !ok || !also {
		return v
	}
	return cut(s, a)
}

func (o *order) fromJSON(v any) any {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s only strings can be parsed", described(v))
	}
	list, err := o.parseAll(s)
	switch {
	case err != nil:
		return fmt.Errorf("%v (while parsing '%s')", err, s)
	case len(list) == 0:
		return worded("Expected JSON value (while parsing '%s')", s)
	case len(list) > 1:
		return worded("Unexpected extra JSON values (while parsing '%s')", s)
	}
	return list[0]
}

func (o *order) toNumber(v any) any {
	if _, ok := gojq.ToFloat64(v); ok {
		return v
	}
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s cannot be parsed as a number", described(v))
	}
	parsed := o.fromJSON(s)
	if err, ok := parsed.(error); ok {
		return err
	}
	if _, ok := gojq.ToFloat64(parsed); !ok || s == "" {
		return worded("Cannot be parsed as a number (while parsing '%s')", s)
	}
	return parsed
}

// described gives a value as messages show it: "number (1)".
func described(v any) string {
	text := string((&style{}).appendValue(nil, v))
	return short(gojq.TypeOf(v) + " (" + text + ")")
}

// zone gives the time zone of the call.
func (r *run) zone() *time.Location { return strftime.Zone(r.c.Getenv("TZ")) }

// broken gives a moment as jq's parts of a date.
func broken(f float64, zone *time.Location) any {
	whole := math.Floor(f)
	if math.IsNaN(f) || math.Abs(whole) > 1e14 {
		return errors.New("error converting number of seconds since epoch to datetime")
	}
	t := time.Unix(int64(whole), 0).In(zone)
	var seconds any = t.Second()
	if f != whole {
		seconds = float64(t.Second()) + (f - whole)
	}
	return []any{t.Year(), int(t.Month()) - 1, t.Day(), t.Hour(), t.Minute(), seconds, int(t.Weekday()), t.YearDay() - 1}
}

func (r *run) strflocaltime(v, format any) any {
	f, ok := format.(string)
	if !ok {
		return errors.New("strflocaltime/1 requires a string format")
	}
	if n, ok := gojq.ToFloat64(v); ok {
		v = broken(n, r.zone())
	}
	parts, ok := v.([]any)
	if !ok || len(parts) < 6 {
		return errors.New("strflocaltime/1 requires parsed datetime inputs")
	}
	var n [6]int
	for i := range n {
		if n[i], ok = gojq.ToInt(parts[i]); !ok {
			return errors.New("strflocaltime/1 requires parsed datetime inputs")
		}
	}
	t := time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, r.zone())
	return string(strftime.Library(nil, f, t))
}

// writeRaw writes what halt_error ends with: a string as it is, another value as JSON.
func writeRaw(w io.Writer, v any) {
	if s, ok := v.(string); ok {
		io.WriteString(w, s)
		return
	}
	w.Write(append((&style{}).appendValue(nil, v), '\n'))
}
