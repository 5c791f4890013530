package model

import "strings"

// windowSigns are how servers name the window of a model when a request is too long: the
// number stands behind the words, and behind the sign when there is one. Lower case.
var windowSigns = []struct{ words, sign string }{
	{"maximum context length is", ""},
	{"maximum context length of", ""},
	{"maximum number of tokens allowed", ""},
	{"available context size", ""},
	{"context window of", ""},
	{"exceed context limit", ">"},
	{"prompt is too long", ">"},
}

// Bounds of a window that is believed, in tokens.
const (
	leastWindow = 256
	mostWindow  = 100_000_000
	signWithin  = 80 // bytes behind the words in which its number begins
)

// WindowNamed gives the window in tokens that a server names where it says that a request
// is too long, 0 when it names none. It is read from a text for people, so it may lower a
// window that is known otherwise, and never raises one.
func WindowNamed(detail string) int {
	text := strings.ToLower(detail)
	for _, s := range windowSigns {
		_, rest, found := strings.Cut(text, s.words)
		if !found {
			continue
		}
		rest = rest[:min(len(rest), signWithin)]
		if s.sign != "" {
			if _, rest, found = strings.Cut(rest, s.sign); !found {
				continue
			}
		}
		if n := firstNumber(rest); n >= leastWindow && n <= mostWindow {
			return n
		}
	}
	return 0
}

// firstNumber gives the first number of a text; commas and underscores group its digits.
func firstNumber(s string) int {
	i := strings.IndexAny(s, "0123456789")
	if i < 0 {
		return 0
	}
	n := 0
	for ; i < len(s) && n <= mostWindow; i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
		case (c == ',' || c == '_') && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
		default:
			return n
		}
	}
	return n
}
