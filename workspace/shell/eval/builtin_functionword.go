package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
)

// word writes a word as it was written, as far as the tree says so.
func (p *lister) word(w *syntax.Word) { p.parts(w.Parts) }

func (p *lister) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.DblQuoted:
			if part.Dollar {
				p.write("$")
			}
			p.write(`"`)
			p.parts(part.Parts)
			p.write(`"`)
		case *syntax.SglQuoted:
			text := part.Value
			if part.Dollar {
				text = unescaped(text)
			}
			p.write(quoteAlways(text))
		case *syntax.ArithmExp:
			p.arithmExp(part)
		case *syntax.CmdSubst:
			p.substitution(part)
		default:
			p.node(&syntax.Word{Parts: []syntax.WordPart{part}})
		}
	}
}

// unescaped gives the text that $'...' stands for, which is how bash keeps it.
func unescaped(s string) string {
	var out []byte
	for s != "" {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			return string(out) + s
		}
		out = append(out, s[:at]...)
		s = s[at:]
		var n int
		if out, n, _ = printf.AppendEscape(out, s, false); n == 0 {
			out, n = append(out, s[0]), 1
		}
		s = s[n:]
	}
	return string(out)
}

func (p *lister) arithmExp(a *syntax.ArithmExp) {
	if a.Bracket {
		p.node(&syntax.Word{Parts: []syntax.WordPart{a}})
		return
	}
	p.write("$((")
	p.gap(a.Left.Offset()+3, a.X.Pos().Offset())
	p.arithm(a.X)
	p.gap(a.X.End().Offset(), a.Right.Offset())
	p.write("))")
}

// substitution writes a command substitution in one line when its commands are simple.
func (p *lister) substitution(c *syntax.CmdSubst) {
	for _, s := range c.Stmts {
		_, simple := s.Cmd.(*syntax.CallExpr)
		pipe, binary := s.Cmd.(*syntax.BinaryCmd)
		if s.Background || len(s.Comments) > 0 || hasDocument(s) || !simple && !(binary && pipe.Op != syntax.PipeAll) {
			p.node(&syntax.Word{Parts: []syntax.WordPart{c}})
			return
		}
	}
	open, end := "$(", ")"
	if c.Backquotes {
		open, end = "`", "`"
	}
	p.write(open)
	for i, s := range c.Stmts {
		if i > 0 {
			p.write("; ")
		}
		p.stmt(s)
	}
	p.write(end)
}

func hasDocument(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			return true
		}
	}
	return false
}

// gap writes the blanks that stood between two places of the text.
func (p *lister) gap(from, to uint) {
	if to > from && to-from < 100 {
		p.write(strings.Repeat(" ", int(to-from)))
	}
}

// arithm writes an arithmetic expression with the blanks that it was written with.
func (p *lister) arithm(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		p.word(x)
	case *syntax.BinaryArithm:
		op := x.Op.String()
		p.arithm(x.X)
		p.gap(x.X.End().Offset(), x.OpPos.Offset())
		p.write(op)
		p.gap(x.OpPos.Offset()+uint(len(op)), x.Y.Pos().Offset())
		p.arithm(x.Y)
	case *syntax.UnaryArithm:
		op := x.Op.String()
		if x.Post {
			p.arithm(x.X)
			p.gap(x.X.End().Offset(), x.OpPos.Offset())
			p.write(op)
			return
		}
		p.write(op)
		p.gap(x.OpPos.Offset()+uint(len(op)), x.X.Pos().Offset())
		p.arithm(x.X)
	case *syntax.ParenArithm:
		p.write("(")
		p.gap(x.Lparen.Offset()+1, x.X.Pos().Offset())
		p.arithm(x.X)
		p.gap(x.X.End().Offset(), x.Rparen.Offset())
		p.write(")")
	default:
		if x != nil {
			p.node(x)
		}
	}
}

// condition writes what stands between [[ and ]].
func (p *lister) condition(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		p.word(x)
	case *syntax.BinaryTest:
		p.condition(x.X)
		p.write(" ", x.Op.String(), " ")
		p.condition(x.Y)
	case *syntax.UnaryTest:
		p.write(x.Op.String(), " ")
		p.condition(x.X)
	case *syntax.ParenTest:
		p.write("( ")
		p.condition(x.X)
		p.write(" )")
	}
}
