package expand

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Fields gives the fields of words: braces, tilde, parameters, commands, arithmetic,
// process substitution, splitting, pathnames and the removal of quotes.
func (c *Config) Fields(ctx context.Context, words ...*syntax.Word) ([]string, error) {
	b := builder{c: c, mode: fields, out: make([]string, 0, len(words))}
	for _, w := range words {
		if s, ok := plain(w); ok {
			b.out = append(b.out, s)
		} else if err := b.braced(ctx, w); err != nil {
			return nil, err
		}
		if err := c.wordLimit(len(b.out)); err != nil {
			return nil, err
		}
	}
	return b.out, nil
}

// braced adds the fields of a word, its braces expanded.
func (b *builder) braced(ctx context.Context, w *syntax.Word) error {
	if b.c.NoBraces || !hasBrace(w) {
		return b.field(ctx, w)
	}
	words, err := b.c.braces(ctx, w)
	if err != nil {
		return err
	}
	for _, w := range words {
		if err := b.field(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// field adds the fields of a word without braces.
func (b *builder) field(ctx context.Context, w *syntax.Word) error {
	if b.short(w) {
		return nil
	}
	b.begin()
	b.colon = looksAssigned(w)
	b.lists = hasList(w.Parts, false)
	if err := b.parts(ctx, w.Parts, bare, true); err != nil {
		return err
	}
	return b.end(ctx)
}

// hasList says whether a list such as $@ or "${a[@]}" stands among the parts.
func hasList(parts []syntax.WordPart, quoted bool) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			if hasList(part.Parts, true) {
				return true
			}
		case *syntax.ParamExp:
			kind := subscriptOf(part.Index).kind
			if part.Param != nil && (part.Param.Value == "@" || kind == all || !quoted && (part.Param.Value == "*" || kind == joined)) {
				return true
			}
		}
	}
	return false
}

// short adds the words "$name" and $name in the usual cases without a builder's work.
func (b *builder) short(w *syntax.Word) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	part, quoted := w.Parts[0], false
	if q, ok := part.(*syntax.DblQuoted); ok {
		if len(q.Parts) != 1 || q.Dollar {
			return false
		}
		part, quoted = q.Parts[0], true
	}
	switch part := part.(type) {
	case *syntax.Lit:
		if quoted && strings.IndexByte(part.Value, '\\') < 0 {
			b.out = append(b.out, part.Value)
			return true
		}
	case *syntax.ParamExp:
		s, ok := b.c.scalar(part)
		if ok && (quoted || s != "" && !b.special(s)) {
			b.out = append(b.out, s)
			return true
		}
	}
	return false
}

// plain gives a word that is one literal in which nothing is special.
func plain(w *syntax.Word) (string, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		for i := range len(part.Value) {
			switch part.Value[i] {
			case '\\', '~', '{', '*', '?', '[':
				return "", false
			}
		}
		return part.Value, true
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	}
	return "", false
}

// looksAssigned says whether a word has the form name=..., where a tilde stands for
// itself after the sign and after each colon.
func looksAssigned(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return false
	}
	name, _, ok := strings.Cut(lit.Value, "=")
	return ok && syntax.ValidName(strings.TrimSuffix(name, "+"))
}

// Literal expands a word to one string, without splitting and pathnames: the target of a
// redirect, the word of case, a here-string, an operand of [[.
func (c *Config) Literal(ctx context.Context, w *syntax.Word) (string, error) {
	return c.one(ctx, w, text, bare, false)
}

// Value is [Config.Literal] for the value of an assignment: a tilde is expanded after each
// colon too.
func (c *Config) Value(ctx context.Context, w *syntax.Word) (string, error) {
	return c.one(ctx, w, text, bare, true)
}

// Document expands the body of a here-document whose delimiter is not quoted.
func (c *Config) Document(ctx context.Context, w *syntax.Word) (string, error) {
	s, err := c.one(ctx, w, text, document, false)
	if err == nil && len(s) > c.limits().HereDoc {
		err = c.exceed("here_doc", int64(c.limits().HereDoc), "bytes of a here-document", "Write the text into a file and read that.")
	}
	return s, err
}

// Pattern expands the pattern of a case item or of [[ == ]].
func (c *Config) Pattern(ctx context.Context, w *syntax.Word) (*Pattern, error) {
	text, ext, err := c.patternText(ctx, w)
	if err != nil {
		return nil, err
	}
	return compile(text, c.NoCase, ext), nil
}

// patternText gives a word as the text of a pattern, its quoted parts escaped, and whether
// extended patterns count in it.
func (c *Config) patternText(ctx context.Context, w *syntax.Word) (string, bool, error) {
	if w == nil {
		return "", c.ExtGlob, nil
	}
	ext := c.ExtGlob
	for _, part := range w.Parts {
		if _, ok := part.(*syntax.ExtGlob); ok {
			ext = true
		}
	}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\~`) {
			return lit.Value, ext, nil
		}
	}
	s, err := c.one(ctx, w, pattern, bare, false)
	return s, ext, err
}

func (c *Config) one(ctx context.Context, w *syntax.Word, m mode, q quoting, colon bool) (string, error) {
	if w == nil {
		return "", nil
	}
	if m == text && q == bare {
		if s, ok := plainText(w); ok {
			return s, nil
		}
		if len(w.Parts) == 1 {
			part := w.Parts[0]
			if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
				part = q.Parts[0]
			}
			if pe, ok := part.(*syntax.ParamExp); ok {
				if s, ok := c.scalar(pe); ok {
					return s, nil
				}
			}
		}
	}
	b := builder{c: c, mode: m, colon: colon}
	if err := b.parts(ctx, w.Parts, q, true); err != nil {
		return "", err
	}
	return string(b.buf), nil
}

// plainText is [plain] where braces and patterns mean nothing.
func plainText(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, !strings.ContainsAny(part.Value, `\~`)
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	}
	return "", false
}

const (
	bare     quoting = iota
	double           // in double quotes
	document         // in a here-document: as double, where " is a character
	operand          // in the word of "${name-word}": as double, where ' is a character
)
