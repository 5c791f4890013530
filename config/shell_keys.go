package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Shell configures the sandboxed shell of a team.
type Shell struct {
	Workers int `json:"workers,omitempty"` // calls at once; 0: the processors, at least 2
	// Required refuses to start where the shell could only run within the process.
	Required bool          `json:"required,omitempty"`
	Limits   limits.Limits `json:"limits,omitzero"` // zero fields take their default
}

// shellKeys is the table of the keys of shell.
func (l *loader) shellKeys() kind {
	s := &l.team.Shell
	return mapping(
		key{"workers", integer(&s.Workers, 1, 64), says("processors, at least 2"), "calls of the shell at the same time"},
		key{"isolation", choose(func(_ *input, _ *yaml.Node, word string) { s.Required = word == "required" }, "auto", "required"), "auto",
			"required: without a process of its own for each call the run does not start"},
		key{"limits", mapping(l.shellLimits()...), nil, "bounds of one call; a value above its default needs --raise-shell-limits"},
	)
}

func (l *loader) shellLimits() []key {
	var keys []key
	given := limits.Limits{}.OrDefault()
	for _, s := range limits.Settings() {
		def := s.Get(&given)
		set := func(in *input, v *yaml.Node, path string, value int64) {
			if value > def && !l.options.RaiseShellLimits {
				in.fault(v, "config.value", fmt.Sprintf("%s: %s is above the default of %s", path, limitText(s.Unit, value), limitText(s.Unit, def)),
					"lower it, or start with --raise-shell-limits")
				return
			}
			if value == def { // a default that is stated is the same team
				value = 0
			}
			s.Set(&l.team.Shell.Limits, value)
		}
		keys = append(keys, key{s.Name, shellLimit(s.Unit, set), limitDefault(s.Unit, def), s.Doc})
	}
	return keys
}

func shellLimit(u limits.Unit, set func(in *input, v *yaml.Node, path string, value int64)) kind {
	f := form{typ: "integer", is: "a whole number from 1", least: 1}
	parse := func(s string) (int64, bool) {
		i, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
		return i, err == nil && i > 0
	}
	switch u {
	case limits.Bytes:
		f = form{typ: "string", is: "a size such as 64KiB, 128MiB or 1GiB", pattern: patternSize}
		parse = parseSize
	case limits.Time:
		f = form{typ: "string", is: "a duration such as 10s, 5m or 1h", pattern: patternDuration}
		parse = func(s string) (int64, bool) {
			d, err := time.ParseDuration(s)
			return int64(d), err == nil && d > 0
		}
	}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		value, ok := parse(s)
		if !ok {
			in.value(v, path, f.is, "")
			return
		}
		set(in, v, path, value)
	})
}

const patternSize = `^[1-9][0-9]*(B|KiB|MiB|GiB)$`

var sizeUnits = []struct {
	name string
	of   int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// parseSize reads a size: a whole number with its unit.
func parseSize(s string) (int64, bool) {
	for _, u := range sizeUnits {
		if digits, ok := strings.CutSuffix(s, u.name); ok {
			i, err := strconv.ParseInt(digits, 10, 64)
			return i * u.of, err == nil && i > 0 && i <= math.MaxInt64/u.of
		}
	}
	return 0, false
}

// limitText writes a limit as a team file has it.
func limitText(u limits.Unit, v int64) string {
	switch u {
	case limits.Time:
		return time.Duration(v).String()
	case limits.Bytes:
		for _, u := range sizeUnits {
			if v%u.of == 0 {
				return strconv.FormatInt(v/u.of, 10) + u.name
			}
		}
	}
	return strconv.FormatInt(v, 10)
}

// limitDefault is limitText as a default: a number stays one.
func limitDefault(u limits.Unit, v int64) any {
	if u == limits.Number {
		return v
	}
	return limitText(u, v)
}
