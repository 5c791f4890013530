package js

import (
	"fmt"
	"sort"
	"strings"
)

// Names of the global functions that rewritten sources call. They are not enumerable.
const (
	fnCaught    = "__caught__"    // puts the message of an error in the usual words, gives the error
	fnAsync     = "__async__"     // makes an async generator object of a generator
	fnAwait     = "__await__"     // marks a value that an async generator waits for
	fnDelegate  = "__delegate__"  // its v: a value that an async generator delegates to
	fnForAwait  = "__for_await__" // the steps of for await
	varForAwait = "__step__"
	varCaught   = "__error__"
)

// rewriter rewrites what the engine does not know. Lines stay where they are.
type rewriter struct {
	lexer
	edits []edit
}

// edit replaces src[start:end].
type edit struct {
	start, end int
	text       string
}

// moduleError is the use of ES modules.
type moduleError struct{ line int }

func (e *moduleError) Error() string {
	return "ES modules (import, export) are not available: write const x = require('x') for import, and module.exports = { x } for export"
}

// rewrite gives a source that the engine can compile.
func rewrite(src string) (string, error) {
	if !needsRewrite(src) {
		return src, nil
	}
	w := &rewriter{lexer: lexer{src: src, tokens: lex(src)}}
	for i := range w.tokens {
		if err := w.token(i); err != nil {
			return "", err
		}
	}
	return w.apply(), nil
}

func needsRewrite(src string) bool {
	for _, mark := range []string{"catch", "await", "async", "import", "export", `\p`, `\P`, "#!"} {
		if strings.Contains(src, mark) {
			return true
		}
	}
	return false
}

func (w *rewriter) is(i int, s string) bool {
	return i >= 0 && i < len(w.tokens) && w.text(i) == s && w.tokens[i].kind != text && w.tokens[i].kind != template
}

func (w *rewriter) insert(at int, s string) { w.edits = append(w.edits, edit{at, at, s}) }

func (w *rewriter) replace(t token, s string) { w.edits = append(w.edits, edit{t.start, t.end, s}) }

func (w *rewriter) token(i int) error {
	t := w.tokens[i]
	if t.kind == regex {
		if s, ok := expandRegexLiteral(w.text(i)); ok {
			w.replace(t, s)
		}
		return nil
	}
	if t.kind != word || w.isProperty(i) {
		return nil
	}
	switch w.text(i) {
	case "catch":
		w.catch(i)
	case "for":
		if w.is(i+1, "await") && w.is(i+2, "(") && !w.inAsyncGenerator(i) {
			w.forAwait(i, "await ", "")
		}
	case "async":
		w.asyncGenerator(i)
	case "import", "export":
		if w.isModuleSyntax(i) {
			return &moduleError{strings.Count(w.src[:t.start], "\n") + 1}
		}
	}
	return nil
}

// isModuleSyntax tells the keyword from a name of a property.
func (w *rewriter) isModuleSyntax(i int) bool {
	switch {
	case w.is(i+1, ":") || w.is(i+1, "=") || w.is(i+1, ",") || w.is(i+1, ";"):
		return false
	case w.is(i+1, "(") && w.tokens[i+1].match >= 0:
		return !w.is(w.tokens[i+1].match+1, "{") // else a method of that name
	}
	return i == 0 || w.is(i+1, "(") || w.is(i+1, ".") || w.is(i-1, ";") || w.is(i-1, "}") || w.is(i-1, ")") ||
		strings.Contains(w.src[w.tokens[i-1].end:w.tokens[i].start], "\n")
}

// catch lets errors of the engine be put in the usual words as soon as they are caught.
func (w *rewriter) catch(i int) {
	if !w.is(i+1, "(") || w.tokens[i+1].match < 0 || !w.is(w.tokens[i+1].match+1, "{") {
		return
	}
	closing := w.tokens[i+1].match
	from, to := w.tokens[i+1].end, w.tokens[closing].start
	brace := w.tokens[closing+1].end
	if closing == i+3 && w.tokens[i+2].kind == word {
		w.insert(brace, fnCaught+"("+w.text(i+2)+");")
		return
	}
	lines := strings.Repeat("\n", strings.Count(w.src[from:to], "\n"))
	w.edits = append(w.edits, edit{from, to, varCaught + lines})
	w.insert(brace, "let "+strings.ReplaceAll(w.src[from:to], "\n", " ")+"="+fnCaught+"("+varCaught+");")
}

// forAwait turns "for await (x of y)" into two loops: the outer one counts the steps, the
// inner one runs once for the value of a step and not at all at the end.
func (w *rewriter) forAwait(i int, before, after string) {
	closing := w.tokens[i+2].match
	of := -1
	for j := i + 3; j < closing; j++ {
		if w.tokens[j].match > j {
			j = w.tokens[j].match
		} else if w.is(j, "of") {
			of = j
			break
		}
	}
	if closing < 0 || of < 0 {
		return
	}
	step := varForAwait
	head := w.src[w.tokens[i+2].end:w.tokens[of].start]
	lines := strings.Repeat("\n", strings.Count(head, "\n"))
	w.edits = append(w.edits, edit{w.tokens[i+1].start, w.tokens[of].end,
		"(const " + step + " of " + fnForAwait + "(" + lines})
	w.insert(w.tokens[closing].start, ")")
	w.insert(w.tokens[closing].end, " for ("+strings.ReplaceAll(head, "\n", " ")+" of "+before+step+".next()"+after+")")
}

func (w *rewriter) apply() string {
	sort.SliceStable(w.edits, func(i, j int) bool { return w.edits[i].start < w.edits[j].start })
	var b strings.Builder
	at := 0
	for _, e := range w.edits {
		if e.start < at {
			continue // within what another edit replaced
		}
		b.WriteString(w.src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(w.src[at:])
	out := b.String()
	if strings.HasPrefix(out, "#!") {
		out = "//" + out[2:]
	}
	return out
}

// String shows a token for tests.
func (t token) String() string { return fmt.Sprintf("%d[%d:%d]%d", t.kind, t.start, t.end, t.match) }
