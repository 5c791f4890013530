package eval

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// document gives the text of a here-document or a here-string.
func (sh *Shell) document(ctx context.Context, r *syntax.Redirect) (text string, err error) {
	switch {
	case r.Op == syntax.WordHdoc:
		if text, err = sh.exp.Value(ctx, r.Word); err == nil {
			text += "\n"
		}
	case r.Hdoc == nil:
	case quoted(r.Word):
		text = literal(withoutTabs(r))
	default:
		text, err = sh.exp.Document(ctx, withoutTabs(r))
	}
	if err == nil && len(text) > sh.budget.HereDoc {
		err = sh.budget.Exceed(&limits.Hit{Name: "here_doc", Value: int64(sh.budget.HereDoc), Unit: "bytes of one here-document", Mend: "Write a file in parts instead."})
	}
	return text, err
}

// quoted says whether a part of the delimiter of a here-document is quoted.
func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// literal gives the text of a word that is nothing but literals.
func literal(w *syntax.Word) string {
	if len(w.Parts) == 1 {
		if l, ok := w.Parts[0].(*syntax.Lit); ok {
			return l.Value
		}
	}
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		}
	}
	return b.String()
}

// withoutTabs gives the body of a here-document; for <<- without the tabs that begin its
// lines. The tree is not changed, as other shells may execute it too.
func withoutTabs(r *syntax.Redirect) *syntax.Word {
	if r.Op != syntax.DashHdoc {
		return r.Hdoc
	}
	body := &syntax.Word{Parts: make([]syntax.WordPart, len(r.Hdoc.Parts))}
	begins := true
	for i, part := range r.Hdoc.Parts {
		body.Parts[i] = part
		if l, ok := part.(*syntax.Lit); ok {
			var b strings.Builder
			for _, c := range []byte(l.Value) {
				if begins && c == '\t' {
					continue
				}
				begins = c == '\n'
				b.WriteByte(c)
			}
			body.Parts[i] = &syntax.Lit{ValuePos: l.ValuePos, ValueEnd: l.ValueEnd, Value: b.String()}
		} else {
			begins = false
		}
	}
	return body
}
