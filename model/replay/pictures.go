package replay

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// pictureSigns are how the images that providers send begin in base64: PNG, JPEG, GIF, WebP.
var pictureSigns = [...]string{"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"}

// leastPicture is the fewest bytes of base64 that are taken for an image.
const leastPicture = 32

// byHash gives a body in which images stand by the hash of their bytes: a cassette holds
// what was said and not megabytes of pixels.
func byHash(body json.RawMessage) json.RawMessage {
	if !hasPicture(string(body)) {
		return body
	}
	root, ok := parse(string(body))
	if !ok {
		return body
	}
	var out []byte
	from := 0
	root.leaves("", func(_ string, n *node) {
		if short, ok := pictureHash(n.text); ok {
			out = append(append(out, body[from:n.start]...), appendQuoted(nil, short)...)
			from = n.end
		}
	})
	return append(out, body[from:]...)
}

func hasPicture(text string) bool {
	for _, sign := range pictureSigns {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// pictureHash gives what stands for the text of an image: with what is before the base64,
// as in a data URL.
func pictureHash(text string) (string, bool) {
	head := ""
	if strings.HasPrefix(text, "data:image/") {
		if before, _, ok := strings.Cut(text, ";base64,"); ok {
			head = before + ";base64,"
			text = text[len(head):]
		}
	}
	if len(text) < leastPicture {
		return "", false
	}
	for _, sign := range pictureSigns {
		if !strings.HasPrefix(text, sign) {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "", false
		}
		sum := sha256.Sum256(data)
		return head + "«image sha256 " + hex.EncodeToString(sum[:]) + "»", true
	}
	return "", false
}
