package tooling

import (
	"slices"
	"strconv"
	"strings"
)

// MaxName is the longest model name, in bytes (identity spec §7.1).
const MaxName = 64

const (
	hashDigits = 8  // of the ToolId's hash in a name
	extKept    = 55 // bytes kept of a long extension name
	mcpShared  = 48 // bytes that server and tool share in a long MCP name
	mcpServer  = 16 // bytes that the server keeps at least
)

// Names gives the model name of each id under the policy "reserve". It depends on the
// set of ids alone. Names of all built-ins of the table are reserved first; ids must be
// valid.
func Names(ids []string) map[string]string {
	taken := map[string]bool{} // lower case
	for _, e := range table {
		taken[strings.ToLower(builtinName(e.Native))] = true
	}
	names := make(map[string]string, len(ids))
	var external []string
	for _, id := range ids {
		if native, ok := strings.CutPrefix(id, sourceBuiltin+":"); ok {
			names[id] = builtinName(native)
			taken[strings.ToLower(names[id])] = true
		} else {
			external = append(external, id)
		}
	}
	slices.Sort(external)
	for _, id := range slices.Compact(external) {
		base := externalBase(id)
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ {
			suffix := "__" + strconv.Itoa(n)
			name = base[:min(len(base), MaxName-len(suffix))] + suffix
		}
		taken[strings.ToLower(name)] = true
		names[id] = name
	}
	return names
}

func builtinName(native string) string { return strings.ReplaceAll(native, ".", "_") }

// ValidName says whether a model name keeps the grammar that all providers accept.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName || name[0] == '-' || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !nameByte(name[i]) {
			return false
		}
	}
	return true
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// externalBase is the name an external tool would like to have.
func externalBase(id string) string {
	source, native, _ := strings.Cut(id, ":")
	hash := digest(id)[:hashDigits]
	if key, ok := strings.CutPrefix(source, prefixMCP); ok {
		return mcpBase(segment(key, hash), segment(native, hash), hash)
	}
	base := mapped(native)
	if strings.Trim(base, "_") == "" {
		return "tool_" + hash
	}
	if base[0] == '-' || base[0] >= '0' && base[0] <= '9' {
		base = "_" + base
	}
	if len(base) > MaxName {
		base = base[:extKept] + "_" + hash
	}
	return base
}

func mcpBase(server, tool, hash string) string {
	base := "mcp__" + server + "__" + tool
	if len(base) <= MaxName {
		return base
	}
	server = cut(server, max(mcpServer, mcpShared-len(tool)))
	tool = cut(tool, mcpShared-len(server))
	return "mcp__" + server + "__" + tool + "_" + hash
}

// cut keeps the first n bytes without trailing "_" or "-".
func cut(s string, n int) string { return strings.TrimRight(s[:min(n, len(s))], "_-") }

// mapped replaces each character outside the set by one "_".
func mapped(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && nameByte(byte(r)) {
			return r
		}
		return '_'
	}, s)
}

// segment is a part of an MCP name: runs of "_" are one, outer "_" and "-" are cut.
func segment(s, hash string) string {
	m := mapped(s)
	for strings.Contains(m, "__") {
		m = strings.ReplaceAll(m, "__", "_")
	}
	m = strings.Trim(m, "_-")
	if m == "" {
		return "tool_" + hash
	}
	return m
}
