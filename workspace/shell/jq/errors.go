package jq

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// words is an error in the words of jq, which begin as jq has them.
type words string

func (w words) Error() string { return string(w) }

func worded(format string, args ...any) error { return words(fmt.Sprintf(format, args...)) }

// thrown is the error that a query makes with error: any value.
type thrown struct{ value any }

func (t *thrown) Error() string { return textOf(t.value) }

// halted ends the program.
type halted struct {
	code   int
	value  any
	silent bool
}

func (h *halted) Error() string { return "halt" }

// broken is the way back to a label.
type broken struct{ name string }

func (b *broken) Error() string { return "break" }

// caught gives what a handler sees of an error; false when it is not for handlers.
func caught(err error) (any, bool) {
	if t, ok := errors.AsType[*thrown](err); ok {
		return t.value, true
	}
	if w, ok := errors.AsType[words](err); ok {
		return string(w), true
	}
	return nil, false
}

// The room that a value has in a message, in bytes.
const (
	roomShort = 14
	roomLong  = 29
)

// shown gives a value as messages do: its JSON, cut when there is no room.
func shown(v any, room int) string {
	b := (&style{most: room + 1}).appendValue(nil, v)
	if len(b) <= room {
		return string(b)
	}
	b = b[:room-3]
	for len(b) > 0 {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return string(b) + "..."
}

// described gives a value as messages show it: "number (1)".
func described(v any) string { return typeOf(v) + " (" + shown(v, roomShort) + ")" }

// one is an error about a value, both one about two.
func one(v any, what string) error { return words(described(v) + " " + what) }

func both(a, b any, what string) error {
	return words(described(a) + " and " + described(b) + " " + what)
}

func notIndexed(v, key any) error {
	if s, ok := key.(string); ok && len(s) < 30 {
		return worded("Cannot index %s with string \"%s\"", typeOf(v), s)
	}
	return worded("Cannot index %s with %s", typeOf(v), typeOf(key))
}

func encoded(v any) string { return string((&style{}).appendValue(nil, v)) }
