package expand

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// each applies a change to a value, element by element.
func (c *Config) each(ctx context.Context, v value, change func(string) (string, error)) (value, error) {
	var err error
	if !v.list {
		v.str, err = change(v.str)
		return v, err
	}
	items := make([]string, len(v.items))
	total := 0
	for i, item := range v.items {
		if i&0xff == 0xff {
			if err := over(ctx); err != nil {
				return v, err
			}
		}
		if items[i], err = change(item); err != nil {
			return v, err
		}
		if total += len(items[i]); total > 4*c.limits().Variable {
			return v, c.tooLong()
		}
	}
	v.items = items
	return v, nil
}

// modify carries out the operators # ## % %% ^ ^^ , ,,.
func (c *Config) modify(ctx context.Context, e *syntax.Expansion, v value) (value, error) {
	text, ext, err := c.patternText(ctx, e.Word)
	if err != nil {
		return v, err
	}
	p := compile(text, false, ext) // nocasematch is not for these
	every := text == ""
	return c.each(ctx, v, func(s string) (string, error) {
		switch e.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			if n := p.prefix(s, e.Op == syntax.RemLargePrefix); n > 0 {
				return s[n:], nil
			}
		case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			if n := p.suffix(s, e.Op == syntax.RemLargeSuffix); n >= 0 {
				return s[:n], nil
			}
		case syntax.UpperFirst, syntax.UpperAll:
			return convert(s, p, every, e.Op == syntax.UpperAll, unicode.ToUpper), nil
		case syntax.LowerFirst, syntax.LowerAll:
			return convert(s, p, every, e.Op == syntax.LowerAll, unicode.ToLower), nil
		}
		return s, nil
	})
}

// convert changes the case of the first character or of every one that matches.
func convert(s string, p *Pattern, any, every bool, to func(rune) rune) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if (i == 0 || every) && !(r == utf8.RuneError && size == 1) && (any || p.Match(s[i:i+size])) {
			b.WriteRune(to(r))
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// slice carries out ${name:offset:length}.
func (c *Config) slice(ctx context.Context, pe *syntax.ParamExp, r ref, v vars.Var, val value) (value, error) {
	number := func(e syntax.ArithmExpr) (int, error) {
		n, err := c.Arithm(ctx, e)
		if a, ok := err.(*Error); ok && !a.Exit {
			err = &Error{Text: r.name + ": " + a.Text, Code: a.Code}
		}
		return int(max(min(n, 1<<40), -1<<40)), err
	}
	from, err := number(pe.Slice.Offset)
	if err != nil {
		return val, err
	}
	length, bounded := 0, pe.Slice.Length != nil
	if bounded {
		if length, err = number(pe.Slice.Length); err != nil {
			return val, err
		}
	}
	tooShort := func() error {
		return &Error{Text: sourceOf(pe.Slice.Length) + ": substring expression < 0", Code: 1}
	}
	if !val.list {
		if !val.set {
			return val, nil
		}
		size := utf8.RuneCountInString(val.str)
		if from < 0 {
			from += size
		}
		if from < 0 || from > size {
			val.str = ""
			return val, nil
		}
		to := size
		switch {
		case bounded && length < 0:
			if to = size + length; to < from {
				return val, tooShort()
			}
		case bounded:
			to = min(size, from+length)
		}
		val.str = substring(val.str, from, to)
		return val, nil
	}
	if length < 0 && (len(val.items) > 0 || r.name == "@" || r.name == "*") {
		return val, tooShort()
	}
	items, skip := val.items, 0
	switch {
	case r.name == "@" || r.name == "*":
		if from < 0 {
			from += len(items) + 1
			if from < 0 {
				items = nil
			}
		}
		if from == 0 {
			items = append([]string{c.Shell.Get("0").String()}, items...)
		} else {
			skip = from - 1
		}
	case v.Kind == vars.Indexed:
		if from < 0 {
			from += v.List.Max() + 1
			if from < 0 {
				items = nil
			}
		}
		for skip < len(items) && v.List.Index(skip) < from {
			skip++
		}
	default:
		// The elements of an associative array are counted from 1, with 0 the same.
		if from < 0 {
			from += len(items) + 1
			if from < 0 {
				items = nil
			}
		}
		skip = from
		if v.Kind == vars.Assoc {
			skip = max(from-1, 0)
		}
	}
	items = items[min(max(skip, 0), len(items)):]
	if bounded {
		if v.Kind == vars.Assoc && r.sub.kind != noSub {
			length = max(length, 1) // As bash does.
		}
		items = items[:min(max(length, 0), len(items))]
	}
	val.items = items
	return val, nil
}

// substring gives the characters from one position up to another.
func substring(s string, from, to int) string {
	n, start := 0, len(s)
	for i := range s {
		if n == from {
			start = i
		}
		if n == to {
			return s[min(start, i):i]
		}
		n++
	}
	return s[start:]
}
