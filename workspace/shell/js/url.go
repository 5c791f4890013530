package js

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// urlParts are the parts of a URL as the WHATWG names them.
type urlParts struct {
	scheme, user, password, host, port, path string
	query, fragment                          string // with their marks, "" when empty
	hasHost                                  bool
	opaque                                   bool // the path is no list of segments: mailto:a@b
}

// defaultPorts are of the special schemes.
var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": ""}

func special(scheme string) bool {
	_, ok := defaultPorts[scheme]
	return ok
}

// Characters that stay as they are in the parts of a URL, beside letters and digits.
const (
	inUser     = "-._~!$&'()*+,%"
	inPath     = "-._~!$&'()*+,;=:@%/[]|\\"
	inQuery    = "-._~!$&'()*+,;=:@%/?[]|\\^`{}"
	inSpecial  = "-._~!$&()*+,;=:@%/?[]|\\^`{}"
	inFragment = "-._~!$&'()*+,;=:@%/?[]|\\^{}#"
)

// parseURL reads a URL, by a base when it is relative.
func parseURL(input string, base *urlParts) (*urlParts, bool) {
	input = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimFunc(input, func(r rune) bool { return r <= ' ' }))
	rest, fragment, hasFragment := strings.Cut(input, "#")
	u := &urlParts{}
	if hasFragment && fragment != "" {
		u.fragment = "#" + percent(fragment, inFragment)
	}
	scheme, after, ok := cutScheme(rest)
	if ok && !(base != nil && scheme == base.scheme && special(scheme) && !strings.HasPrefix(strings.ReplaceAll(after, "\\", "/"), "/")) {
		u.scheme = scheme
		return u, u.absolute(after)
	}
	if ok {
		rest = after
	}
	if base == nil {
		return nil, false
	}
	return u, u.relative(rest, base)
}

func cutScheme(s string) (scheme, rest string, ok bool) {
	i := strings.IndexByte(s, ':')
	if i <= 0 {
		return "", s, false
	}
	for j := range i {
		c := s[j]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (j == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return "", s, false
		}
	}
	return strings.ToLower(s[:i]), s[i+1:], true
}

// absolute reads what stands after the scheme.
func (u *urlParts) absolute(rest string) bool {
	rest, query, has := strings.Cut(rest, "?")
	u.setQuery(query, has)
	if special(u.scheme) {
		rest = strings.ReplaceAll(rest, "\\", "/")
		if u.scheme == "file" && !strings.HasPrefix(rest, "//") {
			u.hasHost = true
			u.setPath(rest)
			return true
		}
		if u.scheme != "file" {
			rest = "//" + strings.TrimLeft(rest, "/")
		}
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		u.opaque = !strings.HasPrefix(rest, "/")
		if u.opaque {
			u.path = percent(rest, inPath+" ?\"<>^`{}")
			return true
		}
		u.setPath(rest)
		return true
	}
	path := ""
	if i := strings.IndexByte(authority, '/'); i >= 0 {
		authority, path = authority[:i], authority[i:]
	}
	u.setPath(path)
	return u.setAuthority(authority)
}

func (u *urlParts) setAuthority(s string) bool {
	u.hasHost = true
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		user, password, _ := strings.Cut(s[:i], ":")
		u.user, u.password = percent(user, inUser), percent(password, inUser)
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		if !u.setPort(s[i+1:]) {
			return false
		}
		s = s[:i]
	}
	return u.setHost(s)
}

func (u *urlParts) setPort(s string) bool {
	if s == "" {
		u.port = ""
		return true
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return false
	}
	u.port = strconv.FormatUint(n, 10)
	if u.port == defaultPorts[u.scheme] {
		u.port = ""
	}
	return true
}

func (u *urlParts) setHost(s string) bool {
	if s == "" {
		u.host = ""
		return !special(u.scheme) || u.scheme == "file"
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		a, err := netip.ParseAddr(s[1 : len(s)-1])
		u.host = "[" + a.String() + "]"
		return err == nil
	}
	if !special(u.scheme) {
		u.host = percent(s, inPath)
		return true
	}
	s = strings.ToLower(unpercent(s))
	if strings.ContainsAny(s, " #/:<>?@[\\]^|%\x00") {
		return false
	}
	host, ok := asciiHost(s)
	if !ok {
		return false
	}
	u.host = host
	return true
}

func (u *urlParts) setQuery(s string, has bool) {
	u.query = ""
	if has && s != "" {
		keep := inQuery
		if special(u.scheme) {
			keep = inSpecial
		}
		u.query = "?" + percent(s, keep)
	}
}

// setPath takes a path, without its dots.
func (u *urlParts) setPath(s string) {
	if s == "" && !special(u.scheme) {
		u.path = ""
		return
	}
	if special(u.scheme) {
		s = strings.ReplaceAll(s, "\\", "/")
	}
	var out []string
	parts := strings.Split(strings.TrimPrefix(s, "/"), "/")
	for i, p := range parts {
		last := i == len(parts)-1
		switch strings.ToLower(strings.ReplaceAll(strings.ToLower(p), "%2e", ".")) {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			out = out[:max(0, len(out)-1)]
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, percent(p, inPath))
		}
	}
	u.path = "/" + strings.Join(out, "/")
}

// relative reads a reference that has no scheme.
func (u *urlParts) relative(rest string, base *urlParts) bool {
	fragment := u.fragment
	*u = *base
	u.fragment = fragment
	rest, query, has := strings.Cut(rest, "?")
	if special(u.scheme) {
		rest = strings.ReplaceAll(rest, "\\", "/")
	}
	switch {
	case base.opaque:
		return rest == "" && !has
	case strings.HasPrefix(rest, "//"):
		*u = urlParts{scheme: base.scheme, fragment: fragment}
		u.setQuery(query, has)
		authority, path := rest[2:], ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, path = authority[:i], authority[i:]
		}
		u.setPath(path)
		return u.setAuthority(authority)
	case strings.HasPrefix(rest, "/"):
		u.setPath(rest)
	case rest != "":
		u.setPath(base.path[:strings.LastIndexByte(base.path, '/')+1] + rest)
	case !has:
		return true
	}
	u.setQuery(query, has)
	return true
}

func (r *Runtime) addURLNatives(o *goja.Object) {
	r.set(o, "parseURL", func(c goja.FunctionCall) goja.Value { // input and base, or input and null
		var base *urlParts
		if b := c.Argument(1); !goja.IsNull(b) && !goja.IsUndefined(b) {
			var ok bool
			if base, ok = parseURL(b.String(), nil); !ok {
				return goja.Null()
			}
		}
		u, ok := parseURL(c.Argument(0).String(), base)
		if !ok {
			return goja.Null()
		}
		return r.urlObject(u)
	})
	r.set(o, "setURL", func(c goja.FunctionCall) goja.Value { // parts, name, value
		u := urlOf(c.Argument(0).ToObject(r.vm))
		if !u.set(c.Argument(1).String(), c.Argument(2).String()) {
			return goja.Null()
		}
		return r.urlObject(u)
	})
}

// set changes one part; false: the value is not valid, and nothing changes.
func (u *urlParts) set(name, value string) bool {
	switch name {
	case "protocol":
		scheme, _, ok := cutScheme(strings.TrimSuffix(value, ":") + ":")
		if !ok || special(scheme) != special(u.scheme) {
			return false
		}
		u.scheme = scheme
		return u.setPort(u.port)
	case "username":
		u.user = percent(value, inUser)
	case "password":
		u.password = percent(value, inUser)
	case "host":
		user, password := u.user, u.password
		ok := u.setAuthority(value)
		u.user, u.password = user, password
		return ok
	case "hostname":
		return u.setHost(value)
	case "port":
		return u.setPort(value)
	case "pathname":
		if u.opaque {
			return false
		}
		u.setPath(strings.NewReplacer("?", "%3F", "#", "%23").Replace("/" + strings.TrimPrefix(value, "/")))
	case "search":
		value = strings.ReplaceAll(strings.TrimPrefix(value, "?"), "#", "%23")
		u.setQuery(value, true)
	case "hash":
		u.fragment = ""
		if value = strings.TrimPrefix(value, "#"); value != "" {
			u.fragment = "#" + percent(value, inFragment)
		}
	}
	return true
}

func (r *Runtime) urlObject(u *urlParts) *goja.Object {
	o := r.vm.NewObject()
	for name, v := range map[string]string{
		"scheme": u.scheme, "user": u.user, "password": u.password, "host": u.host, "port": u.port, "path": u.path, "query": u.query, "fragment": u.fragment,
	} {
		r.set(o, name, r.vm.ToValue(v))
	}
	r.set(o, "hasHost", r.vm.ToValue(u.hasHost))
	r.set(o, "opaque", r.vm.ToValue(u.opaque))
	r.set(o, "special", r.vm.ToValue(special(u.scheme)))
	return o
}

func urlOf(o *goja.Object) *urlParts {
	get := func(name string) string { return str(o.Get(name)) }
	return &urlParts{
		scheme: get("scheme"), user: get("user"), password: get("password"), host: get("host"), port: get("port"), path: get("path"),
		query: get("query"), fragment: get("fragment"), hasHost: o.Get("hasHost").ToBoolean(), opaque: o.Get("opaque").ToBoolean(),
	}
}
