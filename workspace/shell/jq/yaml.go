package jq

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxExpanded is how many values one document may have once its aliases are expanded: a
// few lines of aliases of aliases would fill any memory.
const maxExpanded = 1_000_000

// document is a YAML document with what its values came from.
type document struct {
	root   *yaml.Node
	value  any
	origin map[any]*yaml.Node // of the objects and arrays of value
	count  int
	merged map[*yaml.Node]bool // mappings with a merge key
}

// newDocument converts what a decoder gave.
func newDocument(root *yaml.Node) (*document, error) {
	d := &document{root: root, origin: map[any]*yaml.Node{}, merged: map[*yaml.Node]bool{}}
	var err error
	d.value, err = d.convert(root, 0)
	return d, err
}

func (d *document) convert(n *yaml.Node, depth int) (any, error) {
	if d.count++; d.count > maxExpanded {
		return nil, errors.New("the aliases of the document expand to more than 1000000 values")
	}
	if depth > maxDepth {
		return nil, words("Exceeds depth limit for parsing")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return d.convert(n.Content[0], depth+1)
	case yaml.AliasNode:
		return d.convert(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := &array{items: make([]any, 0, len(n.Content))}
		for _, item := range n.Content {
			v, err := d.convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, v)
		}
		d.origin[list] = n
		return list, nil
	case yaml.MappingNode:
		return d.mapping(n, depth)
	}
	return scalar(n), nil
}

func (d *document) mapping(n *yaml.Node, depth int) (any, error) {
	o, merged := &object{}, &object{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, err := d.convert(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() != "!!merge" {
			o.put(d.key(n.Content[i]), v)
			continue
		}
		d.merged[n] = true
		from := []any{v}
		if list, ok := v.(*array); ok {
			from = list.list()
		}
		for _, v := range from {
			if part, ok := v.(*object); ok {
				addMissing(merged, part)
			}
		}
	}
	addMissing(o, merged)
	d.origin[o] = n
	return o, nil
}

// addMissing puts the keys of another object that one has not.
func addMissing(to, from *object) {
	for i, key := range from.own().keys {
		if to.find(key) < 0 {
			to.put(key, from.vals[i])
		}
	}
}

// key gives the name that a key of a mapping has as a value.
func (d *document) key(n *yaml.Node) string {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	v, err := d.convert(n, 0)
	if err != nil {
		return ""
	}
	return string((&style{}).appendValue(nil, v))
}

// scalar gives the value of a scalar. Dates stay strings, as JSON has none.
func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		text := strings.ReplaceAll(n.Value, "_", "")
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return int(i)
		}
		if big, ok := new(big.Int).SetString(text, 0); ok {
			return small(big)
		}
	case "!!float":
		if v, ok := number([]byte(n.Value)); ok {
			return v
		}
		var f float64
		if n.Decode(&f) == nil {
			return f
		}
	}
	return n.Value
}

// yamlOf gives a value as new YAML.
func yamlOf(v any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := v.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case string:
		n.Tag, n.Value = "!!str", v
		if strings.Contains(strings.TrimRight(v, "\n"), "\n") {
			n.Style = yaml.LiteralStyle
		}
	case *array:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if v.len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, item := range v.list() {
			n.Content = append(n.Content, yamlOf(item))
		}
	case *object:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if v.len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for i, key := range v.own().keys {
			n.Content = append(n.Content, yamlOf(key), yamlOf(v.vals[i]))
		}
	case float64:
		n.Tag, n.Value = "!!float", string(appendFloat(nil, v))
		switch {
		case math.IsNaN(v):
			n.Value = ".nan"
		case math.IsInf(v, 1):
			n.Value = ".inf"
		case math.IsInf(v, -1):
			n.Value = "-.inf"
		case v == math.Trunc(v) && !strings.Contains(n.Value, "e"):
			n.Tag = "!!int"
		}
	case literal:
		n.Tag, n.Value = "!!int", string(v)
		if strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	default:
		n.Tag, n.Value = "!!int", fmt.Sprint(v)
	}
	return n
}

// yamlSource reads the documents of a file.
type yamlSource struct {
	d    *yaml.Decoder
	to   func(*document)
	seen int
}

func (s *yamlSource) next() (any, error) {
	root := &yaml.Node{}
	if err := s.d.Decode(root); err != nil {
		if err == io.EOF {
			return nil, err
		}
		return nil, &parseError{text: strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	s.seen++
	d, err := newDocument(root)
	if err != nil {
		return nil, &parseError{text: err.Error()}
	}
	s.to(d)
	return d.value, nil
}

func (s *yamlSource) line() int { return s.seen }
