package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// rewrite changes a node of a program where it differs from jq: messages that are caught,
// $__loc__, and what depends on the order of keys, which the engine does not have.
func (o *order) rewrite(node any) {
	switch n := node.(type) {
	case *gojq.Try:
		if n.Catch != nil {
			n.Catch = catch(n)
		}
	case *gojq.ObjectKeyVal:
		if n.Val == nil && strings.HasPrefix(n.Key, "$__loc_") {
			n.Val = call(n.Key)
			n.Key = "__loc__"
		}
		if n.KeyQuery != nil {
			n.KeyQuery = piped(n.KeyQuery, call("_named"))
		}
		if n.KeyString != nil && n.KeyString.Queries != nil && n.Val != nil {
			n.KeyQuery = piped(&gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: n.KeyString}}, call("_named"))
			n.KeyString = nil
		}
	case *gojq.Object:
		o.object(n)
	case *gojq.Index:
		switch {
		case n.Name != "":
			o.name(n.Name)
		case n.Str != nil && n.Str.Queries == nil:
			o.name(n.Str.Str)
		case n.Start != nil && !n.IsSlice && n.Start.Term != nil && n.Start.Term.Type == gojq.TermTypeString && n.Start.Term.Str.Queries == nil:
			o.name(n.Start.Term.Str.Str)
		case n.Start != nil && !n.IsSlice && (n.Start.Term == nil || n.Start.Term.Type != gojq.TermTypeNumber):
			n.Start = piped(n.Start, call("_named"))
		}
	case *gojq.Term:
		rewriteTerm(n)
	}
}

// object notes the keys of an object whose keys are all known.
func (o *order) object(n *gojq.Object) {
	var keys []string
	for _, kv := range n.KeyVals {
		switch {
		case kv.Key != "":
			keys = append(keys, strings.TrimPrefix(kv.Key, "$"))
		case kv.KeyString != nil && kv.KeyString.Queries == nil:
			keys = append(keys, kv.KeyString.Str)
		default:
			return
		}
	}
	o.build(keys)
}

func rewriteTerm(t *gojq.Term) {
	for {
		at := 0
		for at < len(t.SuffixList) && !t.SuffixList[at].Iter {
			at++
		}
		if at == len(t.SuffixList) {
			break
		}
		before, rest := *t, t.SuffixList[at+1:]
		before.SuffixList = t.SuffixList[:at]
		each := call("_each")
		if at > 0 || t.Type != gojq.TermTypeIdentity {
			rewriteTerm(&before)
			each = piped(&gojq.Query{Term: &before}, each)
		}
		*t = gojq.Term{Type: gojq.TermTypeQuery, Query: each, SuffixList: rest}
	}
	switch {
	case t.Type == gojq.TermTypeRecurse:
		t.Type, t.Func = gojq.TermTypeFunc, &gojq.Func{Name: "recurse"}
	case t.Type == gojq.TermTypeFormat && (t.Format == "@json" || t.Format == "@text"):
		name := map[string]string{"@json": "tojson", "@text": "_text"}[t.Format]
		if t.Str == nil {
			t.Type, t.Format, t.Func = gojq.TermTypeFunc, "", &gojq.Func{Name: name}
			break
		}
		t.Type, t.Format = gojq.TermTypeString, ""
		interpolate(t.Str, name)
	case t.Type == gojq.TermTypeString && t.Str != nil:
		interpolate(t.Str, "_text")
	}
}

// interpolate pipes what is put into a string through a function.
func interpolate(s *gojq.String, through string) {
	for i, q := range s.Queries {
		if q.Term == nil || q.Term.Str == nil { // else a literal between them
			s.Queries[i] = bracketed(piped(q, call(through)))
		}
	}
}

func piped(q, into *gojq.Query) *gojq.Query {
	// What a query defines or binds reaches to its end, so it stands in brackets.
	return &gojq.Query{Left: bracketed(q), Op: gojq.OpPipe, Right: into}
}

func bracketed(q *gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: q}}
}
