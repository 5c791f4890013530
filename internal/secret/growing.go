package secret

import (
	"sync"
	"sync/atomic"
)

// Growing is a set that values come into while it is used, such as a key that its file has
// changed to. The zero value is empty. It is safe for concurrent use.
type Growing struct {
	mu  sync.Mutex // of who adds
	all Set
	now atomic.Pointer[matcher] // of all; nil: it is empty
}

// Add takes in the values of a set, as [Set.With] does.
func (g *Growing) Add(s Set) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all = g.all.With(s)
	g.now.Store(g.all.of())
}

// Set gives a set that has whatever came in, before and after.
func (g *Growing) Set() Set {
	none := new(matcher)
	return Set{func() *matcher {
		if m := g.now.Load(); m != nil {
			return m
		}
		return none
	}}
}
