package files

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
)

// compileName compiles the expression of -regex, which the whole name must match.
func compileName(pattern, kind string, fold bool, b *limits.Budget) (func(name string) (bool, error), error) {
	o := regex.Options{Syntax: regex.Extended, FoldCase: fold, Whole: true, Budget: b}
	switch kind {
	case "", "emacs", "findutils-default":
		pattern = fromEmacs(pattern)
	case "posix-extended", "posix-egrep", "egrep", "posix-awk", "awk", "gnu-awk":
	case "posix-basic", "posix-minimal-basic", "grep", "sed", "ed":
		o.Syntax = regex.Basic
	default:
		return nil, fmt.Errorf("unknown regular expression type ‘%s’; valid types are ‘findutils-default’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, ‘awk’, ‘posix-basic’, ‘posix-egrep’, ‘egrep’, ‘posix-extended’, ‘posix-minimal-basic’, ‘sed’", kind)
	}
	re, err := regex.Compile(pattern, o)
	if err != nil {
		return nil, err
	}
	return func(name string) (bool, error) {
		loc, err := re.Find([]byte(name), 0)
		return loc != nil, err
	}, nil
}

// fromEmacs turns an expression of Emacs into an extended one: there \( \) and \| are the
// operators, and ( ) | { and } are plain.
func fromEmacs(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			if strings.IndexByte("()|", pattern[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(pattern[i])
		case strings.IndexByte("()|{}", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '[':
			end := bracketEnd(pattern[i:])
			b.WriteString(pattern[i : i+end])
			i += end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bracketEnd gives the length of a bracket expression at the start of a pattern.
func bracketEnd(p string) int {
	i := 1
	if i < len(p) && p[i] == '^' {
		i++
	}
	if i < len(p) && p[i] == ']' {
		i++
	}
	for i < len(p) && p[i] != ']' {
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
		i++
	}
	return min(i+1, len(p))
}
