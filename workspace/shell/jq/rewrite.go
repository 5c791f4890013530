package jq

import (
	"slices"
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
	case *gojq.Query:
		o.lead(n)
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

// object notes the keys of an object. Where some are computed, all are noted when the
// object is made, in their order.
func (o *order) object(n *gojq.Object) {
	if slices.ContainsFunc(n.KeyVals, computed) {
		for _, kv := range n.KeyVals {
			switch {
			case kv.Val == nil || computed(kv):
			case kv.Key != "" && kv.Key[0] != '$':
				kv.KeyQuery, kv.Key = text(kv.Key), ""
			case kv.KeyString != nil:
				kv.KeyQuery, kv.KeyString = text(kv.KeyString.Str), nil
			}
		}
		return
	}
	o.build(staticKeys(n))
}

// staticKeys gives the keys of an object none of which is computed.
func staticKeys(n *gojq.Object) []string {
	var keys []string
	for _, kv := range n.KeyVals {
		if kv.Key != "" {
			keys = append(keys, strings.TrimPrefix(kv.Key, "$"))
		} else {
			keys = append(keys, kv.KeyString.Str)
		}
	}
	return keys
}

// lead makes {a: 1} + x and {a: 1} * x begin with a.
func (o *order) lead(q *gojq.Query) {
	if q.Op != gojq.OpAdd && q.Op != gojq.OpMul || q.Left.Term == nil || q.Left.Term.Type != gojq.TermTypeObject || len(q.Left.Term.SuffixList) > 0 {
		return
	}
	object := q.Left.Term.Object
	if o.leads[object] || slices.ContainsFunc(object.KeyVals, computed) {
		return
	}
	o.leads[object] = true // The sum is met again below what it becomes here.
	var keys []*gojq.Query
	for _, key := range staticKeys(object) {
		keys = append(keys, text(key))
	}
	sum := *q
	lead := call("_lead")
	lead.Term.Func.Args = []*gojq.Query{{Term: &gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: list(keys)}}}}
	*q = *piped(&sum, lead)
}

func computed(kv *gojq.ObjectKeyVal) bool {
	return kv.KeyQuery != nil || kv.KeyString != nil && kv.KeyString.Queries != nil
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
