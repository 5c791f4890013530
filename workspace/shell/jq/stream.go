package jq

import "io"

// streamer gives the events of --stream: [path, leaf] for each value that has none below
// it, and [path] when an array or object that is not empty ends. Events are given while
// the text is read, in its order.
type streamer struct {
	d     *decoder
	path  []any // of string and int
	open  []level
	fresh bool // the next thing is a value, not a separator
}

// level is an array or an object that is open.
type level struct{ object bool }

func newStreamer(d *decoder) *streamer { return &streamer{d: d} }

func (s *streamer) line() int { return s.d.line() }

// next gives the next event, or io.EOF.
func (s *streamer) next() (any, error) {
	for {
		if len(s.open) == 0 {
			if _, ok := s.d.space(); !ok {
				if s.d.err == io.EOF {
					return nil, io.EOF
				}
				return nil, s.d.err
			}
			return s.value()
		}
		event, err := s.step()
		if event != nil || err != nil {
			return event, err
		}
	}
}

// value reads what begins here; an array or object that has elements gives no event yet.
func (s *streamer) value() (any, error) {
	c, ok := s.d.space()
	if !ok {
		return nil, s.d.fail("Unfinished JSON term")
	}
	if c != '[' && c != '{' {
		v, err := s.d.value(0)
		if err != nil {
			return nil, err
		}
		return newArray(s.at(len(s.path)), v), nil
	}
	s.d.pos++
	closing, empty := byte(']'), any(&array{})
	if c == '{' {
		closing, empty = '}', &object{}
	}
	if next, ok := s.d.space(); ok && next == closing {
		s.d.pos++
		return newArray(s.at(len(s.path)), empty), nil
	}
	if len(s.open) >= maxDepth {
		return nil, s.d.fail("Exceeds depth limit for parsing")
	}
	s.open = append(s.open, level{c == '{'})
	s.path = append(s.path, nil)
	s.fresh = true
	return s.step()
}

// step reads the next element of the innermost array or object, or its end.
func (s *streamer) step() (any, error) {
	top := len(s.open) - 1
	closing := byte(']')
	if s.open[top].object {
		closing = '}'
	}
	if !s.fresh {
		end, err := s.d.separator(closing, "Expected separator between values")
		if err != nil {
			return nil, err
		}
		if end {
			event := newArray(s.at(len(s.path)))
			s.path, s.open = s.path[:top], s.open[:top]
			return event, nil
		}
	}
	fresh := s.fresh
	s.fresh = false
	if s.open[top].object {
		key, err := s.d.key("")
		if err != nil {
			return nil, err
		}
		s.path[top] = key
		return s.value()
	}
	if c, ok := s.d.space(); ok && (c == ']' || c == ',') {
		return nil, s.d.fail("Expected another array element")
	}
	if fresh {
		s.path[top] = 0
	} else {
		s.path[top] = s.path[top].(int) + 1
	}
	return s.value()
}

func (s *streamer) at(n int) *array { return &array{items: append([]any{}, s.path[:n]...)} }
