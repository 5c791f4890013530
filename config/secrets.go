package config

import (
	"maps"
	"net/url"
	"slices"
)

// LiteralSecret names the key of a model that holds a secret itself instead of a reference
// ${NAME}: "api_key", "headers.<name>" or "proxy"; "" when there is none. Loading refuses such a
// file; a team that a program builds may have one.
func (m *Model) LiteralSecret() string {
	literal := func(text string) bool {
		names, ok := references(text)
		return text != "" && ok && len(names) == 0
	}
	if literal(m.APIKey) {
		return "api_key"
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		if isSecretHeader(name) && literal(m.Headers[name]) {
			return "headers." + name
		}
	}
	if u, err := url.Parse(m.Proxy); err == nil && u.User != nil && literal(m.Proxy) {
		return "proxy"
	}
	return ""
}
