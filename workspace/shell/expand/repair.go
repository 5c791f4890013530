package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Repair rewrites the place of a text at which the parser failed, where bash reads what
// the parser does not: a subscript that is no expression (m[a.b], ${m[two words]}), or an
// expression that is only wrong when it is evaluated. ok is false when there is nothing of
// the kind; else the text is to be parsed anew, and may have more such places. base is the
// offset of the text in what the parser read. The lines stay the same.
func Repair(text string, base int, err error) (repaired string, ok bool) {
	at, message := 0, ""
	switch e := err.(type) {
	case syntax.ParseError:
		at, message = int(e.Pos.Offset())-base, e.Text
	case syntax.LangError:
		at, message = int(e.Pos.Offset())-base, e.Feature
	default:
		return "", false
	}
	for _, part := range []string{"arithmetic", "ternary", "must follow", "must be followed by", "matching `[`"} {
		if at >= 0 && at < len(text) && strings.Contains(message, part) {
			return quoteExpression(text, at)
		}
	}
	return "", false
}

// quoteExpression puts the innermost expression around an offset into double quotes, so
// that it is a text for the parser.
func quoteExpression(text string, at int) (string, bool) {
	for open := min(at+1, len(text)-1); open >= 0 && open > at-4096; open-- {
		from, closing := 0, ""
		switch {
		case text[open] == '[' && subscripts(text, open):
			from, closing = open+1, "]"
		case strings.HasPrefix(text[open:], "((") && (open == 0 || text[open-1] != '('):
			from, closing = open+2, "))"
		default:
			continue
		}
		end := closed(text, from, closing)
		if end < at && end != from || end < 0 {
			continue
		}
		inside := text[from:end]
		if quoted := strings.TrimSpace(inside); len(quoted) > 1 && quoted[0] == '"' && quotesEnd(quoted, 0) == len(quoted)-1 {
			return "", false // Done already.
		}
		return text[:from] + `"` + requote(inside) + `"` + text[end:], true
	}
	return "", false
}

// subscripts says whether the [ at an offset can begin a subscript: behind a name, or in a
// list of elements.
func subscripts(text string, open int) bool {
	if open == 0 {
		return false
	}
	before := text[open-1]
	if isWordByte(before) {
		return true
	}
	end := closed(text, open+1, "]")
	return strings.IndexByte(" \t\n(", before) >= 0 && end > 0 && strings.HasPrefix(text[end:], "]=")
}

// closed gives the offset of what closes an expression that begins at from, -1 for none.
func closed(text string, from int, closing string) int {
	depth := 0
	for i := from; i < len(text); i++ {
		switch ch := text[i]; {
		case depth == 0 && strings.HasPrefix(text[i:], closing):
			return i
		case ch == '\\':
			i++
		case ch == '\'' || ch == '"' || ch == '`':
			if i = quotesEnd(text, i); i < 0 {
				return -1
			}
		case ch == '(' || ch == '[' && closing == "]":
			depth++
		case ch == ')' || ch == ']' && closing == "]":
			if depth--; depth < 0 {
				return -1
			}
		case ch == '\n' && closing == "]":
			return -1
		}
	}
	return -1
}

// quotesEnd gives the offset of the quote that closes the one at an offset, -1 for none.
func quotesEnd(text string, open int) int {
	for i := open + 1; i < len(text); i++ {
		switch {
		case text[i] == text[open]:
			return i
		case text[i] == '\\' && text[open] != '\'':
			i++
		}
	}
	return -1
}

// requote gives a text for double quotes, the quotes in it removed.
func requote(s string) string {
	var b strings.Builder
	escape := func(s string) {
		for i := range len(s) {
			if strings.IndexByte("$`\"\\", s[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		}
	}
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '\\' && i+1 < len(s):
			i++
			escape(s[i : i+1])
		case ch == '"':
		case ch == '\'':
			end := quotesEnd(s, i)
			if end < 0 {
				end = len(s)
			}
			escape(s[i+1 : end])
			i = end
		case ch == '`', strings.HasPrefix(s[i:], "$("), strings.HasPrefix(s[i:], "${"):
			end := -1
			switch {
			case ch == '`':
				end = quotesEnd(s, i)
			case s[i+1] == '(':
				end = closed(s, i+2, ")")
			default:
				end = closed(s, i+2, "}")
			}
			if end < 0 {
				end = len(s) - 1
			}
			b.WriteString(s[i : end+1])
			i = end
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}
