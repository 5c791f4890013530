package js

import (
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// format joins values as util.format and console.log do: placeholders of the first string
// are filled in, what is left follows after blanks.
func (r *Runtime) format(args []goja.Value) string {
	if len(args) == 1 {
		if s, ok := args[0].(goja.String); ok {
			return s.String()
		}
		return r.inspect(args[0])
	}
	var b strings.Builder
	rest := args
	if len(args) > 0 {
		if s, ok := args[0].(goja.String); ok {
			rest = r.fill(&b, s.String(), args[1:])
			if len(rest) > 0 {
				b.WriteByte(' ')
			}
		}
	}
	for i, v := range rest {
		if i > 0 {
			b.WriteByte(' ')
		}
		if s, ok := v.(goja.String); ok {
			b.WriteString(s.String())
		} else {
			b.WriteString(r.inspect(v))
		}
	}
	return b.String()
}

// fill writes a text with its placeholders filled in and gives the values that are left.
func (r *Runtime) fill(b *strings.Builder, text string, args []goja.Value) []goja.Value {
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 || i+1 >= len(text) {
			b.WriteString(text)
			return args
		}
		b.WriteString(text[:i])
		c := text[i+1]
		switch {
		case c == '%':
			b.WriteByte('%')
		case len(args) > 0 && strings.IndexByte("sdifjoOc", c) >= 0:
			b.WriteString(r.placeholder(c, args[0]))
			args = args[1:]
		default:
			b.WriteByte('%')
			text = text[i+1:]
			continue
		}
		text = text[i+2:]
	}
}

func (r *Runtime) placeholder(c byte, v goja.Value) string {
	switch c {
	case 's':
		return r.asString(v)
	case 'd', 'i', 'f':
		return r.asNumber(c, v)
	case 'j':
		s, err := r.in.stringify(goja.Undefined(), v)
		if err != nil {
			if ex, ok := err.(*goja.Exception); ok && strings.Contains(str(ex.Value().ToObject(r.vm).Get("message")), "circular") {
				return "[Circular]"
			}
			panic(err)
		}
		return s.String()
	case 'o':
		n := r.newInspector()
		n.hidden, n.depth = true, 4
		return n.value(v, 0, false)
	case 'O':
		return r.inspect(v)
	}
	return "" // %c: styles mean nothing here
}

// asString is %s: an object shows itself by its own toString, else as inspect has it.
func (r *Runtime) asString(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		if _, ok := v.(goja.String); ok {
			return v.String()
		}
		return r.newInspector().primitive(v)
	}
	if _, ok := goja.AssertFunction(v); ok {
		return v.String()
	}
	if f, ok := o.Get("toString").(*goja.Object); ok && !isError(v) && r.definesToString(o) {
		if call, ok := goja.AssertFunction(f); ok {
			return must(call(o)).String()
		}
	}
	if isError(v) && r.definesToString(o) {
		return o.String()
	}
	n := r.newInspector()
	n.depth = 0
	return n.value(v, 0, false)
}

// definesToString says whether a class of the program gave an object its toString.
func (r *Runtime) definesToString(o *goja.Object) bool {
	n := r.newInspector()
	for at := o; at != nil; at = at.Prototype() {
		if n.descriptorOf(at, r.vm.ToValue("toString")) == nil {
			continue
		}
		d := n.descriptorOf(at, r.vm.ToValue("constructor"))
		if at == o || d == nil {
			return true
		}
		f, ok := d.Get("value").(*goja.Object)
		return !ok || !strings.Contains(must(r.in.functionText(f)).String(), "[native code]")
	}
	return false
}

// asNumber is %d, %i and %f.
func (r *Runtime) asNumber(c byte, v goja.Value) string {
	if _, ok := v.(*goja.Symbol); ok {
		return "NaN"
	}
	if _, ok := v.(*goja.Object); ok && c == 'd' {
		return r.numberText(v.ToFloat())
	}
	s := v.String()
	if kind := v.ExportType(); kind != nil && kind.String() == "*big.Int" && c != 'f' {
		return s + "n"
	}
	switch c {
	case 'd':
		return r.numberText(v.ToFloat())
	case 'i':
		return r.numberText(math.Trunc(leadingNumber(s)))
	}
	return r.numberText(leadingNumber(s))
}

// leadingNumber gives the number that a text begins with, as parseFloat does.
func leadingNumber(s string) float64 {
	s = strings.TrimSpace(s)
	for n := len(s); n > 0; n-- {
		if c := s[n-1]; c >= '0' && c <= '9' || c == '.' {
			if f, err := strconv.ParseFloat(s[:n], 64); err == nil && !strings.ContainsAny(s[:n], "xX_pP") {
				return f
			}
		}
	}
	switch {
	case strings.HasPrefix(s, "Infinity"):
		return math.Inf(1)
	case strings.HasPrefix(s, "-Infinity"):
		return math.Inf(-1)
	}
	return math.NaN()
}

// numberText writes a number as the language does, with the sign of a negative zero.
func (r *Runtime) numberText(f float64) string {
	if f == 0 && math.Signbit(f) {
		return "-0"
	}
	return r.vm.ToValue(f).String()
}
