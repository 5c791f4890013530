package actors

import "time"

// A gate admits holders to one key: readers together, a writer alone, first come first
// served. A reader behind a waiting writer waits, so no writer starves and a read sees the
// write before it. There is no upgrade: a reader releases first. Who needs several keys
// takes them in sorted order.
//
// The gate watches holders and those that wait; the death of one releases its leases and
// takes it out of the queue. A lease is named by holder and tag.

// GateMode says how a lease shares its key.
type GateMode uint8

const (
	Read  GateMode = iota // with other readers
	Write                 // alone
)

// Acquire asks a gate for a lease; it is told to the gate. Holder is told [Granted] with
// the tag once it holds it. An Acquire whose (Holder, Tag) holds a lease already is
// answered with the same Granted again; one that waits already is ignored.
type Acquire struct {
	Holder Ref
	Tag    string
	Mode   GateMode
}

// Granted tells a holder that it has the lease. Order rises with each grant of the gate.
type Granted struct {
	Gate  Ref
	Tag   string
	Order uint64
}

// Closed tells a writer that waits, or arrives, that the key is closed to writers until
// By is reconciled. It keeps its place in the queue and may give it up with [Release]. It
// is told once for each closing of the key.
type Closed struct {
	Gate Ref
	Tag  string
	By   string
}

// Release gives a lease back, or takes a waiting entry out of the queue. It is ignored
// when there is neither.
type Release struct {
	Holder Ref
	Tag    string
}

// Seal gives a writer's lease back whose outcome is unknown: the key stays closed to
// writers, naming By, until [Unseal]. Readers pass, also ahead of waiting writers. It
// closes the key also when the lease has gone already.
type Seal struct {
	Holder Ref
	Tag    string
	By     string
}

// Unseal takes a Seal back. The key opens when all have been taken back.
type Unseal struct{ By string }

// GateWatch hears what happens at a gate, from within its actor: it must not block.
type GateWatch interface {
	// Queued tells that so many entries more wait, or less when by is negative. What a
	// gate that ends leaves in its queue is not told.
	Queued(mode GateMode, by int)
	// Granted tells how long a holder has waited for its lease.
	Granted(mode GateMode, wait time.Duration)
}

// GateSpec is the spec of a gate for one key.
func GateSpec(name string) Spec { return WatchedGateSpec(name, nil) }

// WatchedGateSpec is [GateSpec] with somebody who hears of it; nil: nobody.
func WatchedGateSpec(name string, watch GateWatch) Spec {
	return Spec{Name: name, Kind: "gate", Life: Permanent, New: func() Actor { return &gate{watch: watch} }}
}

type lease struct {
	Acquire
	order      uint64    // of the grant; 0: waits
	since      time.Time // when it began to wait; zero: it did not, or nobody wants to know
	told       bool      // of the present closing
	prev, next *lease    // in the queue
}

type gateKey struct {
	holder Ref
	tag    string
}

type gate struct {
	watch       GateWatch // may be nil
	first, last *lease    // wait, in order of arrival
	leases      map[gateKey]*lease
	holders     map[Ref][]*lease // in order of arrival
	readers     int              // that hold
	writer      bool             // holds
	seals       []string
	order       uint64
}

var _ Actor = (*gate)(nil)

// Receive is told the messages above.
func (g *gate) Receive(c *Context, msg any) {
	switch m := msg.(type) {
	case Started:
		g.leases, g.holders = map[gateKey]*lease{}, map[Ref][]*lease{}
	case Acquire:
		g.acquire(c, m)
	case Release:
		g.drop(g.leases[gateKey{m.Holder, m.Tag}])
		g.grant(c)
	case Terminated:
		for _, l := range g.holders[m.Ref] {
			g.remove(l)
		}
		delete(g.holders, m.Ref)
		g.grant(c)
	case Seal:
		g.seal(c, m)
	case Unseal:
		g.unseal(c, m.By)
	}
}

func (g *gate) acquire(c *Context, m Acquire) {
	if m.Holder.IsZero() {
		return // nobody could release it
	}
	key := gateKey{m.Holder, m.Tag}
	if l := g.leases[key]; l != nil {
		if l.order > 0 {
			c.Tell(m.Holder, Granted{c.Self(), m.Tag, l.order})
		}
		return
	}
	l := &lease{Acquire: m}
	g.leases[key] = l
	if len(g.holders[m.Holder]) == 0 {
		c.Watch(m.Holder)
	}
	g.holders[m.Holder] = append(g.holders[m.Holder], l)
	if l.prev = g.last; g.last == nil {
		g.first = l
	} else {
		g.last.next = l
	}
	g.last = l
	g.grant(c)
	if g.watch != nil && l.order == 0 {
		l.since = c.Now()
		g.watch.Queued(l.Mode, 1)
	}
	if m.Mode == Write {
		g.tellClosed(c, l)
	}
}

// grant admits from the front of the queue as long as it can.
func (g *gate) grant(c *Context) {
	sealed := len(g.seals) > 0
	for l := g.first; l != nil && !g.writer; {
		next := l.next
		switch {
		case l.Mode == Read:
			g.readers++
			g.admit(c, l)
		case sealed: // readers pass it
		case g.readers == 0:
			g.writer = true
			g.admit(c, l)
			return
		default:
			return
		}
		l = next
	}
}

func (g *gate) admit(c *Context, l *lease) {
	g.unqueue(l)
	g.order++
	l.order = g.order
	if g.watch != nil {
		wait := time.Duration(0)
		if !l.since.IsZero() {
			wait = c.Now().Sub(l.since)
		}
		g.watch.Granted(l.Mode, wait)
	}
	c.Tell(l.Holder, Granted{c.Self(), l.Tag, l.order})
}

// drop ends a lease or a waiting entry; nil is ignored.
func (g *gate) drop(l *lease) {
	if l == nil {
		return
	}
	g.remove(l)
	of := g.holders[l.Holder]
	for i, x := range of {
		if x == l {
			of = append(of[:i], of[i+1:]...)
			break
		}
	}
	if len(of) == 0 {
		delete(g.holders, l.Holder)
		return
	}
	g.holders[l.Holder] = of
}

// remove is drop without the index by holder.
func (g *gate) remove(l *lease) {
	delete(g.leases, gateKey{l.Holder, l.Tag})
	switch {
	case l.order == 0:
		g.unqueue(l)
	case l.Mode == Write:
		g.writer = false
	default:
		g.readers--
	}
}

func (g *gate) unqueue(l *lease) {
	if !l.since.IsZero() {
		g.watch.Queued(l.Mode, -1)
	}
	if l.prev == nil {
		g.first = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next == nil {
		g.last = l.prev
	} else {
		l.next.prev = l.prev
	}
	l.prev, l.next = nil, nil
}

func (g *gate) seal(c *Context, m Seal) {
	g.seals = append(g.seals, m.By)
	g.drop(g.leases[gateKey{m.Holder, m.Tag}])
	g.grant(c)
	for l := g.first; l != nil; l = l.next {
		if l.Mode == Write {
			g.tellClosed(c, l)
		}
	}
}

func (g *gate) tellClosed(c *Context, l *lease) {
	if len(g.seals) == 0 || l.told {
		return
	}
	l.told = true
	c.Tell(l.Holder, Closed{c.Self(), l.Tag, g.seals[0]})
}

func (g *gate) unseal(c *Context, by string) {
	for i, s := range g.seals {
		if s != by {
			continue
		}
		if g.seals = append(g.seals[:i], g.seals[i+1:]...); len(g.seals) == 0 {
			for l := g.first; l != nil; l = l.next {
				l.told = false
			}
			g.grant(c)
		}
		return
	}
}
