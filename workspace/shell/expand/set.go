package expand

import (
	"fmt"
	"strings"
	"unicode"
)

// set is a bracket expression.
type set struct {
	negated bool
	ranges  [][2]rune
	classes []string
}

// bracketEnd gives the offset of the ] that closes the [ at an offset, 0 for none.
func bracketEnd(s string, at int) int {
	i := at + 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	first := i
	for i < len(s) {
		switch ch := s[i]; {
		case ch == ']' && i > first:
			return i
		case ch == '\\':
			i++
		case ch == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			if n := strings.Index(s[i+2:], s[i+1:i+2]+"]"); n >= 0 {
				i += n + 3
			}
		}
		i++
	}
	return 0
}

// parseSet reads what stands between the brackets.
func parseSet(s string) *set {
	t := &set{}
	if s[0] == '!' || s[0] == '^' {
		t.negated = true
		s = s[1:]
	}
	for s != "" {
		if len(s) > 1 && s[0] == '[' && s[1] == ':' {
			if n := strings.Index(s[2:], ":]"); n >= 0 {
				t.classes = append(t.classes, s[2:2+n])
				s = s[n+4:]
				continue
			}
		}
		from, rest := setChar(s)
		s = rest
		to := from
		if len(s) > 1 && s[0] == '-' {
			to, s = setChar(s[1:])
		}
		if from <= to {
			t.ranges = append(t.ranges, [2]rune{from, to})
		}
	}
	return t
}

// setChar reads one character of a set: as it is, escaped, or as [.x.] or [=x=].
func setChar(s string) (rune, string) {
	if len(s) > 1 && s[0] == '[' && (s[1] == '.' || s[1] == '=') {
		if n := strings.Index(s[2:], s[1:2]+"]"); n > 0 {
			r, _ := decode(s[2:])
			return r, s[n+4:]
		}
	}
	if s[0] == '\\' && len(s) > 1 {
		s = s[1:]
	}
	r, size := decode(s)
	return r, s[size:]
}

func (t *set) has(r rune) bool {
	for _, span := range t.ranges {
		if r >= span[0] && r <= span[1] {
			return !t.negated
		}
	}
	for _, class := range t.classes {
		if inClass(class, r) {
			return !t.negated
		}
	}
	return t.negated
}

// inClass says whether a character is in a class such as alpha. Bytes that are no UTF-8
// are in none.
func inClass(class string, r rune) bool {
	if r > unicode.MaxRune {
		return false
	}
	ascii := r < 0x80
	switch class {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return r >= '0' && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r) && r != 0x85 && r != 0xa0
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPrint(r) && r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	case "print":
		return unicode.IsPrint(r)
	case "graph":
		return unicode.IsPrint(r) && r != ' '
	case "cntrl":
		return unicode.IsControl(r)
	case "xdigit":
		return ascii && strings.ContainsRune("0123456789abcdefABCDEF", r)
	case "word":
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	case "ascii":
		return ascii
	}
	return false
}

// classRegexps are the classes in the syntax of Go, the same as inClass says.
var classRegexps = map[string]string{
	"alpha": `\pL`, "digit": `0-9`, "alnum": `\pL\p{Nd}`, "upper": `\p{Lu}`, "lower": `\p{Ll}`,
	"space":  `\t-\r \x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`,
	"blank":  ` \t`,
	"xdigit": `0-9a-fA-F`, "word": `_\pL\p{Nd}`, "ascii": `\x00-\x7f`, "cntrl": `\p{Cc}`,
	"punct": `\pP\pS\pM\p{Nl}\p{No}`, "graph": `\pL\pM\pN\pP\pS`, "print": ` \pL\pM\pN\pP\pS`,
}

// appendRegexp writes the set in the syntax of Go.
func (t *set) appendRegexp(b *strings.Builder) {
	b.WriteByte('[')
	if t.negated {
		b.WriteByte('^')
	}
	empty := true
	for _, span := range t.ranges {
		if span[1] <= unicode.MaxRune {
			fmt.Fprintf(b, `\x{%x}-\x{%x}`, span[0], span[1])
			empty = false
		}
	}
	for _, class := range t.classes {
		if text, ok := classRegexps[class]; ok {
			b.WriteString(text)
			empty = false
		}
	}
	if empty {
		// No character, or with the negation every one.
		b.WriteString(`^\x00-\x{10FFFF}`)
		if t.negated {
			s := b.String()
			b.Reset()
			b.WriteString(strings.TrimSuffix(s, `^^\x00-\x{10FFFF}`) + `\x00-\x{10FFFF}`)
		}
	}
	b.WriteByte(']')
}
