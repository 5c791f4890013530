package files

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// glob is a pattern as fnmatch knows it: * ? [...] and \, nothing of the shell's extended
// patterns. Its time is linear in pattern times name.
type glob struct {
	pattern string
	fold    bool // letters of both cases are equal
	path    bool // * ? and [...] do not match a slash
}

// match says whether the whole name matches.
func (g glob) match(name string) bool {
	p, s := g.pattern, name
	starP, starS := "", ""
	star := false
	for s != "" || p != "" {
		if p != "" && p[0] == '*' {
			starP, starS, star = p[1:], s, true
			p = p[1:]
			continue
		}
		if s != "" && p != "" {
			if restP, restS, ok := g.one(p, s); ok {
				p, s = restP, restS
				continue
			}
		}
		// The last star takes one character more.
		if !star || starS == "" || g.path && starS[0] == '/' {
			return false
		}
		_, n := utf8.DecodeRuneInString(starS)
		starS = starS[n:]
		p, s = starP, starS
	}
	return true
}

// one matches the first element of a pattern, not a star, with the first character.
func (g glob) one(p, s string) (restP, restS string, ok bool) {
	c, n := utf8.DecodeRuneInString(s)
	if c == utf8.RuneError && n == 1 {
		c = -rune(s[0])
	}
	restS = s[n:]
	switch p[0] {
	case '?':
		return p[1:], restS, !g.path || c != '/'
	case '[':
		if rest, in, closed := g.set(p[1:], c); closed {
			return rest, restS, in && (!g.path || c != '/')
		}
	case '\\':
		if len(p) > 1 {
			p = p[1:]
		}
	}
	want, n := utf8.DecodeRuneInString(p)
	if want == utf8.RuneError && n == 1 {
		want = -rune(p[0])
	}
	return p[n:], restS, g.equal(want, c)
}

func (g glob) equal(a, b rune) bool {
	return a == b || g.fold && unicode.ToLower(a) == unicode.ToLower(b)
}

// set matches a bracket expression, whose text begins after the bracket.
func (g glob) set(p string, c rune) (rest string, in, closed bool) {
	negated := false
	if p != "" && (p[0] == '!' || p[0] == '^') {
		negated, p = true, p[1:]
	}
	for first := true; ; first = false {
		if p == "" {
			return "", false, false
		}
		if p[0] == ']' && !first {
			return p[1:], in != negated, true
		}
		if class, after, ok := className(p); ok {
			in = in || g.inClass(class, c)
			p = after
			continue
		}
		var low, high rune
		low, p = setRune(p)
		high = low
		if len(p) > 1 && p[0] == '-' && p[1] != ']' {
			high, p = setRune(p[1:])
		}
		in = in || low <= c && c <= high
		if g.fold {
			l, u := unicode.ToLower(c), unicode.ToUpper(c)
			in = in || low <= l && l <= high || low <= u && u <= high
		}
	}
}

func setRune(p string) (rune, string) {
	if p[0] == '\\' && len(p) > 1 {
		p = p[1:]
	}
	r, n := utf8.DecodeRuneInString(p)
	return r, p[n:]
}

func className(p string) (class, rest string, ok bool) {
	if !strings.HasPrefix(p, "[:") {
		return "", "", false
	}
	class, rest, ok = strings.Cut(p[2:], ":]")
	return class, rest, ok && classes[class] != nil
}

var classes = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "digit": isDigit, "space": unicode.IsSpace, "upper": unicode.IsUpper, "lower": unicode.IsLower,
	"alnum":  func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) },
	"punct":  func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"cntrl":  unicode.IsControl,
	"print":  unicode.IsPrint,
	"graph":  unicode.IsGraphic,
	"xdigit": func(r rune) bool { return isDigit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' },
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func (g glob) inClass(class string, c rune) bool {
	if g.fold && (class == "upper" || class == "lower") {
		class = "alpha"
	}
	return c >= 0 && classes[class](c)
}

// anyMatches says whether one of the patterns matches.
func anyMatches(globs []glob, name string) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.match(name) })
}

// globsOf makes globs of patterns.
func globsOf(patterns []string) []glob {
	globs := make([]glob, len(patterns))
	for i, p := range patterns {
		globs[i].pattern = p
	}
	return globs
}
