package js

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// builtinShape shows the objects of the language that hold something of their own.
func (n *inspector) builtinShape(s *shape, o *goja.Object, name, tag string, exported reflect.Type, typed bool) (*shape, string, bool) {
	kind := n.kindOf(o, exported)
	switch kind {
	case "Set", "Map":
		size := int(o.Get("size").ToInteger())
		s.open = prefixOf(name, tag, kind, "("+strconv.Itoa(size)+")") + "{"
		if s.keys = n.keys(o); size == 0 && len(s.keys) == 0 {
			return nil, s.open + "}", true
		}
		s.entries = func(level int) []string { return n.collection(o, kind, size, level) }
	case "WeakSet", "WeakMap":
		s.open = prefixOf(name, tag, kind, "") + "{"
		s.keys = n.keys(o)
		s.entries = func(int) []string { return []string{"<items unknown>"} }
	case "Promise":
		s.open = prefixOf(name, tag, kind, "") + "{"
		s.keys = n.keys(o)
		s.entries = func(level int) []string { return n.promise(o.Export().(*goja.Promise), level) }
	case "ArrayBuffer":
		s.open = prefixOf(name, tag, kind, "") + "{"
		data := o.Export().(goja.ArrayBuffer).Bytes()
		s.keys = n.keys(o)
		s.entries = func(int) []string {
			out := []string{"byteLength: " + strconv.Itoa(len(data))}
			if !typed {
				out = append([]string{"[Uint8Contents]: <" + hexBytes(data, 50) + ">"}, out...)
			}
			return out
		}
	case "DataView":
		s.open = prefixOf(name, tag, kind, "") + "{"
		s.keys = n.keys(o)
		s.entries = func(level int) []string {
			n.indent += 2
			defer func() { n.indent -= 2 }()
			return []string{
				"byteLength: " + o.Get("byteLength").String(), "byteOffset: " + o.Get("byteOffset").String(),
				"buffer: " + n.value(o.Get("buffer"), level, false),
			}
		}
	case "Generator":
		s.keys = n.keys(o)
		s.open = prefixOf("Object", tag, "Object", "") + "{"
		if len(s.keys) == 0 {
			return nil, s.open + "}", true
		}
	case "typed":
		length := int(o.Get("length").ToInteger())
		s.open, s.close, s.array, s.numbers = prefixOf(name, tag, tag, "("+strconv.Itoa(length)+")")+"[", "]", true, true
		if s.keys = n.extraKeys(o); length == 0 && len(s.keys) == 0 {
			return nil, s.open + "]", true
		}
		s.entries = func(int) []string {
			shown := min(length, n.maxArray)
			out := make([]string, 0, shown+1)
			for i := range shown {
				out = append(out, n.primitive(o.Get(strconv.Itoa(i))))
			}
			return append(out, more(length-shown)...)
		}
	case "iterator":
		s.open = "[" + tag + "] {"
		s.keys = n.keys(o)
		s.entries = func(int) []string { return nil }
		if len(s.keys) == 0 {
			return nil, "Object [" + tag + "] {}", true
		}
	default:
		return nil, "", false
	}
	return s, "", true
}

// kindOf tells the objects of the language apart by what they hold, not by what they say.
func (n *inspector) kindOf(o *goja.Object, exported reflect.Type) string {
	if o.ClassName() != "Object" {
		return ""
	}
	switch exported {
	case nil:
		return ""
	case reflect.TypeFor[[][2]any]():
		return "Map"
	case reflect.TypeFor[*goja.Promise]():
		return "Promise"
	case reflect.TypeFor[goja.ArrayBuffer]():
		return "ArrayBuffer"
	case reflect.TypeFor[[]any]():
		return "Set"
	case reflect.TypeFor[string]():
		return "Symbol"
	case reflect.TypeFor[*big.Int]():
		return "BigInt"
	}
	if exported.Kind() == reflect.Slice {
		return "typed"
	}
	text := must(n.r.in.objectText(o)).String()
	switch text {
	case "[object WeakSet]", "[object WeakMap]", "[object DataView]", "[object Generator]":
		return text[len("[object ") : len(text)-1]
	case "[object Array Iterator]", "[object Map Iterator]", "[object Set Iterator]", "[object String Iterator]", "[object RegExp String Iterator]":
		return "iterator"
	}
	return ""
}

func (n *inspector) collection(o *goja.Object, kind string, size, level int) []string {
	var out []string
	n.indent += 2
	defer func() { n.indent -= 2 }()
	each := n.r.in.setForEach
	if kind == "Map" {
		each = n.r.in.mapForEach
	}
	_, err := each(o, n.r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		if len(out) >= n.maxArray {
			return nil
		}
		v := n.value(c.Argument(0), level, false)
		if kind == "Map" {
			v = n.value(c.Argument(1), level, false) + " => " + v
		}
		out = append(out, v)
		return nil
	}))
	if err != nil {
		panic(err)
	}
	return append(out, more(size-len(out))...)
}

func (n *inspector) promise(p *goja.Promise, level int) []string {
	n.indent += 2
	defer func() { n.indent -= 2 }()
	switch p.State() {
	case goja.PromiseStatePending:
		return []string{"<pending>"}
	case goja.PromiseStateRejected:
		return []string{"<rejected> " + n.value(n.r.fix(p.Result()), level, false)}
	}
	return []string{n.value(p.Result(), level, false)}
}

func hexBytes(data []byte, most int) string {
	var b strings.Builder
	for i, c := range data[:min(len(data), most)] {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%02x", c)
	}
	if left := len(data) - most; left == 1 {
		b.WriteString(" ... 1 more byte")
	} else if left > 1 {
		fmt.Fprintf(&b, " ... %d more bytes", left)
	}
	return b.String()
}

func (n *inspector) boxedShape(s *shape, o *goja.Object, kind, name, tag string) (*shape, string) {
	s.keys = n.keys(o)
	if kind == "String" {
		s.keys = slices.DeleteFunc(s.keys, func(k key) bool { return k.sym == nil && isIndex(k.name) })
	}
	shown := ""
	switch kind {
	case "String":
		shown = quoteValue(o.ToString().(goja.String))
	case "Number":
		shown = n.primitive(o.ToNumber())
	default:
		value := n.r.callable(n.r.vm.GlobalObject().Get(kind).ToObject(n.r.vm).Get("prototype").ToObject(n.r.vm).Get("valueOf"))
		shown = n.primitive(must(value(o)))
	}
	s.base = "[" + kind
	if kind != name {
		if name == "" {
			s.base += " (null prototype)"
		} else {
			s.base += " (" + name + ")"
		}
	}
	s.base += ": " + shown + "]"
	if tag != "" && tag != name {
		s.base += " [" + tag + "]"
	}
	if len(s.keys) == 0 {
		return nil, s.base
	}
	return s, ""
}

// functionBase shows a function or a class.
func (n *inspector) functionBase(o *goja.Object, constructor, tag string) string {
	source := must(n.r.in.functionText(o)).String()
	name := str(o.Get("name"))
	if strings.HasPrefix(source, "class") && strings.HasSuffix(source, "}") {
		if name == "" {
			name = "(anonymous)"
		}
		base := "[class " + name
		if constructor != "Function" && constructor != "" {
			base += " [" + constructor + "]"
		}
		if tag != "" && constructor != tag {
			base += " [" + tag + "]"
		}
		switch super := o.Prototype(); {
		case constructor == "":
			base += " extends null"
		case super != nil:
			if of := str(super.Get("name")); of != "" {
				base += " extends " + of
			}
		}
		return base + "]"
	}
	kind := "Function"
	switch {
	case strings.HasPrefix(source, "async"):
		tag, kind = "", "AsyncFunction"
	case strings.Contains(source, "{ return "+fnAsync+"("):
		tag, kind = "", "AsyncGeneratorFunction"
	}
	if tag == "AsyncFunction" || tag == "GeneratorFunction" || tag == "AsyncGeneratorFunction" {
		kind = tag
	}
	base := "[" + kind
	if constructor == "" {
		base += " (null prototype)"
	}
	if name == "" {
		base += " (anonymous)"
	} else {
		base += ": " + name
	}
	base += "]"
	if constructor != kind && constructor != "" && constructor != "Function" && kind == "Function" {
		base += " " + constructor
	}
	if tag != "" && constructor != tag && kind != tag {
		base += " [" + tag + "]"
	}
	return base
}

// errorBase shows an error with its stack. Properties that the stack tells already go.
func (n *inspector) errorBase(o *goja.Object, constructor, tag string, keys *[]key) string {
	n.r.fix(o)
	name, message := "Error", str(o.Get("message"))
	if v := o.Get("name"); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
		name = v.String()
	}
	stack := ""
	if v := o.Get("stack"); v != nil && !goja.IsUndefined(v) && v.String() != "" {
		stack = v.String()
	} else {
		stack = name
		if message != "" {
			stack += ": " + message
		}
	}
	*keys = slices.DeleteFunc(*keys, func(k key) bool {
		if k.sym != nil || k.name != "name" && k.name != "message" && k.name != "stack" {
			return false
		}
		return strings.Contains(stack, str(o.Get(k.name)))
	})
	own := func(k string) bool { return n.descriptorOf(o, n.r.vm.ToValue(k)) != nil }
	for _, k := range []string{"cause", "errors"} {
		if own(k) && !slices.Contains(*keys, key{name: k}) {
			*keys = append(*keys, key{name: k})
		}
	}
	stack = improved(stack, constructor, name, tag)
	from := 0
	if i := strings.Index(stack, message); message != "" && i >= 0 {
		from = i + len(message)
	}
	if !strings.Contains(stack[from:], "\n    at") {
		stack = "[" + stack + "]"
	}
	if n.indent > 0 {
		stack = strings.ReplaceAll(stack, "\n", "\n"+strings.Repeat(" ", n.indent))
	}
	return stack
}

// improved puts the name of the class into the first line of a stack that lacks it.
func improved(stack, constructor, name, tag string) string {
	rest, begins := strings.CutPrefix(stack, name)
	named := begins && strings.HasSuffix(name, "Error") && (rest == "" || rest[0] == ':' || rest[0] == '\n')
	if constructor != "" && !named {
		return stack
	}
	was := name
	if constructor == "" {
		was, _, _ = strings.Cut(stack, "\n")
		was, _, _ = strings.Cut(was, ":")
		rest = stack[len(was):]
	}
	prefix := strings.TrimSuffix(prefixOf(constructor, tag, was, ""), " ")
	switch {
	case prefix == name:
		return stack
	case strings.Contains(prefix, name):
		return prefix + rest
	}
	return prefix + " [" + name + "]" + rest
}
