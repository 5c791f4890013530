package modeltest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Picture makes an image of a media type in one colour, which red changes. Of image/webp it
// has the header alone.
func Picture(media string, width, height int, red uint8) []byte {
	var b bytes.Buffer
	im := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.RGBA{R: red, A: 255}, color.White})
	var err error
	switch media {
	case "image/png":
		err = png.Encode(&b, im)
	case "image/jpeg":
		err = jpeg.Encode(&b, im, nil)
	case "image/gif":
		err = gif.Encode(&b, im, nil)
	case "image/webp":
		b.WriteString("RIFF\x16\x00\x00\x00WEBPVP8L\x0a\x00\x00\x00\x2f")
		_ = binary.Write(&b, binary.LittleEndian, uint32(width-1)|uint32(height-1)<<14)
		b.Write([]byte{red, 0, 0, 0, 0})
	default:
		err = fmt.Errorf("%q is no media type of an image", media)
	}
	if err != nil {
		panic(err) // of the test that asks
	}
	return b.Bytes()
}

// Blobs are bytes by their hash. They may be read concurrently.
type Blobs map[string][]byte

var _ model.Blobs = Blobs(nil)

// GetBlob implements [model.Blobs].
func (s Blobs) GetBlob(_ context.Context, hash string) ([]byte, error) {
	b, ok := s[hash]
	if !ok {
		return nil, fmt.Errorf("there is no blob %.12s", hash)
	}
	return b, nil
}

// Add keeps a picture and gives what a message says of it.
func (s Blobs) Add(path, media string, width, height int, red uint8) journal.Image {
	b := Picture(media, width, height, red)
	sum := sha256.Sum256(b)
	im := journal.Image{Path: path, Media: media, Hash: hex.EncodeToString(sum[:]), Bytes: len(b), Width: width, Height: height}
	s[im.Hash] = b
	return im
}
