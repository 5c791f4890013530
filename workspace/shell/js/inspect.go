package js

import (
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// inspector shows values as util.inspect of Node does.
type inspector struct {
	r         *Runtime
	depth     float64 // levels that are opened; +Inf for all
	breakAt   int     // length of a line
	compact   int     // levels that are joined in one line; 0: none
	maxArray  int
	maxString int
	sorted    bool
	hidden    bool // properties that are not enumerable, too
	getters   bool
	custom    bool
	separator bool         // numbers with _ between thousands
	options   *goja.Object // as the program gave them, for inspect functions of its own
	indent    int          // of the value that is being shown
	current   int          // level of the object that was opened last
	seen      []*goja.Object
	circular  map[*goja.Object]int
	names     map[*goja.Object]string // constructor names, by prototype
	customSym goja.Value
}

func (r *Runtime) newInspector() *inspector {
	return &inspector{r: r, depth: 2, breakAt: 80, compact: 3, maxArray: 100, maxString: 10_000, custom: true, names: map[*goja.Object]string{}}
}

// maxInspect bounds the levels of one value: deeper ones are not opened.
const maxInspect = 1000

// inspect shows a value with the usual options.
func (r *Runtime) inspect(v goja.Value) string { return r.newInspector().value(v, 0, false) }

// short shows a value in one word where it has several lines.
func (r *Runtime) short(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok {
		if _, f := goja.AssertFunction(o); !f {
			return "#<" + r.newInspector().constructor(o) + ">"
		}
	}
	return v.String()
}

// setOptions takes the options of util.inspect.
func (n *inspector) setOptions(o *goja.Object) {
	n.options = o
	each := func(name string, f func(v goja.Value)) {
		if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
			f(v)
		}
	}
	number := func(to *int) func(goja.Value) {
		return func(v goja.Value) {
			*to = math.MaxInt32
			if f := v.ToFloat(); !goja.IsNull(v) && f < math.MaxInt32 {
				*to = max(0, int(f))
			}
		}
	}
	flag := func(to *bool) func(goja.Value) { return func(v goja.Value) { *to = v.ToBoolean() } }
	each("depth", func(v goja.Value) {
		if n.depth = v.ToFloat(); goja.IsNull(v) {
			n.depth = math.Inf(1)
		}
	})
	each("breakLength", number(&n.breakAt))
	each("maxArrayLength", number(&n.maxArray))
	each("maxStringLength", number(&n.maxString))
	each("sorted", flag(&n.sorted))
	each("showHidden", flag(&n.hidden))
	each("getters", flag(&n.getters))
	each("customInspect", flag(&n.custom))
	each("numericSeparator", flag(&n.separator))
	each("compact", func(v goja.Value) {
		switch x := v.Export().(type) {
		case bool:
			n.compact = 0
			if x {
				n.compact = 3
			}
		default:
			n.compact = int(v.ToInteger())
		}
	})
}

// value shows a value at a level.
func (n *inspector) value(v goja.Value, level int, typed bool) string {
	o, ok := v.(*goja.Object)
	if !ok {
		return n.primitive(v)
	}
	if target := n.r.proxyTarget(o); target != nil {
		return n.value(target, level, typed)
	}
	if n.custom {
		if s, ok := n.ownWay(o, level); ok {
			return s
		}
	}
	for _, s := range n.seen {
		if s == o {
			if n.circular == nil {
				n.circular = map[*goja.Object]int{}
			}
			if n.circular[o] == 0 {
				n.circular[o] = len(n.circular) + 1
			}
			return "[Circular *" + strconv.Itoa(n.circular[o]) + "]"
		}
	}
	return n.object(o, level, typed)
}

// ownWay lets an object show itself by its function of the symbol for that.
func (n *inspector) ownWay(o *goja.Object, level int) (string, bool) {
	if n.customSym == nil {
		n.customSym = must(n.r.in.symbolFor(goja.Undefined(), n.r.vm.ToValue("nodejs.util.inspect.custom")))
	}
	f, ok := goja.AssertFunction(o.GetSymbol(n.customSym.(*goja.Symbol)))
	if !ok {
		return "", false
	}
	depth := n.depth - float64(level)
	options := n.r.vm.NewObject()
	if n.options != nil {
		for _, k := range n.options.Keys() {
			n.r.set(options, k, n.options.Get(k))
		}
	}
	n.r.set(options, "depth", n.r.vm.ToValue(depth))
	n.r.set(options, "stylize", n.r.vm.ToValue(func(c goja.FunctionCall) goja.Value { return n.r.vm.ToValue(c.Argument(0).String()) }))
	inner := *n
	inspectFunction := n.r.function("inspect", 2, func(c goja.FunctionCall) goja.Value {
		i := n.r.newInspector()
		if opts, ok := c.Argument(1).(*goja.Object); ok {
			i.setOptions(opts)
		}
		i.indent, i.seen = inner.indent, nil
		return n.r.vm.ToValue(i.value(c.Argument(0), 0, false))
	})
	v, err := f(o, n.r.vm.ToValue(depth), options, inspectFunction)
	if err != nil {
		panic(err)
	}
	if v == goja.Value(o) {
		return "", false
	}
	if s, ok := v.(goja.String); ok {
		return strings.ReplaceAll(s.String(), "\n", "\n"+strings.Repeat(" ", n.indent)), true
	}
	return n.value(v, level, false), true
}

// primitive shows what is no object.
func (n *inspector) primitive(v goja.Value) string {
	switch x := v.(type) {
	case nil:
		return "undefined"
	case goja.String:
		return n.text(x)
	case *goja.Symbol:
		return symbolText(x)
	}
	if goja.IsNull(v) || goja.IsUndefined(v) {
		return v.String()
	}
	switch x := v.Export().(type) {
	case float64:
		if x == 0 && math.Signbit(x) {
			return "-0"
		}
		return n.separated(v.String())
	case int64:
		return n.separated(v.String())
	case bool:
		return v.String()
	}
	return n.separated(v.String()) + "n" // a bigint
}

// separated puts _ between thousands when that was asked for.
func (n *inspector) separated(s string) string {
	if !n.separator || strings.ContainsAny(s, "eIN") {
		return s
	}
	whole, fraction, _ := strings.Cut(s, ".")
	sign := strings.HasPrefix(whole, "-")
	out := group(strings.TrimPrefix(whole, "-"), "_")
	if sign {
		out = "-" + out
	}
	if fraction == "" {
		return out
	}
	for i := 3; i < len(fraction); i += 4 {
		fraction = fraction[:i] + "_" + fraction[i:]
	}
	return out + "." + fraction
}

// group puts a separator between the thousands of digits.
func group(digits, separator string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

func symbolText(s *goja.Symbol) string {
	return "Symbol(" + strings.TrimSuffix(strings.TrimPrefix(s.String(), "Symbol("), ")") + ")"
}

// text shows a string in quotes. A long one goes over several lines, at its line ends.
func (n *inspector) text(v goja.String) string {
	trailer := ""
	if v.Length() > n.maxString {
		left := v.Length() - n.maxString
		v = v.Substring(0, n.maxString)
		trailer = "... " + strconv.Itoa(left) + " more character"
		if left > 1 {
			trailer += "s"
		}
	}
	s := v.String()
	if n.compact > 0 && v.Length() > 16 && v.Length() > n.breakAt-n.indent-4 && strings.Contains(strings.TrimSuffix(s, "\n"), "\n") {
		var lines []string
		for line := range strings.SplitAfterSeq(s, "\n") {
			if line != "" {
				lines = append(lines, quote(line))
			}
		}
		return strings.Join(lines, " +\n"+strings.Repeat(" ", n.indent+2)) + trailer
	}
	return quoteValue(v) + trailer
}
