package journal

import (
	"reflect"
	"slices"
)

// maxPage bounds a read that is narrowed in any way but by To alone.
const maxPage = 10_000

// bounds gives the first seq, the last one and how many records the answer may have.
func (q *Query) bounds() (from, to int64, limit int) {
	const open = int64(1) << 62
	from, to, limit = max(q.From, 1), q.To, int(open)
	if to <= 0 {
		to = open
	}
	if q.From > 0 || q.Limit > 0 || q.filters() || q.NoBlobs {
		limit = maxPage
		if q.Limit > 0 {
			limit = min(q.Limit, maxPage)
		}
	}
	return from, to, limit
}

func (q *Query) filters() bool { return q.Invocation != "" || q.Task != "" || len(q.Types) > 0 }

// matches tells whether a record of this scope and type is wanted.
func (q *Query) matches(s *Scope, t Type) bool {
	return (q.Invocation == "" || s.Invocation == q.Invocation) &&
		(q.Task == "" || s.Task == q.Task) &&
		(len(q.Types) == 0 || slices.Contains(q.Types, t))
}

// withoutText gives a record whose blobs are references only; r itself is not changed.
func withoutText(r Record) Record {
	carrier, ok := r.Payload.(Carrier)
	if !ok {
		return r
	}
	if !slices.ContainsFunc(carrier.Contents(), func(c *Content) bool { return c.Hash != "" && c.Text != "" }) {
		return r
	}
	copied := reflect.New(reflect.TypeOf(r.Payload).Elem())
	copied.Elem().Set(reflect.ValueOf(r.Payload).Elem())
	p := copied.Interface().(Payload)
	for _, c := range p.(Carrier).Contents() {
		if c.Hash != "" {
			c.Text = ""
		}
	}
	if r.isKept() {
		r.kept = &kept{payload: p, raw: r.kept.raw}
	}
	r.Payload = p
	return r
}
