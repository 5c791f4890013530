package expand

import (
	"context"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Regexp expands the right side of =~ to a regular expression in the syntax of package
// regexp, for which [regexp.Regexp.Longest] must be called. Quoted parts stand for
// themselves. It begins with (?i) under NoCase.
func (c *Config) Regexp(ctx context.Context, w *syntax.Word) (string, error) {
	s, err := c.one(ctx, w, expression, bare, false)
	if err != nil {
		return "", err
	}
	flags := "(?s)"
	if c.NoCase {
		flags = "(?is)"
	}
	return flags + translate(s), nil
}

// mark stands before a character of an expression that was quoted. A backslash would not
// do: in brackets that is a character.
const mark = 1

// appendRegexpQuoted adds text of which every character stands for itself.
func appendRegexpQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] == mark || strings.IndexByte(`\.[]{}()*+?^$|-!:=`, s[i]) >= 0 {
			b = append(b, mark)
		}
		b = append(b, s[i])
	}
	return b
}

// translate gives an extended regular expression of POSIX, with the additions of GNU, in
// the syntax of Go.
func translate(s string) string {
	var b strings.Builder
	start := true // where a repetition has nothing before it and stands for itself
	for i := 0; i < len(s); i++ {
		ch := s[i]
		was := start
		start = false
		switch ch {
		case mark:
			if i+1 < len(s) {
				i++
				b.WriteString(regexp.QuoteMeta(s[i : i+1]))
			}
		case '\\':
			if i+1 == len(s) {
				b.WriteString(`\\`)
				continue
			}
			i++
			b.WriteString(escapedRegexp(s[i]))
		case '[':
			end := regexpBracketEnd(s, i)
			if end < 0 {
				b.WriteString(s[i:]) // Left to fail.
				return b.String()
			}
			regexpSet(&b, s[i+1:end])
			i = end
		case '(', '|':
			b.WriteByte(ch)
			start = true
		case '^':
			b.WriteString(`\A`)
			start = true
		case '$':
			b.WriteString(`\z`)
		case '*', '+', '?':
			switch {
			case was && ch == '*':
				b.WriteString(`\*`)
			case i > 0 && strings.IndexByte("*+?}", s[i-1]) >= 0 && (i < 2 || s[i-2] != '\\'):
				// A repetition of a repetition: (?:x*)* is the same as x*.
				if ch != s[i-1] {
					repeated(&b)
				}
			default:
				b.WriteByte(ch)
			}
		case '{':
			if n := interval(s[i:]); n > 0 && !was {
				text := s[i : i+n]
				if strings.HasPrefix(text, "{,") {
					text = "{0" + text[1:]
				}
				b.WriteString(text)
				i += n - 1
			} else {
				b.WriteString(`\{`)
			}
		case '}':
			b.WriteString(`\}`)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// repeated puts one more repetition behind an expression that ends in one.
func repeated(b *strings.Builder) {
	s := b.String()
	b.Reset()
	b.WriteString(s[:len(s)-1])
	// Any two of *, + and ? that differ are the same as *.
	b.WriteByte('*')
}

func escapedRegexp(ch byte) string {
	switch ch {
	case '<':
		return `\b`
	case '>':
		return `\b`
	case 'w':
		return `[\pL\p{Nd}_]`
	case 'W':
		return `[^\pL\p{Nd}_]`
	case 's', 'S', 'b', 'B':
		return `\` + string(ch)
	case '`':
		return `\A`
	case '\'':
		return `\z`
	}
	if ch >= 0x80 || isLetter(ch) {
		return string([]byte{ch})
	}
	return `\` + string(ch)
}

// interval gives the length of {n}, {n,}, {,m} or {n,m} at the beginning, 0 for none.
func interval(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return 0
	}
	low, high, _ := strings.Cut(s[1:end], ",")
	for _, n := range []string{low, high} {
		if strings.Trim(n, "0123456789") != "" {
			return 0
		}
	}
	return end + 1
}

// regexpBracketEnd gives the offset of the ] of a bracket expression, -1 for none. A
// backslash is a character in it.
func regexpBracketEnd(s string, at int) int {
	i := at + 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == mark:
			i++
		case s[i] == ']' && i > first:
			return i
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			if n := strings.Index(s[i+2:], s[i+1:i+2]+"]"); n >= 0 {
				i += n + 3
			}
		}
	}
	return -1
}

// regexpSet writes a bracket expression: that of a pattern, but for the backslash, which
// is a character in it, and the ! at the beginning, which is one too.
func regexpSet(b *strings.Builder, s string) {
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == mark && i+1 < len(s):
			i++
			text.WriteByte('\\')
		case s[i] == '\\', s[i] == '!' && i == 0:
			text.WriteByte('\\')
		}
		text.WriteByte(s[i])
	}
	parseSet(text.String()).appendRegexp(b)
}
