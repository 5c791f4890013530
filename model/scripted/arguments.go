package scripted

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds how deep arguments may nest: deeper ones are refused by the runtime anyway.
const maxDepth = 100

// arguments are the JSON of a call with templates in it: pieces that are joined.
type arguments struct {
	pieces []piece
}

// piece is either JSON text as it stands or a template whose result becomes JSON.
type piece struct {
	json []byte
	text *text
}

// arguments reads the arguments of a call; nil when they are null.
func (r *reader) arguments(n *yaml.Node) *arguments {
	n = r.real(n)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	a := new(arguments)
	r.value(n, a, 0)
	return a
}

func (a *arguments) literal(b []byte) {
	if k := len(a.pieces) - 1; k >= 0 && a.pieces[k].text == nil {
		a.pieces[k].json = append(a.pieces[k].json, b...)
		return
	}
	a.pieces = append(a.pieces, piece{json: append([]byte(nil), b...)})
}

func (r *reader) value(n *yaml.Node, a *arguments, depth int) {
	n = r.real(n)
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		if r.nodes != maxNodes+2 { // say it once
			r.fault(n, "arguments are nested or repeated too deeply")
		}
		r.nodes = maxNodes + 1
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		seen := make(map[string]bool, len(n.Content)/2)
		a.literal([]byte{'{'})
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode || k.ShortTag() == "!!merge" || seen[k.Value] {
				r.fault(k, "keys of arguments are texts, each there once")
			}
			seen[k.Value] = true
			if i > 0 {
				a.literal([]byte{','})
			}
			a.literal(append(quote(k.Value), ':'))
			r.value(n.Content[i+1], a, depth+1)
		}
		a.literal([]byte{'}'})
	case yaml.SequenceNode:
		a.literal([]byte{'['})
		for i, v := range n.Content {
			if i > 0 {
				a.literal([]byte{','})
			}
			r.value(v, a, depth+1)
		}
		a.literal([]byte{']'})
	default:
		r.scalarValue(n, a)
	}
}

// number is a JSON number.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (r *reader) scalarValue(n *yaml.Node, a *arguments) {
	switch n.ShortTag() {
	case "!!null":
		a.literal([]byte("null"))
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			r.fault(n, "%v", err)
		}
		if b {
			a.literal([]byte("true"))
		} else {
			a.literal([]byte("false"))
		}
	case "!!int", "!!float":
		if number.MatchString(n.Value) { // keeps its digits
			a.literal([]byte(n.Value))
			return
		}
		var v any
		if err := n.Decode(&v); err != nil {
			r.fault(n, "%v", err)
			return
		}
		if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			r.fault(n, "%s is no number of JSON", n.Value)
			return
		}
		b, err := json.Marshal(v)
		if err != nil {
			r.fault(n, "%v", err)
			return
		}
		a.literal(b)
	default:
		if t := r.text(n, "argument"); t != nil && t.tpl != nil {
			a.pieces = append(a.pieces, piece{text: t})
		} else {
			a.literal(quote(n.Value))
		}
	}
}

// render gives the JSON of the arguments for one request.
func (a *arguments) render(f *frame) (json.RawMessage, error) {
	if len(a.pieces) == 1 && a.pieces[0].text == nil {
		return a.pieces[0].json, nil
	}
	var out []byte
	for i := range a.pieces {
		p := &a.pieces[i]
		if p.text == nil {
			out = append(out, p.json...)
			continue
		}
		s, err := p.text.render(f)
		if err != nil {
			return nil, err
		}
		if p.text.value {
			out = append(out, s...)
		} else {
			out = append(out, quote(s)...)
		}
	}
	return out, nil
}

// quote gives a JSON string without the escapes that only HTML needs.
func quote(s string) []byte {
	b, _ := marshal(s) // a string always marshals
	return b
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
