package eval

import (
	"fmt"
	"strings"
)

// getopt reads the options of a builtin: letters, joined or not, the first operand or "--"
// ends them. It has its own reader because a builtin, unlike a command, knows "+x" too and
// says what is wrong in words of its own.
type getopt struct {
	sh    *Shell
	b     *streams
	name  string
	spec  string // letters; ":" after one that takes a value
	plus  bool   // "+x" is an option as well
	args  []string
	group string // rest of a group of letters
	off   bool   // the option was given with "+"
	value string
	bad   bool // a fault was reported; the builtin gives status 2
}

// options makes the reader of a builtin's arguments, which begin with its name.
func (sh *Shell) options(b *streams, args []string, spec string) getopt {
	return getopt{sh: sh, b: b, name: args[0], spec: spec, args: args[1:]}
}

// next gives the next option, or 0 at their end; what is left then are the operands.
func (g *getopt) next() byte {
	if g.group == "" {
		if len(g.args) == 0 {
			return 0
		}
		arg := g.args[0]
		switch {
		case arg == "--":
			g.args = g.args[1:]
			return 0
		case len(arg) > 1 && arg[0] == '-':
			g.off = false
		case len(arg) > 1 && arg[0] == '+' && g.plus:
			g.off = true
		default:
			return 0
		}
		g.group, g.args = arg[1:], g.args[1:]
	}
	letter := g.group[0]
	g.group = g.group[1:]
	at := strings.IndexByte(g.spec, letter)
	if at < 0 || letter == ':' {
		sign := byte('-')
		if g.off {
			sign = '+'
		}
		g.fault("%c%c: invalid option", sign, letter)
		return 0
	}
	if at+1 < len(g.spec) && g.spec[at+1] == ':' {
		switch {
		case g.group != "":
			g.value, g.group = g.group, ""
		case len(g.args) == 0:
			g.fault("-%c: option requires an argument", letter)
			return 0
		default:
			g.value, g.args = g.args[0], g.args[1:]
		}
	}
	return letter
}

// fault reports what is wrong with the options, and how the builtin is used.
func (g *getopt) fault(format string, args ...any) {
	g.bad = true
	g.sh.errorf(g.b, "%s: %s", g.name, fmt.Sprintf(format, args...))
	g.sh.usage(g.b, g.name)
}

// usage writes how a builtin is used on standard error and gives 2.
func (sh *Shell) usage(b *streams, name string) int {
	if m, ok := manualOf(name); ok {
		fmt.Fprintf(b.err, "%s: usage: %s\n", name, m.synopsis)
	}
	return 2
}

// badName reports a word that is no name of a variable and gives 1.
func (sh *Shell) badName(b *streams, builtin, word string) int {
	sh.errorf(b, "%s: `%s': not a valid identifier", builtin, word)
	return 1
}

// isName says whether a word is the name of a variable.
func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// splitTarget parts name[subscript]; ok is false when it is neither that nor a name.
func splitTarget(s string) (name, subscript string, ok bool) {
	open := strings.IndexByte(s, '[')
	if open < 0 {
		return s, "", isName(s)
	}
	if !strings.HasSuffix(s, "]") || len(s) == open+2 {
		return s, "", false
	}
	return s[:open], s[open+1 : len(s)-1], isName(s[:open])
}

// isTarget says whether a word can be assigned to: name or name[subscript].
func isTarget(s string) bool {
	_, _, ok := splitTarget(s)
	return ok
}
