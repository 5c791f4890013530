package secret

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// MinLength is the fewest bytes of a value that is looked for: a shorter one would be found
// where it is not meant (journal spec §12).
const MinLength = 8

// Set is a set of named values. The zero value is empty and costs nothing. However a set is
// printed, logged or encoded, only the number of its values is told.
type Set struct {
	// known is a function and no pointer: what a pointer leads to would be printed by a
	// verb that does not fit, where a set is a field that fmt cannot ask to print itself.
	known func() *matcher
}

// of gives the matcher of a set, nil for the empty one.
func (s Set) of() *matcher {
	if s.known == nil {
		return nil
	}
	return s.known()
}

// New makes a set of values by name. A name stands in placeholders: characters other than
// letters, digits, '_', '-' and '.' become '_'. Empty values are left out. When two names
// have one value, the first in alphabetical order stands for it.
func New(values map[string]string) Set {
	m := &matcher{values: make(map[string]string, len(values)), heads: map[uint64][]needle{}}
	for name, v := range values { // a set, so order does not matter
		if v != "" {
			m.values[legal(name)] = v
		}
	}
	if len(m.values) == 0 {
		return Set{}
	}
	names := slices.Sorted(maps.Keys(m.values))
	for _, name := range names {
		v := m.values[name]
		if len(v) < MinLength || partOfPlaceholder(v, names) {
			m.unseen = append(m.unseen, name)
			continue
		}
		for _, form := range forms(v) {
			m.add(form, placeholder(name))
		}
	}
	m.order()
	return Set{func() *matcher { return m }}
}

// With gives a set that has the values of both. A name of both with two values keeps s's,
// and the other value has a name with a number.
func (s Set) With(other Set) Set {
	mine, its := s.of(), other.of()
	switch {
	case its == nil || mine == its:
		return s
	case mine == nil:
		return other
	}
	all, more := maps.Clone(mine.values), false
	for _, name := range slices.Sorted(maps.Keys(its.values)) {
		v, as := its.values[name], name
		for n := 2; all[as] != "" && all[as] != v; n++ {
			as = fmt.Sprintf("%s.%d", name, n)
		}
		more = more || all[as] == ""
		all[as] = v
	}
	if !more {
		return s
	}
	return New(all)
}

// Empty says whether there is nothing to look for.
func (s Set) Empty() bool { return s.known == nil || len(s.of().heads) == 0 }

// Unseen gives the names of the values that are not looked for, sorted: those below
// [MinLength], and those that are part of a placeholder.
func (s Set) Unseen() []string {
	if m := s.of(); m != nil {
		return slices.Clone(m.unseen)
	}
	return nil
}

// Mask puts {{secret:NAME}} in place of each value, in any of its forms: as it is, in
// base64, URL-encoded, and escaped as in JSON. At one place the longest form counts. The
// beginning of a value that was cut, at the end of the text or before an ellipsis, counts
// when it is at least half of the form. A text without a value is returned as it is. The
// time is linear in the length of the text.
func (s Set) Mask(text string) string {
	if s.Empty() {
		return text
	}
	m := s.of()
	hit, ok := m.next(text, 0, true)
	if !ok {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for ok {
		b.WriteString(text[from:hit.start])
		b.WriteString(hit.as)
		from = hit.end
		hit, ok = m.next(text, from, true)
	}
	b.WriteString(text[from:])
	return b.String()
}

// Format implements [fmt.Formatter]: no verb prints a value.
func (s Set) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, s.count()) // fmt has nowhere to report to
}

// MarshalText implements [encoding.TextMarshaler], for JSON and logs alike.
func (s Set) MarshalText() ([]byte, error) { return []byte(s.count()), nil }

// LogValue implements [slog.LogValuer].
func (s Set) LogValue() slog.Value { return slog.StringValue(s.count()) }

func (s Set) count() string {
	n := 0
	if m := s.of(); m != nil {
		n = len(m.values)
	}
	return fmt.Sprintf("secrets(%d)", n)
}

func placeholder(name string) string { return "{{secret:" + name + "}}" }

// partOfPlaceholder says whether masking a value would change placeholders, so that a text
// that is masked twice would be another one.
func partOfPlaceholder(value string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(placeholder(name), value) })
}

// legal makes a name one that needs no escaping in JSON, YAML or a URL.
func legal(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, name)
}
