package tooling

import (
	"encoding/json"
	"strings"
	"sync/atomic"
)

// Bounds of one argument set (arguments spec §4).
const (
	MaxArguments = 1 << 20 // bytes of text
	MaxDepth     = 64      // containers below the object
	MaxItems     = 10_000  // members and elements together
)

// Object is one argument set: ordered members with exact number texts. It is immutable
// and safe for concurrent use.
type Object struct {
	canon   string
	text    string
	members []member
	first   [4]member // backs members while there are few
	hash    atomic.Pointer[string]
}

// Normalise turns the wire value of a call into one object or one refusal; exactly one
// of the two is not nil. A nil w is an absent value. The rule peels one layer of string,
// knows no tool and repairs nothing.
func Normalise(w json.RawMessage) (*Object, *Invalid) {
	text := peel(w)
	if len(text) > MaxArguments {
		return nil, &Invalid{Reason: ReasonTooLarge, Expected: "at most 1 MiB of text", Raw: text}
	}
	body := strings.TrimLeft(text, " \t\r\n")
	lead := len(text) - len(body)
	body = strings.TrimRight(body, " \t\r\n")
	if body == "" || body == "{}" || body == "null" {
		return &Object{canon: "{}", text: text}, nil
	}

	o := &Object{text: text}
	p := parser{in: body, members: o.first[:0], maxItems: MaxItems, maxDepth: MaxDepth}
	k, ok := p.document()
	switch {
	case !ok:
		return nil, &Invalid{
			Reason: p.reason, Expected: p.expected, Raw: text,
			Position: chars(text[:lead+p.faultPos]) + 1,
		}
	case k != kindObject:
		return nil, &Invalid{Reason: ReasonNotObject, Expected: "an object", Got: k.String(), Raw: text}
	case p.reason != "":
		return nil, &Invalid{Reason: p.reason, Place: p.place, Expected: p.expected, Raw: text}
	}
	o.canon, o.members = p.canonical(), p.members
	return o, nil
}

// peel gives the text of a wire value: the characters of a string, else the value as it
// stands.
func peel(w json.RawMessage) string {
	text := string(w)
	body := strings.Trim(text, " \t\r\n")
	if len(body) < 2 || body[0] != '"' || body[len(body)-1] != '"' {
		return text
	}
	inner := body[1 : len(body)-1]
	if plain(inner) {
		return inner
	}
	if s, ok := unescape(inner); ok {
		return s
	}
	return text
}

// plain says whether the inside of a JSON string stands for itself.
func plain(inner string) bool {
	for i := 0; i < len(inner); i++ {
		if c := inner[i]; c == '\\' || c == '"' || c < 0x20 {
			return false
		}
	}
	return true
}

// object indexes a canonical object.
func object(canon string) *Object {
	o := &Object{canon: canon, text: canon}
	o.members = o.first[:0]
	c := walk(canon)
	for key, val, ok := c.member(); ok; key, val, ok = c.member() {
		v := span{c.pos - len(val), c.pos}
		k := span{v.from - 1 - len(key), v.from - 1}
		o.members = append(o.members, member{key: k, val: v, kind: kindOf(val)})
	}
	return o
}

// Canonical gives the canonical bytes: no white space, members and number texts as
// received, mandatory escapes only. They are what is stored, sent to tools and replayed.
func (o *Object) Canonical() string { return o.canon }

// Text gives the raw text the object was read from.
func (o *Object) Text() string { return o.text }

// Hash is the hexadecimal SHA-256 of the canonical form with members sorted by name at
// every level. Number texts count as they were received.
func (o *Object) Hash() string {
	if h := o.hash.Load(); h != nil {
		return *h
	}
	form := o.canon
	if !sorted(form) {
		form = string(appendSorted(make([]byte, 0, len(form)), form))
	}
	h := digest(form)
	o.hash.Store(&h)
	return h
}

// Len is the number of members.
func (o *Object) Len() int { return len(o.members) }

// Names gives the names of the members in the order received.
func (o *Object) Names() []string {
	names := make([]string, len(o.members))
	for i := range o.members {
		names[i] = unquoted(o.key(i))
	}
	return names
}

func (o *Object) key(i int) string {
	m := &o.members[i]
	return o.canon[m.key.from:m.key.to]
}

func (o *Object) val(m *member) string { return o.canon[m.val.from:m.val.to] }

func (o *Object) find(name string) *member {
	for i := range o.members {
		inner := o.key(i)
		inner = inner[1 : len(inner)-1]
		if inner == name && strings.IndexByte(name, '\\') < 0 {
			return &o.members[i]
		}
		if strings.IndexByte(inner, '\\') >= 0 && unquoted(o.key(i)) == name {
			return &o.members[i]
		}
	}
	return nil
}

func (o *Object) of(name string, k kind) (string, bool) {
	m := o.find(name)
	if m == nil || m.kind != k {
		return "", false
	}
	return o.val(m), true
}

// Has says whether there is a member of that name, null included.
func (o *Object) Has(name string) bool { return o.find(name) != nil }

// Raw gives the canonical JSON of a member.
func (o *Object) Raw(name string) (json.RawMessage, bool) {
	m := o.find(name)
	if m == nil {
		return nil, false
	}
	return json.RawMessage(o.val(m)), true
}

// String gives a member that is a string.
func (o *Object) String(name string) (string, bool) {
	v, ok := o.of(name, kindString)
	if !ok {
		return "", false
	}
	return unquoted(v), true
}

// Int gives a member that is a number with an integral value of at most 64 bits,
// whatever its spelling.
func (o *Object) Int(name string) (int64, bool) {
	v, ok := o.of(name, kindNumber)
	if !ok {
		return 0, false
	}
	return parseInt(v)
}

// Bool gives a member that is a boolean.
func (o *Object) Bool(name string) (value, ok bool) {
	v, ok := o.of(name, kindBool)
	return v == "true", ok
}

// Object gives a member that is an object.
func (o *Object) Object(name string) (*Object, bool) {
	v, ok := o.of(name, kindObject)
	if !ok {
		return nil, false
	}
	return object(v), true
}

// Strings gives a member that is an array of strings.
func (o *Object) Strings(name string) ([]string, bool) {
	return list(o, name, func(v string) (string, bool) {
		if kindOf(v) != kindString {
			return "", false
		}
		return unquoted(v), true
	})
}

// Ints gives a member that is an array of integers.
func (o *Object) Ints(name string) ([]int64, bool) {
	return list(o, name, func(v string) (int64, bool) {
		if kindOf(v) != kindNumber {
			return 0, false
		}
		return parseInt(v)
	})
}

// Objects gives a member that is an array of objects.
func (o *Object) Objects(name string) ([]*Object, bool) {
	return list(o, name, func(v string) (*Object, bool) {
		if kindOf(v) != kindObject {
			return nil, false
		}
		return object(v), true
	})
}

func list[T any](o *Object, name string, read func(string) (T, bool)) ([]T, bool) {
	v, ok := o.of(name, kindArray)
	if !ok {
		return nil, false
	}
	values := []T{}
	c := walk(v)
	for e, more := c.element(); more; e, more = c.element() {
		value, ok := read(e)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}
