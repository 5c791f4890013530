package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

// fallback adds ${name-word} and its kin.
func (b *builder) fallback(ctx context.Context, e *syntax.Expansion, r ref, val value, q quoting) error {
	set := val.set
	switch e.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		sep := " "
		if val.star {
			sep = b.separators().join
		}
		set = set && val.joined(sep) != ""
	}
	switch e.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if set {
			return b.operand(ctx, e.Word, q)
		}
		if val.list && q != bare {
			b.sawList = true
		}
		return nil
	}
	if set {
		if q == document && r.name == "*" {
			val.star = false
		}
		b.value(val, q != bare)
		return nil
	}
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return b.operand(ctx, e.Word, q)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		text, err := b.c.one(ctx, e.Word, text, inside(q), false)
		if err != nil {
			return err
		}
		if e.Word == nil {
			text = "parameter not set"
			if e.Op == syntax.ErrorUnsetOrNull {
				text = "parameter null or not set"
			}
		}
		return &Error{Text: r.name + r.sub.show() + ": " + text, Code: 1, Exit: true}
	}
	if !syntax.ValidName(r.name) || r.sub.kind == all || r.sub.kind == joined {
		name := r.name
		if !syntax.ValidName(name) {
			name = "$" + name
		}
		return &Error{Text: name + r.sub.show() + ": cannot assign in this way", Code: 1}
	}
	s, err := b.c.one(ctx, e.Word, text, inside(q), false)
	if err != nil {
		return err
	}
	if err := b.c.set(ctx, r, s, false); err != nil {
		return err
	}
	s, _, err = b.c.lookup(ctx, r)
	b.add(s, q != bare)
	return err
}

func inside(q quoting) quoting {
	if q == bare {
		return bare
	}
	if q == document {
		return document
	}
	return operand
}

// operand adds the word of ${name-word}: outside of quotes it is split, what of it is
// quoted stays together.
func (b *builder) operand(ctx context.Context, w *syntax.Word, q quoting) error {
	if w == nil {
		return nil
	}
	if q != bare {
		return b.parts(ctx, w.Parts, inside(q), false)
	}
	split := b.split
	b.split = true
	err := b.parts(ctx, w.Parts, bare, true)
	b.split = split
	return err
}
