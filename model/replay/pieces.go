package replay

import "slices"

// piece is a part of a text that is streamed.
type piece struct {
	part       int
	start, end int    // of its literal in that part
	text       string // what it says
	raw        bool   // it is the beginning of a literal that was cut off
}

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

// texts finds the texts that come in pieces: strings that stand at one place of the data
// of several events. Elements that say their index are told apart by it.
func texts(parts []string) [][]piece {
	var order []string
	all := map[string][]piece{}
	var cut []piece
	for i, part := range parts {
		cut = nil
		for _, m := range dataLine.FindAllStringSubmatchIndex(part, -1) {
			from, end := m[2], m[3]
			root, ok := parse(part[from:end])
			if !ok {
				if at := openString(part[from:end]); at >= 0 {
					cut = []piece{{part: i, start: from + at, end: end, text: part[from+at : end], raw: true}}
				}
				continue
			}
			root.leaves("", func(place string, n *node) {
				if all[place] == nil {
					order = append(order, place)
				}
				all[place] = append(all[place], piece{part: i, start: from + n.start, end: from + n.end, text: n.text})
			})
		}
	}
	var out [][]piece
	for _, place := range order {
		out = append(out, append(all[place], cut...)) // what was cut off may go on with any of them
	}
	return out
}

// leaves calls f for each string with its place.
func (n *node) leaves(place string, f func(place string, n *node)) {
	switch n.kind {
	case '"':
		f(place, n)
	case '{':
		if i := slices.Index(n.names, "index"); i >= 0 && n.kids[i].kind == 0 {
			place += "#" + n.kids[i].text
		}
	}
	for i := range n.kids {
		n.kids[i].leaves(n.step(place, i), f)
	}
}

// openString gives where a string begins that the end of a text cuts off, -1 for none.
func openString(text string) int {
	at := -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && at >= 0:
			i++
		case text[i] == '"' && at >= 0:
			at = -1
		case text[i] == '"':
			at = i + 1
		}
	}
	return at
}

// spread makes pieces say another text: the part that differs goes into the first piece
// that it touches.
func spread(edits [][]edit, pieces []piece, before, after string) {
	from := 0
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	behind := 0
	for behind < min(len(before), len(after))-from && before[len(before)-1-behind] == after[len(after)-1-behind] {
		behind++
	}
	from, behind = onRune(before, from, behind)
	to, fresh := len(before)-behind, after[from:len(after)-behind]
	at := 0
	for _, p := range pieces {
		begin, end := at, at+len(p.text)
		at = end
		if end <= from || begin >= to {
			continue
		}
		head, tail := "", ""
		if begin < from {
			head = p.text[:from-begin]
		}
		if end > to {
			tail = p.text[to-begin:]
		}
		text := head + fresh + tail
		fresh = ""
		if !p.raw {
			text = string(appendQuoted(nil, text))
		}
		edits[p.part] = append(edits[p.part], edit{p.start, p.end, text})
	}
}

// onRune widens a part of a text, given by what stands before and behind it, to whole
// characters.
func onRune(text string, from, behind int) (int, int) {
	starts := func(i int) bool { return i == len(text) || text[i]&0xc0 != 0x80 }
	for from > 0 && !starts(from) {
		from--
	}
	for behind > 0 && !starts(len(text)-behind) {
		behind--
	}
	return from, behind
}
