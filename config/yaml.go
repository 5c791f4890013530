package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile is the largest team or agent file in bytes: far above what a person writes.
const maxFile = 4 << 20

// input is one file that is read: its faults go to the loader, its keys are remembered
// by their dotted path, so that later checks can name their places.
type input struct {
	l     *loader
	file  string
	seen  map[string]pair
	table []key // the keys of the whole file
}

// pair is a member of a mapping.
type pair struct{ key, value *yaml.Node }

func (l *loader) input(file string) *input {
	return &input{l: l, file: file, seen: make(map[string]pair)}
}

// document parses a YAML text of one document; nil: there is none, or it is broken.
func (in *input) document(text []byte) *yaml.Node {
	if !in.l.readable(in.file, text) || !in.printable(text) {
		return nil
	}
	n, wrong := in.parse(text)
	if wrong != nil {
		in.l.add(*wrong)
	}
	return n
}

// parse is document of a text that is one, and gives what is wrong with it.
func (in *input) parse(text []byte) (*yaml.Node, *Fault) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = dec.Decode(&more); errors.Is(err, io.EOF) {
			in.inspect(&doc)
			return real(doc.Content[0]), nil
		}
	}
	f := in.at(&more)
	f.Code, f.Text, f.Mend = "config.syntax", "the file holds more than one YAML document", "keep one"
	if err != nil {
		f = syntax(in.file, text, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return nil, &f
}

// readable says whether a file is a text of a size that a person writes.
func (l *loader) readable(file string, data []byte) bool {
	if len(data) > maxFile {
		l.add(Fault{File: file, Code: "config.too_large", Text: fmt.Sprintf("the file has more than the %d bytes that are allowed", maxFile), Mend: "shorten it"})
		return false
	}
	if at := bytes.IndexByte(data, 0); at >= 0 && utf8.Valid(data) {
		f := position(data, at)
		f.File, f.Code, f.Text, f.Mend = file, "config.not_text", "the file holds a character NUL, so it is no text", "remove it, or save the file as UTF-8"
		l.add(f)
		return false
	}
	if utf8.Valid(data) {
		return true
	}
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	f := position(data, at)
	f.File, f.Code, f.Text, f.Mend = file, "config.not_text", "the file is not UTF-8 from here on", "save it as UTF-8"
	l.add(f)
	return false
}

// printable refuses what YAML takes in no place, which its parser does not locate.
func (in *input) printable(text []byte) bool {
	for at, r := range string(text) {
		c1 := r >= 0x7f && r < 0xa0 && r != 0x85
		if r >= ' ' && !c1 || r == '\t' || r == '\n' || r == '\r' {
			continue
		}
		f := position(text, at)
		f.File, f.Code, f.Text, f.Mend = in.file, "config.not_text", fmt.Sprintf("YAML does not take the control character U+%04X", r), "remove it"
		in.l.add(f)
		return false
	}
	return true
}

// position gives line and column of an offset, in characters.
func position(data []byte, at int) Fault {
	before := data[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return Fault{Line: line, Column: column}
}

// inspect refuses what YAML has and a team file lacks: keys that are merged in, and tags.
func (in *input) inspect(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		return
	}
	if len(n.Tag) > 1 && n.Tag[0] == '!' && n.Tag[1] != '!' {
		in.fault(n, "config.tag", "the tag "+n.Tag+" means nothing here", "remove it; a value of the environment is ${NAME}, where one may stand")
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && isMerge(c) {
			in.fault(c, "config.merge_key", "keys are not merged in with <<", "write them out; an alias may stand for a whole value")
		}
		in.inspect(c)
	}
}

func isMerge(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.Value == "<<" && k.ShortTag() == "!!merge"
}

func (in *input) fault(n *yaml.Node, code, text, mend string) {
	f := in.at(n)
	f.Code, f.Text, f.Mend = code, text, mend
	in.l.add(f)
}

func (in *input) warn(n *yaml.Node, code, text, mend string) {
	f := in.at(n)
	f.Code, f.Text, f.Mend, f.Warning = code, text, mend, true
	in.l.add(f)
}

// value tells a fault about the value of a key.
func (in *input) value(n *yaml.Node, path, is, mend string) {
	in.fault(n, "config.value", fmt.Sprintf("%s is %s, not %s", path, is, shown(n)), mend)
}

// at gives the place of a node: in the file, or the flag that it came from.
func (in *input) at(n *yaml.Node) Fault {
	if flag, ok := in.l.flags[n]; ok {
		return Fault{File: flag}
	}
	return Fault{File: in.file, Line: n.Line, Column: n.Column}
}

// real follows an alias.
func real(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// text gives a single value; another one is a fault.
func (in *input) text(n *yaml.Node, path string) (string, bool) {
	if n = real(n); n.Kind != yaml.ScalarNode || isNull(n) {
		in.fault(n, "config.type", path+" is a single value", mendText(n))
		return "", false
	}
	return n.Value, true
}

// shown gives a node's value, bounded, for a message.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if r := []rune(n.Value); len(r) > 60 {
		return strconv.Quote(string(r[:60]) + "…")
	}
	return strconv.Quote(n.Value)
}
