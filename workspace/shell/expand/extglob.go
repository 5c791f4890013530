package expand

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// extglob adds an extended pattern. The parser gives its inside as raw text: quotes and
// expansions in it are parsed here.
func (b *builder) extglob(ctx context.Context, g *syntax.ExtGlob) error {
	b.extended = true
	b.raw(g.Op.String())
	inside := ""
	if g.Pattern != nil {
		inside = g.Pattern.Value
	}
	if strings.ContainsAny(inside, "\\\"'$`") {
		w, err := parseWord(inside)
		if err != nil {
			return err
		}
		if err := b.parts(ctx, w.Parts, bare, false); err != nil {
			return err
		}
	} else {
		b.raw(inside)
	}
	b.raw(")")
	return b.err
}

// raw adds text of a pattern.
func (b *builder) raw(s string) {
	if b.mode == fields {
		b.extended = true
		if !b.keeps {
			b.pat = appendEscaped(b.pat[:0], string(b.buf))
			b.keeps = true
		}
		b.magic = true
	}
	b.active(s)
}
