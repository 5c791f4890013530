package limit

import (
	"fmt"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// A breaker opens after breakAfter failures within breakWithin. While it is open fresh
// attempts are refused, but for a probe once breakFor has passed; others go on as ever.
// Whatever succeeds closes it.
const (
	breakAfter  = 5
	breakWithin = time.Minute
	breakFor    = time.Minute
)

// breaker keeps how a model fails.
type breaker struct {
	failed []time.Time // the newest, at most breakAfter
	open   time.Time   // since when, or since it failed again; zero: it is closed
	probe  ticketKey   // that may go; zero: none does
}

// spare gives why a fresh attempt does not go; nil: it goes, maybe as the probe.
func (s *state) spare(t *ticket, now time.Time) *model.Error {
	b := s.breakers[t.Model]
	if !t.Fresh || b == nil || b.open.IsZero() {
		return nil
	}
	if b.probe == (ticketKey{}) && now.Sub(b.open) >= breakFor {
		b.probe = t.key()
		return nil
	}
	return broken(t.Model)
}

func broken(name string) *model.Error {
	return &model.Error{Class: model.ClassOverload, Code: "model.breaker_open",
		Detail: fmt.Sprintf("%d requests to %s failed within %s, so it is not begun with now", breakAfter, name, breakWithin)}
}

func (s *state) isOpen(name string) bool {
	b := s.breakers[name]
	return b != nil && !b.open.IsZero()
}

// probes says whether an attempt is the probe of its model.
func (s *state) probes(t *ticket) bool {
	b := s.breakers[t.Model]
	return b != nil && b.probe == t.key()
}

// refuse takes out who waits and matches, and gives them. A probe among them is none any more.
func (s *state) refuse(match func(*ticket) bool) []*ticket {
	out := s.queue.remove(match)
	for _, t := range out {
		s.unprobe(t.key())
	}
	return out
}

// unprobe forgets a probe that was given up.
func (s *state) unprobe(k ticketKey) {
	for _, b := range s.breakers { // at most one has it
		if b.probe == k {
			b.probe = ticketKey{}
		}
	}
}

// judge takes in how an attempt ended.
func (s *state) judge(t *ticket, c model.Class, now time.Time) {
	s.unprobe(t.key())
	b := s.breakers[t.Model]
	switch c {
	case "":
		if b != nil && !b.open.IsZero() {
			delete(s.breakers, t.Model)
		}
		return
	case model.ClassOverload, model.ClassTransient:
	default:
		return
	}
	if b == nil {
		b = new(breaker)
		if s.breakers == nil {
			s.breakers = make(map[string]*breaker)
		}
		s.breakers[t.Model] = b
	}
	if len(b.failed) == breakAfter {
		b.failed = append(b.failed[:0], b.failed[1:]...)
	}
	b.failed = append(b.failed, now)
	if !b.open.IsZero() || len(b.failed) == breakAfter && now.Sub(b.failed[0]) < breakWithin {
		b.open = now
	}
}
