package openai

import (
	"bytes"
	"encoding/json"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Bounds of one answer (models spec §5, D24).
const (
	maxCalls     = 128
	maxArguments = 4 << 20 // bytes, of all calls together
)

// slot is a call that is coming in pieces.
type slot struct {
	index  wire.Index
	id     string
	name   string
	args   wire.Joined     // the pieces that came as text
	value  json.RawMessage // arguments that came as one JSON value and not as text
	texted bool            // a piece of text came, even an empty one
}

// piece is one delta of a call.
type piece struct {
	index wire.Index
	id    string
	name  string
	args  json.RawMessage
}

// empty says whether a piece has nothing that could begin a call.
func (c piece) empty() bool {
	return c.id == "" && c.name == "" && (wire.None(c.args) || string(c.args) == `""`)
}

// slots puts calls together. A piece goes to the slot of its index when the id agrees; a
// new id opens a new slot, also at a used index; without an index a piece goes to the
// slot of its id, else to the last one; a name where arguments are complete already
// begins a new call. Slots keep the order in which they appeared.
type slots struct {
	all  []*slot
	size int
}

// add takes a piece and gives the position of its slot, -1 when there was nothing in it.
func (s *slots) add(c piece, whole bool) (int, error) {
	at := -1
	if !whole {
		at = s.find(c)
	}
	if at < 0 {
		if c.empty() {
			return -1, nil
		}
		if len(s.all) == maxCalls {
			return -1, wire.TooLarge("more than 128 calls")
		}
		at = len(s.all)
		s.all = append(s.all, &slot{index: c.index})
	}
	sl := s.all[at]
	if sl.id == "" {
		sl.id = c.id
	}
	if c.name != "" && c.name != sl.name {
		sl.name += c.name
	}
	s.size += len(c.args)
	if s.size > maxArguments || len(sl.name) > 4096 {
		return at, wire.TooLarge("arguments above 4 MiB")
	}
	sl.add(c.args)
	return at, nil
}

// find gives the slot that a piece belongs to, -1 for a new one.
func (s *slots) find(c piece) int {
	at := -1
	for i := len(s.all) - 1; i >= 0 && at < 0; i-- {
		sl := s.all[i]
		switch {
		case c.index.Set && sl.index != c.index:
		case c.id != "" && sl.id != "" && sl.id != c.id:
		case c.id != "" && sl.id == "" && !c.index.Set:
		default:
			at = i
		}
	}
	if at >= 0 && s.all[at].endedBefore(c) {
		return -1
	}
	return at
}

// endedBefore says whether a piece with a name begins another call than the one of the
// slot, whose arguments are complete. A server that repeats the name at a call's own
// index, or id, without new arguments only repeats it.
func (sl *slot) endedBefore(c piece) bool {
	if c.name == "" || !sl.complete() {
		return false
	}
	repeats := c.name == sl.name && (wire.None(c.args) || string(c.args) == `""`)
	return !repeats || c.id == "" && !c.index.Set || c.id != "" && sl.id == ""
}

// complete says whether the arguments so far are one JSON value.
func (sl *slot) complete() bool {
	if sl.value != nil {
		return true
	}
	raw := bytes.TrimRight(sl.args.Raw(), " ")
	if len(raw) == 0 || raw[len(raw)-1] != '}' {
		return false
	}
	return json.Valid([]byte(sl.args.Text()))
}

// add takes a piece of arguments.
func (sl *slot) add(raw json.RawMessage) {
	switch {
	case wire.None(raw):
	case raw[0] == '"':
		if len(raw) > 2 && sl.value != nil {
			sl.spill()
		}
		sl.args.Add(raw)
		sl.texted = true
	case sl.value == nil && len(sl.args.Raw()) == 0:
		sl.value = append(json.RawMessage(nil), raw...)
	default: // a second value: all of it is kept, as a text that is no JSON
		sl.spill()
		text, _ := json.Marshal(string(raw))
		sl.args.Add(text)
	}
}

// spill makes a value that came whole the beginning of a text.
func (sl *slot) spill() {
	if sl.value == nil {
		return
	}
	text, _ := json.Marshal(string(sl.value))
	sl.args.Prepend(text)
	sl.value, sl.texted = nil, true
}

// call gives the call as it arrived.
func (sl *slot) call() model.AnswerCall {
	c := model.AnswerCall{ProviderID: sl.id, Name: sl.name}
	switch {
	case sl.value != nil:
		c.Args = sl.value
	case sl.texted:
		c.Args = sl.args.JSON()
	}
	return c
}
