package journal

import (
	"encoding/json"
	"fmt"
)

// Image is a picture that a model may see. The bytes are those of a file of the run's
// workspace and are kept by their hash, once, whoever refers to them.
type Image struct {
	Path   string `json:"path"`            // of the workspace
	Media  string `json:"media"`           // image/png, image/jpeg, image/gif, image/webp
	Hash   string `json:"sha256"`          // of the bytes, hex
	Bytes  int    `json:"bytes"`           // how many
	Width  int    `json:"width,omitzero"`  // pixels
	Height int    `json:"height,omitzero"` // pixels
}

type (
	// ImagesLeftOut puts notes in the place of images of an invocation's conversation, for
	// good. It stands before the request that they are left out of.
	ImagesLeftOut struct {
		Images Content `json:"images_blob,omitzero"` // see [LeftOuts]
		Count  int     `json:"count"`
	}
	// LeftOut is one image that a model is not shown.
	LeftOut struct {
		Call string `json:"call,omitempty"` // key of the call whose result has it; empty: it was given with the run
		Path string `json:"path"`
		Hash string `json:"sha256"`
		Why  string `json:"why"` // behind "is not shown:"
	}
)

// LeftOuts is what [ImagesLeftOut] says of a list.
func LeftOuts(list []LeftOut) *ImagesLeftOut {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts always encode
	}
	return &ImagesLeftOut{Images: Text(string(b)), Count: len(list)}
}

// List reads what [LeftOuts] made.
func (p *ImagesLeftOut) List() ([]LeftOut, error) {
	var list []LeftOut
	if err := json.Unmarshal([]byte(p.Images.Text), &list); err != nil {
		return nil, fmt.Errorf("the images that are left out cannot be read: %w", err)
	}
	return list, nil
}

// Type implements [Payload].
func (*ImagesLeftOut) Type() Type { return TImagesLeftOut }

// Contents implements [Carrier].
func (p *ImagesLeftOut) Contents() []*Content { return []*Content{&p.Images} }
