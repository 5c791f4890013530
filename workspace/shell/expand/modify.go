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
	p := compile(text, c.NoCase, ext)
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
	if length < 0 {
		return val, tooShort()
	}
	items, skip := val.items, 0
	switch {
	case r.name == "@" || r.name == "*":
		val.slice = true
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
		items = items[:min(length, len(items))]
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

// replace carries out ${name/pattern/word}.
func (c *Config) replace(ctx context.Context, pe *syntax.ParamExp, v value) (value, error) {
	r := pe.Repl
	if r.All && r.Orig == nil {
		r = slashPattern(pe)
	}
	text, ext, err := c.patternText(ctx, r.Orig)
	if err != nil {
		return v, err
	}
	with, err := c.one(ctx, r.With, replacement, bare, false)
	if err != nil {
		return v, err
	}
	anchor := byte(0)
	if !r.All && text != "" && (text[0] == '#' || text[0] == '%') {
		anchor, text = text[0], text[1:]
	}
	if text == "" && anchor == 0 || !v.set {
		return v, nil
	}
	p := compile(text, c.NoCase, ext)
	insert := parseReplacement(with)
	return c.each(ctx, v, func(s string) (string, error) {
		switch anchor {
		case '#':
			if n := p.prefix(s, true); n >= 0 {
				if err := c.checkLength(insert.size(n) + len(s)); err != nil {
					return "", err
				}
				s = string(insert.bytes(nil, s[:n])) + s[n:]
			}
			return s, nil
		case '%':
			if n := p.suffix(s, true); n >= 0 {
				if err := c.checkLength(insert.size(len(s)-n) + n); err != nil {
					return "", err
				}
				s = s[:n] + string(insert.bytes(nil, s[n:]))
			}
			return s, nil
		}
		return c.substitute(ctx, p, s, insert, r.All)
	})
}

// slashPattern gives the pattern and the word of ${name////word}, ${name///rest} and
// ${name///}, in which the pattern begins with a slash. The parser takes that slash for the
// one before the word.
func slashPattern(pe *syntax.ParamExp) *syntax.Replace {
	slash := &syntax.Lit{Value: "/"}
	if pe.Repl.With == nil {
		end := pe.Param.End().Offset()
		if pe.Index != nil {
			end = pe.Index.End().Offset() + 1
		}
		if pe.Rbrace.Offset() <= end+2 {
			return pe.Repl // ${name//}
		}
		return &syntax.Replace{All: true, Orig: &syntax.Word{Parts: []syntax.WordPart{slash}}}
	}
	parts := pe.Repl.With.Parts
	if lit, ok := parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "/") {
		rest := append([]syntax.WordPart{&syntax.Lit{Value: lit.Value[1:]}}, parts[1:]...)
		return &syntax.Replace{All: true, Orig: &syntax.Word{Parts: []syntax.WordPart{slash}}, With: &syntax.Word{Parts: rest}}
	}
	return &syntax.Replace{All: true, Orig: &syntax.Word{Parts: append([]syntax.WordPart{slash}, parts...)}}
}

// substitute replaces the first match or all of them.
func (c *Config) substitute(ctx context.Context, p *Pattern, s string, insert inserted, every bool) (string, error) {
	var b []byte
	at, changed := 0, false
	find := p.finder(s)
	for steps := 0; at <= len(s); steps++ {
		if steps&0xff == 0xff {
			if err := over(ctx); err != nil {
				return "", err
			}
		}
		from, to, ok := find(at)
		if !ok || from == to && from == len(s) && (changed || s != "") {
			break
		}
		changed = true
		b = append(b, s[at:from]...)
		if err := c.checkLength(len(b) + insert.size(to-from)); err != nil {
			return "", err
		}
		b = insert.bytes(b, s[from:to])
		if at = to; from == to {
			// An empty match: the next character stays.
			_, size := utf8.DecodeRuneInString(s[at:])
			b = append(b, s[at:at+size]...)
			if at += size; size == 0 {
				break
			}
		}
		if !every {
			break
		}
	}
	if !changed {
		return s, nil
	}
	if at < len(s) {
		b = append(b, s[at:]...)
	}
	return string(b), c.checkLength(len(b))
}

// inserted is what replaces a match: texts with the match between them.
type inserted []string

// parseReplacement splits the word of a replacement at each & that has no backslash.
func parseReplacement(s string) inserted {
	if !strings.ContainsAny(s, `&\`) {
		return inserted{s}
	}
	var parts inserted
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '&' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	return append(parts, b.String())
}

func (in inserted) bytes(b []byte, match string) []byte {
	for i, text := range in {
		if i > 0 {
			b = append(b, match...)
		}
		b = append(b, text...)
	}
	return b
}

// size gives how long the text for a match of n bytes is.
func (in inserted) size(n int) int {
	total := (len(in) - 1) * n
	for _, text := range in {
		total += len(text)
	}
	return total
}
