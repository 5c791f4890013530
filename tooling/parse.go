package tooling

import (
	"strconv"
	"unicode/utf8"
)

// kind is the JSON type of a value.
type kind uint8

const (
	kindNull kind = iota + 1
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// String gives the name of the type with its article.
func (k kind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "an array"
	case kindObject:
		return "an object"
	}
	return "nothing"
}

// kindOf tells the type of a canonical value by its first byte.
func kindOf(v string) kind {
	switch v[0] {
	case '{':
		return kindObject
	case '[':
		return kindArray
	case '"':
		return kindString
	case 't', 'f':
		return kindBool
	case 'n':
		return kindNull
	}
	return kindNumber
}

// span is a part of the canonical text.
type span struct{ from, to int }

// member is a member of the outermost object; the key includes its quotes.
type member struct {
	key, val span
	kind     kind
}

// parser reads one JSON value in a single pass and writes its canonical form on the
// way. While the input is canonical nothing is copied: out stays empty and spans point
// into the input. From the first difference on, out holds the canonical form of
// in[:done].
type parser struct {
	in       string
	pos      int
	out      []byte
	done     int
	members  []member
	keys     stack // names of the open objects, outermost first
	items    int   // members and elements so far
	maxItems int
	maxDepth int

	reason   string // of the first fault; empty: none
	faultPos int    // byte offset in the input
	expected string
	place    string // of a duplicate name
}

// stack holds spans. The first ones lie in the parser itself, so that small objects
// need no memory of their own.
type stack struct {
	n     int
	first [16]span
	more  []span
}

func (s *stack) push(v span) {
	if s.n < len(s.first) {
		s.first[s.n] = v
	} else {
		s.more = append(s.more, v)
	}
	s.n++
}

func (s *stack) at(i int) span {
	if i < len(s.first) {
		return s.first[i]
	}
	return s.more[i-len(s.first)]
}

// cut drops all but the first n.
func (s *stack) cut(n int) {
	s.n = n
	s.more = s.more[:max(0, min(len(s.more), n-len(s.first)))]
}

const mapFrom = 32 // members of one object from which names are kept in a map

func (p *parser) fail(reason string, pos int, expected string) bool {
	if p.reason == "" || p.reason == ReasonDuplicate {
		p.reason, p.faultPos, p.expected, p.place = reason, pos, expected, ""
	}
	return false
}

// wrong fails at the current position: the text ended here, or has a wrong character.
func (p *parser) wrong(expected string) bool {
	if p.pos >= len(p.in) {
		return p.fail(ReasonTruncated, len(p.in), expected)
	}
	return p.fail(ReasonMalformed, p.pos, expected)
}

// at is the offset in the canonical text of a position that is not yet copied.
func (p *parser) at(pos int) int { return len(p.out) + pos - p.done }

// replace says that in[from:to] stands as s in the canonical text.
func (p *parser) replace(from, to int, s string) {
	if p.out == nil {
		p.out = make([]byte, 0, len(p.in))
	}
	p.out = append(p.out, p.in[p.done:from]...)
	p.out = append(p.out, s...)
	p.done = to
}

func (p *parser) canonical() string {
	if p.done == 0 {
		return p.in
	}
	return string(append(p.out, p.in[p.done:]...))
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (p *parser) space() {
	from := p.pos
	for p.pos < len(p.in) && isSpace(p.in[p.pos]) {
		p.pos++
	}
	if p.pos > from {
		p.replace(from, p.pos, "")
	}
}

// document reads one value and nothing else. The input has no outer white space.
func (p *parser) document() (kind, bool) {
	k, ok := p.value(0)
	if ok && p.pos < len(p.in) {
		return k, p.fail(ReasonMalformed, p.pos, "the end of the text: exactly one JSON value is read")
	}
	return k, ok && (p.reason == "" || p.reason == ReasonDuplicate)
}

func (p *parser) value(depth int) (kind, bool) {
	if p.pos >= len(p.in) {
		return 0, p.wrong("a value")
	}
	switch c := p.in[p.pos]; {
	case c == '{':
		return kindObject, p.object(depth)
	case c == '[':
		return kindArray, p.array(depth)
	case c == '"':
		return kindString, p.str()
	case c == 't':
		return kindBool, p.literal("true")
	case c == 'f':
		return kindBool, p.literal("false")
	case c == 'n':
		return kindNull, p.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		return kindNumber, p.number()
	}
	return 0, p.wrong("a value")
}

func (p *parser) literal(word string) bool {
	for i := 0; i < len(word); i++ {
		if p.pos >= len(p.in) || p.in[p.pos] != word[i] {
			return p.wrong(word)
		}
		p.pos++
	}
	return true
}

func (p *parser) digits() bool {
	from := p.pos
	for p.pos < len(p.in) && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > from || p.wrong("a digit")
}

func (p *parser) number() bool {
	if p.in[p.pos] == '-' {
		p.pos++
	}
	if p.pos < len(p.in) && p.in[p.pos] == '0' {
		p.pos++
	} else if !p.digits() {
		return false
	}
	if p.pos < len(p.in) && p.in[p.pos] == '.' {
		p.pos++
		if !p.digits() {
			return false
		}
	}
	if p.pos < len(p.in) && p.in[p.pos]|0x20 == 'e' {
		p.pos++
		if p.pos < len(p.in) && (p.in[p.pos] == '+' || p.in[p.pos] == '-') {
			p.pos++
		}
		return p.digits()
	}
	return true
}

// enter counts the nesting of a container below the outermost value.
func (p *parser) enter(depth int) bool {
	if depth > p.maxDepth {
		return p.fail(ReasonTooDeep, p.pos, "at most "+strconv.Itoa(p.maxDepth)+" levels of nesting")
	}
	p.pos++
	p.space()
	return true
}

func (p *parser) count() bool {
	p.items++
	if p.items > p.maxItems {
		return p.fail(ReasonTooLarge, p.pos, "at most "+thousands(p.maxItems)+" members and elements together")
	}
	return true
}

func (p *parser) array(depth int) bool {
	if !p.enter(depth) {
		return false
	}
	if p.pos < len(p.in) && p.in[p.pos] == ']' {
		p.pos++
		return true
	}
	for i := 0; ; i++ {
		before := p.reason
		if _, ok := p.value(depth + 1); !ok {
			return false
		}
		if before != p.reason {
			p.place = joinPlace("["+strconv.Itoa(i)+"]", p.place)
		}
		if !p.count() {
			return false
		}
		p.space()
		if p.pos < len(p.in) && p.in[p.pos] == ',' {
			p.pos++
			p.space()
			continue
		}
		if p.pos < len(p.in) && p.in[p.pos] == ']' {
			p.pos++
			return true
		}
		return p.wrong(`"," or "]"`)
	}
}

func (p *parser) object(depth int) bool {
	if !p.enter(depth) {
		return false
	}
	if p.pos < len(p.in) && p.in[p.pos] == '}' {
		p.pos++
		return true
	}
	base := p.keys.n
	var seen map[string]struct{}
	for first := true; ; first = false {
		if p.pos >= len(p.in) || p.in[p.pos] != '"' {
			if first {
				return p.wrong(`a member name in double quotes, or "}"`)
			}
			return p.wrong("a member name in double quotes")
		}
		key, ok := p.key()
		if !ok {
			return false
		}
		p.unique(key, base, &seen)
		p.keys.push(key)
		p.space()
		if p.pos >= len(p.in) || p.in[p.pos] != ':' {
			return p.wrong(`":"`)
		}
		p.pos++
		p.space()
		before, from := p.reason, p.at(p.pos)
		k, ok := p.value(depth + 1)
		if !ok {
			return false
		}
		if before != p.reason {
			p.place = joinPlace(placeName(unquoted(p.text(key))), p.place)
		}
		if depth == 0 {
			p.members = append(p.members, member{key: key, val: span{from, p.at(p.pos)}, kind: k})
		}
		if !p.count() {
			return false
		}
		p.space()
		if p.pos < len(p.in) && p.in[p.pos] == ',' {
			p.pos++
			p.space()
			continue
		}
		if p.pos < len(p.in) && p.in[p.pos] == '}' {
			p.pos++
			p.keys.cut(base)
			return true
		}
		return p.wrong(`"," or "}"`)
	}
}

// key reads a member name. Afterwards it lies either wholly in out or wholly in the input.
func (p *parser) key() (span, bool) {
	from, copied := p.at(p.pos), p.done
	if !p.str() {
		return span{}, false
	}
	if p.done != copied {
		p.replace(p.pos, p.pos, "")
	}
	return span{from, p.at(p.pos)}, true
}

// text gives a key's canonical text.
func (p *parser) text(s span) string {
	if s.from < len(p.out) {
		return string(p.out[s.from:s.to])
	}
	shift := p.done - len(p.out)
	return p.in[s.from+shift : s.to+shift]
}

func (p *parser) same(a, b span) bool {
	if a.to-a.from != b.to-b.from {
		return false
	}
	shift := p.done - len(p.out)
	aOut, bOut := a.from < len(p.out), b.from < len(p.out)
	switch {
	case aOut && bOut:
		return string(p.out[a.from:a.to]) == string(p.out[b.from:b.to])
	case aOut:
		return string(p.out[a.from:a.to]) == p.in[b.from+shift:b.to+shift]
	case bOut:
		return string(p.out[b.from:b.to]) == p.in[a.from+shift:a.to+shift]
	}
	return p.in[a.from+shift:a.to+shift] == p.in[b.from+shift:b.to+shift]
}

// unique notes a repeated name. Reading goes on: a text that is also cut off or
// malformed is reported as that.
func (p *parser) unique(key span, base int, seen *map[string]struct{}) {
	twice := false
	if p.keys.n-base < mapFrom {
		for i := base; i < p.keys.n; i++ {
			twice = twice || p.same(p.keys.at(i), key)
		}
	} else {
		if *seen == nil {
			*seen = make(map[string]struct{}, 2*mapFrom)
			for i := base; i < p.keys.n; i++ {
				(*seen)[p.text(p.keys.at(i))] = struct{}{}
			}
		}
		text := p.text(key)
		_, twice = (*seen)[text]
		(*seen)[text] = struct{}{}
	}
	if twice && p.reason == "" {
		p.fail(ReasonDuplicate, p.pos, "each name once in an object")
		p.place = placeName(unquoted(p.text(key)))
	}
}

// str reads a string and reduces its escapes to the mandatory ones.
func (p *parser) str() bool {
	p.pos++
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			p.pos++
			return true
		case c == '\\':
			if !p.escape() {
				return false
			}
		case c < 0x20:
			return p.wrong("an escape such as \\n: a string holds no raw control character")
		case c < utf8.RuneSelf:
			p.pos++
		default:
			rest := p.in[p.pos:]
			r, n := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && n == 1 {
				if !utf8.FullRuneInString(rest) {
					p.pos = len(p.in)
				}
				return p.wrong("valid UTF-8")
			}
			p.pos += n
		}
	}
	return p.wrong("the rest of a string")
}

func (p *parser) escape() bool {
	from := p.pos
	p.pos++
	if p.pos >= len(p.in) {
		return p.wrong("the rest of an escape")
	}
	c := p.in[p.pos]
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		p.pos++
		return true
	case '/':
		p.pos++
		p.replace(from, p.pos, "/")
		return true
	case 'u':
	default:
		return p.wrong(`one of \" \\ \/ \b \f \n \r \t \u`)
	}
	p.pos++
	r, ok := p.hex4()
	if !ok {
		return false
	}
	if isHigh(r) && p.pos+1 < len(p.in) && p.in[p.pos] == '\\' && p.in[p.pos+1] == 'u' {
		mark := p.pos
		p.pos += 2
		low, ok := p.hex4()
		if !ok {
			return false
		}
		if isLow(low) {
			r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
		} else {
			p.pos = mark
		}
	}
	var buf [8]byte
	canon := appendRune(buf[:0], r)
	if string(canon) != p.in[from:p.pos] {
		p.replace(from, p.pos, string(canon))
	}
	return true
}

func (p *parser) hex4() (rune, bool) {
	var r rune
	for range 4 {
		if p.pos >= len(p.in) {
			return 0, p.wrong("the rest of an escape")
		}
		d, ok := hexDigit(p.in[p.pos])
		if !ok {
			return 0, p.wrong("a hexadecimal digit")
		}
		r = r<<4 | d
		p.pos++
	}
	return r, true
}
