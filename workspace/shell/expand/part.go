package expand

import (
	"context"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// quoting is what quotes stand around parts of a word.
type quoting uint8

// parts adds the parts of a word; first says that they begin it, where a tilde counts.
func (b *builder) parts(ctx context.Context, parts []syntax.WordPart, q quoting, first bool) error {
	for i, part := range parts {
		if b.err != nil {
			return b.err
		}
		var err error
		switch part := part.(type) {
		case *syntax.Lit:
			if q == bare {
				b.literal(part.Value, first && i == 0, i == len(parts)-1)
			} else {
				b.inner(part.Value, q)
			}
		case *syntax.SglQuoted:
			err = b.single(ctx, part, q)
		case *syntax.DblQuoted:
			err = b.double(ctx, part)
		case *syntax.ParamExp:
			err = b.param(ctx, part, q)
		case *syntax.CmdSubst:
			var s string
			if s, err = b.c.Shell.Substitute(ctx, part); err == nil {
				b.add(s, q != bare)
			}
		case *syntax.ArithmExp:
			var n int64
			if n, err = b.c.Arithm(ctx, part.X); err == nil {
				b.number(n, q != bare)
			}
		case *syntax.ProcSubst:
			var s string
			if s, err = b.c.Shell.Process(ctx, part); err == nil {
				b.quoted(s)
			}
		case *syntax.ExtGlob:
			err = b.extglob(ctx, part)
		}
		if err != nil {
			return err
		}
	}
	return b.err
}

func (b *builder) single(ctx context.Context, part *syntax.SglQuoted, q quoting) error {
	if q == bare {
		b.open = true
	}
	switch {
	case part.Dollar && q == document:
		b.quoted("$'" + part.Value + "'")
	case part.Dollar:
		b.quoted(unescape(part.Value))
	case q == operand || q == document:
		b.quoted("'")
		w, err := parseDocument(part.Value)
		if err != nil {
			return err
		}
		if w != nil {
			if err := b.parts(ctx, w.Parts, double, false); err != nil {
				return err
			}
		}
		b.quoted("'")
	default:
		b.quoted(part.Value)
	}
	return nil
}

// double adds a part in double quotes. It is a field even when it is empty, but for the
// lists without elements that stand in it.
func (b *builder) double(ctx context.Context, part *syntax.DblQuoted) error {
	if len(part.Parts) == 0 {
		b.open = true
		return nil
	}
	was := b.sawList
	b.sawList = false
	err := b.parts(ctx, part.Parts, double, false)
	if !b.sawList {
		b.open = true
	}
	b.sawList = was
	return err
}

// literal adds a literal outside of quotes. first: it begins the word; last: nothing of
// the word follows it.
func (b *builder) literal(s string, first, last bool) {
	if first && s != "" && s[0] == '~' {
		s = b.tilde(s, last)
	} else if first && b.colon && b.mode == fields {
		if name, rest, ok := strings.Cut(s, "="); ok {
			b.plain(name + "=")
			if s = rest; s != "" && s[0] == '~' {
				s = b.tilde(s, last)
			}
		}
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if b.colon {
			if j := strings.Index(s, ":~"); j >= 0 && (i < 0 || j < i) {
				b.plain(s[:j+1])
				s = b.tilde(s[j+1:], last)
				continue
			}
		}
		if i < 0 {
			b.plain(s)
			return
		}
		b.plain(s[:i])
		if s = s[i+1:]; s == "" {
			b.quoted(`\`)
			return
		}
		if s[0] == '\n' {
			s = s[1:]
			continue
		}
		_, size := utf8.DecodeRuneInString(s)
		b.escaped(s[:size])
		s = s[size:]
	}
}

// inner adds a literal inside of double quotes or of a here-document.
func (b *builder) inner(s string, q quoting) {
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.quoted(s)
			return
		}
		b.quoted(s[:i])
		switch next := s[i+1]; {
		case next == '\n':
		case next == '$' || next == '`' || next == '\\' || next == '"' && q != document || next == '}' && q == operand:
			b.quoted(s[i+1 : i+2])
		default:
			b.quoted(s[i : i+2])
		}
		s = s[i+2:]
	}
}
