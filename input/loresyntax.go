package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document parses a JSON or YAML text to one tree with the places of its nodes; nil: it
// is broken, which is noted.
func (p *loreFile) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		p.faults.add(Fault{File: p.file, Text: "the file is not UTF-8", Mend: "save it as UTF-8"})
		return nil
	}
	start := bytes.TrimLeft(data, " \t\r\n")
	var broken *Fault
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		n, f := p.json(data)
		if f == nil {
			return n
		}
		broken = f // it may still be YAML, whose lists and maps begin alike
	}
	n, f := p.yaml(data)
	switch {
	case f == nil:
		return n
	case broken != nil:
		f = broken
	}
	p.faults.add(*f)
	return nil
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

func (p *loreFile) yaml(data []byte) (*yaml.Node, *Fault) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, &Fault{File: p.file, Text: "the file is empty", Mend: mendLore}
	}
	if err == nil {
		if err = dec.Decode(&more); errors.Is(err, io.EOF) {
			return real(doc.Content[0]), nil
		}
		if err == nil {
			return nil, &Fault{File: p.file, Line: more.Line, Column: more.Column, Text: "the file holds more than one YAML document", Mend: "keep one"}
		}
	}
	f := &Fault{File: p.file, Line: 1, Column: 1, Mend: "check quotes and indentation"}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	f.Text = "this is neither JSON nor YAML: " + text
	return nil, f
}

// json parses JSON, which YAML does not take whole: it knows no tabs.
func (p *loreFile) json(data []byte) (*yaml.Node, *Fault) {
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		f := &Fault{File: p.file, Line: 1, Column: 1, Text: "this is not JSON: " + err.Error(), Mend: "check quotes and commas"}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			f.Line, f.Column = position(data, max(int(syntax.Offset)-1, 0))
		}
		return nil, f
	}
	t := tree{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	t.dec.UseNumber()
	return t.node(), nil
}

// position gives line and column of a byte.
func position(data []byte, at int) (line, column int) {
	before := data[:min(at, len(data))]
	begin := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[begin:])
}

// tree makes the nodes of a JSON text that is known to be valid.
type tree struct {
	data   []byte
	dec    *json.Decoder
	seen   int // bytes up to the place of line and column
	line   int
	column int
}

// token gives the next token and a node with its place.
func (t *tree) token() (json.Token, *yaml.Node) {
	at := int(t.dec.InputOffset())
	for at < len(t.data) && strings.IndexByte(" \t\r\n,:", t.data[at]) >= 0 {
		at++
	}
	for ; t.seen < at; t.seen++ {
		switch c := t.data[t.seen]; {
		case c == '\n':
			t.line, t.column = t.line+1, 1
		case utf8.RuneStart(c):
			t.column++
		}
	}
	tok, err := t.dec.Token()
	if err != nil {
		panic(err) // the text was found valid
	}
	return tok, &yaml.Node{Line: t.line, Column: t.column}
}

func (t *tree) node() *yaml.Node {
	tok, n := t.token()
	switch v := tok.(type) {
	case json.Delim:
		n.Kind = yaml.SequenceNode
		if v == '{' {
			n.Kind = yaml.MappingNode
		}
		for t.dec.More() {
			n.Content = append(n.Content, t.node()) // of an object names and values by turns
		}
		_, _ = t.token() // the closing one
		return n
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
		if _, err := v.Int64(); err == nil {
			n.Tag = "!!int"
		}
	case bool:
		n.Tag, n.Value = "!!bool", fmt.Sprint(v)
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	n.Kind = yaml.ScalarNode
	return n
}
