package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// maxInterned bounds the strings that one decoder keeps; call keys would fill it.
const maxInterned = 4096

// Decode reads one line as [Encode] gave it. Contents that are blobs get their Text
// from load; with a nil load they stay references. Fields of the payload that this
// version does not know are kept and written again by [Encode]. Codes:
// "journal.damaged", "journal.version_unsupported", and those of load.
func Decode(line []byte, load func(hash string) ([]byte, error)) (Record, error) {
	d := newDecoder()
	var e envelope
	if err := d.parse(line, &e); err != nil {
		return Record{}, damaged("", 0, err.Error())
	}
	return d.record(&e, load)
}

// decoder reads many lines. Payloads share one JSON decoder, which is fed one at a time.
type decoder struct {
	strings map[string]string
	feed    feeder
	json    *json.Decoder
}

func newDecoder() *decoder {
	return &decoder{strings: make(map[string]string)}
}

// feeder gives one payload to the JSON decoder, then the end.
type feeder struct{ b []byte }

func (f *feeder) Read(p []byte) (int, error) {
	if len(f.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.b)
	f.b = f.b[n:]
	return n, nil
}

// record makes the record of an envelope.
func (d *decoder) record(e *envelope, load func(hash string) ([]byte, error)) (Record, error) {
	r, err := d.known(e)
	if err != nil && e.line != nil && fault.Code(err) == "journal.damaged" {
		// What was taken for the payload may hold members of a newer envelope.
		if line := e.line; d.slow(line, e) == nil {
			r, err = d.known(e)
		}
	}
	if err != nil || load == nil || len(e.blobs) == 0 {
		return r, err
	}
	return r, fill(&r, load)
}

// known makes the record without its blobs.
func (d *decoder) known(e *envelope) (Record, error) {
	r := e.Record
	make, known := newPayload[e.typ]
	switch {
	case !known && e.Optional:
		if !json.Valid(e.payload) {
			return r, damaged(r.Run, r.Seq, "its payload is not JSON")
		}
		r.Payload = &UnknownPayload{Name: e.typ, Raw: bytes.Clone(e.payload), Blobs: e.blobs}
		return r, nil
	case !known:
		return r, fault.New("journal.version_unsupported",
			"record %d is of type %q, version %d, which needs a newer version of this program", r.Seq, e.typ, r.V).With("read", r.Run)
	case r.V > version:
		return r, fault.New("journal.version_unsupported",
			"record %d is of type %q in version %d, this program reads up to version %d: use a newer one", r.Seq, e.typ, r.V, version).With("read", r.Run)
	}
	r.Payload = make()
	if err := d.payload(e.payload, &r); err != nil {
		return r, damaged(r.Run, r.Seq, "its payload cannot be read: "+err.Error())
	}
	return r, nil
}

// payload decodes raw into the payload of r.
func (d *decoder) payload(raw []byte, r *Record) error {
	if d.json == nil {
		d.json = json.NewDecoder(&d.feed)
		d.json.DisallowUnknownFields()
	}
	before := d.json.InputOffset()
	d.feed.b = raw
	err := d.json.Decode(r.Payload)
	if err == nil && len(d.feed.b) == 0 && d.json.InputOffset()-before == int64(len(raw)) {
		return nil
	}
	// The decoder's buffer may hold the rest of a payload now.
	d.json, d.feed.b = nil, nil
	r.Payload = newPayload[r.Type()]()
	if err := json.Unmarshal(raw, r.Payload); err != nil {
		return err
	}
	r.kept = &kept{payload: r.Payload, raw: bytes.Clone(raw)}
	return nil
}

// fill loads the contents that are blobs.
func fill(r *Record, load func(hash string) ([]byte, error)) error {
	carrier, ok := r.Payload.(Carrier)
	if !ok {
		return nil
	}
	for _, c := range carrier.Contents() {
		if c.Hash == "" || c.Text != "" {
			continue
		}
		b, err := load(c.Hash)
		switch fault.Code(err) {
		case "":
		case "journal.blob_not_found":
			return damaged(r.Run, r.Seq, fmt.Sprintf("its blob %s is missing", c.Hash))
		case "journal.damaged":
			return damaged(r.Run, r.Seq, fmt.Sprintf("its blob %s does not have the bytes of its name, or cannot be read: %v", c.Hash, errors.Unwrap(err)))
		default:
			return err
		}
		if err != nil {
			return err
		}
		c.Text = string(b)
	}
	return nil
}
