package actors

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// KindStatus is what there is of one kind of actors now, and what has happened to them
// since the system was made.
type KindStatus struct {
	Kind        string
	Live        int           // that have not ended, leaked ones included
	Mailbox     int64         // messages queued, of the actor that has most
	Age         time.Duration // how long mail has waited while one message was in hand, of the worst actor
	Restarts    int64
	Escalations int64 // of these as supervisors
	Failures    int64
}

// Count is what a [Census] finds.
type Count struct {
	Kinds         []KindStatus // sorted by kind; those that an earlier count has found are listed also when none lives
	LeakedEffects int          // that have not returned so far
}

// Census counts actors by kind, without asking any. Ages are known from one count to the
// next: an actor that has handled nothing since the one before, and had mail then, has
// been at its message at least since then. Make one with [System.Census]; it is safe for
// concurrent use.
type Census struct {
	sys  *System
	mu   sync.Mutex
	busy map[*host]at
}

// at is where an actor was seen.
type at struct {
	handled uint32
	since   time.Time
}

// Census gives a census that has not counted yet.
func (s *System) Census() *Census { return &Census{sys: s} }

// Take counts. It takes about 0.1 µs for each actor.
func (c *Census) Take() Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.sys.clock.Now()
	busy := map[*host]at{}
	kinds := map[string]*KindStatus{}
	of := func(kind string) *KindStatus {
		k := kinds[kind]
		if k == nil {
			k = &KindStatus{Kind: kind}
			kinds[kind] = k
		}
		return k
	}
	c.sys.visit(func(h *host, _ bool) {
		if h.parent == nil {
			return
		}
		k := of(h.spec.Kind)
		k.Live++
		queued := int64(h.mb.UserMessageCount()) + int64(h.kept.Load())
		if queued <= 0 {
			return
		}
		k.Mailbox = max(k.Mailbox, queued)
		seen := at{h.handled.Load(), now}
		if before, ok := c.busy[h]; ok && before.handled == seen.handled {
			seen.since = before.since
		}
		busy[h] = seen
		k.Age = max(k.Age, now.Sub(seen.since))
	})
	c.busy = busy
	for kind := range kinds {
		c.sys.count.kind(kind) // it is listed from now on
	}
	c.sys.count.kinds.Range(func(kind, v any) bool {
		n, k := v.(*kindCounts), of(kind.(string))
		k.Restarts, k.Escalations, k.Failures = n.restarts.Load(), n.escalations.Load(), n.failures.Load()
		return true
	})
	var out Count
	for _, k := range kinds {
		out.Kinds = append(out.Kinds, *k)
	}
	slices.SortFunc(out.Kinds, func(a, b KindStatus) int { return strings.Compare(a.Kind, b.Kind) })
	c.sys.mu.Lock()
	out.LeakedEffects = len(c.sys.leakedEffects)
	c.sys.mu.Unlock()
	return out
}
