package text

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func numfmtCommand() *command.Command {
	return &command.Command{
		Name: "numfmt", Group: "text", Short: "convert numbers from and to human-readable forms", Run: runNumfmt,
		Usage: `Usage: numfmt [OPTION]... [NUMBER]...
Convert each NUMBER, or the numbers in the lines of standard input.

  --from=UNIT, --to=UNIT   none, si (1000), iec (1024), iec-i (1024, Ki); --from also auto
  --from-unit=N, --to-unit=N   the numbers count in N
  --field=FIELDS           the fields to convert, as for cut; 1
  -d, --delimiter=C        fields are parted by C; blanks
  --format=FORMAT          a format of printf for one %f
  --padding=N              pad to N characters; negative: to the left edge
  --round=HOW              up, down, from-zero, towards-zero, nearest
  --suffix=TEXT            TEXT behind the numbers
  --header[=N]             leave the first N lines alone
  --invalid=MODE           abort, fail, warn, ignore
  --grouping, --debug      no effect in this locale
  -z, --zero-terminated    lines end with NUL`,
	}
}

// formatter is one run of numfmt.
type formatter struct {
	from, to         string
	fromUnit, toUnit float64
	fields           []interval
	delimiter        int // -1: blanks
	padding          int // negative: left
	autoPad          bool
	zeros            bool
	precision        int // -1: as it comes
	prefix, postfix  string
	round, suffix    string
	header           int
	invalid          string
	end              byte
}

const numfmtSpec = "from: to: from-unit: to-unit: field: d,delimiter: format: padding: round: suffix: header:: invalid: grouping debug z,zero-terminated"

func runNumfmt(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, numfmtSpec)
	if err != nil {
		return c.UsageError(1, err)
	}
	f, err := newFormatter(o)
	if err != nil {
		return c.UsageError(1, err)
	}
	code := 0
	do := func(line string) bool {
		out, err := f.line(line)
		if err != nil {
			if f.invalid != "ignore" {
				c.Errorf("%v", err)
			}
			if f.invalid == "abort" || f.invalid == "fail" {
				code = 2
			}
			if f.invalid == "abort" {
				return false
			}
		}
		c.Out.WriteString(out)
		c.Out.WriteByte(f.end)
		return c.Out.Err() == nil
	}
	if len(o.Args) > 0 {
		for _, arg := range o.Args {
			if !do(arg) {
				break
			}
		}
		return code
	}
	n := 0
	read := eachInput(ctx, c, nil, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, f.end, func(line []byte, _ bool) bool {
			if n++; n <= f.header {
				c.Out.Write(append(line[:len(line):len(line)], f.end))
				return true
			}
			return do(string(line))
		})
	})
	return max(code, read)
}

func newFormatter(o *command.Options) (*formatter, error) {
	f := &formatter{
		from: o.Value("from", "none"), to: o.Value("to", "none"), fromUnit: 1, toUnit: 1, fields: []interval{{1, 1}}, delimiter: -1, precision: -1,
		round: o.Value("round", "from-zero"), suffix: o.Value("suffix", ""), invalid: o.Value("invalid", "abort"), end: terminator(o),
	}
	for _, choice := range []struct{ name, value, list string }{
		{"from", f.from, " none auto si iec iec-i "}, {"to", f.to, " none si iec iec-i "},
		{"round", f.round, " up down from-zero towards-zero nearest "}, {"invalid", f.invalid, " abort fail warn ignore "},
	} {
		if !strings.Contains(choice.list, " "+choice.value+" ") {
			return nil, fmt.Errorf("invalid argument '%s' for '--%s'", choice.value, choice.name)
		}
	}
	for name, unit := range map[string]*float64{"from-unit": &f.fromUnit, "to-unit": &f.toUnit} {
		if !o.Has(name) {
			continue
		}
		n, err := parseUnitSize(o.Value(name, ""))
		if err != nil {
			return nil, err
		}
		*unit = n
	}
	if v := o.Value("field", ""); v == "-" {
		f.fields = []interval{{1, math.MaxInt}}
	} else if v != "" {
		var err error
		if f.fields, err = parseIntervals(v, "field"); err != nil {
			return nil, err
		}
	}
	if o.Has("d") {
		d := o.Value("d", "")
		if len(d) > 1 {
			return nil, errors.New("the delimiter must be a single character")
		}
		f.delimiter = int((d + "\x00")[0])
	}
	if o.Has("padding") {
		n, err := strconv.Atoi(o.Value("padding", ""))
		if err != nil || n == 0 || n > 1<<20 || n < -1<<20 {
			return nil, fmt.Errorf("invalid padding value '%s'", o.Value("padding", ""))
		}
		f.padding = n
	}
	if o.Has("header") {
		f.header = 1
		if v := o.Value("header", ""); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("invalid header value '%s'", v)
			}
			f.header = n
		}
	}
	if o.Has("format") {
		if o.Has("grouping") {
			return nil, errors.New("--grouping cannot be combined with --format")
		}
		if err := f.parseFormat(o.Value("format", "")); err != nil {
			return nil, err
		}
	}
	f.autoPad = f.padding == 0 && f.delimiter < 0
	return f, nil
}

// parseUnitSize reads a number with an SI suffix, or an IEC one with i.
func parseUnitSize(s string) (float64, error) {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n := 1.0
	if digits != "" {
		n, _ = strconv.ParseFloat(digits, 64)
	}
	suffix := s[len(digits):]
	if suffix != "" {
		i := strings.IndexByte("KMGTPEZY", suffix[0])
		base := 1000.0
		if suffix[1:] == "i" {
			base = 1024
		}
		if i < 0 || suffix[1:] != "" && suffix[1:] != "i" {
			return 0, fmt.Errorf("invalid unit size: '%s'", s)
		}
		n *= math.Pow(base, float64(i+1))
	}
	if n <= 0 || s == "" {
		return 0, fmt.Errorf("invalid unit size: '%s'", s)
	}
	return n, nil
}

// parseFormat reads text, %[0]['][-]N[.N]f, text.
func (f *formatter) parseFormat(s string) error {
	i := 0
	for i = 0; i < len(s); i++ {
		if s[i] != '%' {
			f.prefix += s[i : i+1]
		} else if strings.HasPrefix(s[i:], "%%") {
			f.prefix += "%"
			i++
		} else {
			break
		}
	}
	if i == len(s) {
		return fmt.Errorf("format '%s' has no %% directive", s)
	}
	rest := s[i+1:]
	left := false
	for rest != "" && strings.IndexByte("0'- ", rest[0]) >= 0 {
		f.zeros = f.zeros || rest[0] == '0'
		left = left || rest[0] == '-'
		rest = rest[1:]
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	rest = rest[len(digits):]
	if n, err := strconv.Atoi(digits); err == nil {
		if f.padding = min(n, 1<<20); left {
			f.padding = -f.padding
		}
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		digits = after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		rest = after[len(digits):]
		n, err := strconv.Atoi(digits)
		if err != nil && digits != "" {
			return fmt.Errorf("invalid precision in format '%s'", s)
		}
		f.precision = min(n, 1<<10)
	}
	after, ok := strings.CutPrefix(rest, "f")
	if !ok {
		return fmt.Errorf("invalid format '%s', directive must be %%[0]['][-][N][.][N]f", s)
	}
	if strings.Contains(strings.ReplaceAll(after, "%%", ""), "%") {
		return fmt.Errorf("format '%s' has too many %% directives", s)
	}
	f.postfix = strings.ReplaceAll(after, "%%", "%")
	return nil
}
