package tooling

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Check judges an object by the schema of a built-in or Go tool and gives what the
// handler reads: strings without outer white space except the raw ones, optional members
// that are null or blank left out, integers in plain digits. raw names string members of
// the top level. The object itself is given back when nothing of this applied. Up to
// five faults are reported together: per object unknown names first, then the members
// in the order of the schema.
func (s *Schema) Check(o *Object, raw []string) (*Object, *Invalid) {
	if s.external {
		return o, s.CheckExternal(o)
	}
	c := checker{raw: raw}
	c.object(s.rule, o, true)
	if len(c.faults) > 0 {
		first := c.faults[0]
		first.Also = c.faults[1:]
		return nil, &first
	}
	if !c.changed {
		return o, nil
	}
	checked := object(string(c.rewrite(make([]byte, 0, len(o.canon)), s.rule, o.canon, true, false)))
	checked.text = o.text
	return checked, nil
}

// CheckExternal judges an object by a schema of an external tool: only what is plainly
// wrong at the top level is refused, nothing is changed.
func (s *Schema) CheckExternal(o *Object) *Invalid {
	var c checker
	if s.rule.closed {
		c.unknown(s.rule, o)
	}
	for i := range s.rule.props {
		p := &s.rule.props[i]
		m := o.find(p.name)
		switch {
		case m == nil && p.required:
			c.add(Invalid{Reason: ReasonMissingKey, Place: placeName(p.name), Expected: p.rule.String()})
		case m == nil || m.kind == kindNull || p.rule.kind == 0:
		case !fits(p.rule, m.kind, o.val(m)):
			c.add(Invalid{Reason: ReasonWrongType, Place: placeName(p.name), Expected: p.rule.String(), Got: o.val(m)})
		}
	}
	if len(c.faults) == 0 {
		return nil
	}
	first := c.faults[0]
	first.Also = c.faults[1:]
	return &first
}

// fits says whether a value has the declared type or is a scalar that converts exactly.
func fits(r *rule, k kind, v string) bool {
	if k == r.kind {
		return !r.integer || parseDecimal(v).integral()
	}
	if k == kindObject || k == kindArray || r.kind == kindObject || r.kind == kindArray || r.kind == kindNull {
		return false
	}
	if r.kind == kindString {
		return true
	}
	if k != kindString {
		return false
	}
	text := unquoted(v)
	if r.kind == kindBool {
		return text == "true" || text == "false"
	}
	p := parser{in: text, maxItems: 1}
	pk, ok := p.document()
	return ok && pk == kindNumber && (!r.integer || parseDecimal(text).integral())
}

// checker collects faults. Places are completed on the way out.
type checker struct {
	raw     []string
	faults  []Invalid
	changed bool
}

func (c *checker) add(f Invalid) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, f)
	}
}

// under puts a step before the places of all faults from the n-th on.
func (c *checker) under(n int, step string) {
	for i := n; i < len(c.faults); i++ {
		c.faults[i].Place = joinPlace(step, c.faults[i].Place)
	}
}

func (c *checker) value(r *rule, v string, raw bool) {
	k := kindOf(v)
	if r.kind != 0 && k != r.kind || r.integer && !parseIntegral(v) {
		c.add(Invalid{Reason: ReasonWrongType, Expected: r.String(), Got: v})
		return
	}
	switch k {
	case kindObject:
		c.object(r, object(v), false)
	case kindArray:
		c.array(r, v)
	case kindNumber:
		c.number(r, v)
	case kindString:
		c.text(r, v, raw)
	default:
		if len(r.enum) > 0 && !slices.Contains(r.enum, v) {
			c.add(Invalid{Reason: ReasonWrongValue, Expected: r.String(), Got: v})
		}
	}
}

func parseIntegral(v string) bool {
	if _, err := strconv.ParseInt(v, 10, 64); err == nil {
		return true
	}
	return parseDecimal(v).integral()
}

func (c *checker) object(r *rule, o *Object, top bool) {
	if r.closed {
		c.unknown(r, o)
	}
	for i := range r.props {
		p := &r.props[i]
		m := o.find(p.name)
		raw := top && slices.Contains(c.raw, p.name)
		if m == nil || absent(p.rule, o.val(m), raw) {
			if p.required {
				c.add(Invalid{Reason: ReasonMissingKey, Place: placeName(p.name), Expected: p.rule.String()})
			}
			c.changed = c.changed || m != nil
			continue
		}
		n := len(c.faults)
		c.value(p.rule, o.val(m), raw)
		if len(c.faults) > n {
			c.under(n, placeName(p.name))
		}
	}
}

// unknown reports the members that a closed object does not name.
func (c *checker) unknown(r *rule, o *Object) {
	for i := range o.members {
		if r.propOf(o.key(i)) != nil {
			continue
		}
		name := unquoted(o.key(i))
		accepted := r.names()
		c.add(Invalid{Reason: ReasonUnknownKey, Place: placeName(name), Accepted: accepted, Suggest: suggest(name, accepted)})
	}
}

// propOf finds a property by a name in quotes.
func (r *rule) propOf(key string) *property {
	return r.prop(unquoted(key))
}

// absent says whether a value counts as not given: null, unless null is the type, and a
// blank string that is not raw.
func absent(r *rule, v string, raw bool) bool {
	if v == "null" {
		return r.kind != kindNull && r.kind != 0
	}
	return r.kind == kindString && !raw && v[0] == '"' && trimmed(v) == `""`
}

func (c *checker) array(r *rule, v string) {
	w := walk(v)
	n := 0
	for e, ok := w.element(); ok; e, ok = w.element() {
		if r.items != nil {
			had := len(c.faults)
			c.value(r.items, e, false)
			if len(c.faults) > had {
				c.under(had, step(n))
			}
		}
		n++
	}
	if !r.count.holds(n) {
		c.add(Invalid{Reason: ReasonOutOfRange, Expected: r.String(), Got: strconv.Itoa(n) + " items"})
	}
}

func (c *checker) number(r *rule, v string) {
	bad := false
	if r.integer {
		n, ok := parseInt(v)
		bad = !ok
		c.changed = c.changed || ok && !plainInt(v, n)
		if !ok && r.max == nil {
			c.add(Invalid{Reason: ReasonOutOfRange, Expected: r.String() + " of at most 64 bits", Got: v})
			return
		}
	} else if len(v) > 300 || strings.ContainsAny(v, "eE") {
		bad = r.kind == kindNumber && !parseDecimal(v).finite()
	}
	if !bad && (r.min != nil || r.max != nil) {
		d := parseDecimal(v)
		bad = r.min != nil && d.compare(r.min.value) < 0 || r.max != nil && d.compare(r.max.value) > 0
	}
	if bad {
		c.add(Invalid{Reason: ReasonOutOfRange, Expected: r.String(), Got: v})
		return
	}
	if len(r.enum) > 0 && !slices.ContainsFunc(r.enum, func(e string) bool {
		return kindOf(e) == kindNumber && parseDecimal(e) == parseDecimal(v)
	}) {
		c.add(Invalid{Reason: ReasonWrongValue, Expected: r.String(), Got: v})
	}
}

// plainInt says whether a literal is the usual spelling of n.
func plainInt(v string, n int64) bool {
	var buf [20]byte
	return string(strconv.AppendInt(buf[:0], n, 10)) == v
}

func (c *checker) text(r *rule, v string, raw bool) {
	if r.kind == kindString && !raw {
		if t := trimmed(v); t != v {
			v = t
			c.changed = true
		}
		if strings.Contains(v, `\u0000`) && strings.ContainsRune(unquoted(v), 0) {
			c.add(Invalid{Reason: ReasonWrongValue, Expected: "a string without the character U+0000", Got: unquoted(v)})
			return
		}
	}
	if len(r.enum) > 0 {
		if !slices.Contains(r.enum, v) {
			c.add(Invalid{Reason: ReasonWrongValue, Expected: r.String(), Got: unquoted(v)})
		}
		return
	}
	if r.length == anySize && r.pattern == nil {
		return
	}
	s := unquoted(v)
	if r.length != anySize {
		if n := utf8.RuneCountInString(s); !r.length.holds(n) {
			c.add(Invalid{Reason: ReasonOutOfRange, Expected: r.String(), Got: thousands(n) + " characters"})
			return
		}
	}
	if r.pattern != nil && !r.pattern.MatchString(s) {
		c.add(Invalid{Reason: ReasonWrongValue, Expected: r.String(), Got: s})
	}
}

// trimmed gives a canonical string without outer white space.
func trimmed(v string) string {
	inner := v[1 : len(v)-1]
	if inner == "" || hard(inner[0]) && hard(inner[len(inner)-1]) && strings.IndexByte(inner, '\\') < 0 {
		return v
	}
	s := unquoted(v)
	t := strings.TrimSpace(s)
	if len(t) == len(s) {
		return v
	}
	return string(appendQuoted(nil, t))
}

// hard says whether a byte is no part of any white space.
func hard(c byte) bool {
	return c > ' ' && c < utf8.RuneSelf
}

// rewrite writes a value that holds as its handler reads it.
func (c *checker) rewrite(dst []byte, r *rule, v string, top, raw bool) []byte {
	switch kindOf(v) {
	case kindObject:
		dst = append(dst, '{')
		w := walk(v)
		empty := true
		for key, val, ok := w.member(); ok; key, val, ok = w.member() {
			p := r.propOf(key)
			raw := p != nil && top && slices.Contains(c.raw, p.name)
			if p != nil && absent(p.rule, val, raw) {
				continue
			}
			if !empty {
				dst = append(dst, ',')
			}
			empty = false
			dst = append(append(dst, key...), ':')
			if p == nil {
				dst = append(dst, val...)
			} else {
				dst = c.rewrite(dst, p.rule, val, false, raw)
			}
		}
		return append(dst, '}')
	case kindArray:
		if r.items == nil {
			break
		}
		dst = append(dst, '[')
		w := walk(v)
		for i := 0; ; i++ {
			e, ok := w.element()
			if !ok {
				return append(dst, ']')
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.rewrite(dst, r.items, e, false, false)
		}
	case kindNumber:
		if n, ok := parseInt(v); ok && r.integer {
			return strconv.AppendInt(dst, n, 10)
		}
	case kindString:
		if r.kind == kindString && !raw {
			v = trimmed(v)
		}
	}
	return append(dst, v...)
}
