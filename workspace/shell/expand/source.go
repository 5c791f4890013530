package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// sourceOf gives an arithmetic tree as it was written, with the blanks between its parts:
// the key of an associative array, of which the parser made an expression, and the texts
// of errors.
func sourceOf(e syntax.ArithmExpr) string {
	var s source
	s.expr(e)
	return s.String()
}

// source prints parts at the offsets where they stood.
type source struct {
	strings.Builder
	at       uint          // offset of what comes next; 0 at the beginning
	expanded func() string // gives the value of the next word with expansions; nil: as written
}

func (s *source) put(pos syntax.Pos, text string, size uint) {
	if s.Len() > 0 && pos.IsValid() {
		// Blanks within the expression; an offset far off is that of another text.
		if gap := int(pos.Offset()) - int(s.at); gap > 0 && gap < 64 {
			s.WriteString(strings.Repeat(" ", gap))
		}
	}
	s.WriteString(text)
	s.at = pos.Offset() + size
}

func (s *source) token(pos syntax.Pos, text string) { s.put(pos, text, uint(len(text))) }

func (s *source) expr(e syntax.ArithmExpr) {
	switch e := e.(type) {
	case *syntax.BinaryArithm:
		s.expr(e.X)
		s.token(e.OpPos, e.Op.String())
		s.expr(e.Y)
	case *syntax.UnaryArithm:
		if e.Post {
			s.expr(e.X)
			s.token(e.OpPos, e.Op.String())
			return
		}
		s.token(e.OpPos, e.Op.String())
		s.expr(e.X)
	case *syntax.ParenArithm:
		s.token(e.Lparen, "(")
		s.expr(e.X)
		s.token(e.Rparen, ")")
	case *syntax.Word:
		if e != nil && len(e.Parts) > 0 {
			text := ""
			if _, _, ok := named(e); !ok && s.expanded != nil {
				text = s.expanded()
			} else {
				text = wordSource(e)
			}
			s.put(e.Pos(), text, e.End().Offset()-e.Pos().Offset())
		}
	}
}

// wordSource prints a word.
func wordSource(w *syntax.Word) string {
	if s, ok := plainText(w); ok {
		if _, quoted := w.Parts[0].(*syntax.SglQuoted); !quoted {
			return s
		}
	}
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return ""
	}
	return b.String()
}

// partSource prints a part of a word.
func partSource(part syntax.WordPart) string {
	return wordSource(&syntax.Word{Parts: []syntax.WordPart{part}})
}

// parseDocument parses text in which expansions count and quotes do not.
func parseDocument(s string) (*syntax.Word, error) {
	w, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(s))
	if err != nil {
		return nil, badText(err)
	}
	return w, nil
}

// parseWord parses text that is one word, or more with their blanks, such as a subscript.
func parseWord(s string) (*syntax.Word, error) {
	if !strings.ContainsAny(s, "\\\"'$`") {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}, nil
	}
	// As the subscript of an associative array, blanks belong to the word: only what stands
	// in quotes and expansions is parsed.
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader("[[ x =~ ("+s+") ]]"), "")
	if err != nil {
		return nil, badText(err)
	}
	word := regexpWord(file)
	if word == nil || len(word.Parts) == 0 {
		return nil, &Error{Text: "bad substitution", Code: 1}
	}
	parts := word.Parts
	trim := func(i int, cut func(string) string) {
		if lit, ok := parts[i].(*syntax.Lit); ok {
			parts[i] = &syntax.Lit{Value: cut(lit.Value)}
		}
	}
	trim(0, func(s string) string { return strings.TrimPrefix(s, "(") })
	trim(len(parts)-1, func(s string) string { return strings.TrimSuffix(s, ")") })
	return word, nil
}

// regexpWord gives the right side of the =~ that a parsed file consists of.
func regexpWord(file *syntax.File) *syntax.Word {
	if len(file.Stmts) != 1 {
		return nil
	}
	clause, ok := file.Stmts[0].Cmd.(*syntax.TestClause)
	if !ok {
		return nil
	}
	test, ok := clause.X.(*syntax.BinaryTest)
	if !ok {
		return nil
	}
	word, _ := test.Y.(*syntax.Word)
	return word
}

// badText is the error of a text that does not parse.
func badText(err error) error {
	text := err.Error()
	if p, ok := err.(syntax.ParseError); ok {
		text = p.Text
	}
	return &Error{Text: "bad substitution: " + text, Code: 1}
}
