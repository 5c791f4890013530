package jq

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// maxProgram is the longest program in bytes: how deep one can nest without brackets
// depends on it.
const maxProgram = 256 << 10

// program is a parsed query with what it needs around it.
type program struct {
	query     *gojq.Query
	variables map[string]any // of its own, such as $__loc__
}

// parseProgram parses a program or module and adapts it to jq where gojq differs: messages
// that are caught read as those of jq, $__loc__ is known, and objects have an order.
func parseProgram(text string, l limits.Limits, o *order) (*program, error) {
	if len(text) > min(maxProgram, l.Script) {
		return nil, fmt.Errorf("the program has %d bytes, more than %d", len(text), min(maxProgram, l.Script))
	}
	if strings.TrimSpace(text) == "" {
		text = "."
	}
	text, variables, depth := prepare(text)
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
	visit(reflect.ValueOf(query), o.rewrite)
	return &program{query, variables}, nil
}

// prepare gives the text with a variable of its own for each $__loc__, and how deep its
// brackets nest. Strings and comments are left alone, but not the queries in strings.
func prepare(text string) (prepared string, variables map[string]any, depth int) {
	const loc = "$__loc__"
	variables = map[string]any{}
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
			name := fmt.Sprintf("$__loc_%d", line)
			variables[name] = map[string]any{"file": "<top-level>", "line": line}
			b.WriteString(name)
			i += len(loc) - 1
			continue
		}
		depth = max(depth, len(inside))
		b.WriteByte(c)
	}
	return b.String(), variables, depth
}

// visit calls do with each node of a syntax tree, parents first.
func visit(v reflect.Value, do func(node any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			do(v.Interface())
			visit(v.Elem(), do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), do)
		}
	}
}

// catch gives the handler of a try so that it sees messages as jq words them. A message of
// gojq does not say which key was asked for: it is one of those in the body.
func catch(t *gojq.Try) *gojq.Query {
	names := call("_message")
	var keys []*gojq.Query
	visit(reflect.ValueOf(t.Body), func(node any) {
		if x, ok := node.(*gojq.Index); ok && len(keys) < 8 {
			switch {
			case x.Name != "":
				keys = append(keys, text(x.Name))
			case x.Str != nil && x.Str.Queries == nil:
				keys = append(keys, text(x.Str.Str))
			}
		}
	})
	names.Term.Func.Args = []*gojq.Query{{Term: &gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: list(keys)}}}}
	return &gojq.Query{Left: names, Op: gojq.OpPipe, Right: &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: t.Catch}}}
}

func call(name string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name}}}
}

func text(s string) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: s}}}
}

func list(items []*gojq.Query) *gojq.Query {
	if len(items) == 0 {
		return nil
	}
	all := items[0]
	for _, item := range items[1:] {
		all = &gojq.Query{Left: all, Op: gojq.OpComma, Right: item}
	}
	return all
}
