package js

import (
	"reflect"

	"github.com/dop251/goja"
)

// caps bound what one native call of the engine may make, since a native call cannot be
// interrupted: it fails with a RangeError before the memory is gone.
type caps struct {
	bytes    int64                         // of one buffer or string
	elements int64                         // of one array
	real     map[*goja.Object]*goja.Object // constructors behind the proxies of setCaps
}

// maxString is the longest string of V8.
const maxString = 1<<29 - 24

// setCaps puts bounds before the natives that make much from little.
func (r *Runtime) setCaps() {
	memory := r.o.Limits.Memory
	r.caps = caps{bytes: memory / 4, elements: memory / 16, real: r.caps.real}
	g := r.vm.GlobalObject()
	stringProto := g.Get("String").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	arrayProto := g.Get("Array").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	longest := float64(min(r.caps.bytes, maxString))

	r.bound(stringProto, "repeat", func(c goja.FunctionCall) bool {
		return c.Argument(0).ToFloat()*float64(length(c.This)) <= longest
	})
	for _, name := range []string{"padStart", "padEnd"} {
		r.bound(stringProto, name, func(c goja.FunctionCall) bool { return c.Argument(0).ToFloat() <= longest })
	}
	r.bound(stringProto, "concat", func(c goja.FunctionCall) bool {
		total := float64(length(c.This))
		for _, a := range c.Arguments {
			total += float64(length(a))
		}
		return total <= longest
	})
	r.bound(arrayProto, "join", func(c goja.FunctionCall) bool {
		n := r.lengthOf(c.This)
		separator := float64(1)
		if s := c.Argument(0); !goja.IsUndefined(s) {
			separator = float64(length(s))
		}
		return n <= float64(r.caps.elements) && n*separator <= longest
	})
	for _, name := range []string{"fill", "toSorted", "toReversed", "toSpliced", "with", "sort", "reverse", "map", "filter", "flat", "flatMap", "includes", "indexOf", "lastIndexOf", "findLast", "slice", "splice"} {
		r.bound(arrayProto, name, func(c goja.FunctionCall) bool { return r.lengthOf(c.This) <= float64(r.caps.elements) })
	}
	r.bound(arrayProto, "concat", func(c goja.FunctionCall) bool {
		total := r.lengthOf(c.This)
		for _, a := range c.Arguments {
			total += r.lengthOf(a)
		}
		return total <= float64(r.caps.elements)
	})
	r.boundConstructor("Array", func(v goja.Value) error { return r.arrayBound(v) })
	r.bound(g.Get("Array").ToObject(r.vm), "from", func(c goja.FunctionCall) bool {
		return r.lengthOf(c.Argument(0)) <= float64(r.caps.elements)
	})
	r.boundConstructor("ArrayBuffer", func(v goja.Value) error { return r.bufferBound(v, 1) })
	for name, size := range map[string]float64{
		"Uint8Array": 1, "Int8Array": 1, "Uint8ClampedArray": 1, "Uint16Array": 2, "Int16Array": 2, "Uint32Array": 4, "Int32Array": 4,
		"Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
	} {
		r.boundConstructor(name, func(v goja.Value) error { return r.bufferBound(v, size) })
	}
}

// length gives the length of a value as a string.
func length(v goja.Value) int {
	if s, ok := v.(goja.String); ok {
		return s.Length()
	}
	if goja.IsNull(v) || goja.IsUndefined(v) {
		return 9
	}
	if _, ok := v.(*goja.Symbol); ok {
		return 0
	}
	return len(v.String())
}

// lengthOf gives the property length of an object, 0 for what has none.
func (r *Runtime) lengthOf(v goja.Value) float64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return 0
	}
	l := o.Get("length")
	if l == nil || goja.IsUndefined(l) {
		return 0
	}
	switch l.Export().(type) {
	case int64, float64:
		return l.ToFloat()
	}
	return 0
}

// bound replaces a method by one that checks first. What does not fit is a RangeError.
func (r *Runtime) bound(of *goja.Object, name string, fits func(goja.FunctionCall) bool) {
	f, ok := of.Get(name).(*goja.Object)
	if !ok {
		return
	}
	call := r.callable(f)
	message := "Invalid string length"
	if of.ClassName() == "Array" || name == "from" {
		message = "Invalid array length"
	}
	r.method(of, name, int(f.Get("length").ToInteger()), func(c goja.FunctionCall) goja.Value {
		if name == "repeat" && c.Argument(0).ToFloat() < 0 {
			panic(r.rangeError("Invalid count value: %s", c.Argument(0)))
		}
		if !fits(c) {
			panic(r.rangeError("%s", message))
		}
		v, err := call(c.This, c.Arguments...)
		if err != nil {
			panic(err)
		}
		return v
	})
}

// boundConstructor puts a proxy before a constructor that checks its first argument.
func (r *Runtime) boundConstructor(name string, check func(goja.Value) error) {
	g := r.vm.GlobalObject()
	real, ok := g.Get(name).(*goja.Object)
	if !ok {
		return
	}
	construct, _ := goja.AssertConstructor(real)
	call := r.callable(real)
	verify := func(args []goja.Value) {
		if len(args) > 0 {
			if err := check(args[0]); err != nil {
				panic(r.rangeError("%s", err.Error()))
			}
		}
	}
	var shown *goja.Object
	shown = r.vm.ToValue(r.vm.NewProxy(real, &goja.ProxyTrapConfig{
		Construct: func(_ *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			verify(args)
			if newTarget == shown {
				newTarget = real
			}
			o, err := construct(newTarget, args...)
			if err != nil {
				panic(err)
			}
			return o
		},
		Apply: func(_ *goja.Object, this goja.Value, args []goja.Value) goja.Value {
			verify(args)
			v, err := call(this, args...)
			if err != nil {
				panic(err)
			}
			return v
		},
	})).(*goja.Object)
	r.standIn(name, shown, real)
}

// standIn puts a proxy in the place of a global constructor.
func (r *Runtime) standIn(name string, shown, real *goja.Object) {
	r.caps.real[shown] = real
	r.hide(r.vm.GlobalObject(), name, shown)
	r.hide(real.Get("prototype").ToObject(r.vm), "constructor", shown)
	// The engine's instanceof knows no proxies.
	_ = real.DefineDataPropertySymbol(goja.SymHasInstance, r.function("[Symbol.hasInstance]", 1, func(c goja.FunctionCall) goja.Value {
		of := c.This
		if o, ok := of.(*goja.Object); ok && r.caps.real[o] != nil {
			of = r.caps.real[o]
		}
		return must(r.in.hasInstance(of, c.Argument(0)))
	}), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

type rangeText string

func (e rangeText) Error() string { return string(e) }

func (r *Runtime) arrayBound(v goja.Value) error {
	switch v.Export().(type) {
	case int64, float64:
		if v.ToFloat() > float64(r.caps.elements) {
			return rangeText("Invalid array length")
		}
	}
	return nil
}

func (r *Runtime) bufferBound(v goja.Value, size float64) error {
	n := float64(0)
	if o, ok := v.(*goja.Object); ok {
		if kind := o.ExportType(); kind == nil || kind.Kind() != reflect.Slice {
			n = r.lengthOf(o)
		}
	} else if _, ok := v.(*goja.Symbol); !ok {
		n = v.ToFloat()
	}
	if n*size > float64(r.caps.bytes) {
		return rangeText("Array buffer allocation failed")
	}
	return nil
}
