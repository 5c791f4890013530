package command

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// Options reads options as getopt_long does: short ones may be joined and take their value
// from the rest or the next argument, long ones may be shortened while they are unique and
// take "=value", options may follow operands, and "--" ends them. An option that is not
// known is an error that names it.
//
// The specification is a list such as "n,number l:lines:" joined by spaces: a short letter,
// a long name after a comma, or one alone (a long name has at least two letters); a trailing
// ":" takes a value, "::" an optional one (joined only).
type Options struct {
	known  []option
	seen   []Seen
	Args   []string // operands
	strict bool
}

type option struct {
	short byte
	long  string
	value int // 0 none, 1 required, 2 optional
}

// Seen is one option as it was given, in order.
type Seen struct {
	Name   string // the short letter when it has one, else the long name
	Value  string
	Joined bool // an optional value was given
}

// Parse reads args, which begin with the name of the command. With "+" at the start of the
// specification the first operand ends the options. The error is for [Call.UsageError].
func Parse(args []string, spec string) (*Options, error) {
	o := &Options{}
	spec, o.strict = strings.CutPrefix(spec, "+")
	for _, word := range strings.Fields(spec) {
		o.known = append(o.known, parseOption(word))
	}
	rest := args[1:]
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		var err error
		switch {
		case arg == "--":
			o.Args = append(o.Args, rest...)
			return o, nil
		case strings.HasPrefix(arg, "--"):
			rest, err = o.longOption(arg[2:], rest)
		case len(arg) > 1 && arg[0] == '-':
			rest, err = o.shortOptions(arg[1:], rest)
		case o.strict:
			o.Args = append(append(o.Args, arg), rest...)
			return o, nil
		default:
			o.Args = append(o.Args, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

func parseOption(word string) option {
	var opt option
	trimmed := strings.TrimRight(word, ":")
	opt.value = len(word) - len(trimmed)
	short, long, both := strings.Cut(trimmed, ",")
	switch {
	case both:
		opt.short, opt.long = short[0], long
	case len(short) == 1:
		opt.short = short[0]
	default:
		opt.long = short
	}
	return opt
}

func (o *Options) longOption(arg string, rest []string) ([]string, error) {
	name, value, has := strings.Cut(arg, "=")
	var found []option
	for _, opt := range o.known {
		if opt.long == name {
			found = []option{opt}
			break
		}
		if opt.long != "" && strings.HasPrefix(opt.long, name) {
			found = append(found, opt)
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("unrecognized option '--%s'", name)
	case len(found) > 1:
		return nil, fmt.Errorf("option '--%s' is ambiguous", name)
	}
	opt := found[0]
	switch {
	case opt.value == 0 && has:
		return nil, fmt.Errorf("option '--%s' doesn't allow an argument", opt.long)
	case opt.value == 1 && !has:
		if len(rest) == 0 {
			return nil, fmt.Errorf("option '--%s' requires an argument", opt.long)
		}
		value, rest = rest[0], rest[1:]
	}
	o.seen = append(o.seen, Seen{opt.name(), value, has})
	return rest, nil
}

func (o *Options) shortOptions(letters string, rest []string) ([]string, error) {
	for i := range len(letters) {
		opt, ok := o.short(letters[i])
		if !ok {
			return nil, fmt.Errorf("invalid option -- '%c'", letters[i])
		}
		after := letters[i+1:]
		switch {
		case opt.value == 0:
			o.seen = append(o.seen, Seen{Name: opt.name()})
			continue
		case after != "" || opt.value == 2:
			o.seen = append(o.seen, Seen{opt.name(), after, after != ""})
		case len(rest) == 0:
			return nil, fmt.Errorf("option requires an argument -- '%c'", letters[i])
		default:
			o.seen = append(o.seen, Seen{opt.name(), rest[0], true})
			rest = rest[1:]
		}
		return rest, nil
	}
	return rest, nil
}

func (o *Options) short(letter byte) (option, bool) {
	for _, opt := range o.known {
		if opt.short == letter {
			return opt, true
		}
	}
	return option{}, false
}

func (opt option) name() string {
	if opt.short != 0 {
		return string(opt.short)
	}
	return opt.long
}

// Seen gives the options in the order in which they were given.
func (o *Options) Seen() []Seen { return o.seen }

// Has says whether one of the options was given.
func (o *Options) Has(names ...string) bool { return o.last(names) != nil }

// Value gives the last value of an option, or what to take when it was not given.
func (o *Options) Value(name, otherwise string) string {
	if s := o.last([]string{name}); s != nil {
		return s.Value
	}
	return otherwise
}

// Values gives every value of an option, in order.
func (o *Options) Values(name string) []string {
	var all []string
	for _, s := range o.seen {
		if s.Name == name {
			all = append(all, s.Value)
		}
	}
	return all
}

// Last gives the one of several options that was given last, or "": of -l and -c the later
// one counts.
func (o *Options) Last(names ...string) string {
	if s := o.last(names); s != nil {
		return s.Name
	}
	return ""
}

func (o *Options) last(names []string) *Seen {
	for i := len(o.seen) - 1; i >= 0; i-- {
		for _, name := range names {
			if o.seen[i].Name == name {
				return &o.seen[i]
			}
		}
	}
	return nil
}

// UsageError writes what is wrong with the options and where help is, and gives code.
func (c *Call) UsageError(code int, err error) int {
	name := path.Base(c.Args[0])
	fmt.Fprintf(c.Err, "%s: %v\n", name, err)
	if c.Cmd != nil && c.Cmd.Usage != "" {
		io.WriteString(c.Err, "Try '"+name+" --help' for more information.\n")
	}
	return code
}
