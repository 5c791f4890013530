package expand

import (
	"context"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

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
