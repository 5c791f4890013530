package jq

import (
	"math"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

func dates() map[string]builtin {
	return map[string]builtin{
		"gmtime/0": func(_ *machine, v any, _ []any) (any, error) { return partsOf(v, "gmtime", time.UTC) },
		"mktime/0": func(_ *machine, v any, _ []any) (any, error) { return makeTime(v) },
		"strftime/1": func(_ *machine, v any, args []any) (any, error) {
			return formatTime(v, args[0], "strftime/1", "gmtime", time.UTC)
		},
		"strptime/1": func(_ *machine, v any, args []any) (any, error) { return parseTime(v, args[0]) },
	}
}

// partsOf gives a moment as jq's parts of a date.
func partsOf(v any, name string, zone *time.Location) (any, error) {
	f, ok := float(v)
	if !ok {
		return nil, words(name + "() requires numeric inputs")
	}
	whole := math.Floor(f)
	if math.IsNaN(f) || math.Abs(whole) > 1e14 {
		return nil, words("error converting number of seconds since epoch to datetime")
	}
	t := time.Unix(int64(whole), 0).In(zone)
	var seconds any = t.Second()
	if f != whole {
		seconds = float64(t.Second()) + (f - whole)
	}
	return newArray(t.Year(), int(t.Month())-1, t.Day(), t.Hour(), t.Minute(), seconds, int(t.Weekday()), t.YearDay()-1), nil
}

// timeOf gives the moment of the parts of a date.
func timeOf(parts *array, least int, zone *time.Location) (time.Time, bool) {
	var n [6]int
	for i, v := range parts.list() {
		if !isNumber(v) {
			return time.Time{}, false
		}
		if i < len(n) {
			n[i], _ = whole(v)
			if n[i] > 1e9 || n[i] < -1e9 {
				return time.Time{}, false
			}
		}
	}
	if parts.len() < least {
		return time.Time{}, false
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, zone), true
}

func makeTime(v any) (any, error) {
	parts, ok := v.(*array)
	if !ok {
		return nil, words("mktime requires array inputs")
	}
	t, ok := timeOf(parts, 6, time.UTC)
	if !ok {
		return nil, words("mktime requires parsed datetime inputs")
	}
	return int(t.Unix()), nil
}

func formatTime(v, layout any, name, breaking string, zone *time.Location) (any, error) {
	if isNumber(v) {
		var err error
		if v, err = partsOf(v, breaking, zone); err != nil {
			return nil, err
		}
	}
	parts, ok := v.(*array)
	if !ok {
		return nil, words(name + " requires parsed datetime inputs")
	}
	f, ok := layout.(string)
	if !ok {
		return nil, words(name + " requires a string format")
	}
	t, ok := timeOf(parts, 6, zone)
	if !ok {
		return nil, words(name + " requires parsed datetime inputs")
	}
	return string(strftime.Library(nil, f, t)), nil
}

// parseTime is strptime: a text by a format, as parts of a date.
func parseTime(v, layout any) (any, error) {
	text, ok := v.(string)
	f, also := layout.(string)
	if !ok || !also {
		return nil, words("strptime/1 requires string inputs and arguments")
	}
	r := &timeReader{text: text, year: 1900, weekday: -1, yearDay: -1}
	if !r.read(f) {
		return nil, worded("date \"%s\" does not match format \"%s\"", text, f)
	}
	return r.parts(), nil
}
