package input

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// ParseLore reads a file of lore entries, JSON or YAML: a list of entries, or an object
// whose "entries" is such a list or a map by uid, and whose "name" is the world of
// entries that name none. An entry has "content", and may have "world", "uid", "name",
// "keys" (a list, or one text with commas), "constant", "position" and "order".
// "disable": true, or "enabled": false, leaves an entry out. The spellings "id" of uid,
// "comment" of name, "key" of keys and "insertion_order" of order are read too. A member of
// another name is a fault that names the nearest one, except in files that other programs
// wrote: their own members are passed over. file is its name in messages. Error:
// "input.invalid" with every fault of the file, at most [MaxFaults], as its cause.
func ParseLore(file string, data []byte) ([]Entry, error) {
	p := loreFile{file: file}
	if root := p.document(data); root != nil {
		p.root(root)
	}
	if err := p.faults.invalid("read lore", ""); err != nil {
		return nil, err
	}
	return p.entries, nil
}

// loreFile is a file of lore entries that is read.
type loreFile struct {
	file    string
	entries []Entry
	seen    map[string]int // line by reference
	faults  Faults
}

func (p *loreFile) fault(n *yaml.Node, text, mend string) {
	p.faults.add(Fault{File: p.file, Line: n.Line, Column: n.Column, Text: text, Mend: mend})
}

const mendLore = `write a list of entries, or an object with "entries"`

func (p *loreFile) root(n *yaml.Node) {
	world := ""
	list := n
	if n.Kind == yaml.MappingNode {
		m := p.members(n)
		list = m["entries"]
		if name := m["name"]; name != nil && name.Kind == yaml.ScalarNode {
			world = name.Value
		}
		if list == nil {
			p.fault(n, `the file has no "entries"`, mendLore)
			return
		}
		p.unknown(n, fileMembers)
	}
	switch size := len(list.Content); {
	case size > 2*MaxEntries, list.Kind == yaml.SequenceNode && size > MaxEntries: // a map holds names too
		p.fault(list, fmt.Sprintf("the file holds more than %s entries", workspace.Grouped(MaxEntries)), mendEntries)
	case list.Kind == yaml.SequenceNode:
		for i, item := range list.Content {
			p.entry(real(item), world, "#"+strconv.Itoa(i+1))
		}
	case list.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(list.Content); i += 2 {
			p.entry(real(list.Content[i+1]), world, list.Content[i].Value)
		}
	default:
		p.fault(list, "this is no list of entries", mendLore)
	}
}

// entry reads one entry; uid is that of an entry that names none.
func (p *loreFile) entry(n *yaml.Node, world, uid string) {
	if p.faults.full() {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fault(n, "an entry is an object", `write {"keys": ["word"], "content": "what to know"}`)
		return
	}
	m := p.members(n)
	p.unknown(n, entryMembers)
	if p.flag(m, "disable") || p.flag(m, "disabled") || m["enabled"] != nil && !p.flag(m, "enabled") {
		return
	}
	e := Entry{World: world, UID: uid, Constant: p.flag(m, "constant")}
	p.text(m, &e.World, "world")
	p.text(m, &e.UID, "uid", "id")
	p.text(m, &e.Name, "name", "comment")
	p.text(m, &e.Position, "position")
	p.text(m, &e.Content, "content")
	e.Keys = p.keys(m)
	if o := first(m, "order", "insertion_order"); o != nil && o.Decode(&e.Order) != nil {
		p.fault(o, `"order" is no whole number`, "write a number such as 10")
	}
	e.check(func(f Fault) {
		at := n
		if part := m[strings.TrimRight(f.Place, "[]0123456789")]; part != nil {
			at = part
		}
		f.File, f.Line, f.Column = p.file, at.Line, at.Column
		p.faults.add(f)
	})
	if p.seen == nil {
		p.seen = map[string]int{}
	}
	if line, twice := p.seen[e.ref()]; twice {
		p.fault(n, fmt.Sprintf("the entry %q stands in line %d already", short(e.ref()), line), mendUID)
	}
	p.seen[e.ref()] = n.Line
	p.entries = append(p.entries, e)
}

// text reads a member that is a text, a number or a word; the first name that is there counts.
func (p *loreFile) text(m map[string]*yaml.Node, to *string, names ...string) {
	n := first(m, names...)
	switch {
	case n == nil || n.Tag == "!!null":
	case n.Kind != yaml.ScalarNode:
		p.fault(n, fmt.Sprintf("%q is no text", names[0]), "write one text")
	case n.Value != "":
		*to = n.Value
	}
}

func (p *loreFile) keys(m map[string]*yaml.Node) []string {
	n := first(m, "keys", "key")
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		return words(strings.Split(n.Value, ","))
	case n.Kind != yaml.SequenceNode:
		p.fault(n, `"keys" is no list`, `write ["word", "two words"]`)
		return nil
	}
	keys := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		if item = real(item); item.Kind != yaml.ScalarNode {
			p.fault(item, "a key is a text", `write ["word", "two words"]`)
			continue
		}
		keys = append(keys, item.Value)
	}
	return words(keys)
}

// words gives texts without outer space, and without those that hold nothing else.
func words(list []string) []string {
	out := list[:0]
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return slices.Clip(out)
}

func (p *loreFile) flag(m map[string]*yaml.Node, name string) (set bool) {
	if n := m[name]; n != nil && n.Decode(&set) != nil {
		p.fault(n, fmt.Sprintf("%q is neither true nor false", name), "write true or false without quotes")
	}
	return set
}

func first(m map[string]*yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		if n := m[name]; n != nil {
			return n
		}
	}
	return nil
}

// members gives the members of a mapping by name.
func (p *loreFile) members(n *yaml.Node) map[string]*yaml.Node {
	m := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if m[key.Value] != nil {
			p.fault(key, fmt.Sprintf("%q is given twice", short(key.Value)), "keep one")
		}
		m[key.Value] = real(n.Content[i+1])
	}
	return m
}

// real follows an alias of YAML.
func real(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}
