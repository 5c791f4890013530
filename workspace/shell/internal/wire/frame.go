// Package wire owns what the two ends of a worker's socket say to each other: frames with a
// length, their types, and the messages inside. It decides nothing about what they mean and
// trusts neither end: a reader refuses what is too long or unknown.
package wire

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Protocol is the version of what the two ends say.
const Protocol = 1

// MaxPayload is the most that one frame carries, in bytes (shell spec §3.6).
const MaxPayload = 64 << 10

const header = 5 // four bytes of length, one of type

// Type says what a frame is.
type Type byte

// Frames to the worker.
const (
	Setup Type = 'S' // a [Greeting]: what the worker sets for itself before hello
	Part  Type = 'P' // a piece of a [Call]
	Run   Type = 'C' // the last piece of a [Call]
	Input Type = 'I' // bytes of standard input, an answer to Want; empty: there is no more
	Stop  Type = 'X' // end the call
)

// Frames of the worker.
const (
	Hello    Type = 'h' // a [Greeting]
	Out      Type = 'o' // bytes of standard output
	Err      Type = 'e' // bytes of standard error
	Announce Type = 'a' // a path that is about to change, relative to the workspace root
	Want     Type = 'w' // four bytes: how much of standard input can be taken
	Prompt   Type = 'p' // one byte: 1 when a statement goes on
	State    Type = 's' // a [Report] before an end that may not come
	End      Type = 'z' // a [Report]; nothing follows
)

// Append adds a frame to buf. A payload over [MaxPayload] panics: a fault of the program.
func Append(buf []byte, t Type, payload []byte) []byte {
	if len(payload) > MaxPayload {
		panic(fmt.Sprintf("a frame of %d bytes", len(payload)))
	}
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(payload)))
	return append(append(buf, byte(t)), payload...)
}

// Grow lengthens the payload of the frame that begins at start and is the last of buf.
func Grow(buf []byte, start int, more []byte) []byte {
	buf = append(buf, more...)
	binary.BigEndian.PutUint32(buf[start:], uint32(len(buf)-start-header))
	return buf
}

// Room gives how many bytes can be added to the frame that begins at start and is the last
// of buf.
func Room(buf []byte, start int) int { return MaxPayload - (len(buf) - start - header) }

// Reader reads frames.
type Reader struct {
	buf  *bufio.Reader
	used int // of buf, by the frame that was given last
}

// NewReader makes a reader.
func NewReader(r io.Reader) *Reader {
	return &Reader{buf: bufio.NewReaderSize(r, header+MaxPayload)}
}

// Next gives the next frame; its payload is valid until the next call. The error is
// [io.EOF] between two frames, [io.ErrUnexpectedEOF] within one, and an [*Oversized] for a
// frame that is too long, which is not read.
func (r *Reader) Next() (Type, []byte, error) {
	if _, err := r.buf.Discard(r.used); err != nil {
		return 0, nil, err
	}
	r.used = 0
	head, err := r.buf.Peek(header)
	if err != nil {
		if err == io.EOF && len(head) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > MaxPayload {
		return 0, nil, &Oversized{size}
	}
	whole, err := r.buf.Peek(header + int(size))
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	r.used = len(whole)
	return Type(whole[4]), whole[header:], nil
}

// Oversized is a frame that says it is longer than [MaxPayload].
type Oversized struct{ Size uint32 }

func (o *Oversized) Error() string {
	return fmt.Sprintf("a frame of %d bytes, the most is %d", o.Size, MaxPayload)
}
