package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// maxProgram is the longest program in bytes: how deep one can nest without brackets
// depends on it.
const maxProgram = 256 << 10

// parseProgram parses a program or a module.
func parseProgram(text string, l limits.Limits) (*gojq.Query, error) {
	if len(text) > min(maxProgram, l.Script) {
		return nil, fmt.Errorf("the program has %d bytes, more than %d", len(text), min(maxProgram, l.Script))
	}
	if strings.TrimSpace(text) == "" {
		text = "."
	}
	text, depth := prepare(text)
	if depth > l.Nesting {
		return nil, fmt.Errorf("the program is nested more than %d levels deep", l.Nesting)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		if e, ok := errors.AsType[*gojq.ParseError](err); ok {
			before := text[:min(max(e.Offset-len(e.Token), 0), len(text))]
			return nil, fmt.Errorf("syntax error, %v at <top-level>, line %d:\n%s", e, strings.Count(before, "\n")+1, text)
		}
		return nil, err
	}
	return query, nil
}

// prepare gives the text with a variable for each $__loc__ that names its line, and how deep
// its brackets nest. Strings and comments are left alone, but not the queries in strings.
func prepare(text string) (prepared string, depth int) {
	const loc = "$__loc__"
	var b strings.Builder
	var inside []byte // '(' a bracket, '"' a string
	line := 1
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' {
			line++
		}
		quoted := len(inside) > 0 && inside[len(inside)-1] == '"'
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			if text[i+1] == '(' {
				inside = append(inside, '(')
			}
			b.WriteByte(c)
			i++
			c = text[i]
		case quoted && c == '"':
			inside = inside[:len(inside)-1]
		case quoted:
		case c == '"':
			inside = append(inside, '"')
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			i--
			continue
		case c == '(' || c == '[' || c == '{':
			inside = append(inside, '(')
		case (c == ')' || c == ']' || c == '}') && len(inside) > 0:
			inside = inside[:len(inside)-1]
		case c == '$' && strings.HasPrefix(text[i:], loc):
			fmt.Fprintf(&b, "%s%d", locationPrefix, line)
			i += len(loc) - 1
			continue
		}
		depth = max(depth, len(inside))
		b.WriteByte(c)
	}
	return b.String(), depth
}
