package js

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// shape is how one object is shown.
type shape struct {
	base    string // stands before the braces
	open    string
	close   string
	array   bool // of elements, which may be set in columns
	keys    []key
	entries func(level int) []string // what stands before the properties
	numbers bool                     // the elements are numbers
}

// key is a property to be shown.
type key struct {
	name string
	sym  *goja.Symbol
}

// object shows an object.
func (n *inspector) object(o *goja.Object, level int, typed bool) string {
	name := n.constructor(o)
	s, done := n.shape(o, name, n.tag(o), level, typed)
	if s == nil {
		return done
	}
	if float64(level) > n.depth || level > maxInspect {
		prefix := strings.TrimSuffix(prefixOf(name, n.tag(o), "Object", ""), " ")
		if o.ClassName() == "Array" && (name == "Array" || name == "") {
			prefix = strings.TrimSuffix(prefixOf(name, "", "Array", ""), " ")
		}
		return "[" + prefix + "]"
	}
	level++
	n.seen = append(n.seen, o)
	n.current = level
	var output []string
	if s.entries != nil {
		output = s.entries(level)
	}
	for _, k := range s.keys {
		output = append(output, n.property(o, k, level, s.array))
	}
	if i := n.circular[o]; i > 0 {
		reference := "<ref *" + strconv.Itoa(i) + ">"
		if s.base == "" {
			s.base = reference
		} else {
			s.base = reference + " " + s.base
		}
	}
	n.seen = n.seen[:len(n.seen)-1]
	if n.sorted {
		if s.array {
			from := len(output) - len(s.keys)
			slices.Sort(output[from:])
		} else {
			slices.Sort(output)
		}
	}
	return n.join(output, s, level)
}

// tag gives Symbol.toStringTag where it says something of its own.
func (n *inspector) tag(o *goja.Object) string {
	v, ok := o.GetSymbol(goja.SymToStringTag).(goja.String)
	if !ok || v.Length() == 0 {
		return ""
	}
	if d := n.descriptorOf(o, goja.SymToStringTag); d != nil && d.Get("enumerable").ToBoolean() {
		return ""
	}
	return v.String()
}

func (n *inspector) descriptorOf(o *goja.Object, key goja.Value) *goja.Object {
	d, err := n.r.in.descriptor(goja.Undefined(), o, key)
	if err != nil {
		panic(err)
	}
	found, _ := d.(*goja.Object)
	return found
}

// constructor gives the name of what made an object, "" when it has no prototype.
func (n *inspector) constructor(o *goja.Object) string {
	first := o.Prototype()
	for at := o; at != nil; at = at.Prototype() {
		if name, ok := n.names[at]; ok && at != o {
			return name
		}
		d := n.descriptorOf(at, n.r.vm.ToValue("constructor"))
		if d == nil {
			continue
		}
		c, ok := d.Get("value").(*goja.Object)
		if !ok {
			continue
		}
		if _, callable := goja.AssertFunction(c); !callable {
			continue
		}
		if name := str(c.Get("name")); name != "" && inherits(o, c) {
			if at != o {
				n.names[at] = name
			}
			return name
		}
	}
	if first == nil {
		return ""
	}
	return "Object"
}

// inherits says whether the prototype of a function is among those of an object.
func inherits(o, of *goja.Object) bool {
	proto, ok := of.Get("prototype").(*goja.Object)
	for at := o.Prototype(); ok && at != nil; at = at.Prototype() {
		if at == proto {
			return true
		}
	}
	return false
}

// prefixOf gives what stands before the braces: Foo, Foo [tag], [Object: null prototype].
func prefixOf(constructor, tag, fallback, size string) string {
	if constructor == "" {
		if tag != "" && fallback != tag {
			return "[" + fallback + size + ": null prototype] [" + tag + "] "
		}
		return "[" + fallback + size + ": null prototype] "
	}
	if tag != "" && constructor != tag {
		return constructor + size + " [" + tag + "] "
	}
	return constructor + size + " "
}

// shape says how an object is shown; nil: it is done already.
func (n *inspector) shape(o *goja.Object, name, tag string, level int, typed bool) (*shape, string) {
	s := &shape{open: "{", close: "}"}
	exported := o.ExportType()
	_, callable := goja.AssertFunction(o)
	switch {
	case o.ClassName() == "Array":
		return n.arrayShape(s, o, name, tag)
	case callable:
		s.keys = n.keys(o)
		if s.base = n.functionBase(o, name, tag); len(s.keys) == 0 {
			return nil, s.base
		}
		return s, ""
	case o.ClassName() == "RegExp":
		s.base = must(n.r.in.regexText(o)).String()
		return n.based(s, o, prefixOf(name, tag, "RegExp", ""), "RegExp ", level)
	case o.ClassName() == "Date":
		s.base = "Invalid Date"
		if !math.IsNaN(o.ToFloat()) {
			s.base = must(n.r.in.dateISO(o)).String()
		}
		return n.based(s, o, prefixOf(name, tag, "Date", ""), "Date ", level)
	case o.ClassName() == "Error":
		s.keys = n.keys(o)
		if s.base = n.errorBase(o, name, tag, &s.keys); len(s.keys) == 0 {
			return nil, s.base
		}
		return s, ""
	case o.ClassName() == "Arguments":
		if s.keys = n.keys(o); len(s.keys) == 0 {
			return nil, "[Arguments] {}"
		}
		s.open = "[Arguments] {"
		return s, ""
	case o.ClassName() == "Number" || o.ClassName() == "String" || o.ClassName() == "Boolean":
		return n.boxedShape(s, o, o.ClassName(), name, tag)
	}
	if kind := n.kindOf(o, exported); kind == "Symbol" || kind == "BigInt" {
		return n.boxedShape(s, o, kind, name, tag)
	}
	if exported != nil && tag != "" {
		if s, done, ok := n.builtinShape(s, o, name, tag, exported, typed); ok {
			return s, done
		}
	}
	s.keys = n.keys(o)
	if name != "Object" || tag != "" {
		s.open = prefixOf(name, tag, "Object", "") + "{"
	}
	if len(s.keys) == 0 {
		return nil, s.open + "}"
	}
	return s, ""
}

// based shows what has a text of its own before its properties.
func (n *inspector) based(s *shape, o *goja.Object, prefix, usual string, level int) (*shape, string) {
	if prefix != usual {
		s.base = prefix + s.base
	}
	s.keys = n.keys(o)
	if len(s.keys) == 0 || float64(level) > n.depth {
		return nil, s.base
	}
	return s, ""
}

func (n *inspector) arrayShape(s *shape, o *goja.Object, name, tag string) (*shape, string) {
	length := int(o.Get("length").ToInteger())
	prefix := ""
	if name != "Array" || tag != "" {
		prefix = prefixOf(name, tag, "Array", "("+strconv.Itoa(length)+")")
	}
	s.open, s.close, s.array = prefix+"[", "]", true
	s.keys = n.extraKeys(o)
	if len(s.keys) == 3 && s.keys[0].name == "input" && s.keys[1].name == "index" { // a match, which V8 orders so
		s.keys[0], s.keys[1] = s.keys[1], s.keys[0]
	}
	if length == 0 && len(s.keys) == 0 {
		return nil, s.open + "]"
	}
	s.entries = func(level int) []string { return n.elements(o, length, level) }
	s.numbers = n.allNumbers(o, length)
	return s, ""
}
