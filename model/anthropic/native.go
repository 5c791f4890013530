package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// native is a block of an earlier answer that goes back as it came.
type native struct {
	thinking bool
	text     int // bytes of the message's text that stand before it
	calls    int // calls that stand before it
	data     []byte
}

// The texts between the values of a native part. They are written and read here only.
const (
	partProvider = `{"provider":"` + providerName + `","endpoint":`
	partKind     = `,"kind":"`
	partText     = `","text":`
	partCalls    = `,"calls":`
	partSum      = `,"sum":"`
	partData     = `","data":`
)

// partHead is how the native parts of an endpoint begin.
func partHead(endpoint string) []byte {
	name, _ := json.Marshal(endpoint) // a string is always encoded
	return append(append([]byte(partProvider), name...), partKind...)
}

// part makes the native part of a block. Its sum tells later whether the data is still what
// the server has signed: texts of a journal are masked.
func (p *Provider) part(blockKind string, n native) json.RawMessage {
	kind, _ := json.Marshal(blockKind)
	b := append([]byte(nil), p.partHead...)
	b = append(b, kind[1:len(kind)-1]...)
	b = append(b, partText...)
	b = strconv.AppendInt(b, int64(n.text), 10)
	b = append(b, partCalls...)
	b = strconv.AppendInt(b, int64(n.calls), 10)
	b = append(b, partSum...)
	b = fmt.Appendf(b, "%08x", crc32.ChecksumIEEE(n.data))
	b = append(b, partData...)
	b = append(b, n.data...)
	return append(b, '}')
}

// readPart reads a native part. It is ours when it came from this endpoint, and whole when
// nobody has changed it.
func (p *Provider) readPart(raw json.RawMessage) (n native, ours, whole bool) {
	rest, ours := bytes.CutPrefix(raw, p.partHead)
	if !ours {
		return n, false, false
	}
	kind, rest, ok1 := bytes.Cut(rest, []byte(partText))
	text, rest, ok2 := bytes.Cut(rest, []byte(partCalls))
	calls, rest, ok3 := bytes.Cut(rest, []byte(partSum))
	sum, rest, ok4 := bytes.Cut(rest, []byte(partData))
	data, ok5 := bytes.CutSuffix(rest, []byte("}"))
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return n, true, false
	}
	n.thinking, n.data = isThinking(string(kind)), data
	var err1, err2 error
	n.text, err1 = strconv.Atoi(string(text))
	n.calls, err2 = strconv.Atoi(string(calls))
	want, err3 := strconv.ParseUint(string(sum), 16, 32)
	whole = err1 == nil && err2 == nil && err3 == nil && n.text >= 0 && n.calls >= 0 && uint32(want) == crc32.ChecksumIEEE(data)
	return n, true, whole
}

func isThinking(kind string) bool { return kind == kindThinking || kind == kindRedacted }

// natives adds to list the blocks of a message that go back. One that was changed takes the
// others with it, for what is signed is never edited alone; so does thinking at the very
// end, where it is not legal.
func (p *Provider) natives(list []native, m *model.Message) []native {
	for _, raw := range m.Native {
		n, ours, whole := p.readPart(raw)
		switch {
		case !ours:
		case !whole:
			p.client.Notice("native_changed", fmt.Sprintf("turn %d: its %s blocks were changed on the way through the journal and are not sent back", m.Turn, providerName))
			return list[:0]
		default:
			list = append(list, n)
		}
	}
	for k := len(list) - 1; k >= 0 && list[k].thinking && list[k].calls >= len(m.Calls) && blank(m.Text[cut(m.Text, list[k].text):]); k-- {
		list = list[:k]
	}
	return list
}
