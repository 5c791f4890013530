package jq

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
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
	origin map[uintptr]*yaml.Node // of the maps and arrays of value
	count  int
	merged map[*yaml.Node]bool // mappings with a merge key
	order  *order
}

// newDocument converts what a decoder gave.
func newDocument(root *yaml.Node, o *order) (*document, error) {
	d := &document{root: root, order: o, origin: map[uintptr]*yaml.Node{}, merged: map[*yaml.Node]bool{}}
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
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := d.convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		if len(list) > 0 {
			d.origin[pointer(list)] = n
		}
		return list, nil
	case yaml.MappingNode:
		return d.mapping(n, depth)
	}
	return scalar(n), nil
}

func (d *document) mapping(n *yaml.Node, depth int) (any, error) {
	object := make(map[string]any, len(n.Content)/2)
	merged := map[string]any{}
	last, straight, names := -1, true, make([]string, 0, len(n.Content)/2)
	note := func(key string) {
		at := d.order.input([]byte(key)).at
		names, straight, last = append(names, key), straight && at > last, at
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, err := d.convert(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if n.Content[i].ShortTag() != "!!merge" {
			key := d.key(n.Content[i])
			if _, again := object[key]; !again {
				note(key)
			}
			object[key] = v
			continue
		}
		d.merged[n] = true
		from, ok := v.([]any)
		if !ok {
			from = []any{v}
		}
		for _, v := range from {
			object, _ := v.(map[string]any)
			for key, v := range object {
				if _, ok := merged[key]; !ok {
					merged[key] = v
				}
			}
		}
	}
	for _, key := range d.order.keys(merged) {
		if _, ok := object[key]; !ok {
			note(key)
			object[key] = merged[key]
		}
	}
	if !straight {
		d.order.keep(object, names)
	}
	d.origin[pointer(object)] = n
	return object, nil
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

func pointer(v any) uintptr { return reflect.ValueOf(v).Pointer() }

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
			return big
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

// node gives a value as new YAML.
func (o *order) node(v any) *yaml.Node {
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
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, item := range v {
			n.Content = append(n.Content, o.node(item))
		}
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, key := range o.keys(v) {
			n.Content = append(n.Content, o.node(key), o.node(v[key]))
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
	case json.Number:
		n.Tag, n.Value = "!!int", v.String()
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
	d     *yaml.Decoder
	to    func(*document)
	seen  int
	order *order
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
	d, err := newDocument(root, s.order)
	if err != nil {
		return nil, &parseError{text: err.Error()}
	}
	s.to(d)
	return d.value, nil
}

func (s *yamlSource) line() int { return s.seen }
