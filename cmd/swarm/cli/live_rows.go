package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// States of agents, in the order in which a summary names them.
var liveOrder = []string{"running", "waiting_children", "waiting_slot", "waiting_human", "closing", "queued", "resting",
	"completed", "partial", "failed", "cancelled", "unknown", "transferred"}

// state gives the state of an agent.
func (s *liveState) state(a *liveAgent) string {
	switch {
	case a.ended:
		return a.outcome
	case !a.started:
		return "queued"
	case s.rests:
		return "resting"
	case a.closing:
		return "closing"
	case a.cause != "":
		return "waiting_" + a.cause
	case a.waits():
		return "waiting_children"
	case a.lent && len(a.open) == 0:
		return "waiting_slot"
	}
	return "running"
}

// waits says whether an agent only waits for its children.
func (a *liveAgent) waits() bool {
	return len(a.open) > 0 && !slices.ContainsFunc(a.open, func(c liveCall) bool { return !c.await })
}

// awaited gives the names of those that an agent waits for.
func (s *liveState) awaited(a *liveAgent) []string {
	var names []string
	add := func(b *liveAgent) {
		if b != nil && !b.ended && !slices.Contains(names, b.name) {
			names = append(names, b.name)
		}
	}
	for i := range a.open {
		switch c := &a.open[i]; {
		case !c.await:
		case c.awaits != nil:
			for _, id := range c.awaits {
				add(s.byTask[id])
			}
		default:
			for _, b := range a.below {
				if !b.delivered {
					add(b)
				}
			}
		}
	}
	return names
}

// doing says what an agent does, what it waits for, or why it has ended so.
func (s *liveState) doing(a *liveAgent, now time.Time) string {
	since := func(t time.Time) string {
		if d := lasted(now.Sub(t)); d != "" {
			return " " + d
		}
		return ""
	}
	switch {
	case a.ended:
		return a.why
	case s.rests || a.presentation == "quiet":
		return ""
	case !a.started:
		if i := slices.Index(a.parent.queue, a); i >= 0 {
			return fmt.Sprintf("place %d of %d in the queue", i+1, len(a.parent.queue))
		}
		return ""
	case a.waits():
		return "for " + strings.Join(s.awaited(a), ", ")
	case a.model != "" && a.limiter != "":
		return "waits to ask " + a.model + ", " + a.limiter
	case a.model != "" && a.attempt > 1:
		return fmt.Sprintf("asks %s, attempt %d%s", a.model, a.attempt, since(a.asks))
	case a.model != "":
		return "asks " + a.model + since(a.asks)
	case len(a.open) > 1:
		return fmt.Sprintf("%s%s and %s", a.open[0].name, since(a.open[0].since), count(len(a.open)-1, "more call"))
	case len(a.open) == 1:
		return a.open[0].name + since(a.open[0].since)
	}
	return ""
}

// choice is which agents a view shows, and how much of their texts.
type choice struct {
	shown map[*liveAgent]bool
	texts map[*liveAgent]int // rows
	room  int
	rest  bool // a row says how many more there are
}

// choose picks what is shown in n rows: those at work, then what they write, then queued
// agents, then those that ended last. Who is shown has all above it shown too.
func (s *liveState) choose(n int) *choice {
	c := &choice{shown: map[*liveAgent]bool{}, texts: map[*liveAgent]int{}, room: n}
	if len(s.all) > n {
		c.room, c.rest = n-1, true
	}
	var writing []*liveAgent
	full := false
	for _, a := range s.all {
		if a.ended || !a.started || full {
			continue
		}
		if full = !c.show(a); !full && a.text != "" {
			writing = append(writing, a)
		}
	}
	spare, most := c.room, 1 // a second row of a text comes after the other agents
	if !c.rest {
		spare, most = n-len(s.all), textRows
	}
	for range most {
		for _, a := range writing {
			if spare > 0 {
				c.texts[a]++
				spare--
				c.room--
			}
		}
	}
	for _, a := range s.all {
		if !a.started && !c.show(a) {
			break
		}
	}
	for _, a := range slices.Backward(s.ended) {
		if !c.show(a) {
			break
		}
	}
	return c
}

const textRows = 3 // of the text of one agent

// show adds an agent and those above it, if there is room.
func (c *choice) show(a *liveAgent) bool {
	n := 0
	for b := a; b != nil && !c.shown[b]; b = b.parent {
		n++
	}
	if n > c.room {
		return false
	}
	for b := a; b != nil && !c.shown[b]; b = b.parent {
		c.shown[b] = true
	}
	c.room -= n
	return true
}

// summary counts those that are not shown, by state.
func (s *liveState) summary(c *choice) string {
	n := map[string]int{}
	for _, a := range s.all {
		if !c.shown[a] {
			n[s.state(a)]++
		}
	}
	var parts []string
	for _, word := range liveOrder {
		if n[word] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[word], word))
		}
	}
	return fmt.Sprintf("… and %d more: %s", len(s.all)-len(c.shown), strings.Join(parts, ", "))
}
