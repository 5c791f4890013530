package text

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// trSet is a set of tr, in order.
type trSet struct {
	bytes  []byte
	fillAt int  // where [c*] stands, or -1
	fill   byte // its c
}

// trChar is one character of a set; quoted ones have no meaning of their own.
type trChar struct {
	b      byte
	quoted bool
}

func unescapeTr(s string) []trChar {
	var out []trChar
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, trChar{s[i], false})
			continue
		}
		i++
		if at := strings.IndexByte("abfnrtv", s[i]); at >= 0 {
			out = append(out, trChar{"\a\b\f\n\r\t\v"[at], true})
			continue
		}
		n, digits := 0, 0
		for digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7' && n*8+int(s[i+digits]-'0') < 256 {
			n = n*8 + int(s[i+digits]-'0')
			digits++
		}
		if digits == 0 {
			out = append(out, trChar{s[i], true})
			continue
		}
		i += digits - 1
		out = append(out, trChar{byte(n), true})
	}
	return out
}

// parseTrSet reads a set; only the second may have repetitions.
func parseTrSet(s string, second bool) (*trSet, error) {
	set := &trSet{fillAt: -1}
	chars := unescapeTr(s)
	plain := func(at int, b byte) bool { return at < len(chars) && chars[at] == trChar{b, false} }
	for i := 0; i < len(chars); {
		if plain(i, '[') && (plain(i+1, ':') || plain(i+1, '=')) {
			n, err := set.class(chars[i:])
			if err != nil {
				return nil, err
			}
			if n > 0 {
				i += n
				continue
			}
		}
		if plain(i, '[') && plain(i+2, '*') {
			n, err := set.repeat(chars[i:], second)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				i += n
				continue
			}
		}
		if plain(i+1, '-') && i+2 < len(chars) {
			from, to := chars[i].b, chars[i+2].b
			if from > to {
				return nil, fmt.Errorf("range-endpoints of '%c-%c' are in reverse collating sequence order", from, to)
			}
			for b := int(from); b <= int(to); b++ {
				set.bytes = append(set.bytes, byte(b))
			}
			i += 3
			continue
		}
		set.bytes = append(set.bytes, chars[i].b)
		i++
	}
	return set, nil
}

// class reads [:name:] or [=c=] and gives its length, 0 when it is none.
func (set *trSet) class(chars []trChar) (int, error) {
	kind := chars[1].b
	end := -1
	for i := 2; i+1 < len(chars); i++ {
		if chars[i] == (trChar{kind, false}) && chars[i+1] == (trChar{']', false}) && (kind == ':' || i > 2) {
			end = i
			break
		}
	}
	if end < 0 {
		return 0, nil
	}
	name := make([]byte, 0, end)
	for _, c := range chars[2:end] {
		name = append(name, c.b)
	}
	if kind == '=' {
		if len(name) != 1 {
			return 0, fmt.Errorf("%s: equivalence class operand must be a single character", name)
		}
		set.bytes = append(set.bytes, name...)
		return end + 2, nil
	}
	in := asciiClass(string(name))
	if in == nil {
		return 0, fmt.Errorf("invalid character class '%s'", name)
	}
	for b := range 256 {
		if in(byte(b)) {
			set.bytes = append(set.bytes, byte(b))
		}
	}
	return end + 2, nil
}

func asciiClass(name string) func(byte) bool {
	isUpper := func(b byte) bool { return b >= 'A' && b <= 'Z' }
	isLower := func(b byte) bool { return b >= 'a' && b <= 'z' }
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	alnum := func(b byte) bool { return isUpper(b) || isLower(b) || isDigit(b) }
	switch name {
	case "alpha":
		return func(b byte) bool { return isUpper(b) || isLower(b) }
	case "digit":
		return isDigit
	case "alnum":
		return alnum
	case "upper":
		return isUpper
	case "lower":
		return isLower
	case "space":
		return func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
	case "blank":
		return func(b byte) bool { return b == ' ' || b == '\t' }
	case "punct":
		return func(b byte) bool { return b > ' ' && b < 0x7f && !alnum(b) }
	case "print":
		return func(b byte) bool { return b >= ' ' && b < 0x7f }
	case "graph":
		return func(b byte) bool { return b > ' ' && b < 0x7f }
	case "cntrl":
		return func(b byte) bool { return b < ' ' || b == 0x7f }
	case "xdigit":
		return func(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' }
	}
	return nil
}

// repeat reads [c*N] or [c*] and gives its length, 0 when it is none.
func (set *trSet) repeat(chars []trChar, second bool) (int, error) {
	end := 3
	digits := ""
	for end < len(chars) && chars[end] != (trChar{']', false}) {
		digits += string(rune(chars[end].b))
		end++
	}
	if end == len(chars) || strings.Trim(digits, "0123456789") != "" {
		return 0, nil
	}
	if !second {
		return 0, errors.New("the [c*] repeat construct may not appear in string1")
	}
	base := 10
	if strings.HasPrefix(digits, "0") {
		base = 8
	}
	n, _ := strconv.ParseInt("0"+digits, base, 32)
	if n == 0 {
		if set.fillAt >= 0 {
			return 0, errors.New("only one [c*] repeat construct may appear in string2")
		}
		set.fillAt, set.fill = len(set.bytes), chars[1].b
		return end + 1, nil
	}
	for range min(n, 1<<16) {
		set.bytes = append(set.bytes, chars[1].b)
	}
	return end + 1, nil
}

// fit makes the second set as long as the first; truncate shortens the first instead.
func (set *trSet) fit(from *[]byte, truncate bool) error {
	if missing := len(*from) - len(set.bytes); set.fillAt >= 0 && missing > 0 {
		set.bytes = slices.Insert(set.bytes, set.fillAt, slices.Repeat([]byte{set.fill}, missing)...)
	}
	if truncate {
		*from = (*from)[:min(len(*from), len(set.bytes))]
		return nil
	}
	if len(set.bytes) == 0 {
		if len(*from) == 0 {
			return nil
		}
		return errors.New("when not truncating set1, string2 must be non-empty")
	}
	for len(set.bytes) < len(*from) {
		set.bytes = append(set.bytes, set.bytes[len(set.bytes)-1])
	}
	return nil
}
