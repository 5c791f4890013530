package regex

import "unicode/utf8"

type op uint8

const (
	opEmpty op = iota
	opSet
	opCat
	opAlt
	opRepeat
	opGroup
	opBackref
	opLook   // a look-around
	opAtomic // a part that is not gone back into
	opKeep   // \K

	// What follows matches between characters.
	opBeginLine
	opEndLine
	opBeginText
	opEndText
	opEndTextLine // at the end or before the line break that ends the text
	opWordBorder
	opNotWordBorder
	opWordStart
	opWordEnd
	opNotWordBefore
	opNotWordAfter
)

// node is a part of an expression.
type node struct {
	op     op
	set    *set
	subs   []*node
	min    int
	max    int // of a repetition; -1 without end
	lazy   bool
	group  int  // of a group or a back-reference
	fold   bool // of a back-reference
	negate bool // of a look-around
	behind bool
}

func (n *node) between() bool { return n.op >= opBeginLine }

func char(r rune) *node { return &node{op: opSet, set: runeSet(r)} }

func rawByte(b byte) *node { return &node{op: opSet, set: &set{raw: int(b)}} }

func cat(subs ...*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	if len(subs) == 0 {
		return &node{op: opEmpty}
	}
	return &node{op: opCat, subs: subs}
}

// text gives the node that matches a text; bytes that are no characters stand for themselves.
func text(s string, fold bool) *node {
	var subs []*node
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			subs = append(subs, rawByte(s[0]))
		} else {
			subs = append(subs, foldChar(r, fold))
		}
		s = s[n:]
	}
	return cat(subs...)
}

func foldChar(r rune, fold bool) *node {
	n := char(r)
	if fold {
		n.set = n.set.fold()
	}
	return n
}

// alternate gives the node for one of several; many that are only text become a tree of
// their beginnings, so that a long list of words stays small for each place in the text.
func alternate(subs []*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	const worth = 8
	if len(subs) < worth {
		return &node{op: opAlt, subs: subs}
	}
	for _, n := range subs {
		if !plain(n) {
			return &node{op: opAlt, subs: subs}
		}
	}
	return trie(subs)
}

// plain says that a node is characters in a row.
func plain(n *node) bool {
	if n.op != opCat {
		return n.op == opSet || n.op == opEmpty
	}
	for _, sub := range n.subs {
		if sub.op != opSet {
			return false
		}
	}
	return true
}

// trie joins the alternatives that begin with the same set. It is only for the languages
// that do not mind the order of alternatives.
func trie(subs []*node) *node {
	var order []string
	heads := map[string]*set{}
	tails := map[string][]*node{}
	empty := false
	for _, n := range subs {
		parts := n.subs
		if n.op == opSet {
			parts = []*node{n}
		}
		if len(parts) == 0 {
			empty = true
			continue
		}
		key := parts[0].set.key()
		if heads[key] == nil {
			order = append(order, key)
			heads[key] = parts[0].set
		}
		tails[key] = append(tails[key], &node{op: opCat, subs: parts[1:]})
	}
	alt := &node{op: opAlt}
	for _, key := range order {
		head := &node{op: opSet, set: heads[key]}
		if len(tails[key]) == 1 {
			alt.subs = append(alt.subs, cat(append([]*node{head}, tails[key][0].subs...)...))
		} else {
			alt.subs = append(alt.subs, cat(head, trie(tails[key])))
		}
	}
	if empty {
		alt.subs = append(alt.subs, &node{op: opEmpty})
	}
	if len(alt.subs) == 1 {
		return alt.subs[0]
	}
	return alt
}

// nullable says that a node can match nothing.
func (n *node) nullable() bool {
	switch n.op {
	case opSet:
		return false
	case opCat:
		for _, sub := range n.subs {
			if !sub.nullable() {
				return false
			}
		}
		return true
	case opAlt:
		for _, sub := range n.subs {
			if sub.nullable() {
				return true
			}
		}
		return false
	case opRepeat:
		return n.min == 0 || n.subs[0].nullable()
	case opGroup, opAtomic:
		return n.subs[0].nullable()
	}
	return true
}

// width gives how many characters a node always matches, or -1 when that varies.
func (n *node) width() int {
	switch n.op {
	case opSet:
		return 1
	case opCat:
		sum := 0
		for _, sub := range n.subs {
			w := sub.width()
			if w < 0 {
				return -1
			}
			sum += w
		}
		return sum
	case opAlt:
		w := n.subs[0].width()
		for _, sub := range n.subs[1:] {
			if sub.width() != w {
				return -1
			}
		}
		return w
	case opRepeat:
		if w := n.subs[0].width(); w >= 0 && n.min == n.max {
			return w * n.min
		}
		return -1
	case opGroup, opAtomic:
		return n.subs[0].width()
	case opBackref:
		return -1
	}
	return 0
}

// literalPrefix gives the text that every match begins with, and whether it is all of it.
func literalPrefix(n *node) (prefix []byte, whole bool) {
	switch n.op {
	case opEmpty:
		return nil, true
	case opSet:
		// A byte that is no character may stand inside of one in the text: it is no prefix.
		if r, ok := n.set.single(); ok {
			return utf8.AppendRune(nil, r), true
		}
	case opGroup:
		return literalPrefix(n.subs[0])
	case opCat:
		for _, sub := range n.subs {
			if sub.between() && len(prefix) == 0 {
				continue
			}
			more, all := literalPrefix(sub)
			prefix = append(prefix, more...)
			if !all {
				return prefix, false
			}
		}
		return prefix, true
	case opRepeat:
		if n.min > 0 {
			prefix, _ = literalPrefix(n.subs[0])
		}
	}
	return prefix, false
}

// wholeLiteral gives the text that an expression without groups and anchors is.
func wholeLiteral(n *node) ([]byte, bool) {
	if !plain(n) {
		return nil, false
	}
	return literalPrefix(n)
}
