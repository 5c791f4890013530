package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Media types of the pictures that a model may be shown.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
)

// Limits of a picture that a model may be shown (models spec §9). MaxPictureSide is the
// least of what the services take, in pixels.
const (
	MaxPictureBytes = 5 << 20
	MaxPictureSide  = 8000
)

// Picture is what the beginning of an image says of it.
type Picture struct {
	Media  string // PNG, JPEG, GIF or WebP
	Width  int    // pixels
	Height int
}

// errNoPicture is what LookAt says of everything that begins like none of the four kinds.
var errNoPicture = errors.New("it is none of PNG, JPEG, GIF and WebP")

// LookAt finds what kind of picture bytes are, by the bytes alone, and how large it is. ok
// says that they begin like one; the error, which is for people, says why it is not one
// that a model may be shown: damaged, or too large. It reads headers only, so that hostile
// bytes cost nothing.
func LookAt(b []byte) (p Picture, ok bool, err error) {
	var size func([]byte) (w, h int, err error)
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		p.Media, size = PNG, pngSize
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		p.Media, size = JPEG, jpegSize
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		p.Media, size = GIF, gifSize
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		p.Media, size = WebP, webpSize
	default:
		return p, false, errNoPicture
	}
	if p.Width, p.Height, err = size(b); err != nil {
		return p, true, fmt.Errorf("it is damaged: %w", err)
	}
	switch {
	case p.Width < 1 || p.Height < 1:
		err = errors.New("it is damaged: it has no pixels")
	case p.Width > MaxPictureSide || p.Height > MaxPictureSide:
		err = fmt.Errorf("it has %s x %s pixels, the limit of a side is %s", Grouped(p.Width), Grouped(p.Height), Grouped(MaxPictureSide))
	case len(b) > MaxPictureBytes:
		err = fmt.Errorf("it has %s bytes, the limit is %s", Grouped(len(b)), Grouped(MaxPictureBytes))
	}
	return p, true, err
}

var errCut = errors.New("its end is missing")

func pngSize(b []byte) (w, h int, err error) {
	if len(b) < 24 || string(b[12:16]) != "IHDR" {
		return 0, 0, errors.New("its header is missing")
	}
	if !bytes.Contains(b[max(len(b)-1024, 8):], []byte("IEND")) {
		return 0, 0, errCut
	}
	return side(binary.BigEndian.Uint32(b[16:])), side(binary.BigEndian.Uint32(b[20:])), nil
}

// side keeps a number of pixels within what every int holds.
func side(n uint32) int { return int(min(n, 1<<30)) }

func gifSize(b []byte) (w, h int, err error) {
	if len(b) < 13 {
		return 0, 0, errCut
	}
	if bytes.IndexByte(b[13:], ';') < 0 {
		return 0, 0, errCut
	}
	return int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:])), nil
}

// jpegSize goes from segment to segment to the one that begins a frame.
func jpegSize(b []byte) (w, h int, err error) {
	if !bytes.Contains(b[max(len(b)-1024, 2):], []byte("\xff\xd9")) {
		return 0, 0, errCut
	}
	for at := 2; at+4 <= len(b); {
		if b[at] != 0xff {
			return 0, 0, errors.New("a segment does not begin where it should")
		}
		kind := b[at+1]
		switch {
		case kind == 0xff: // filling
			at++
			continue
		case kind == 0x01 || kind >= 0xd0 && kind <= 0xd8: // without a length
			at += 2
			continue
		}
		n := int(binary.BigEndian.Uint16(b[at+2:]))
		frame := kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc
		switch {
		case frame && at+9 <= len(b):
			return int(binary.BigEndian.Uint16(b[at+7:])), int(binary.BigEndian.Uint16(b[at+5:])), nil
		case n < 2 || kind == 0xda || kind == 0xd9: // pixels, or the end, before a frame
			return 0, 0, errors.New("it has no frame")
		}
		at += 2 + n
	}
	return 0, 0, errCut
}

func webpSize(b []byte) (w, h int, err error) {
	if len(b) < 30 || uint64(binary.LittleEndian.Uint32(b[4:]))+8 > uint64(len(b))+1 { // the last byte may be filling
		return 0, 0, errCut
	}
	switch data := b[20:]; string(b[12:16]) {
	case "VP8 ":
		if data[3] != 0x9d || data[4] != 0x01 || data[5] != 0x2a {
			return 0, 0, errors.New("its frame has no beginning")
		}
		return int(binary.LittleEndian.Uint16(data[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[8:]) & 0x3fff), nil
	case "VP8L":
		if data[0] != 0x2f {
			return 0, 0, errors.New("its frame has no beginning")
		}
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X":
		return 1 + (int(data[4]) | int(data[5])<<8 | int(data[6])<<16), 1 + (int(data[7]) | int(data[8])<<8 | int(data[9])<<16), nil
	}
	return 0, 0, errors.New("its first part is of an unknown kind")
}
