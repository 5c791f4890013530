package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// forms gives the texts that a value can stand as. All are at least as long as the value.
func forms(v string) []string {
	out := []string{v}
	for _, once := range escaped(v) {
		out = append(out, once)
		out = append(out, escaped(once)...) // JSON in a string of JSON
	}
	for _, e := range []string{url.QueryEscape(v), url.PathEscape(v), strings.ReplaceAll(url.QueryEscape(v), "+", "%20")} {
		out = append(out, e, lowerHex(e))
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		out = append(out, inBase64(v, enc)...)
	}
	return out
}

// escaped gives a text as the inside of a string of JSON, in the ways that encoders differ.
func escaped(v string) []string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil // no text fails
	}
	plain := strings.Trim(b.String(), "\n")
	plain = plain[1 : len(plain)-1]
	html, _ := json.Marshal(v)
	return []string{plain, string(html[1 : len(html)-1]), strings.ReplaceAll(plain, "/", `\/`)}
}

// lowerHex gives percent-encoding with small digits.
func lowerHex(e string) string {
	b := []byte(e)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// inBase64 gives a value by itself, with and without padding, and what is certain of it
// where it begins at each of the three alignments of a longer text. Of the latter the first
// and the last character are shared with what stands beside the value and remain.
func inBase64(v string, enc *base64.Encoding) []string {
	out := []string{enc.EncodeToString([]byte(v)), enc.WithPadding(base64.NoPadding).EncodeToString([]byte(v))}
	for shift := range 3 {
		all := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), v...))
		first := (8*shift + 5) / 6 // the first character that has bits of the value only
		last := (8*shift + 8*len(v)) / 6
		out = append(out, all[first:last])
	}
	return out
}
