package eval

import (
	"errors"
	"runtime"
)

var (
	errNesting = errors.New("syntax error: brackets are nested too deep")
	errScript  = errors.New("syntax error: the text is too long; put parts of it into files of their own")
)

// shallow is the length in bytes up to which a text cannot bring the parser to a depth that
// matters, whatever it holds: each level takes at least one byte.
const shallow = 4 << 10

// deepFrames is how many frames of the program's stack the parser may stand on.
const deepFrames = 40_000

// tooDeep looks how deep the stack is. It bounds what checkNesting, which reads no more of
// the language than brackets and quotes, may be deceived about.
func tooDeep() bool {
	var one [1]uintptr
	return runtime.Callers(deepFrames, one[:]) > 0
}

// checkNesting bounds how deep brackets stand inside each other. It goes once over the
// text, knows quotes, escapes and comments, and takes a bracket that it does not understand
// for one that opens.
func checkNesting(text string, most int) error {
	if len(text) <= most {
		return nil
	}
	depth, double := 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			double = !double
		case '\'':
			if double {
				continue
			}
			for i++; i < len(text) && text[i] != '\''; i++ {
			}
		case '#':
			if i == 0 || text[i-1] == ' ' || text[i-1] == '\n' || text[i-1] == '\t' || text[i-1] == ';' {
				for i < len(text) && text[i] != '\n' {
					i++
				}
			}
		case '(', '{':
			if depth++; depth > most {
				return errNesting
			}
		case ')', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}
