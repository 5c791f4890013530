// Package printf owns the format language of printf: directives, escapes, the reuse of the
// format for further arguments, and numbers as the C library reads and prints them. The
// builtin and the command printf use [Printer]; awk and others use [Spec] alone. It writes
// nothing itself and has no state beyond a Printer.
package printf

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Printer prints one format with its arguments. Only Error is required.
type Printer struct {
	// Out is what was printed and not yet flushed.
	Out []byte
	// Flush, when it is set, takes what was printed once it is long. Its error ends the print.
	Flush func(out []byte) error
	// Error reports a text, which has no name of a program and no newline.
	Error func(text string)
	// Quote gives the form of %q and %Q; nil leaves the text as it is.
	Quote func(s string) string
	// Time gives the text of %(layout)T for seconds since 1970; -1 is now, -2 the start of
	// the shell. Nil: the directive is not known.
	Time func(layout string, seconds int64) string
	// Count sets the variable of %n to the number of bytes printed so far, and says whether
	// the name is one. Nil: the directive is not known.
	Count func(name string, bytes int) bool
	// Variable is the limit of one width or precision in bytes, and of Out without Flush;
	// 0 is the default of [limits.Limits].
	Variable int
	// Command selects the error texts and the small differences of the program printf.
	Command bool

	args  []string
	next  int
	done  int // bytes flushed
	code  int
	ended bool // \c was met
	given bool // the last argument was there
}

// flushAt is the number of bytes from which Flush is called.
const flushAt = 16 << 10

// Print prints the format, again and again while arguments are left. The code is 1 after an
// error that was reported. The error is a [limits.Hit] or that of Flush.
func (p *Printer) Print(format string, args []string) (code int, err error) {
	if p.Variable <= 0 {
		p.Variable = limits.Limits{}.OrDefault().Variable
	}
	p.args, p.next, p.code, p.ended = args, 0, 0, false
	for {
		before := p.next
		ok, err := p.once(format)
		if err != nil || !ok || p.ended {
			return p.code, err
		}
		if p.next >= len(p.args) {
			return p.code, nil
		}
		if p.next == before {
			if p.Command {
				p.Error(fmt.Sprintf("warning: ignoring excess arguments, starting with '%s'", p.args[p.next]))
			}
			return p.code, nil
		}
	}
}

// once goes through the format one time; ok is false after an error that ends the print.
func (p *Printer) once(format string) (ok bool, err error) {
	for at := 0; at < len(format); {
		plain := strings.IndexAny(format[at:], `%\`)
		if plain < 0 {
			p.Out = append(p.Out, format[at:]...)
			break
		}
		p.Out = append(p.Out, format[at:at+plain]...)
		at += plain
		switch {
		case format[at] == '\\':
			at += p.escape(format[at:])
		case strings.HasPrefix(format[at:], "%%"):
			p.Out = append(p.Out, '%')
			at += 2
		default:
			n, err := p.directive(format[at:])
			if n == 0 || err != nil {
				return false, err
			}
			at += n
		}
		if p.ended {
			break
		}
		if err := p.grown(); err != nil {
			return false, err
		}
	}
	return true, p.grown()
}

// grown flushes what became long, and watches the size of what is kept.
func (p *Printer) grown() error {
	switch {
	case len(p.Out) < flushAt:
	case p.Flush != nil:
		p.done += len(p.Out)
		err := p.Flush(p.Out)
		p.Out = p.Out[:0]
		return err
	case len(p.Out) > p.Variable:
		return p.tooLong()
	}
	return nil
}

func (p *Printer) tooLong() *limits.Hit {
	return &limits.Hit{
		Name: "variable", Value: int64(p.Variable), Unit: "bytes",
		Mend: "Ask printf for a smaller width or precision, or write long text into a file.",
	}
}

// directive prints the directive at the start of the format and gives its length, 0 when it
// is wrong, which was reported.
func (p *Printer) directive(format string) (n int, err error) {
	s := Spec{Precision: -1}
	at := s.flags(format, 1)
	if at, err = p.size(format, at, &s.Width); err != nil {
		return 0, err
	}
	if s.Width < 0 {
		s.Minus, s.Width = true, -s.Width
	}
	if at < len(format) && format[at] == '.' {
		s.Precision = 0
		if at, err = p.size(format, at+1, &s.Precision); err != nil {
			return 0, err
		}
	}
	layout := ""
	if at < len(format) && format[at] == '(' && p.Time != nil {
		var ok bool
		if layout, ok = timeLayout(format[at:]); !ok {
			p.wrong(fmt.Sprintf("`%s': invalid time format specification", format[:at+1]))
			return 0, nil
		}
		at += len(layout) + 2
	}
	for at < len(format) && strings.IndexByte("hjlLtz", format[at]) >= 0 {
		at++
	}
	if at >= len(format) {
		p.missing(format)
		return 0, nil
	}
	s.Verb = format[at]
	at++
	if layout != "" || s.Verb == 'T' && format[at-2] == ')' {
		p.time(&s, layout)
		return at, nil
	}
	if !p.print(&s) {
		p.invalid(format[:at])
		return 0, nil
	}
	if p.code == codeEnds {
		p.code = 1
		return 0, nil
	}
	return at, nil
}

// codeEnds is the code of an error that ends the print at once.
const codeEnds = -1

// size reads a width or a precision, which may be an argument.
func (p *Printer) size(format string, at int, into *int) (int, error) {
	n := 0
	if at < len(format) && format[at] == '*' {
		at++
		if arg, ok := p.arg(); ok {
			n = int(min(max(p.integer(arg), -1<<40), 1<<40))
		}
	} else {
		for at < len(format) && format[at] >= '0' && format[at] <= '9' {
			n = min(n*10+int(format[at]-'0'), 1<<40)
			at++
		}
	}
	if max(n, -n) > p.Variable {
		return 0, p.tooLong()
	}
	*into = n
	return at, nil
}

// timeLayout gives what stands between "(" and the ")" that belongs to it, before a T.
func timeLayout(s string) (string, bool) {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[1:i], i+1 < len(s) && s[i+1] == 'T'
			}
		}
	}
	return "", false
}

// arg takes the next argument.
func (p *Printer) arg() (string, bool) {
	if p.given = p.next < len(p.args); !p.given {
		return "", false
	}
	p.next++
	return p.args[p.next-1], true
}

// wrong reports an error after which printing goes on.
func (p *Printer) wrong(text string) {
	p.code = 1
	p.Error(text)
}

func (p *Printer) missing(format string) {
	if p.Command {
		p.wrong(format + ": invalid conversion specification")
		return
	}
	p.wrong(fmt.Sprintf("`%s': missing format character", format))
}

func (p *Printer) invalid(format string) {
	if p.Command {
		p.wrong(format + ": invalid conversion specification")
		return
	}
	p.wrong(fmt.Sprintf("`%s': invalid format character", format[len(format)-1:]))
}

// print prints one directive; false when it is not known.
func (p *Printer) print(s *Spec) bool {
	switch s.Verb {
	case 's':
		arg, _ := p.arg()
		p.Out = s.AppendString(p.Out, arg)
	case 'd', 'i':
		arg, _ := p.arg()
		p.Out = s.AppendInt(p.Out, p.integer(arg))
	case 'u', 'o', 'x', 'X':
		arg, _ := p.arg()
		p.Out = s.AppendUint(p.Out, p.unsigned(arg))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		arg, _ := p.arg()
		n := p.float(arg)
		p.Out = s.appendExtended(p.Out, n)
	case 'c':
		arg, _ := p.arg()
		c := "\x00"
		if arg != "" {
			c = arg[:1]
		}
		s.Precision = -1
		p.Out = s.AppendString(p.Out, c)
	case 'b':
		arg, _ := p.arg()
		p.text(s, arg)
	case 'q', 'Q':
		if p.Command && s.Verb == 'Q' || p.Quote == nil {
			return false
		}
		arg, _ := p.arg()
		if s.Verb == 'Q' && s.Precision >= 0 {
			arg, s.Precision = arg[:min(s.Precision, len(arg))], -1
		}
		p.Out = s.AppendString(p.Out, p.Quote(arg))
	case 'n':
		if p.Count == nil {
			return false
		}
		if name, _ := p.arg(); name != "" && !p.Count(name, p.done+len(p.Out)) {
			p.Error(fmt.Sprintf("`%s': not a valid identifier", name))
			p.code = codeEnds
		}
	default:
		return false
	}
	return true
}

// time prints %(layout)T.
func (p *Printer) time(s *Spec, layout string) {
	seconds := int64(-1)
	if arg, ok := p.arg(); ok {
		seconds = p.integer(arg)
	}
	if layout == "" {
		layout = "%X"
	}
	p.Out = s.AppendString(p.Out, p.Time(layout, seconds))
}

// text prints %b.
func (p *Printer) text(s *Spec, arg string) {
	if strings.IndexByte(arg, '\\') < 0 {
		p.Out = s.AppendString(p.Out, arg)
		return
	}
	from := len(p.Out)
	for arg != "" && !p.ended {
		plain := strings.IndexByte(arg, '\\')
		if plain < 0 {
			plain = len(arg)
		}
		p.Out = append(p.Out, arg[:plain]...)
		if arg = arg[plain:]; arg != "" {
			arg = arg[p.argumentEscape(arg):]
		}
	}
	if s.Width > 0 || s.Precision >= 0 {
		text := string(p.Out[from:])
		p.Out = s.AppendString(p.Out[:from], text)
	}
}
