package replay

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is a value of a JSON text, with its place in it.
type node struct {
	kind       byte   // '{', '[', '"', or 0 for a number, true, false and null
	text       string // of a string what it says, of kind 0 as it was written
	start, end int    // bytes of the text
	names      []string
	kids       []node // members, in the order of names, or elements
}

// parse reads a JSON text; false when it is none.
func parse(text string) (node, bool) {
	if !json.Valid([]byte(text)) { // which bounds how deep it is, too
		return node{}, false
	}
	p := parser{text: text}
	return p.value(), true
}

// parser reads a text that is known to be valid.
type parser struct {
	text string
	pos  int
}

func (p *parser) space() {
	for p.pos < len(p.text) && p.text[p.pos] <= ' ' {
		p.pos++
	}
}

// more takes what stands between members, and says whether another one follows.
func (p *parser) more(end byte) bool {
	p.space()
	switch p.text[p.pos] {
	case end:
		p.pos++
		return false
	case ',', ':':
		p.pos++
		p.space()
	}
	return true
}

func (p *parser) value() node {
	p.space()
	n := node{start: p.pos}
	switch c := p.text[p.pos]; c {
	case '{':
		n.kind = c
		p.pos++
		for p.more('}') {
			n.names = append(n.names, p.quoted())
			p.more(0)
			n.kids = append(n.kids, p.value())
		}
	case '[':
		n.kind = c
		p.pos++
		for p.more(']') {
			n.kids = append(n.kids, p.value())
		}
	case '"':
		n.kind = c
		n.text = p.quoted()
	default:
		rest := p.text[p.pos:]
		if i := strings.IndexAny(rest, ",]} \t\r\n"); i >= 0 {
			rest = rest[:i]
		}
		n.text = rest
		p.pos += len(rest)
	}
	n.end = p.pos
	return n
}

// quoted takes a string.
func (p *parser) quoted() string {
	from := p.pos
	for p.pos++; p.text[p.pos] != '"'; p.pos++ {
		if p.text[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
	var s string
	_ = json.Unmarshal([]byte(p.text[from:p.pos]), &s) // a valid string
	return s
}

// sort puts members in the order of their names, all the way down.
func (n *node) sort() {
	if n.kind == '{' {
		order := make([]int, len(n.names))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(n.names[a], n.names[b]) })
		names, kids := make([]string, len(order)), make([]node, len(order))
		for to, from := range order {
			names[to], kids[to] = n.names[from], n.kids[from]
		}
		n.names, n.kids = names, kids
	}
	for i := range n.kids {
		n.kids[i].sort()
	}
}

// strings calls f for each string, in order, and has it say something else.
func (n *node) strings(f func(string) string) {
	if n.kind == '"' {
		n.text = f(n.text)
	}
	for i := range n.kids {
		n.kids[i].strings(f)
	}
}

// appendTo writes a value without white space.
func (n *node) appendTo(b []byte) []byte {
	switch n.kind {
	case '"':
		return appendQuoted(b, n.text)
	case '{', '[':
		b = append(b, n.kind)
		for i := range n.kids {
			if i > 0 {
				b = append(b, ',')
			}
			if n.kind == '{' {
				b = append(appendQuoted(b, n.names[i]), ':')
			}
			b = n.kids[i].appendTo(b)
		}
		return append(b, n.kind+2) // the closing one stands two places behind in ASCII
	}
	return append(b, n.text...)
}

// appendQuoted writes a string.
func appendQuoted(b []byte, s string) []byte {
	out := bytes.NewBuffer(b)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // no text fails
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// step gives the JSON pointer of a member or an element.
func (n *node) step(pointer string, i int) string {
	if n.kind == '[' {
		return pointer + "/" + strconv.Itoa(i)
	}
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(n.names[i])
}
