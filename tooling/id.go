package tooling

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// ID names a tool for ever: source ":" native name, split at the first colon. The zero
// value is no valid id. Ids are compared by bytes.
type ID struct{ text string }

const (
	sourceBuiltin = "builtin"
	prefixMCP     = "mcp/"
	prefixExt     = "extension/"

	// SourceGo is the source of tools of an embedding program.
	SourceGo = "extension/go"

	maxKey    = 64  // bytes of a registration key
	maxNative = 256 // bytes of a native name
)

// ParseID reads a full tool id. Errors, in the order of the checks: tool.id_invalid,
// tool.source_empty, tool.source_invalid, tool.native_name_empty,
// tool.native_name_invalid.
func ParseID(s string) (ID, error) {
	source, native, found := strings.Cut(s, ":")
	bad := func(code, why string) (ID, error) {
		return ID{}, fault.New(code, "%s", why).With("tool id", quoteBounded(s))
	}
	switch {
	case !found:
		return bad("tool.id_invalid", `there is no ":" between source and name`)
	case source == "":
		return bad("tool.source_empty", `nothing stands before the first ":"`)
	case !validSource(source):
		return bad("tool.source_invalid", "the source is builtin, mcp/KEY or extension/KEY, with a KEY of a-z, 0-9, single - and _ inside, at most 64 bytes")
	case native == "":
		return bad("tool.native_name_empty", `nothing stands after the first ":"`)
	case !validNative(native):
		return bad("tool.native_name_invalid", "a name is 1 to 256 bytes of UTF-8 without control characters and outer white space")
	case source == sourceBuiltin && !validBuiltin(native):
		return bad("tool.native_name_invalid", `the name of a built-in is words of a-z, 0-9 and _ joined by "."`)
	}
	return ID{s}, nil
}

func quoteBounded(s string) string {
	return `"` + strings.ToValidUTF8(head(s, maxValue), "\uFFFD") + `"`
}

func validSource(source string) bool {
	if source == sourceBuiltin {
		return true
	}
	key, ok := strings.CutPrefix(source, prefixMCP)
	if !ok {
		key, ok = strings.CutPrefix(source, prefixExt)
	}
	return ok && ValidKey(key)
}

// ValidKey says whether a registration key of a server or an extension keeps the grammar:
// 1 to 64 bytes of a-z and 0-9, with single "-" or "_" inside.
func ValidKey(key string) bool {
	if key == "" || len(key) > maxKey {
		return false
	}
	joined := true // a separator, or the start, came before
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			joined = false
		case (c == '-' || c == '_') && !joined:
			joined = true
		default:
			return false
		}
	}
	return !joined
}

func validNative(native string) bool {
	if len(native) > maxNative || !utf8.ValidString(native) || strings.TrimSpace(native) != native {
		return false
	}
	for _, r := range native {
		if r < 0x20 || r >= 0x7F && r < 0xA0 {
			return false
		}
	}
	return true
}

func validBuiltin(native string) bool {
	for word := range strings.SplitSeq(native, ".") {
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			return false
		}
		for i := 1; i < len(word); i++ {
			c := word[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
				return false
			}
		}
	}
	return true
}

// String gives the whole id.
func (id ID) String() string { return id.text }

// Source is the part before the first colon.
func (id ID) Source() string { s, _, _ := strings.Cut(id.text, ":"); return s }

// Native is the part after the first colon.
func (id ID) Native() string { _, n, _ := strings.Cut(id.text, ":"); return n }

// IsBuiltin says whether the tool is one of the program itself.
func (id ID) IsBuiltin() bool { return id.Source() == sourceBuiltin }

// Key is the registration key of a server or an extension; empty for a built-in.
func (id ID) Key() string { _, k, _ := strings.Cut(id.Source(), "/"); return k }

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) {
	if id.text == "" {
		return nil, fault.New("tool.id_invalid", "the zero id has no text")
	}
	return []byte(id.text), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseID].
func (id *ID) UnmarshalText(b []byte) error {
	parsed, err := ParseID(string(b))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// builtinID gives the id of a built-in's native name.
func builtinID(native string) string { return sourceBuiltin + ":" + native }
