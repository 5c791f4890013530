package js

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// extraKeys gives the keys of an array that are no indices.
func (n *inspector) extraKeys(o *goja.Object) []key {
	return slices.DeleteFunc(n.keys(o), func(k key) bool { return k.sym == nil && isIndex(k.name) })
}

func isIndex(s string) bool {
	if s == "" || len(s) > 10 || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// allNumbers says whether the elements that are shown are numbers, which go to the right of
// their columns.
func (n *inspector) allNumbers(o *goja.Object, length int) bool {
	shown := min(length, n.maxArray+1)
	for i := range shown {
		v := o.Get(strconv.Itoa(i))
		if v == nil {
			return false
		}
		switch v.(type) {
		case *goja.Object, goja.String, *goja.Symbol:
			return false
		}
		if goja.IsUndefined(v) || goja.IsNull(v) || v.ExportType().Kind() == reflect.Bool {
			return false
		}
	}
	return true
}

// elements shows the elements of an array, with its holes counted.
func (n *inspector) elements(o *goja.Object, length, level int) []string {
	var out []string
	i := 0
	for i < length && len(out) < n.maxArray {
		holes := 0
		for i < length && o.Get(strconv.Itoa(i)) == nil {
			holes++
			i++
		}
		if holes > 0 {
			item := "items"
			if holes == 1 {
				item = "item"
			}
			out = append(out, fmt.Sprintf("<%d empty %s>", holes, item))
			continue
		}
		out = append(out, n.property(o, key{name: strconv.Itoa(i)}, level, true))
		i++
	}
	return append(out, more(length-i)...)
}

// more says how many elements are not shown.
func more(left int) []string {
	switch {
	case left == 1:
		return []string{"... 1 more item"}
	case left > 1:
		return []string{fmt.Sprintf("... %d more items", left)}
	}
	return nil
}

// keys gives the properties to be shown.
func (n *inspector) keys(o *goja.Object) []key {
	var keys []key
	names := o.Keys()
	if n.hidden {
		names = o.GetOwnPropertyNames()
	}
	for _, k := range names {
		keys = append(keys, key{name: k})
	}
	for _, s := range o.Symbols() {
		if d := n.descriptorOf(o, s); n.hidden || d != nil && d.Get("enumerable").ToBoolean() {
			keys = append(keys, key{sym: s})
		}
	}
	return keys
}

// property shows a property, or only its value when it is an element.
func (n *inspector) property(o *goja.Object, k key, level int, inArray bool) string {
	element := inArray && k.sym == nil && isIndex(k.name)
	var of goja.Value = k.sym
	if k.sym == nil {
		of = n.r.vm.ToValue(k.name)
	}
	var d *goja.Object
	if element && o.ClassName() == "Array" {
		// Elements have no getters in practice, and there may be many.
		n.indent += 2
		defer func() { n.indent -= 2 }()
		return n.value(o.Get(k.name), level, false)
	}
	d = n.descriptorOf(o, of)
	shown := ""
	enumerable := true
	switch {
	case d == nil:
		shown = n.value(o.Get(k.name), level, false)
	default:
		enumerable = d.Get("enumerable").ToBoolean()
		shown = n.described(o, k, d, level)
	}
	if element {
		return shown
	}
	name := ""
	switch {
	case k.sym != nil:
		name = "[" + symbolText(k.sym) + "]"
	case k.name == "__proto__":
		name = "['__proto__']"
	case !enumerable:
		name = "[" + k.name + "]"
	case isPlainName(k.name):
		name = k.name
	default:
		name = quote(k.name)
	}
	return name + ": " + shown
}

func (n *inspector) described(o *goja.Object, k key, d *goja.Object, level int) string {
	has := func(name string) bool { v := d.Get(name); return v != nil && !goja.IsUndefined(v) }
	switch {
	case has("get"):
		label := "Getter"
		if has("set") {
			label = "Getter/Setter"
		}
		if n.getters && k.sym == nil {
			n.indent += 2
			defer func() { n.indent -= 2 }()
			return "[" + label + ": " + n.value(o.Get(k.name), level, false) + "]"
		}
		return "[" + label + "]"
	case has("set"):
		return "[Setter]"
	}
	n.indent += 2
	defer func() { n.indent -= 2 }()
	return n.value(d.Get("value"), level, false)
}

func isPlainName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}
