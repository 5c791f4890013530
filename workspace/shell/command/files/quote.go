package files

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted gives a name in a style of ls --quoting-style; "" is literal.
func quoted(name, style string) string {
	switch style {
	case "c":
		return `"` + escaped(name, `"`) + `"`
	case "escape":
		return escaped(name, " ")
	case "shell", "shell-escape":
		if !needsQuotes(name) {
			return name
		}
		return shellQuoted(name, style == "shell-escape")
	case "shell-always", "shell-escape-always":
		return shellQuoted(name, style == "shell-escape-always")
	}
	return name
}

// escaped puts a backslash before backslashes and the signs of also, and writes what cannot
// be printed as an escape.
func escaped(name, also string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		letter := strings.IndexByte("\a\b\t\n\v\f\r", name[i])
		switch {
		case letter >= 0:
			b.WriteString(`\` + "abtnvfr"[letter:letter+1])
		case r == '\\' || strings.ContainsRune(also, r):
			b.WriteString(`\` + string(r))
		case printable(r, n):
			b.WriteString(name[i : i+n])
		default:
			for _, c := range []byte(name[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += n
	}
	return b.String()
}

func printable(r rune, size int) bool {
	return unicode.IsPrint(r) && (r != utf8.RuneError || size > 1)
}

func needsQuotes(name string) bool {
	if name == "" || strings.ContainsAny(name[:1], "#~") {
		return true
	}
	for i, r := range name {
		_, n := utf8.DecodeRuneInString(name[i:])
		if !printable(r, n) || strings.ContainsRune(" !\"$&'()*;<=>?[\\^`|", r) && !(r == '=' && i > 0) {
			return true
		}
	}
	return false
}

// shellQuoted quotes a name for the shell; with escapes what cannot be printed is $'\n'.
func shellQuoted(name string, escapes bool) string {
	if strings.ContainsRune(name, '\'') && !strings.ContainsAny(name, "\"$`\\!") && printableAll(name) {
		return `"` + name + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	dollar := false // inside $'...'
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if escapes && !printable(r, n) {
			if !dollar {
				b.WriteString(`'$'`)
				dollar = true
			}
			b.WriteString(escaped(name[i:i+n], ""))
			i += n
			continue
		}
		if dollar {
			b.WriteString(`''`)
			dollar = false
		}
		if r == '\'' {
			b.WriteString(`'\''`)
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

func printableAll(name string) bool {
	for i, r := range name {
		if _, n := utf8.DecodeRuneInString(name[i:]); !printable(r, n) {
			return false
		}
	}
	return true
}

// questioned replaces what cannot be printed with question marks.
func questioned(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, name)
}
