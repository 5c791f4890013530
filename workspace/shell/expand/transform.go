package expand

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// transform carries out ${name@operator}.
func (c *Config) transform(ctx context.Context, pe *syntax.ParamExp, r ref, v vars.Var, val value) (value, error) {
	op := ""
	if pe.Exp.Word != nil {
		op = pe.Exp.Word.Lit()
	}
	switch op {
	case "A":
		return c.assignment(r, v, val), nil
	case "a":
		if r.name == "@" || r.name == "*" {
			v = vars.Var{}
		}
		if !val.list {
			val.str = Flags(v)
			return val, nil
		}
		return c.each(ctx, val, func(string) (string, error) { return Flags(v), nil })
	case "K", "k":
		return keyed(r, v, val, op == "k"), nil
	}
	if !val.set {
		return val, nil
	}
	var change func(string) (string, error)
	switch op {
	case "Q":
		change = func(s string) (string, error) { return QuoteValue(s), nil }
	case "E":
		change = func(s string) (string, error) { return unescape(s), nil }
	case "P":
		change = func(s string) (string, error) { return c.Prompt(ctx, s) }
	case "U":
		change = func(s string) (string, error) { return strings.ToUpper(s), nil }
	case "L":
		change = func(s string) (string, error) { return strings.ToLower(s), nil }
	case "u":
		change = func(s string) (string, error) {
			first, size := utf8.DecodeRuneInString(s)
			if size == 0 || first == utf8.RuneError {
				return s, nil
			}
			return string(unicode.ToUpper(first)) + s[size:], nil
		}
	default:
		return val, badSubstitution(pe)
	}
	return c.each(ctx, val, func(s string) (string, error) {
		s, err := change(s)
		if err == nil {
			err = c.checkLength(len(s))
		}
		return s, err
	})
}

// assignment gives ${name@A}: the command that makes the variable anew.
func (c *Config) assignment(r ref, v vars.Var, val value) value {
	flags := Flags(v)
	switch {
	case r.name == "@" || r.name == "*":
		items := []string{"set", "--"}
		for _, s := range val.items {
			items = append(items, QuoteValue(s))
		}
		val.items = items
		return val
	case val.list:
		if v.Kind == vars.Scalar {
			return c.assignment(ref{name: r.name}, v, one(v.Str))
		}
		if !v.Set() {
			return value{list: true, star: val.star}
		}
		val.items = []string{"declare", "-" + flags, r.name + "=" + compound(v)}
		return val
	}
	if !syntax.ValidName(r.name) {
		return value{}
	}
	head := ""
	if flags != "" {
		head = "declare -" + flags + " "
	}
	switch {
	case val.set:
		return one(head + r.name + "=" + QuoteValue(val.str))
	case head != "":
		return one(head + r.name)
	}
	return value{}
}

// keyed gives ${name[@]@K}, one text of keys and quoted values, or with parts
// ${name[@]@k}, each of them by itself.
func keyed(r ref, v vars.Var, val value, parts bool) value {
	if !val.list || r.name == "@" || r.name == "*" || v.Kind != vars.Indexed && v.Kind != vars.Assoc {
		if !val.set {
			return val
		}
		if val.list {
			items := make([]string, len(val.items))
			for i, s := range val.items {
				items[i] = QuoteValue(s)
			}
			val.items = items
			return val
		}
		val.str = QuoteValue(val.str)
		return val
	}
	var items []string
	values := elements(v)
	for i, key := range Keys(v) {
		if parts {
			items = append(items, key, values[i])
			continue
		}
		if v.Kind == vars.Assoc {
			key = quoteKey(key)
		}
		items = append(items, key+" "+doubleQuote(values[i]))
	}
	if !parts {
		text := strings.Join(items, " ")
		if v.Kind == vars.Assoc && text != "" {
			text += " "
		}
		items = []string{text}
	}
	val.items = items
	return val
}
