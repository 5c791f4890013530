package eval

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// syntaxError reports an error of a text that was read, in the words of bash, and sets $?.
func (sh *Shell) syntaxError(ctx context.Context, err error) {
	if sh.over(ctx) {
		return
	}
	line, text := sh.line, err.Error()
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		line, text = int(e.Pos.Line())+sh.offset, syntaxText(e)
	} else if e, ok := errors.AsType[syntax.LangError](err); ok {
		line, text = int(e.Pos.Line())+sh.offset, "syntax error: "+e.Feature+" cannot stand here"
	}
	was := sh.line
	sh.line = line
	sh.complain(ctx, "%s", text)
	sh.line = was
	sh.status = 2
	if strings.HasPrefix(text, badSubstitution) {
		sh.status = 1
	}
}

// badSubstitution begins the report of what bash only sees when it is executed.
const badSubstitution = "bad substitution"

var (
	quotedToken = regexp.MustCompile("`([^`]*)`")
)

// syntaxText puts an error of the parser into the words of bash.
func syntaxText(e syntax.ParseError) string {
	tokens := quotedToken.FindAllStringSubmatch(e.Text, -1)
	token := func(i int) string {
		if i < 0 {
			i += len(tokens)
		}
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i][1]
	}
	switch {
	case strings.Contains(e.Text, "parameter expansion"), strings.Contains(e.Text, "invalid parameter name"), strings.Contains(e.Text, "cannot index a special"), strings.Contains(e.Text, "expansion operator"):
		return badSubstitution + ": " + e.Text
	case strings.HasPrefix(e.Text, "reached EOF without closing quote"), strings.HasPrefix(e.Text, "reached EOF without matching"):
		return "unexpected EOF while looking for matching `" + token(-1) + "'"
	case e.Incomplete:
		return "syntax error: unexpected end of file (" + e.Text + ")"
	case strings.Contains(e.Text, "can only"), strings.Contains(e.Text, "is not a valid start"), strings.Contains(e.Text, "encountered"):
		if strings.Contains(e.Text, "encountered") {
			return "syntax error near unexpected token `" + token(-1) + "'"
		}
		return "syntax error near unexpected token `" + token(0) + "'"
	}
	return "syntax error: " + e.Text
}

// unclosed gives the delimiter of a here-document that the text ended in.
func unclosed(err error, text string) (delimiter string, ok bool) {
	e, is := errors.AsType[syntax.ParseError](err)
	if !is || text == "" {
		return "", false
	}
	rest, ok := strings.CutPrefix(e.Text, "unclosed here-document `")
	return strings.TrimSuffix(rest, "`"), ok
}

// sourceOf gives the text of a word.
func sourceOf(w *syntax.Word) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return ""
	}
	return b.String()
}
