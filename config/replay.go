package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Keys of a model that say how a server is asked, and those that say what a recording plays.
var (
	ofServers = []string{"base_url", "api_key", "api_key_file", "auth", "headers", "quirks", "timeouts", "stream", "reasoning", "cache", "limits", "proxy"}
	ofReplay  = []string{"cassette", "normalise", "on_miss", "exact", "speed"}
)

// meaningless tells of keys that say nothing for a provider.
func (l *loader) meaningless(in *input, path, provider string, names []string) {
	for _, name := range names {
		if p, ok := in.seen[join(path, name)]; ok {
			in.fault(p.key, "config.conflict", fmt.Sprintf("%s.%s means nothing for provider %s", path, name, provider), "remove it")
		}
	}
}

// completeReplay checks a model that a recording answers for. What went over the wire stands
// in the recording.
func (l *loader) completeReplay(in *input, n *yaml.Node, path string) {
	if _, ok := in.seen[join(path, "cassette")]; !ok {
		in.fault(n, "config.missing", path+" has no cassette", "name the file of a recording, which record: FILE or swarm run --record makes")
	}
	for _, name := range slices.Concat(ofServers, []string{"script", "record", "max_output", "temperature", "top_p", "stop", "window", "vision"}) {
		if p, ok := in.seen[join(path, name)]; ok {
			in.fault(p.key, "config.conflict", fmt.Sprintf("%s.%s means nothing for provider replay", path, name), "remove it; the recording says it")
		}
	}
}

// changing reads a pattern of what may change in requests.
func changing(in *input, v *yaml.Node, path string) bool {
	re, err := regexp.Compile(v.Value)
	switch {
	case err != nil:
		in.fault(v, "config.value", "an entry of "+path+" is no pattern: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), "")
		return false
	case re.MatchString(""):
		in.fault(v, "config.value", fmt.Sprintf("the pattern %q of %s fits an empty text", v.Value, path), "have it name what may change, such as \\d{4}-\\d\\d-\\d\\d")
		return false
	}
	return true
}

// schemes are those of a proxy.
var schemes = []string{"http", "https", "socks5"}

// proxy is the kind of the URL of a proxy. Its faults do not show the value, which may hold
// a password.
func proxy(to *string) kind {
	k := reference(to)
	k.form.is, k.form.pattern = "an http, https or socks5 URL, which may hold ${NAME}", `^((https?|socks5)://\S+|.*\$\{[A-Za-z_][A-Za-z0-9_]*\}.*)$`
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		read(in, v, path)
		if strings.Contains(*to, "${") || *to == "" {
			return
		}
		if u, err := url.Parse(*to); err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
			in.fault(v, "config.value", path+" is "+k.form.is, "for example http://127.0.0.1:3128")
		}
	}
	return k
}
