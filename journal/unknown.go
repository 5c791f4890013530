package journal

import (
	"encoding/json"
	"maps"
	"slices"
)

// Types lists the record types that this version knows, in order of their names.
func Types() []Type { return slices.Sorted(maps.Keys(newPayload)) }

// NewPayload gives an empty payload of a type, or false when this version does not know it.
func NewPayload(t Type) (Payload, bool) {
	make, ok := newPayload[t]
	if !ok {
		return nil, false
	}
	return make(), true
}

// UnknownPayload is the payload of an optional record whose type this version does not know.
// A reader skips it; what copies records keeps its bytes.
type UnknownPayload struct {
	Name  Type
	Raw   json.RawMessage // the payload as it is stored
	Blobs []string        // hashes of the blobs that Raw refers to
}

// Type implements [Payload].
func (u *UnknownPayload) Type() Type { return u.Name }

// kept are the stored bytes of a payload with fields that this version does not know.
// They stand for that very payload only: a record that was given another one is
// encoded from it.
type kept struct {
	payload Payload
	raw     []byte
}

func (r *Record) isKept() bool { return r.kept != nil && r.kept.payload == r.Payload }

// stored gives the references of a payload that was read from a store, as they stand
// in its stored bytes, and the blobs as far as they were loaded.
func stored(p Payload) (refs []string, blobs []Blob) {
	carrier, ok := p.(Carrier)
	if !ok {
		return nil, nil
	}
	for _, c := range carrier.Contents() {
		if c.Hash == "" {
			continue
		}
		refs = append(refs, c.Hash)
		if c.Text != "" {
			blobs = append(blobs, Blob{Hash: c.Hash, Data: c.Text})
		}
	}
	return refs, blobs
}
