package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Kinds of native parts. What has another kind is for the record only.
const (
	kindText   = "text"   // a signed piece of the text; its data is the signature
	kindCall   = "call"   // a call that is signed or stands before text; its data is the signature or null
	kindOpaque = "opaque" // a part that goes back as it came
	kindEvent  = "event"  // an event or a chunk that nobody understands
)

// native is what an answer had beside text and calls, and its place.
type native struct {
	kind  string
	text  int // bytes of the text that stand before it
	size  int // bytes of the text that it covers; only of kindText
	calls int // calls that stand before it
	data  []byte
}

// The texts between the values of a native part. They are written and read here only.
const (
	partProvider = `{"provider":"` + providerName + `","endpoint":`
	partKind     = `,"kind":"`
	partText     = `","text":`
	partSize     = `,"size":`
	partCalls    = `,"calls":`
	partSum      = `,"sum":`
	partData     = `,"data":`
)

// partHead is how the native parts of an endpoint begin.
func partHead(endpoint string) []byte {
	name, _ := json.Marshal(endpoint) // a string is always encoded
	return append(append([]byte(partProvider), name...), partKind...)
}

// part makes the native part of n in an answer with the given text. Its sum tells later
// whether the signed piece is still the same: texts of a journal are masked and cut.
func (p *Provider) part(n native, text string) json.RawMessage {
	b := append([]byte(nil), p.partHead...)
	b = append(b, n.kind...)
	for _, f := range []struct {
		name  string
		value int
	}{{partText, n.text}, {partSize, n.size}, {partCalls, n.calls}, {partSum, n.sum(text)}} {
		b = append(b, f.name...)
		b = strconv.AppendInt(b, int64(f.value), 10)
	}
	b = append(b, partData...)
	b = append(b, n.data...)
	return append(b, '}')
}

// sum is of the data and of the piece of text that it signs; -1: there is no such piece.
func (n *native) sum(text string) int {
	if n.size == 0 {
		return int(crc32.ChecksumIEEE(n.data) >> 1) // an int everywhere
	}
	if n.text+n.size > len(text) {
		return -1
	}
	sum := crc32.ChecksumIEEE(n.data)
	sum = crc32.Update(sum, crc32.IEEETable, []byte(text[n.text:n.text+n.size]))
	return int(sum >> 1)
}

// readPart reads a native part of a message. It is ours when it came from this endpoint
// and is to be replayed; one of ours that was changed on its way is left out and said.
func (p *Provider) readPart(raw json.RawMessage, m *model.Message) (n native, ours bool) {
	rest, ours := bytes.CutPrefix(raw, p.partHead)
	if !ours {
		return n, false
	}
	kind, rest, ok := bytes.Cut(rest, []byte(partText))
	switch string(kind) {
	case kindText:
		n.kind = kindText
	case kindCall:
		n.kind = kindCall
	case kindOpaque:
		n.kind = kindOpaque
	default:
		return n, false
	}
	sum := 0
	for _, f := range []struct {
		value *int
		end   string
	}{{&n.text, partSize}, {&n.size, partCalls}, {&n.calls, partSum}, {&sum, partData}} {
		var number []byte
		number, rest, _ = bytes.Cut(rest, []byte(f.end))
		*f.value = digits(number)
		ok = ok && *f.value >= 0
	}
	n.data = bytes.TrimSuffix(rest, []byte("}"))
	if !ok || len(n.data) == len(rest) || n.sum(m.Text) != sum {
		p.client.Notice("native_changed", fmt.Sprintf("turn %d: a part of the model's answer was changed on its way through the journal and is not sent back", m.Turn))
		return n, false
	}
	return n, true
}

// digits reads a number of at most 15 digits, -1 for anything else.
func digits(b []byte) int {
	if len(b) == 0 || len(b) > 15 {
		return -1
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}
