package secret

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MaskJSON is [Set.Mask] for one JSON value. Strings and names are read before they are
// looked through, so that no way to write a character hides a value, also where a string
// holds JSON itself. A number that is a value becomes a string. What is no JSON, such as
// one that was cut, is masked as a text, in which escapes hide no value either. A value
// without a secret is returned as it is.
func (s Set) MaskJSON(raw json.RawMessage) json.RawMessage {
	if s.Empty() || len(raw) == 0 {
		return raw
	}
	text := string(raw)
	if !strings.ContainsRune(text, '\\') {
		if _, found := s.of().next(text, 0, true); !found {
			return raw
		}
	}
	if !json.Valid(raw) {
		return json.RawMessage(s.loose(text))
	}
	return json.RawMessage(s.tokens(text, maxLayers))
}

// maxLayers is how deep JSON in strings of JSON is read.
const maxLayers = 4

// tokens masks the strings and numbers of a valid JSON text.
func (s Set) tokens(text string, layers int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '"':
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end++
			b.WriteString(s.literal(text[i:end], layers))
		case c == '-' || c >= '0' && c <= '9':
			for end < len(text) && strings.IndexByte("+-.eE0123456789", text[end]) >= 0 {
				end++
			}
			number := text[i:end]
			if masked := s.Mask(number); masked != number {
				number = `"` + masked + `"`
			}
			b.WriteString(number)
		default:
			b.WriteByte(c)
		}
		i = end
	}
	return b.String()
}

// literal masks a string of JSON, with its quotes.
func (s Set) literal(lit string, layers int) string {
	inner := lit[1 : len(lit)-1]
	if strings.IndexByte(lit, '\\') >= 0 {
		var decoded string
		if json.Unmarshal([]byte(lit), &decoded) != nil {
			return lit // cannot be: the whole is valid
		}
		inner = decoded
	}
	masked := inner
	if layers > 0 && strings.IndexByte(inner, '\\') >= 0 {
		if json.Valid([]byte(inner)) {
			masked = s.tokens(inner, layers-1)
		} else {
			masked = s.loose(inner)
		}
	}
	if masked = s.Mask(masked); masked == inner {
		return lit
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(masked) != nil {
		return lit // no text fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}
