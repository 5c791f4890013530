package workspace

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Span is a part of a text in characters: Start inclusive, End exclusive.
type Span struct{ Start, End int }

// FileRead is what an invocation has seen of one file.
type FileRead struct {
	Hash      string // of the content that was seen
	Full      bool   // all of it
	NeedsFull bool   // a patch failed while it was partly read: a full read is needed next
	Fragments []Span // what was seen when not Full: sorted, apart from each other
}

// ReadState is what one invocation has seen of files. It is an immutable fold of the
// observations of its settled calls. Keys are paths of the run workspace, or
// "<mount>:<path>". The zero value is empty.
type ReadState struct{ files map[string]FileRead }

// Get gives what was seen of a file.
func (s ReadState) Get(path string) (FileRead, bool) {
	r, ok := s.files[path]
	return r, ok
}

// With gives the state after more observations, in their order.
func (s ReadState) With(obs []journal.Observed) ReadState {
	if len(obs) == 0 {
		return s
	}
	files := maps.Clone(s.files)
	if files == nil {
		files = make(map[string]FileRead, len(obs))
	}
	for _, o := range obs {
		r, known := files[o.Path]
		if o.Failed && !known {
			continue
		}
		files[o.Path] = r.with(o)
	}
	return ReadState{files}
}

func (r FileRead) with(o journal.Observed) FileRead {
	switch {
	case o.Failed:
		r.NeedsFull = !r.Full
	case o.Full:
		return FileRead{Hash: o.Hash, Full: true}
	case o.Hash != r.Hash:
		return FileRead{Hash: o.Hash, NeedsFull: r.NeedsFull, Fragments: join(nil, Span{o.Start, o.End})}
	case !r.Full:
		r.Fragments = join(r.Fragments, Span{o.Start, o.End})
	}
	return r
}

// covers says whether all characters of a text were seen.
func (r FileRead) covers(chars int) bool {
	return r.Full || chars == 0 || len(r.Fragments) == 1 && r.Fragments[0].Start <= 0 && r.Fragments[0].End >= chars
}

// holds says whether one fragment holds all of a span.
func (r FileRead) holds(s Span) bool {
	return r.Full || slices.ContainsFunc(r.Fragments, func(f Span) bool { return f.Start <= s.Start && s.End <= f.End })
}

// join adds spans to sorted, separate ones; adjacent ones become one. Empty ones vanish.
func join(spans []Span, more ...Span) []Span {
	all := slices.DeleteFunc(slices.Concat(spans, more), func(s Span) bool { return s.Start >= s.End })
	slices.SortFunc(all, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && s.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return slices.Clip(out)
}

// observe gives the observations that say that spans of a text were seen at a hash.
func observe(key, hash string, spans []Span) []journal.Observed {
	if len(spans) == 0 {
		return []journal.Observed{{Path: key, Hash: hash}}
	}
	out := make([]journal.Observed, 0, len(spans))
	for _, s := range spans {
		out = append(out, journal.Observed{Path: key, Hash: hash, Start: s.Start, End: s.End})
	}
	return out
}

func observeFull(key, hash string) []journal.Observed {
	return []journal.Observed{{Path: key, Hash: hash, Full: true}}
}
