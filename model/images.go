package model

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Blobs gives bytes by their hash.
type Blobs interface {
	GetBlob(ctx context.Context, hash string) ([]byte, error)
}

// ImageLimits are what a model that sees takes of images (models spec §9). A zero field has
// the default.
type ImageLimits struct {
	NoGIF bool // image/gif is not taken; image/png, image/jpeg and image/webp always are
	Bytes int  // of one image; default 5 MiB
	Total int  // bytes of all images of a request; default 12 MiB
	Count int  // images of a request; default 20
}

// Defaults gives l with every unset limit at its default.
func (l ImageLimits) Defaults() ImageLimits {
	if l.Bytes == 0 {
		l.Bytes = 5 << 20
	}
	if l.Total == 0 {
		l.Total = 12 << 20
	}
	if l.Count == 0 {
		l.Count = 20
	}
	return l
}

// Estimates of the tokens of an image. Services count by its area, within bounds.
const (
	leastImage   = 260
	mostImage    = 1600
	areaPerToken = 750 // pixels
)

// ImageTokens estimates the tokens of an image.
func ImageTokens(im *journal.Image) int64 {
	if im.Width <= 0 || im.Height <= 0 {
		return mostImage
	}
	return min(max(int64(im.Width)*int64(im.Height)/areaPerToken, leastImage), mostImage)
}

// imageMedia are the types of images that there are.
var imageMedia = [...]string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// EachImage calls f for every image of a conversation, in order.
func EachImage(messages []Message, f func(*journal.Image)) {
	for i := range messages {
		m := &messages[i]
		for j := range m.Images {
			f(&m.Images[j])
		}
		for j := range m.Results {
			for k := range m.Results[j].Images {
				f(&m.Results[j].Images[k])
			}
		}
	}
}

// Pictures are the bytes of the images of one request, by hash.
type Pictures map[string][]byte

// LoadPictures reads the images of a request, each once; nil when there are none. An image
// that cannot be read is a permanent [*Error] of code "model.image_missing".
func LoadPictures(ctx context.Context, req *Request) (p Pictures, err error) {
	EachImage(req.Messages, func(im *journal.Image) {
		if err != nil || p[im.Hash] != nil {
			return
		}
		missing := func(format string, args ...any) {
			err = &Error{Class: ClassPermanent, Code: "model.image_missing", Detail: "the image " + im.Path + " cannot be sent: " + fmt.Sprintf(format, args...)}
		}
		if req.Blobs == nil {
			missing("the request does not say where its bytes are")
			return
		}
		b, fault := req.Blobs.GetBlob(ctx, im.Hash)
		switch {
		case fault != nil && ctx.Err() != nil:
			err = &Error{Class: ClassCancelled, Code: "model.cancelled", Detail: "cancelled", Cause: ctx.Err()}
			return
		case fault != nil:
			missing("%v", fault)
			return
		case len(b) != im.Bytes || len(b) == 0:
			missing("it has %d bytes, and had %d", len(b), im.Bytes)
			return
		}
		if p == nil {
			p = Pictures{}
		}
		p[im.Hash] = b
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Size gives how long the images of a message are on the wire.
func (p Pictures) Size(m *Message) int {
	n := 0
	if p != nil {
		EachImage([]Message{*m}, func(im *journal.Image) { n += 128 + len(im.Path) + base64.StdEncoding.EncodedLen(im.Bytes) })
	}
	return n
}

// Append writes the bytes of an image in base64.
func (p Pictures) Append(b []byte, im *journal.Image) []byte {
	data := p[im.Hash]
	b = slices.Grow(b, base64.StdEncoding.EncodedLen(len(data)))
	return base64.StdEncoding.AppendEncode(b, data)
}

// ImageLabel is the line that names an image before it is shown. Call is the name of the
// tool whose result it belongs to; "": none.
func ImageLabel(im *journal.Image, call string) string {
	if call == "" {
		return "[Image " + im.Path + ":]"
	}
	return "[Image " + im.Path + ", of the result of " + call + ":]"
}
