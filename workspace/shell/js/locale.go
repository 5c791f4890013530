package js

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// setLocales replaces the toLocale methods: they write as Node does for en-US.
func (r *Runtime) setLocales(g *goja.Object) {
	proto := func(name string) *goja.Object { return g.Get(name).ToObject(r.vm).Get("prototype").ToObject(r.vm) }
	intl := func(function string) func(goja.FunctionCall) goja.Value {
		return func(c goja.FunctionCall) goja.Value {
			f := r.callable(r.require("internal/intl").Get(function))
			v, err := f(goja.Undefined(), append([]goja.Value{c.This}, c.Arguments...)...)
			if err != nil {
				panic(err)
			}
			return v
		}
	}
	r.method(proto("Number"), "toLocaleString", 0, intl("formatNumber"))
	r.method(proto("BigInt"), "toLocaleString", 0, intl("formatNumber"))
	r.method(proto("Date"), "toLocaleString", 0, intl("formatDateTime"))
	r.method(proto("Date"), "toLocaleDateString", 0, intl("formatDate"))
	r.method(proto("Date"), "toLocaleTimeString", 0, intl("formatTime"))
}

func (r *Runtime) addLocaleNatives(o *goja.Object) {
	// fixed rounds half away from zero in decimal, which toFixed does not, and groups
	// the digits: value, least and most digits after the point.
	r.set(o, "fixed", func(c goja.FunctionCall) goja.Value {
		least, most := int(c.Argument(1).ToInteger()), int(c.Argument(2).ToInteger())
		if big, ok := c.Argument(0).Export().(*big.Int); ok {
			text := big.String()
			if rest, negative := strings.CutPrefix(text, "-"); negative {
				return r.vm.ToValue("-" + group(rest, ","))
			}
			return r.vm.ToValue(group(text, ","))
		}
		return r.vm.ToValue(fixed(c.Argument(0).ToFloat(), least, most))
	})
}

// fixed writes a number with its digits after the point between two bounds.
func fixed(f float64, least, most int) string {
	negative := f < 0 || f == 0 && math.Signbit(f)
	text := strconv.FormatFloat(math.Abs(f), 'f', -1, 64) // the shortest decimal
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > most {
		up := fraction[most] >= '5'
		digits := []byte(whole + fraction[:most])
		for i := len(digits) - 1; up && i >= 0; i-- {
			if digits[i] == '9' {
				digits[i] = '0'
			} else {
				digits[i]++
				up = false
			}
		}
		all := string(digits)
		if up {
			all = "1" + all
		}
		whole, fraction = all[:len(all)-most], all[len(all)-most:]
	}
	for len(fraction) > least && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	for len(fraction) < least {
		fraction += "0"
	}
	out := group(whole, ",")
	if fraction != "" {
		out += "." + fraction
	}
	if negative {
		out = "-" + out
	}
	return out
}
