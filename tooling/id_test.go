package tooling

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, id, code, source, native string
	}{
		{"built-in", "builtin:workspace.read_file", "", "builtin", "workspace.read_file"},
		{"names-9 more colons", "mcp/gh:repo:search", "", "mcp/gh", "repo:search"},
		{"names-9 mcp/x:a:b", "mcp/x:a:b", "", "mcp/x", "a:b"},
		{"extension", "extension/notes:write", "", "extension/notes", "write"},
		{"parses although nobody has it", "builtin:no_such", "", "builtin", "no_such"},
		{"native with spaces inside", "mcp/x:a b", "", "mcp/x", "a b"},
		{"native in another script", "mcp/docs:查询", "", "mcp/docs", "查询"},
		{"longest key", "mcp/" + strings.Repeat("a", 64) + ":x", "", "", ""},
		{"longest native", "mcp/a:" + strings.Repeat("x", 256), "", "", ""},
		{"names-9 empty", "", "tool.id_invalid", "", ""},
		{"names-9 builtin", "builtin", "tool.id_invalid", "", ""},
		{"bare word", "read", "tool.id_invalid", "", ""},
		{"names-9 :x", ":x", "tool.source_empty", "", ""},
		{"only a colon", ":", "tool.source_empty", "", ""},
		{"case of the source", "Builtin:read", "tool.source_invalid", "", ""},
		{"mcp without a key", "mcp:x", "tool.source_invalid", "", ""},
		{"empty key", "mcp/:x", "tool.source_invalid", "", ""},
		{"key of two parts", "mcp/a/b:x", "tool.source_invalid", "", ""},
		{"key with a space", "mcp/My Server:x", "tool.source_invalid", "", ""},
		{"two separators", "mcp/a__b:x", "tool.source_invalid", "", ""},
		{"separator at the end", "mcp/a-:x", "tool.source_invalid", "", ""},
		{"separator at the start", "extension/_a:x", "tool.source_invalid", "", ""},
		{"key too long", "mcp/" + strings.Repeat("a", 65) + ":x", "tool.source_invalid", "", ""},
		{"names-9 builtin:", "builtin:", "tool.native_name_empty", "", ""},
		{"case of a built-in", "builtin:Read", "tool.native_name_invalid", "", ""},
		{"names-9 builtin:a:b", "builtin:a:b", "tool.native_name_invalid", "", ""},
		{"empty word", "builtin:a..b", "tool.native_name_invalid", "", ""},
		{"word with a digit first", "builtin:a.1b", "tool.native_name_invalid", "", ""},
		{"space before", "mcp/gh: x", "tool.native_name_invalid", "", ""},
		{"no-break space after", "mcp/gh:x\u00a0", "tool.native_name_invalid", "", ""},
		{"control character", "mcp/gh:a\x7fb", "tool.native_name_invalid", "", ""},
		{"second row of control characters", "mcp/gh:a\u0085b", "tool.native_name_invalid", "", ""},
		{"not UTF-8", "mcp/gh:a\xffb", "tool.native_name_invalid", "", ""},
		{"native too long", "mcp/a:" + strings.Repeat("x", 257), "tool.native_name_invalid", "", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			id, err := ParseID(r.id)
			if fault.Code(err) != r.code {
				t.Fatalf("error %v, want %q", err, r.code)
			}
			if err != nil {
				if id != (ID{}) {
					t.Error("an id beside an error")
				}
				return
			}
			if id.String() != r.id || r.source != "" && (id.Source() != r.source || id.Native() != r.native) {
				t.Errorf("%q: source %q, native %q", id, id.Source(), id.Native())
			}
			b, err := json.Marshal(id)
			if err != nil {
				t.Fatal(err)
			}
			var again ID
			if err := json.Unmarshal(b, &again); err != nil || again != id {
				t.Errorf("%s decodes to %q: %v", b, again, err)
			}
		})
	}
}

func TestIDHasNoZero(t *testing.T) {
	t.Parallel()
	if _, err := json.Marshal(ID{}); err == nil {
		t.Error("the zero id was encoded")
	}
	var id ID
	if err := json.Unmarshal([]byte(`"builtin"`), &id); fault.Code(err) != "tool.id_invalid" {
		t.Errorf("error %v", err)
	}
	ext, err := ParseID("extension/notes:x")
	if err != nil || ext.Key() != "notes" || ext.IsBuiltin() {
		t.Errorf("key %q", ext.Key())
	}
}
