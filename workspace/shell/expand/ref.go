package expand

import (
	"context"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// ref is what an expansion or an assignment names: a parameter, and perhaps elements of it.
type ref struct {
	name string
	sub  subscript
}

// subscript is the brackets after a name.
type subscript struct {
	kind subKind
	expr syntax.ArithmExpr // of an element, or
	text string            // the same as text
}

type subKind uint8

const (
	noSub  subKind = iota
	all            // [@]
	joined         // [*]
	element
)

func subscriptOf(e syntax.ArithmExpr) subscript {
	if e == nil {
		return subscript{}
	}
	if w, ok := e.(*syntax.Word); ok && w != nil && len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok {
			switch lit.Value {
			case "@":
				return subscript{kind: all}
			case "*":
				return subscript{kind: joined}
			}
		}
	}
	return subscript{kind: element, expr: e}
}

func subscriptText(s string) subscript {
	switch s {
	case "@":
		return subscript{kind: all}
	case "*":
		return subscript{kind: joined}
	}
	return subscript{kind: element, text: s}
}

// parseTarget splits name[subscript]; ok says whether it is a name with or without one.
func parseTarget(s string) (ref, bool) {
	i := strings.IndexByte(s, '[')
	if i < 0 {
		return ref{name: s}, syntax.ValidName(s)
	}
	if !strings.HasSuffix(s, "]") || !syntax.ValidName(s[:i]) || !balanced(s[i:]) {
		return ref{}, false
	}
	return ref{s[:i], subscriptText(s[i+1 : len(s)-1])}, true
}

// balanced says whether the bracket that s begins with is closed by its last character.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// Resolve follows the name references that begin at a name: it gives the variable at their
// end, and the text of the subscript that the last reference has, "" for none. References
// that run in a circle are an error.
func (c *Config) Resolve(ctx context.Context, name string) (base, subscript string, err error) {
	for range 8 {
		v := c.Shell.Get(name)
		if v.Kind != vars.NameRef || v.Str == "" {
			return name, subscript, nil
		}
		r, ok := parseTarget(v.Str)
		if !ok {
			return name, subscript, nil
		}
		if r.sub.kind != noSub {
			return r.name, strings.TrimSuffix(v.Str[len(r.name)+1:], "]"), nil
		}
		name = r.name
	}
	return name, "", &Error{Text: name + ": circular name reference", Code: 1}
}

// follow resolves the name references of a ref.
func (c *Config) follow(ctx context.Context, r ref) (ref, vars.Var, error) {
	v := c.Shell.Get(r.name)
	if v.Kind != vars.NameRef {
		return r, v, nil
	}
	base, sub, err := c.Resolve(ctx, r.name)
	if err != nil {
		return r, vars.Var{}, err
	}
	r.name = base
	if sub != "" && r.sub.kind == noSub {
		r.sub = subscriptText(sub)
	}
	v = c.Shell.Get(base)
	if v.Kind == vars.NameRef {
		// A reference without a target, or to what is no name.
		v = vars.Var{Attr: v.Attr, Kind: vars.Unset}
	}
	return r, v, nil
}

// key gives the key that a subscript means for an associative array.
func (c *Config) key(ctx context.Context, s subscript) (string, error) {
	switch {
	case s.kind == all:
		return "@", nil
	case s.kind == joined:
		return "*", nil
	case s.expr == nil:
		c, err := c.deeper()
		if err != nil {
			return "", err
		}
		w, err := parseWord(s.text)
		if err != nil {
			return "", err
		}
		return c.one(ctx, w, text, bare, false)
	}
	if w, ok := s.expr.(*syntax.Word); ok && w != nil {
		if len(w.Parts) == 1 {
			if pe, ok := w.Parts[0].(*syntax.ParamExp); ok && !pe.Dollar.IsValid() {
				return c.key(ctx, subscript{kind: element, text: sourceOf(s.expr)})
			}
		}
		return c.one(ctx, w, text, bare, false)
	}
	return c.key(ctx, subscript{kind: element, text: sourceOf(s.expr)})
}

// index gives the index that a subscript means for an indexed array whose highest is last.
// ok is false for a negative one before the beginning.
func (c *Config) index(ctx context.Context, s subscript, last int) (at int, ok bool, err error) {
	n, err := c.subscriptNumber(ctx, s)
	if err != nil {
		return 0, false, err
	}
	if n < 0 {
		n += int64(last) + 1
	}
	return int(n), n >= 0, nil
}

func (c *Config) subscriptNumber(ctx context.Context, s subscript) (int64, error) {
	if s.expr != nil {
		return c.Arithm(ctx, s.expr)
	}
	c, err := c.deeper()
	if err != nil {
		return 0, err
	}
	w, err := parseWord(s.text)
	if err != nil {
		return 0, err
	}
	text, err := c.one(ctx, w, text, bare, false)
	if err != nil {
		return 0, err
	}
	return c.ArithmText(ctx, text)
}

// show gives the source of a subscript for messages.
func (s subscript) show() string {
	switch s.kind {
	case noSub:
		return ""
	case all:
		return "[@]"
	case joined:
		return "[*]"
	}
	if s.expr != nil {
		return "[" + sourceOf(s.expr) + "]"
	}
	return "[" + s.text + "]"
}

// Keys gives the indices or keys of a variable in the order in which bash lists them:
// those of an associative array by the hash that bash uses.
func Keys(v vars.Var) []string {
	switch v.Kind {
	case vars.Scalar:
		return []string{"0"}
	case vars.Indexed:
		keys := make([]string, v.List.Len())
		for i := range keys {
			keys[i] = itoa(v.List.Index(i))
		}
		return keys
	case vars.Assoc:
		return hashed(v.Keys)
	}
	return nil
}

// hashed puts keys, given in order of insertion, in the order of bash's table: by bucket,
// and in one bucket the newest first.
func hashed(keys []string) []string {
	buckets := uint32(1024)
	for len(keys) > int(buckets)*2 {
		buckets *= 4
	}
	type entry struct {
		bucket uint32
		key    string
	}
	entries := make([]entry, len(keys))
	for i, key := range keys {
		h := uint32(2166136261) // FNV-1 with the constants of bash's hashlib
		for j := range len(key) {
			h = h*16777619 ^ uint32(int8(key[j])) // char is signed there
		}
		entries[len(keys)-1-i] = entry{h & (buckets - 1), key}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return int(a.bucket) - int(b.bucket) })
	sorted := make([]string, len(keys))
	for i, e := range entries {
		sorted[i] = e.key
	}
	return sorted
}
