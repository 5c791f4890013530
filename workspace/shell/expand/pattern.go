package expand

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a compiled pattern of the shell. It is not safe for concurrent use.
type Pattern struct {
	elems   []elem
	nocase  bool
	groups  bool // it has extended patterns
	negated bool // !(...) among them
	odd     bool // it has bytes that are no UTF-8
	literal string
	shape   shape

	search *regexp.Regexp // for finders, made when needed
	whole  *regexp.Regexp // for Match of groups
}

// shape says which short cut a pattern allows: its literal with a star before or behind.
type shape uint8

const (
	general     shape = iota
	justLiteral       // abc
	starBefore        // *abc
	starBehind        // abc*
	starAround        // *abc*
)

type elemKind uint8

const (
	aChar elemKind = iota
	anyChar
	anyText
	aSet
	aGroup
)

// elem is one element of a pattern.
type elem struct {
	kind elemKind
	op   byte // of a group: one of ?*+@!
	char rune
	set  *set
	alts [][]elem
}

// oddRune stands for a byte that is no UTF-8, so that it only equals itself.
const oddRune = unicode.MaxRune + 1

// decode gives the first character of s and its size; s is not empty.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size <= 1 {
		return oddRune + rune(s[0]), 1
	}
	return r, size
}

// Match says whether a string matches a pattern, extended patterns too.
func Match(pattern, s string, nocase bool) bool {
	return compile(pattern, nocase, true).Match(s)
}

// is says whether an element that stands for one character stands for r.
func (p *Pattern) is(e *elem, r rune) bool {
	switch e.kind {
	case aChar:
		return e.char == r || p.nocase && fold(e.char) == fold(r)
	case anyChar:
		return true
	case aSet:
		has := e.set.has(r)
		if p.nocase && r <= unicode.MaxRune && has == e.set.negated {
			// One case that is in the set is enough, or that is left out.
			has = e.set.has(unicode.ToLower(r)) && e.set.has(unicode.ToUpper(r))
			if !e.set.negated {
				has = e.set.has(unicode.ToLower(r)) || e.set.has(unicode.ToUpper(r))
			}
		}
		return has
	}
	return false
}

func fold(r rune) rune {
	if r > unicode.MaxRune {
		return r
	}
	return unicode.ToLower(r)
}

// unescapePattern removes the backslashes of a pattern without special characters.
func unescapePattern(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}

// appendEscaped adds text of which every character stands for itself in a pattern.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		ch := s[i]
		if ch < utf8.RuneSelf && !isWordByte(ch) && ch != '/' && ch != '.' && ch != ' ' {
			b = append(b, '\\')
		}
		b = append(b, ch)
	}
	return b
}

// isGlob says whether a text has a character of patterns that no backslash protects.
func isGlob[T string | []byte](s T, ext bool) bool {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			bracket = true
		case ']':
			if bracket {
				return true
			}
		case '+', '@', '!':
			if ext && i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}
