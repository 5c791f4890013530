package replay

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Mismatch tells how a request differs from what is recorded. Without a Line there is
// nothing to compare it with, and Pointer, Recorded and Now are empty.
type Mismatch struct {
	File     string
	Key      Key    // of the request
	Line     int    // of the interaction that it was compared with; 0: none
	Pointer  string // JSON pointer into the body, of the first difference; "" is all of it
	Recorded string // what stands there in the cassette, at most 200 characters
	Now      string // what stands there in the request, at most 200 characters
	Further  int    // differences
	Nearest  Key    // the interaction that is most like the request
	At       int    // its line; 0: none

	same  bool // nearest is the very request
	known bool // there is an interaction of the key
}

// Error implements error.
func (m *Mismatch) Error() string {
	var b strings.Builder
	what := "nothing is recorded"
	if m.known {
		what = "the request is not the recorded one"
	}
	fmt.Fprintf(&b, "%s: %s in %s", m.Key, what, m.File)
	if m.Line != 0 {
		place := m.Pointer
		if place == "" {
			place = "the whole"
		}
		fmt.Fprintf(&b, "; compared with line %d, the first difference is at %s: recorded %s, now %s", m.Line, place, m.Recorded, m.Now)
		if m.Further > 0 {
			fmt.Fprintf(&b, ", and %d further", m.Further)
		}
	}
	switch {
	case m.same:
		fmt.Fprintf(&b, "; %s (line %d) is this very request", m.Nearest, m.At)
	case m.At != 0:
		fmt.Fprintf(&b, "; nearest is %s (line %d)", m.Nearest, m.At)
	}
	return b.String() + "; record it again, or list what may change in normalise"
}

// maxCompared bounds how many interactions of one key are compared.
const maxCompared = 8

// mismatch is the error of a request that is not recorded.
func (p *Player) mismatch(key Key, now *question) error {
	m := &Mismatch{File: p.name, Key: key, known: len(p.byKey[key]) > 0}
	candidates := p.byKey[key]
	same, near := p.nearest(key, now)
	if !m.known && near != nil {
		candidates = []*entry{near}
	}
	var least *difference
	for _, e := range candidates[:min(len(candidates), maxCompared)] {
		x, err := p.load(e)
		if err != nil {
			continue // it is a mismatch all the same
		}
		if d := compare(p.normal.question(x.Request, x.Run), now); least == nil || d.count < least.count {
			least, near = &d, e
		}
	}
	if least != nil {
		m.Line, m.Pointer, m.Recorded, m.Now, m.Further = near.line, least.pointer, least.recorded, least.now, least.count-1
	}
	if same != nil {
		near, m.same = same, true
	}
	if near != nil {
		m.Nearest, m.At = near.Key, near.line
	}
	return &model.Error{Class: model.ClassPermanent, Code: "replay.mismatch", Detail: m.Error(), Cause: m}
}

// nearest gives the same request at another place, if there is one, and else the nearest
// request of the same invocation.
func (p *Player) nearest(key Key, now *question) (same, near *entry) {
	hash := now.hash()
	least := 0
	for _, e := range p.entries {
		if e.hash == hash {
			return e, nil
		}
		if e.Path != key.Path {
			continue
		}
		far := 1000*distance(e.Turn, key.Turn) + 10*distance(e.Attempt, key.Attempt) + distance(e.Part, key.Part)
		if near == nil || far < least {
			near, least = e, far
		}
	}
	return nil, near
}

func distance(a, b int) int { return max(a-b, b-a) }
