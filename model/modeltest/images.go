package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Bounds of the images of a request, the strictest of the services.
const (
	maxImages      = 20
	maxImage       = 5 << 20 // bytes
	maxImageBase64 = 5 << 20 // of the Messages form
)

// image checks the bytes of an image: what they are is found from them.
func (v *validator) image(media, data, place string, types ...string) {
	if !slices.Contains(types, media) {
		v.fault("image.media", place, "%q is not %s", media, strings.Join(types, ", "))
	}
	b, err := base64.StdEncoding.Strict().DecodeString(data)
	switch {
	case err != nil:
		v.fault("image.base64", place, "%v", err)
	case len(b) == 0:
		v.fault("image.empty", place, "no bytes")
	case len(b) > maxImage:
		v.fault("image.size", place, "%d bytes", len(b))
	case http.DetectContentType(b) != media:
		v.fault("image.media", place, "says %q and is %q", media, http.DetectContentType(b))
	}
	if v.images++; v.images == maxImages+1 {
		v.fault("image.count", place, "more than %d images", maxImages)
	}
}

// userContent checks the content of a message of the user: a text, or parts of which some
// are images.
func (v *validator) userContent(raw json.RawMessage, place string) {
	if len(raw) == 0 || raw[0] != '[' {
		v.str(raw, place)
		return
	}
	list := v.array(raw, place)
	if len(list) == 0 {
		v.fault("wire.range", place, "no part")
	}
	for i, raw := range list {
		at := fmt.Sprintf("%s[%d]", place, i)
		switch kind := kindOf(raw); kind {
		case "text":
			v.str(v.object(raw, at, "type", "text")["text"], at+".text")
		case "image_url":
			u := v.object(v.object(raw, at, "type", "image_url")["image_url"], at+".image_url", "url", "detail")
			media, data, ok := strings.Cut(strings.TrimPrefix(v.str(u["url"], at+".url"), "data:"), ";base64,")
			if !ok {
				v.fault("image.url", at, "no data URL in base64")
				break
			}
			v.image(media, data, at, "image/png", "image/jpeg", "image/gif", "image/webp")
		default:
			v.fault("wire.part", at, "%q in a message of the user", kind)
		}
	}
}

// picture checks a block of an image.
func (v *messagesValidator) picture(raw json.RawMessage, place string) {
	m := v.object(raw, place, "type", "source", "cache_control")
	v.mark(m, place)
	s := v.object(m["source"], place+".source", "type", "media_type", "data")
	if kind := v.str(s["type"], place+".source.type"); kind != "base64" {
		v.fault("image.source", place, "%q", kind)
	}
	data := v.str(s["data"], place+".source.data")
	if len(data) > maxImageBase64 {
		v.fault("image.size", place, "%d bytes of base64", len(data))
	}
	v.image(v.str(s["media_type"], place+".source.media_type"), data, place, "image/png", "image/jpeg", "image/gif", "image/webp")
}

// resultContent checks the content of a result: a text, or blocks of which some are images,
// but not of an error.
func (v *messagesValidator) resultContent(raw json.RawMessage, isError bool, place string) {
	if len(raw) == 0 || raw[0] != '[' {
		v.str(raw, place)
		return
	}
	list := v.array(raw, place)
	if len(list) == 0 {
		v.fault("wire.range", place, "no block")
	}
	for i, raw := range list {
		at := fmt.Sprintf("%s[%d]", place, i)
		switch kind := kindOf(raw); {
		case kind == "text":
			v.words(v.object(raw, at, "type", "text")["text"], at+".text")
		case kind == "image" && isError:
			v.fault("image.error", at, "an error has text only")
		case kind == "image":
			v.picture(raw, at)
		default:
			v.fault("wire.block", at, "%q in a result", kind)
		}
	}
}

// inline checks a part that is an image.
func (v *generateValidator) inline(raw json.RawMessage, place string) {
	d := v.object(raw, place+".inlineData", "mimeType", "data")
	v.image(v.str(d["mimeType"], place+".mimeType"), v.str(d["data"], place+".data"), place, "image/png", "image/jpeg", "image/webp")
}

// chatContent is a content that the servers read: a text, or the texts of parts. An image is
// a line that names its type and size.
type chatContent string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *chatContent) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(c))
	}
	var parts []struct {
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
		Source   struct {
			Media string `json:"media_type"`
			Data  string
		}
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		media, data, isURL := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
		if !isURL {
			media, data = p.Source.Media, p.Source.Data
		}
		if data != "" {
			p.Text = seen(media, data)
		}
		texts = append(texts, p.Text)
	}
	*c = chatContent(strings.Join(texts, "\n"))
	return nil
}

// seen is what a script reads of an image.
func seen(media, data string) string {
	return fmt.Sprintf("(sees %s of %d bytes)", media, base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "="))))
}
