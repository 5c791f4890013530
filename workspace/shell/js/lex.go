package js

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is a kind of token.
type kind uint8

const (
	word kind = iota + 1 // identifier or keyword
	number
	text     // string
	template // a piece of a template, up to ${ or its end
	regex
	punct
)

// token is one token of a source. Of brackets, match is the index of the other one, -1 when
// there is none.
type token struct {
	kind  kind
	start int
	end   int
	match int
}

// lexer splits a source into tokens. It never fails: what it cannot read becomes
// punctuation, and the compiler says what is wrong.
type lexer struct {
	src    string
	pos    int
	tokens []token
	open   []int // indices of brackets that are open; a template's ${ is one
}

func lex(src string) []token {
	l := &lexer{src: src}
	for l.pos < len(src) {
		l.next()
	}
	return l.tokens
}

// nesting gives how deep the brackets of a source are nested.
func nesting(src string) int {
	l := &lexer{src: src}
	deepest := 0
	for l.pos < len(src) {
		l.next()
		deepest = max(deepest, len(l.open))
	}
	return deepest
}

func (l *lexer) add(k kind, start int) {
	l.tokens = append(l.tokens, token{kind: k, start: start, end: l.pos, match: -1})
}

func (l *lexer) text(i int) string { return l.src[l.tokens[i].start:l.tokens[i].end] }

func (l *lexer) next() {
	start, c := l.pos, l.src[l.pos]
	rest := l.src[l.pos:]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		l.pos++
	case strings.HasPrefix(rest, "//") || start == 0 && strings.HasPrefix(rest, "#!"):
		l.skipTo("\n")
	case strings.HasPrefix(rest, "/*"):
		l.pos += 2
		l.skipTo("*/")
		l.pos = min(len(l.src), l.pos+2)
	case c == '"' || c == '\'':
		l.quoted(c)
		l.add(text, start)
	case c == '`':
		l.pos++
		l.templatePiece(start)
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		l.number()
		l.add(number, start)
	case c == '/' && l.regexMayStand():
		l.regex()
		l.add(regex, start)
	case isWordStart(rest):
		l.word()
		l.add(word, start)
	case strings.IndexByte("([{", c) >= 0:
		l.pos++
		l.open = append(l.open, len(l.tokens))
		l.add(punct, start)
	case strings.IndexByte(")]}", c) >= 0:
		l.closing(start)
	default:
		l.operator(rest)
		l.add(punct, start)
	}
}

func (l *lexer) skipTo(mark string) {
	i := strings.Index(l.src[l.pos:], mark)
	if i < 0 {
		l.pos = len(l.src)
		return
	}
	l.pos += i
}

// closing takes a closing bracket, which may go on with the template around it.
func (l *lexer) closing(start int) {
	l.pos++
	if len(l.open) == 0 {
		l.add(punct, start)
		return
	}
	i := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	l.tokens[i].match = len(l.tokens)
	if l.tokens[i].kind == template {
		l.templatePiece(start)
		l.tokens[len(l.tokens)-1].match = i
		return
	}
	l.add(punct, start)
	l.tokens[len(l.tokens)-1].match = i
}

// templatePiece reads the text of a template up to ${ or the closing mark.
func (l *lexer) templatePiece(start int) {
	for l.pos < len(l.src) {
		switch {
		case l.src[l.pos] == '\\':
			l.pos = min(len(l.src), l.pos+2)
		case l.src[l.pos] == '`':
			l.pos++
			l.add(template, start)
			return
		case strings.HasPrefix(l.src[l.pos:], "${"):
			l.pos += 2
			l.open = append(l.open, len(l.tokens))
			l.add(template, start)
			return
		default:
			l.pos++
		}
	}
	l.add(template, start)
}

func (l *lexer) quoted(quote byte) {
	l.pos++
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case '\\':
			l.pos = min(len(l.src), l.pos+2)
			continue
		case quote:
			l.pos++
			return
		case '\n':
			return
		}
		l.pos++
	}
}

func (l *lexer) number() {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && strings.IndexByte("eE", l.src[l.pos-1]) >= 0 && !strings.HasPrefix(l.src[l.tokenStart():], "0x")
		if !sign && c != '.' && c != '_' && !(c >= '0' && c <= '9') && !(c|0x20 >= 'a' && c|0x20 <= 'z') {
			return
		}
		l.pos++
	}
}

// tokenStart gives where the number that is being read begins.
func (l *lexer) tokenStart() int {
	i := l.pos
	for i > 0 && (l.src[i-1] == '.' || l.src[i-1] == '_' || l.src[i-1] >= '0' && l.src[i-1] <= '9' || l.src[i-1]|0x20 >= 'a' && l.src[i-1]|0x20 <= 'z') {
		i--
	}
	return i
}

func (l *lexer) word() {
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		switch {
		case r == '\\':
			n = 1
		case r == '_' || r == '$' || r == '#' || r == '\u200c' || r == '\u200d' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
		default:
			return
		}
		l.pos += n
	}
}

func isWordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || r == '$' || r == '#' || r == '\\' || r != utf8.RuneError && unicode.IsLetter(r)
}

// operators are those of more than one letter that matter to who reads the tokens.
var operators = []string{"=>", "...", "?.", "++", "--", "**", "==", "!=", "&&", "||", "??"}

func (l *lexer) operator(rest string) {
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			return
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	l.pos += n
}

func (l *lexer) regex() {
	inClass := false
	l.pos++
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == '\n':
			return
		case c == '\\':
			l.pos++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			l.pos++
			for l.pos < len(l.src) && l.src[l.pos]|0x20 >= 'a' && l.src[l.pos]|0x20 <= 'z' {
				l.pos++
			}
			return
		}
		l.pos++
	}
	l.pos = min(l.pos, len(l.src))
}

// regexMayStand says whether a slash begins a regular expression, by what stands before it.
func (l *lexer) regexMayStand() bool {
	if len(l.tokens) == 0 {
		return true
	}
	last := len(l.tokens) - 1
	switch t := l.tokens[last]; t.kind {
	case word:
		return beforeExpression[l.text(last)] && !l.isProperty(last)
	case punct:
		switch l.text(last) {
		case ")":
			return t.match > 0 && beforeCondition[l.text(t.match-1)] && !l.isProperty(t.match-1)
		case "]", "++", "--":
			return false
		case "}":
			return t.match < 0 || l.isBlock(t.match)
		}
		return true
	case template:
		return strings.HasSuffix(l.text(last), "${")
	}
	return false
}

// isProperty says whether a word is the name of a property: a.of.
func (l *lexer) isProperty(i int) bool {
	return i > 0 && (l.text(i-1) == "." || l.text(i-1) == "?.")
}

// isBlock says whether an opening brace begins a block, not an object.
func (l *lexer) isBlock(i int) bool {
	if i == 0 {
		return true
	}
	switch before := l.text(i - 1); before {
	case ")", ";", "{", "}", "=>":
		return true
	default:
		return l.tokens[i-1].kind == word && !beforeExpression[before] || before == "else" || before == "do"
	}
}

var beforeExpression = set("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "yield", "await")

var beforeCondition = set("if", "while", "for", "with")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
