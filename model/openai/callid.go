package openai

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// alnum9 is the form of ids of calls that some servers insist on: nine letters and digits.
const (
	alnum9       = "alnum9"
	alnumLength  = 9
	alnumLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// callID gives the id on the wire of a call key. The same key always has the same one.
func (p *Provider) callID(key string) string {
	if p.quirks.CallID != alnum9 {
		return model.WireID(key)
	}
	sum := sha256.Sum256([]byte(key))
	n := binary.BigEndian.Uint64(sum[:])
	var id [alnumLength]byte
	for i := range id {
		id[i] = alnumLetters[n%uint64(len(alnumLetters))]
		n /= uint64(len(alnumLetters))
	}
	return string(id[:])
}
