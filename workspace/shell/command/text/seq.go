package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
)

func seqCommand() *command.Command {
	return &command.Command{
		Name: "seq", Group: "text", Short: "write numbers in a row", Run: runSeq,
		Usage: `Usage: seq [OPTION]... [FIRST [STEP]] LAST
Write the numbers from FIRST (1) to LAST in steps of STEP (1).

  -f, --format=FORMAT    a format of printf for one floating-point number, such as %03g
  -s, --separator=TEXT   between the numbers; a line break
  -w, --equal-width      zeros before the numbers so that all are of one width`,
	}
}

func runSeq(ctx context.Context, c *command.Call) int {
	args := c.Args
	for i := 1; i < len(args); i++ { // a negative number is no option
		if len(args[i]) > 1 && args[i][0] == '-' && (isDigit(args[i][1]) || args[i][1] == '.') {
			args = append(append(append([]string(nil), args[:i]...), "--"), args[i:]...)
			break
		}
		if args[i] == "--" || len(args[i]) > 0 && args[i][0] != '-' {
			break
		}
		if args[i] == "-f" || args[i] == "-s" {
			i++
		}
	}
	o, err := command.Parse(args, "+f,format: s,separator: w,equal-width")
	if err == nil {
		switch n := len(o.Args); {
		case n == 0:
			err = errors.New("missing operand")
		case n > 3:
			err = fmt.Errorf("extra operand '%s'", o.Args[3])
		case o.Has("f") && o.Has("w"):
			err = errors.New("format string may not be specified when printing equal width strings")
		}
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	s, err := newSequence(o)
	if err != nil {
		return c.UsageError(1, err)
	}
	s.write(ctx, c.Out)
	return 0
}

// seqNumber is an operand: its value and how it was written.
type seqNumber struct {
	value    float64
	whole    *big.Int // when it is written as one
	decimals int      // -1: not known, as of 1e3
	width    int
}

type sequence struct {
	first, step, last seqNumber
	sep               string
	prefix, suffix    string
	spec              printf.Spec
	fixed             bool // whole numbers, written as such
	width             int
}

func parseSeqNumber(s string) (seqNumber, error) {
	text := strings.TrimLeft(s, " \t\n")
	text = strings.TrimPrefix(text, "+")
	f, err := strconv.ParseFloat(hexFloat(text), 64)
	if err != nil && !math.IsInf(f, 0) || text == "" || strings.Contains(text, "_") {
		return seqNumber{}, fmt.Errorf("invalid floating point argument: '%s'", s)
	}
	if math.IsNaN(f) {
		return seqNumber{}, fmt.Errorf("invalid 'not-a-number' argument: '%s'", s)
	}
	n := seqNumber{value: f, width: len(text)}
	if math.IsInf(f, 0) {
		return n, nil
	}
	if strings.Trim(text, "-0123456789") == "" {
		n.whole, _ = new(big.Int).SetString(text, 10)
		return n, nil
	}
	if strings.ContainsAny(text, "xXpPiInN") {
		n.decimals = -1
		return n, nil
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	e, _ := strconv.Atoi(exponent)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.decimals = max(0, len(fraction)-e)
	n.width = len(mantissa)
	if fraction == "" && strings.HasSuffix(mantissa, ".") {
		n.width--
	}
	if whole == "" || whole == "-" {
		n.width++
	}
	if e < 0 {
		n.width += -e
	} else if e > 0 {
		n.width += max(0, e-len(fraction))
		if n.decimals == 0 && len(fraction) > 0 {
			n.width--
		}
	}
	return n, nil
}

// hexFloat adds the exponent that Go wants of hexadecimal numbers.
func hexFloat(s string) string {
	if strings.HasPrefix(strings.TrimPrefix(strings.ToLower(s), "-"), "0x") && !strings.ContainsAny(s, "pP") {
		return s + "p0"
	}
	return s
}

func newSequence(o *command.Options) (*sequence, error) {
	one := seqNumber{value: 1, whole: big.NewInt(1), width: 1}
	s := &sequence{first: one, step: one, sep: o.Value("s", "\n")}
	var list []seqNumber
	for _, arg := range o.Args {
		n, err := parseSeqNumber(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	s.last = list[len(list)-1]
	if len(list) > 1 {
		s.first = list[0]
	}
	if len(list) > 2 {
		if s.step = list[1]; s.step.value == 0 {
			return nil, fmt.Errorf("invalid Zero increment value: '%s'", o.Args[1])
		}
	}
	if o.Has("f") {
		return s, s.format(o.Value("f", ""))
	}
	s.fixed = s.first.whole != nil && s.step.whole != nil && (s.last.whole != nil || !math.IsInf(s.last.value, 0))
	decimals := max(s.first.decimals, s.step.decimals)
	if s.first.decimals < 0 || s.step.decimals < 0 || s.last.decimals < 0 {
		decimals = -1
	}
	s.spec = printf.Spec{Verb: 'f', Precision: decimals}
	if decimals < 0 {
		s.spec = printf.Spec{Verb: 'g', Precision: -1}
	}
	if o.Has("w") && decimals >= 0 {
		s.width = max(s.first.widthWith(decimals), s.last.widthWith(decimals))
		s.spec.Zero, s.spec.Width = true, s.width
	}
	return s, nil
}

// widthWith gives the width of a number when it is written with decimals.
func (n *seqNumber) widthWith(decimals int) int {
	width := n.width + decimals - max(n.decimals, 0)
	if n.decimals <= 0 && decimals > 0 {
		width++ // the point
	}
	if n.decimals > 0 && decimals == 0 {
		width--
	}
	return width
}

// format reads the format of -f: text, one directive for a floating-point number, text.
func (s *sequence) format(f string) error {
	s.prefix, s.suffix = "", ""
	into := &s.prefix
	found := false
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			*into += f[i : i+1]
			continue
		}
		if strings.HasPrefix(f[i:], "%%") {
			*into += "%"
			i++
			continue
		}
		if found {
			return fmt.Errorf("format '%s' has too many %% directives", f)
		}
		spec, n, err := floatSpec(f[i+1:], f)
		if err != nil {
			return err
		}
		s.spec, found, into = spec, true, &s.suffix
		i += n
	}
	if !found {
		return fmt.Errorf("format '%s' has no %% directive", f)
	}
	return nil
}

// floatSpec reads a directive behind its %, and gives its length.
func floatSpec(s, whole string) (printf.Spec, int, error) {
	spec := printf.Spec{Precision: -1}
	i := 0
	for ; i < len(s) && strings.IndexByte("-+ 0#'", s[i]) >= 0; i++ {
		switch s[i] {
		case '-':
			spec.Minus = true
		case '+':
			spec.Plus = true
		case ' ':
			spec.Space = true
		case '0':
			spec.Zero = true
		case '#':
			spec.Alt = true
		}
	}
	read := func() int {
		n := 0
		for ; i < len(s) && isDigit(s[i]); i++ {
			n = min(n*10+int(s[i]-'0'), 1<<16)
		}
		return n
	}
	spec.Width = read()
	if i < len(s) && s[i] == '.' {
		i++
		spec.Precision = read()
	}
	if i < len(s) && s[i] == 'L' {
		i++
	}
	if i == len(s) {
		return spec, 0, fmt.Errorf("format '%s' ends in %%", whole)
	}
	if strings.IndexByte("efgaEFGA", s[i]) < 0 {
		return spec, 0, fmt.Errorf("format '%s' has unknown %%%c directive", whole, s[i])
	}
	spec.Verb = s[i]
	return spec, i + 1, nil
}
