package tooling

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// cursor walks over the members or elements of a canonical container.
type cursor struct {
	s   string
	pos int
}

func walk(container string) cursor { return cursor{s: container, pos: 1} }

// member gives the next member: its name in quotes, and its value.
func (c *cursor) member() (key, val string, ok bool) {
	if c.s[c.pos] == ',' {
		c.pos++
	}
	if c.s[c.pos] == '}' {
		return "", "", false
	}
	from := c.pos
	c.pos = skipString(c.s, c.pos)
	key = c.s[from:c.pos]
	c.pos++
	from = c.pos
	c.pos = skipValue(c.s, c.pos)
	return key, c.s[from:c.pos], true
}

// element gives the next element of an array.
func (c *cursor) element() (string, bool) {
	if c.s[c.pos] == ',' {
		c.pos++
	}
	if c.s[c.pos] == ']' {
		return "", false
	}
	from := c.pos
	c.pos = skipValue(c.s, c.pos)
	return c.s[from:c.pos], true
}

func skipString(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func skipValue(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':':
			i++
			continue
		default:
			for i < len(s) && s[i] != ',' && s[i] != '}' && s[i] != ']' {
				i++
			}
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// sorted says whether the members of a canonical value stand in the order of their
// names at every level. Names with escapes count as out of order.
func sorted(v string) bool {
	switch kindOf(v) {
	case kindObject:
		last := ""
		c := walk(v)
		for key, val, ok := c.member(); ok; key, val, ok = c.member() {
			name := key[1 : len(key)-1]
			if name < last || strings.IndexByte(name, '\\') >= 0 || !sorted(val) {
				return false
			}
			last = name
		}
	case kindArray:
		c := walk(v)
		for val, ok := c.element(); ok; val, ok = c.element() {
			if !sorted(val) {
				return false
			}
		}
	}
	return true
}

// appendSorted writes a canonical value with members sorted by the bytes of their names.
func appendSorted(dst []byte, v string) []byte {
	switch kindOf(v) {
	case kindObject:
		type pair struct{ name, key, val string }
		var pairs []pair
		c := walk(v)
		for key, val, ok := c.member(); ok; key, val, ok = c.member() {
			pairs = append(pairs, pair{unquoted(key), key, val})
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.name, b.name) })
		dst = append(dst, '{')
		for i, p := range pairs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, p.key...)
			dst = append(dst, ':')
			dst = appendSorted(dst, p.val)
		}
		return append(dst, '}')
	case kindArray:
		dst = append(dst, '[')
		c := walk(v)
		for i := 0; ; i++ {
			val, ok := c.element()
			if !ok {
				return append(dst, ']')
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSorted(dst, val)
		}
	}
	return append(dst, v...)
}

// maxSchemaDepth bounds the nesting of schemas and snapshots that are read.
const maxSchemaDepth = 256

// compact gives one JSON value without white space, with mandatory escapes only and
// members as they stand. Duplicate names are refused.
func compact(raw string) (string, error) {
	p := parser{in: strings.Trim(raw, " \t\r\n"), maxItems: math.MaxInt, maxDepth: maxSchemaDepth}
	if _, ok := p.document(); !ok || p.reason != "" {
		return "", fault.New("tool.json_invalid", "%s at byte %d, expected %s", p.reason, p.faultPos, p.expected)
	}
	return p.canonical(), nil
}

// Canonical gives the byte-stable form of a JSON value: names in byte order, no white
// space, mandatory escapes only, arrays and numbers as written. Text that is not one
// JSON value, or that repeats a name, is refused with tool.json_invalid.
func Canonical(raw string) (string, error) {
	c, err := compact(raw)
	if err != nil || sorted(c) {
		return c, err
	}
	return string(appendSorted(make([]byte, 0, len(c)), c)), nil
}

// digest is the SHA-256 of a text, in hexadecimal.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
