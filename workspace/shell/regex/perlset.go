package regex

import (
	"unicode"
)

// perlSet gives the set of an escape such as \d, or nil. They are ASCII, as grep -P has them.
func perlSet(c byte) *set {
	var s *set
	switch c | 0x20 {
	case 'd':
		s = newSet([]span{{'0', '9'}})
	case 'w':
		s = asciiWordSet()
	case 's':
		s = newSet([]span{{'\t', '\r'}, {' ', ' '}})
	case 'h':
		s = newSet([]span{{'\t', '\t'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}})
	case 'v':
		s = newSet([]span{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}})
	default:
		if c == 'N' {
			return anySet().without('\n')
		}
		return nil
	}
	if unicode.IsUpper(rune(c)) {
		s = s.not()
	}
	return s
}

func asciiWordSet() *set {
	return newSet([]span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})
}
