package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Blob is a content that is stored beside its record.
type Blob struct {
	Hash string // hex SHA-256 of Data
	Data string
}

// inlineHard bounds the contents of a record that is over [MaxRecord] although each of
// them is below [MaxInline]: those above it become blobs too. A head is about as long.
const inlineHard = 1 << 10

// externalise gives the payload with every content over limit bytes, and every one
// that is not valid UTF-8, replaced by its reference, and the blobs. The payload that
// was given is not changed; it is returned itself when there is nothing to replace.
func externalise(p Payload, limit int) (Payload, []Blob, error) {
	carrier, ok := p.(Carrier)
	if !ok {
		return p, nil, nil
	}
	contents := carrier.Contents()
	big := false
	for _, c := range contents {
		big = big || c.external(limit)
	}
	if !big {
		return p, nil, nil
	}
	copied := reflect.New(reflect.TypeOf(p).Elem())
	copied.Elem().Set(reflect.ValueOf(p).Elem())
	p = copied.Interface().(Payload)
	var blobs []Blob
	for _, c := range p.(Carrier).Contents() {
		if !c.external(limit) {
			continue
		}
		if len(c.Text) > MaxBlob {
			return nil, nil, tooLarge("a content", len(c.Text), MaxBlob)
		}
		b := Blob{Hash: hashOf(c.Text), Data: c.Text}
		*c = Content{
			Hash: b.Hash, Size: len(c.Text), Chars: utf8.RuneCountInString(c.Text),
			Media: c.Media, Head: headOf(c.Text),
		}
		blobs = append(blobs, b)
	}
	return p, blobs, nil
}

func (c *Content) external(limit int) bool {
	return len(c.Text) > limit || (c.Text != "" && !utf8.ValidString(c.Text))
}

// references lists the hashes that a payload refers to, in the order of its contents.
func references(p Payload) []string {
	if u, ok := p.(*UnknownPayload); ok {
		return u.Blobs
	}
	carrier, ok := p.(Carrier)
	if !ok {
		return nil
	}
	var hashes []string
	for _, c := range carrier.Contents() {
		if c.Hash != "" && c.Text == "" {
			hashes = append(hashes, c.Hash)
		}
	}
	return hashes
}

// headOf gives at most [MaxHead] characters from the front, cut on their borders.
func headOf(s string) string {
	n := 0
	for i := range s {
		if n == MaxHead {
			s = s[:i]
			break
		}
		n++
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}

func hashOf(s string) string {
	h := sha256.New()
	_, _ = h.Write([]byte(s)) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

func hashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
