package jq

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// options is a command line of jq.
type options struct {
	program  string
	hasText  bool // program was given
	fromFile bool // program is a file's name
	files    []string
	library  []string // -L

	null, slurp, raw, stream, seq bool // of the input
	rawOut, join, nul, ascii      bool // of the output
	compact, colors, tab, sorted  bool
	exitStatus, unbuffered        bool
	indent                        int

	named      []namedArg // in the order of the command line
	positional []any
	help       bool
	version    bool
}

// namedArg is a variable that the command line sets.
type namedArg struct {
	kind  string // "arg", "argjson", "slurpfile", "rawfile"
	name  string
	value string
}

// parseOptions reads a command line without the command's name. Options may stand
// anywhere; what is no option is the program and then files or arguments.
func parseOptions(args []string) (*options, error) {
	o := &options{indent: 2}
	rest := "files"
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			for _, arg := range args {
				if err := o.operand(arg, rest); err != nil {
					return nil, err
				}
			}
			return o, nil
		case strings.HasPrefix(arg, "--"):
			var err error
			if args, err = o.long(arg, args, &rest); err != nil {
				return nil, err
			}
		case len(arg) > 1 && arg[0] == '-' && isLetter(arg[1]):
			var err error
			if args, err = o.short(arg, args); err != nil {
				return nil, err
			}
		default:
			if err := o.operand(arg, rest); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// isLetter tells an option from a program such as -1 or -.a.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (o *options) operand(arg, rest string) error {
	switch {
	case !o.hasText:
		o.program, o.hasText = arg, true
	case rest == "args":
		o.positional = append(o.positional, arg)
	case rest == "jsonargs":
		v, err := oneValue(arg)
		if err != nil {
			return words("Invalid JSON text passed to --jsonargs")
		}
		o.positional = append(o.positional, v)
	default:
		o.files = append(o.files, arg)
	}
	return nil
}

// oneValue gives the one value of a text.
func oneValue(text string) (any, error) {
	list, err := parseAll(text)
	if err == nil && len(list) != 1 {
		err = errors.New("not one value")
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func (o *options) short(arg string, args []string) ([]string, error) {
	for i := 1; i < len(arg); i++ {
		switch arg[i] {
		case 's':
			o.slurp = true
		case 'r':
			o.rawOut = true
		case 'c':
			o.compact = true
		case 'C':
			o.colors = true
		case 'M':
			o.colors = false
		case 'a':
			o.ascii = true
		case 'j':
			o.rawOut, o.join = true, true
		case 'n':
			o.null = true
		case 'f':
			o.fromFile = true
		case 'e':
			o.exitStatus = true
		case 'S':
			o.sorted = true
		case 'R':
			o.raw = true
		case 'h':
			o.help = true
		case 'V':
			o.version = true
		case 'L':
			if i+1 < len(arg) {
				o.library = append(o.library, arg[i+1:])
				return args, nil
			}
			if len(args) == 0 {
				return nil, errors.New("-L takes a parameter: (e.g. -L /search/path or -L/search/path)")
			}
			o.library = append(o.library, args[0])
			args = args[1:]
		default:
			return nil, worded("Unknown option %s", arg)
		}
	}
	return args, nil
}

func (o *options) long(arg string, args []string, rest *string) ([]string, error) {
	flags := map[string]*bool{
		"slurp": &o.slurp, "raw-output": &o.rawOut, "compact-output": &o.compact, "color-output": &o.colors, "ascii-output": &o.ascii, "null-input": &o.null,
		"from-file": &o.fromFile, "exit-status": &o.exitStatus, "raw-input": &o.raw, "help": &o.help, "version": &o.version, "stream": &o.stream, "seq": &o.seq,
		"tab": &o.tab, "unbuffered": &o.unbuffered, "join-output": &o.join, "raw-output0": &o.nul, "sort-keys": &o.sorted,
	}
	name := arg[2:]
	if flag := flags[name]; flag != nil {
		*flag = true
		o.rawOut = o.rawOut || o.join || o.nul
		return args, nil
	}
	need := func(n int, what string) error {
		if len(args) < n {
			return fmt.Errorf("--%s takes %s", name, what)
		}
		return nil
	}
	switch name {
	case "monochrome-output":
		o.colors = false
	case "args", "jsonargs":
		*rest = name
	case "arg", "argjson", "slurpfile", "rawfile", "argfile":
		if err := need(2, "two parameters (e.g. --"+name+" varname value)"); err != nil {
			return nil, err
		}
		o.named = append(o.named, namedArg{name, args[0], args[1]})
		return args[2:], nil
	case "library-path":
		if err := need(1, "a parameter (e.g. --library-path DIR)"); err != nil {
			return nil, err
		}
		o.library = append(o.library, args[0])
		return args[1:], nil
	case "indent":
		if err := need(1, "one parameter"); err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(args[0])
		if err != nil || n < -1 || n > 7 {
			return nil, errors.New("--indent takes a number between -1 and 7")
		}
		o.indent, o.tab = n, n < 0
		return args[1:], nil
	default:
		return nil, worded("Unknown option %s", arg)
	}
	return args, nil
}

// style gives how values are written; colors is the text of JQ_COLORS.
func (o *options) style(colors string) *style {
	s := &style{ascii: o.ascii, sorted: o.sorted}
	switch {
	case o.compact:
	case o.tab:
		s.indent = "\t"
	default:
		s.indent = strings.Repeat(" ", o.indent)
	}
	if o.colors {
		s.colors = newPalette(colors)
	}
	return s
}
