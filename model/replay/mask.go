package replay

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// mask puts placeholders in place of the secrets of an interaction, but of its key, which
// it is found by.
func (x *interaction) mask(s secret.Set) {
	x.Request.mask(s)
	if x.Failed != nil {
		x.Failed.Text = s.Mask(x.Failed.Text)
	}
	r := x.Response
	if r == nil || s.Empty() {
		return
	}
	maskHeaders(s, r.Headers)
	texts := make([]string, len(r.Body))
	for i := range r.Body {
		texts[i] = r.Body[i].text()
	}
	for i, text := range maskBody(s, texts) {
		r.Body[i] = newChunk(r.Body[i].AtMS, text)
	}
}

func (r *request) mask(s secret.Set) {
	r.URL = secret.Likely(s.Mask(r.URL))
	maskHeaders(s, r.Headers)
	r.Body = s.MaskJSON(r.Body)
}

func maskHeaders(s secret.Set, h map[string][]string) {
	for _, values := range h { // each for itself, so order does not matter
		for i, v := range values {
			values[i] = s.Mask(v)
		}
	}
}

// left checks that a line holds no secret, however it is read. Error: "replay.secret_left".
func left(s secret.Set, line []byte, what string) error {
	masked := s.Mask(string(line))
	if masked == string(line) {
		masked = string(s.MaskJSON(line))
	}
	if masked == string(line) {
		return nil
	}
	name := "unknown"
	for _, m := range inProgram.FindAllStringSubmatch(masked, -1) {
		if strings.Count(masked, m[0]) > strings.Count(string(line), m[0]) {
			name = m[1]
			break
		}
	}
	return fault.New("replay.secret_left",
		"%s was not written: the secret %s stands where it cannot be replaced, such as in a path or an id; take it out there", what, name)
}

// maskBody masks a body that came in parts. A value may be spread over the pieces of a
// text, as servers stream it: then its placeholder stands in the first of them. That is
// looked for first, while no piece has been taken for the beginning of a value.
func maskBody(s secret.Set, parts []string) []string {
	out := slices.Clone(parts)
	for i, list := range maskTexts(s, parts) {
		slices.SortStableFunc(list, func(a, b edit) int { return b.start - a.start }) // from the end, so that places stay
		for j, e := range list {
			if j == 0 || e.end <= list[j-1].start {
				out[i] = out[i][:e.start] + e.text + out[i][e.end:]
			}
		}
	}
	for i := range out {
		out[i] = maskPart(s, out[i])
	}
	return out
}

// maskTexts gives what has to change in each part, so that no text that comes in pieces
// has a value.
func maskTexts(s secret.Set, parts []string) [][]edit {
	edits := make([][]edit, len(parts))
	for _, pieces := range texts(parts) {
		var whole strings.Builder
		for _, p := range pieces {
			whole.WriteString(p.text)
		}
		before := whole.String()
		after := s.Mask(before)
		if json.Valid([]byte(before)) {
			after = string(s.MaskJSON(json.RawMessage(before)))
		}
		if after != before {
			spread(edits, pieces, before, after)
		}
	}
	return edits
}

// dataLine is a line of an event that has its data. Lines end in LF, CRLF or CR.
var dataLine = regexp.MustCompile(`(?:\A|[\r\n])data: ?([^\r\n]*)`)

// maskPart masks a body, or an event of a stream: JSON is read before it is looked
// through, so that no way to write a character hides a value.
func maskPart(s secret.Set, text string) string {
	if json.Valid([]byte(text)) {
		return string(s.MaskJSON(json.RawMessage(text)))
	}
	var masked strings.Builder
	from := 0
	for _, m := range dataLine.FindAllStringSubmatchIndex(text, -1) {
		masked.WriteString(text[from:m[2]])
		masked.Write(s.MaskJSON(json.RawMessage(text[m[2]:m[3]])))
		from = m[3]
	}
	masked.WriteString(text[from:])
	return s.Mask(masked.String())
}
