package printf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// integer reads an argument as a signed number: decimal, 0x, 0 for octal, or a quote with a
// character. What is wrong is reported, and what could be read counts.
func (p *Printer) integer(arg string) int64 {
	if v, err := strconv.Atoi(arg); err == nil && (len(arg) == 1 || arg[0] != '0' && arg[0] != '-' && arg[0] != '+') {
		return int64(v)
	}
	if v, ok := p.character(arg); ok {
		return v
	}
	negative, abs, n, over := integerPrefix(arg)
	if !p.whole(arg, n) {
		over = false
	}
	v := int64(abs)
	switch {
	case negative && abs <= 1<<63:
		return -v
	case negative:
		p.range64(arg, true)
		return math.MinInt64
	case over || abs > math.MaxInt64:
		p.range64(arg, true)
		return math.MaxInt64
	}
	return v
}

// unsigned does the same for a number without sign; a negative one wraps around.
func (p *Printer) unsigned(arg string) uint64 {
	if v, ok := p.character(arg); ok {
		return uint64(v)
	}
	negative, abs, n, over := integerPrefix(arg)
	p.whole(arg, n)
	p.range64(arg, over)
	if negative && !over {
		return -abs
	}
	return abs
}

// character gives the code of the character after a quote.
func (p *Printer) character(arg string) (int64, bool) {
	if arg == "" || arg[0] != '\'' && arg[0] != '"' {
		return 0, false
	}
	if len(arg) == 1 {
		if p.Command {
			p.wrong(fmt.Sprintf("'%s': expected a numeric value", arg))
		}
		return 0, true
	}
	r, n := utf8.DecodeRuneInString(arg[1:])
	if r == utf8.RuneError && n <= 1 {
		return int64(arg[1]), true
	}
	if p.Command && len(arg) > 1+n {
		p.Error(fmt.Sprintf("warning: %s: character(s) following character constant have been ignored", arg[1+n:]))
	}
	return int64(r), true
}

// whole reports an argument of which only the first n bytes are a number.
func (p *Printer) whole(arg string, n int) bool {
	switch {
	case p.Command && n == 0 && p.given:
		p.wrong(fmt.Sprintf("'%s': expected a numeric value", arg))
	case n == len(arg):
		return true
	case p.Command:
		p.wrong(fmt.Sprintf("'%s': value not completely converted", arg))
	case len(arg) > 1 && arg[0] == '0' && arg[1] >= '0' && arg[1] <= '9':
		p.wrong(arg + ": invalid octal number")
	case strings.HasPrefix(arg, "0x"):
		p.wrong(arg + ": invalid hex number")
	default:
		p.wrong(arg + ": invalid number")
	}
	return false
}

func (p *Printer) range64(arg string, over bool) {
	switch {
	case !over:
	case p.Command:
		p.wrong(fmt.Sprintf("'%s': Numerical result out of range", arg))
	default:
		p.Error("warning: " + arg + ": Numerical result out of range")
	}
}

// integerPrefix reads what strtoimax would read with base 0, and gives how many bytes that
// was. With over the number did not fit into 64 bits, and abs is the largest.
func integerPrefix(s string) (negative bool, abs uint64, n int, over bool) {
	at := blanks(s)
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		negative = s[at] == '-'
		at++
	}
	base := uint64(10)
	if at < len(s) && s[at] == '0' {
		base = 8
		if at+2 < len(s) && s[at+1]|0x20 == 'x' && digit(s[at+2]) < 16 {
			base = 16
			at += 2
		}
	}
	for ; at < len(s); at++ {
		d := uint64(digit(s[at]))
		if d >= base {
			break
		}
		if abs > (math.MaxUint64-d)/base {
			over = true
		}
		abs = abs*base + d
		n = at + 1
	}
	if over {
		abs = math.MaxUint64
	}
	return negative, abs, n, over
}

// blanks gives the length of the white space at the start.
func blanks(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] >= '\t' && s[n] <= '\r') {
		n++
	}
	return n
}
