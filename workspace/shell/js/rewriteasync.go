package js

import (
	"strings"
)

// asyncGenerator turns an async generator into a function that gives an async generator
// object over a plain generator.
func (w *rewriter) asyncGenerator(i int) {
	j := i + 1
	isFunction := w.is(j, "function")
	if isFunction {
		j++
	}
	if !w.is(j, "*") {
		return
	}
	star := j
	for j++; j < len(w.tokens) && !w.is(j, "("); j++ {
		if w.is(j, "[") && w.tokens[j].match > j {
			j = w.tokens[j].match
		}
	}
	if j >= len(w.tokens) || w.tokens[j].match < 0 || !w.is(w.tokens[j].match+1, "{") {
		return
	}
	body := w.tokens[j].match + 1
	end := w.tokens[body].match
	if end < 0 {
		return
	}
	w.replace(w.tokens[i], "")
	w.replace(w.tokens[star], "")
	w.insert(w.tokens[body].end, " return "+fnAsync+"((function*() {")
	w.insert(w.tokens[end].start, "}).apply(this, arguments)); ")
	w.generatorBody(body+1, end)
}

// generatorBody rewrites await and yield* of an async generator, not those of the functions
// in it.
func (w *rewriter) generatorBody(from, to int) {
	for i := from; i < to; i++ {
		if w.tokens[i].kind != word || w.isProperty(i) {
			if end := w.functionAt(i); end > i {
				i = end
			}
			continue
		}
		switch w.text(i) {
		case "await":
			w.replace(w.tokens[i], "(yield "+fnAwait+"(")
			w.insert(w.tokens[w.unary(i+1)].end, "))")
		case "yield":
			if w.is(i+1, "*") {
				w.replace(w.tokens[i+1], " "+fnDelegate+".v =")
			}
		case "for":
			if w.is(i+1, "await") && w.is(i+2, "(") {
				w.forAwait(i, "(yield "+fnAwait+"(", "))")
				i++
			}
		default:
			if end := w.functionAt(i); end > i {
				i = end
			}
		}
	}
}

// functionAt gives the last token of the function whose parameters or body begin here, or -1.
func (w *rewriter) functionAt(i int) int {
	switch {
	case w.is(i, "function"):
		for j := i + 1; j < len(w.tokens) && j < i+5; j++ {
			if w.is(j, "(") && w.tokens[j].match > 0 && w.is(w.tokens[j].match+1, "{") {
				return w.tokens[w.tokens[j].match+1].match
			}
		}
	case w.is(i, "=>") && w.is(i+1, "{"):
		return w.tokens[i+1].match
	case w.is(i, "async") && w.tokens[i].kind == word && !w.is(i+1, "function"): // an arrow or a method with an expression
		j := i + 1
		for j < len(w.tokens) && j < i+5 && !w.is(j, "(") && !w.is(j, "=>") {
			j++
		}
		if w.is(j, "(") && w.tokens[j].match > 0 {
			j = w.tokens[j].match + 1
		}
		switch {
		case w.is(j, "{"):
			return w.tokens[j].match
		case w.is(j, "=>") && w.is(j+1, "{"):
			return w.tokens[j+1].match
		case w.is(j, "=>"):
			return w.unary(j + 1)
		}
	}
	return -1
}

// inAsyncGenerator says whether a token stands in the body of an async generator, whose
// rewriting takes care of it.
func (w *rewriter) inAsyncGenerator(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if w.is(j, "{") && w.tokens[j].match > i {
			if head := w.functionHead(j); head >= 0 {
				return w.is(head, "async") && (w.is(head+1, "*") || w.is(head+1, "function") && w.is(head+2, "*"))
			}
		}
	}
	return false
}

// functionHead gives the first token of the function whose body a brace opens, or -1.
func (w *rewriter) functionHead(brace int) int {
	i := brace - 1
	arrow := w.is(i, "=>")
	if arrow {
		i--
	}
	if w.is(i, ")") && w.tokens[i].match >= 0 {
		i = w.tokens[i].match - 1
		if w.is(i, "if") || w.is(i, "for") || w.is(i, "while") || w.is(i, "switch") || w.is(i, "catch") || w.is(i, "with") || w.is(i, "await") {
			return -1
		}
	} else if !arrow {
		return -1
	}
	for i >= 0 {
		switch {
		case w.is(i, "async"):
			return i
		case w.is(i, "*"), w.is(i, "function"):
		case w.tokens[i].kind == word && (w.is(i-1, "*") || w.is(i-1, "function") || w.is(i-1, "async")):
		case w.is(i, "]") && w.tokens[i].match >= 0 && w.is(w.tokens[i].match-1, "*"):
			i = w.tokens[i].match
		default:
			return i + 1
		}
		i--
	}
	return 0
}

// unary gives the last token of the unary expression that begins at a token.
func (w *rewriter) unary(i int) int {
	for i < len(w.tokens)-1 && (w.is(i, "!") || w.is(i, "-") || w.is(i, "+") || w.is(i, "~") || w.is(i, "++") || w.is(i, "--") ||
		w.is(i, "typeof") || w.is(i, "void") || w.is(i, "delete") || w.is(i, "await") || w.is(i, "new") || w.is(i, "async")) {
		i++
	}
	last := i
	switch {
	case i >= len(w.tokens):
		return len(w.tokens) - 1
	case w.is(i, "function") || w.is(i, "class"):
		for last < len(w.tokens)-1 && !w.is(last, "{") {
			if w.is(last, "(") && w.tokens[last].match > last {
				last = w.tokens[last].match
			}
			last++
		}
		last = max(last, w.tokens[last].match)
	case w.tokens[i].kind == template:
		last = w.endOfTemplate(i)
	default:
		last = max(last, w.tokens[i].match)
	}
	for last+1 < len(w.tokens) {
		next := last + 1
		switch {
		case w.is(next, ".") || w.is(next, "?."):
			last = next
			if after := next + 1; after < len(w.tokens) && (w.tokens[after].kind == word) {
				last = after
			}
		case (w.is(next, "(") || w.is(next, "[")) && w.tokens[next].match > next:
			last = w.tokens[next].match
		case w.tokens[next].kind == template && strings.HasPrefix(w.text(next), "`"):
			last = w.endOfTemplate(next)
		default:
			return last
		}
	}
	return last
}

// endOfTemplate gives the last piece of the template that begins at a token.
func (w *rewriter) endOfTemplate(i int) int {
	for strings.HasSuffix(w.text(i), "${") && w.tokens[i].match > i {
		i = w.tokens[i].match
	}
	return i
}
