package data

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

const dateUsage = `Usage: date [OPTION]... [+FORMAT]
Show a time in the given FORMAT. The clock cannot be set.

  -d, --date=STRING         show the time that STRING describes, such as
                            "2024-01-31 +1 month", "next friday", "@86400"
  -f, --file=FILE           as --date for each line of FILE
  -I, --iso-8601[=FMT]      date (default), hours, minutes, seconds or ns
  -r, --reference=FILE      show when FILE was modified
  -R, --rfc-email           such as Mon, 14 Aug 2006 02:34:56 -0600
      --rfc-3339=FMT        date, seconds or ns
  -u, --utc, --universal    in UTC, not in the zone of TZ`

var isoFormats = map[string]string{
	"date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z",
	"seconds": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z",
}

var rfcFormats = map[string]string{
	"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z",
}

// clock is one run of date.
type clock struct {
	c      *command.Call
	zone   *time.Location
	format string
}

func runDate(_ context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "d,date: f,file: I,iso-8601:: r,reference: R,rfc-email rfc-822 rfc-2822 rfc-3339: s,set: u,utc universal uct debug")
	if err != nil {
		return c.UsageError(1, err)
	}
	d := &clock{c: c, zone: strftime.Zone(c.Getenv("TZ"))}
	if o.Has("u", "universal", "uct") {
		d.zone = time.UTC
	}
	if code := d.setFormat(o); code != 0 {
		return code
	}
	sources := 0
	for _, name := range []string{"d", "f", "r"} {
		if o.Has(name) {
			sources++
		}
	}
	switch {
	case o.Has("s"):
		c.Errorf("cannot set date: Operation not permitted")
		return 1
	case sources > 1:
		return c.UsageError(1, fmt.Errorf("the options to specify dates for printing are mutually exclusive"))
	case o.Has("f"):
		return d.file(o.Value("f", ""))
	case o.Has("r"):
		info, err := c.FS.Stat(c.Abs(o.Value("r", "")))
		if err != nil {
			return c.Fail(o.Value("r", ""), err)
		}
		d.show(info.ModTime())
		return 0
	case o.Has("d"):
		return d.text(o.Value("d", ""))
	}
	d.show(c.Now())
	return 0
}

func (d *clock) setFormat(o *command.Options) int {
	given := 0
	for _, s := range o.Seen() {
		formats, ok := map[string]string(nil), true
		switch s.Name {
		case "I":
			if s.Value == "" {
				s.Value = "date"
			}
			formats = isoFormats
		case "rfc-3339":
			formats = rfcFormats
		case "R", "rfc-822", "rfc-2822":
			d.format = "%a, %d %b %Y %H:%M:%S %z"
			given++
			continue
		default:
			continue
		}
		given++
		if d.format, ok = unique(formats, s.Value); !ok {
			return d.c.UsageError(1, fmt.Errorf("invalid argument '%s' for '--%s'", s.Value, map[bool]string{true: "iso-8601", false: "rfc-3339"}[s.Name == "I"]))
		}
	}
	for i, arg := range o.Args {
		format, ok := strings.CutPrefix(arg, "+")
		switch {
		case i > 0:
			return d.c.UsageError(1, fmt.Errorf("extra operand '%s'", arg))
		case !ok && o.Has("d", "f", "r"):
			return d.c.UsageError(1, fmt.Errorf("the argument '%s' lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", arg))
		case !ok:
			d.c.Errorf("cannot set date: Operation not permitted")
			return 1
		}
		d.format = format
		given++
	}
	if given > 1 {
		d.c.Errorf("multiple output formats specified")
		return 1
	}
	if given == 0 {
		d.format = "%a %b %e %H:%M:%S %Z %Y"
	}
	return 0
}

// unique gives the value of a name, which may be shortened while it is unique.
func unique(values map[string]string, name string) (string, bool) {
	found := ""
	for full, value := range values {
		if full == name {
			return value, true
		}
		if strings.HasPrefix(full, name) {
			if found != "" {
				return "", false
			}
			found = value
		}
	}
	return found, found != ""
}

func (d *clock) text(s string) int {
	t, ok := parseDate(s, d.c.Now().In(d.zone))
	if !ok {
		d.c.Errorf("invalid date '%s'", s)
		return 1
	}
	d.show(t)
	return 0
}

func (d *clock) file(name string) int {
	f, err := d.c.Open(name)
	if err != nil {
		return d.c.Fail(name, err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	code := 0
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			code = max(code, d.text(strings.TrimSuffix(line, "\n")))
		}
		if err != nil {
			if err != io.EOF {
				return d.c.Fail(name, err)
			}
			return code
		}
	}
}

func (d *clock) show(t time.Time) {
	d.c.Out.Write(append(strftime.Date(nil, d.format, t.In(d.zone)), '\n'))
}
