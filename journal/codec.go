package journal

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// version is the format version of every payload type so far.
const version = 1

// timeLayout is how a record's time is stored: UTC, microseconds, fixed length.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// A stored record is one line of JSON whose members stand in the order of the
// envelope. It ends with the sum, which covers every byte before its own member.
const (
	sumMember = `,"sum":"`
	sumLen    = len(sumMember) + 8 + len(`"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode gives the canonical bytes of a record, without a line end, and the blobs that
// must be stored with it. The record is not changed. Equal records give equal bytes.
// Codes: "journal.payload_too_large", "journal.invalid_record".
func Encode(r *Record) (line []byte, blobs []Blob, err error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.encode(nil, r)
}

// encoder keeps the buffers of an encoding.
type encoder struct {
	buf  bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.buf)
	e.json.SetEscapeHTML(false)
	return e
}}

// encode appends the canonical bytes to dst.
func (e *encoder) encode(dst []byte, r *Record) ([]byte, []Blob, error) {
	if r.Payload == nil {
		return dst, nil, invalidRecord("record %d has no payload", r.Seq).With("encode", r.Run)
	}
	if !fixedLength(r.At) {
		return dst, nil, invalidRecord("record %d is of the year %d", r.Seq, r.At.UTC().Year()).With("encode", r.Run)
	}
	start := len(dst)
	for _, limit := range [...]int{MaxInline, inlineHard} {
		payload, blobs, err := externalise(r.Payload, limit)
		if err != nil {
			return dst[:start], nil, err
		}
		refs := references(payload)
		if r.isKept() {
			refs, blobs = stored(r.Payload)
		}
		dst, err = e.line(dst[:start], r, payload, refs)
		if err != nil {
			return dst[:start], nil, err
		}
		if len(dst)-start <= MaxRecord {
			return dst, blobs, nil
		}
	}
	size := len(dst) - start
	return dst[:start], nil, tooLarge("a record of type "+string(r.Type()), size, MaxRecord)
}

func (e *encoder) line(dst []byte, r *Record, payload Payload, refs []string) ([]byte, error) {
	start := len(dst)
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, int64(max(r.V, version)), 10)
	dst = append(dst, `,"run":`...)
	dst = appendString(dst, r.Run)
	dst = append(dst, `,"epoch":`...)
	dst = strconv.AppendInt(dst, r.Epoch, 10)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendInt(dst, r.Seq, 10)
	dst = append(dst, `,"prev":`...)
	dst = strconv.AppendInt(dst, r.Prev, 10)
	dst = append(dst, `,"at":"`...)
	dst = appendTime(dst, r.At)
	dst = append(dst, `","type":`...)
	dst = appendString(dst, string(r.Type()))
	if r.Optional {
		dst = append(dst, `,"optional":true`...)
	}
	dst = appendScope(dst, r.Scope)
	if r.Cause != 0 {
		dst = append(dst, `,"cause":`...)
		dst = strconv.AppendInt(dst, r.Cause, 10)
	}
	dst = append(dst, `,"payload":`...)
	var err error
	if dst, err = e.payload(dst, r, payload); err != nil {
		return dst, err
	}
	dst = appendBlobs(dst, refs)
	sum := crc32.Checksum(dst[start:], castagnoli)
	dst = append(dst, sumMember...)
	dst = appendSum(dst, sum)
	return append(dst, `"}`...), nil
}

func (e *encoder) payload(dst []byte, r *Record, payload Payload) ([]byte, error) {
	e.buf.Reset()
	if u, ok := payload.(*UnknownPayload); ok {
		return e.compact(dst, r, u.Raw)
	}
	if r.isKept() {
		return e.compact(dst, r, r.kept.raw)
	}
	if err := e.json.Encode(payload); err != nil {
		return dst, invalidRecord("record %d cannot be encoded: %v", r.Seq, err).With("encode", r.Run)
	}
	line := e.buf.Bytes()
	return append(dst, line[:len(line)-1]...), nil // without the line end
}

// compact appends raw JSON as one line.
func (e *encoder) compact(dst []byte, r *Record, raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "{}"...), nil
	}
	if err := json.Compact(&e.buf, raw); err != nil || e.buf.Bytes()[0] != '{' {
		return dst, invalidRecord("record %d: the payload is not a JSON object", r.Seq).With("encode", r.Run)
	}
	return append(dst, e.buf.Bytes()...), nil
}

func appendScope(dst []byte, s Scope) []byte {
	dst = append(dst, `,"scope":{`...)
	open := len(dst)
	member := func(name string) {
		if len(dst) > open {
			dst = append(dst, ',')
		}
		dst = append(dst, name...)
	}
	if s.Invocation != "" {
		member(`"invocation":`)
		dst = appendString(dst, s.Invocation)
	}
	if s.Task != "" {
		member(`"task":`)
		dst = appendString(dst, s.Task)
	}
	if s.Turn != 0 {
		member(`"turn":`)
		dst = strconv.AppendInt(dst, int64(s.Turn), 10)
	}
	if s.Call != "" {
		member(`"call":`)
		dst = appendString(dst, s.Call)
	}
	return append(dst, '}')
}

func appendBlobs(dst []byte, hashes []string) []byte {
	if len(hashes) == 0 {
		return dst
	}
	dst = append(dst, blobsMember...)
	for i, h := range hashes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, h)
	}
	return append(dst, ']')
}

// appendString appends a JSON string. Nearly all strings of an envelope are plain.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func appendTime(dst []byte, t time.Time) []byte { return t.UTC().AppendFormat(dst, timeLayout) }

func appendSum(dst []byte, sum uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, digits[sum>>shift&15])
	}
	return dst
}
