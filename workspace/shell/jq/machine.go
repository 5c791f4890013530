package jq

import (
	"context"
	"errors"
)

// maxCalls is how deep functions may call each other where the call is not the last thing
// that they do.
const maxCalls = 20_000

// stackOfCall is about how much stack one such call takes, and a worker gives all of them a
// quarter of the memory of the call.
const stackOfCall = 4 << 10

// callsWithin gives how deep functions may call each other with so much memory.
func callsWithin(memory int64) int { return int(min(maxCalls, max(200, memory/4/stackOfCall))) }

// maxItems is how many elements one array may have that a query collects.
const maxItems = 50_000_000

// machine is what the parts of a running query share.
type machine struct {
	calls int // bound of depth
	ctx   context.Context
	host  *run
	steps uint
	depth int

	next    pending // what errTail asks to be run
	regexes map[regexKey]*regexEntry
}

// pending is a call that is the last thing its function does: it is made when the function
// has returned, so that a loop by recursion needs no stack.
type pending struct {
	body node
	home *frame
	v    any
	p    *trail
}

// Errors between nodes; none of them reaches a handler of the query.
var (
	errTail = errors.New("call pending") // only from a node in the last position
	errStop = errors.New("enough")       // who gave it to the source knows
)

// tick counts a step and now and then asks whether the call has ended.
func (m *machine) tick() error {
	if m.steps++; m.steps&0x3ff == 0 {
		return m.ctx.Err()
	}
	return nil
}

func (m *machine) grown(n int) error {
	if n&0x3ff == 0 {
		if n > maxItems {
			return words("the array has too many elements")
		}
		return m.ctx.Err()
	}
	return nil
}

// call runs the body of a function, and what it ends in.
func (m *machine) call(body node, home *frame, v any, p *trail, out yield) error {
	if m.depth++; m.depth > m.calls {
		m.depth--
		return words("functions call each other too deep")
	}
	err := body.run(home, v, p, out)
	for err == errTail {
		if err = m.tick(); err != nil {
			break
		}
		next := m.next
		m.next = pending{}
		err = next.body.run(next.home, next.v, next.p, out)
	}
	m.depth--
	if err == nil {
		err = m.tick()
	}
	return err
}

// nest counts a step into the depth for what calls itself without a function of the query.
func (m *machine) nest() error {
	if m.depth++; m.depth > m.calls {
		m.depth--
		return words("functions call each other too deep")
	}
	if err := m.tick(); err != nil {
		m.depth--
		return err
	}
	return nil
}

func (m *machine) unnest() { m.depth-- }
