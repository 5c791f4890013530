package js

import (
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// Version is the version of Node whose behaviour programs may expect.
const Version = "v20.0.0"

const trampolineName = "node:internal/turn"

// trampolineProgram gives what calls a function from within the language, so that the engine holds back the
// jobs of promises until it returned.
var trampolineProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile(trampolineName, "(function (f) { f() })", false)
})

// intrinsics are what the language began with, whatever the program changes later.
type intrinsics struct {
	errors        map[string]goja.Value
	descriptor    goja.Callable // Object.getOwnPropertyDescriptor
	mapForEach    goja.Callable
	setForEach    goja.Callable
	functionText  goja.Callable // Function.prototype.toString
	objectText    goja.Callable // Object.prototype.toString
	regexText     goja.Callable
	dateISO       goja.Callable
	stringify     goja.Callable
	parse         goja.Callable
	uint8Array    *goja.Object
	objectProto   *goja.Object
	functionProto *goja.Object
	hasInstance   goja.Callable
	symbolFor     goja.Callable
	job           goja.Callable // makes what queueMicrotask puts among the jobs
}

func (r *Runtime) captureIntrinsics() intrinsics {
	g := r.vm.GlobalObject()
	get := func(path ...string) *goja.Object {
		o := g
		for _, name := range path {
			o = o.Get(name).ToObject(r.vm)
		}
		return o
	}
	in := intrinsics{
		errors:        map[string]goja.Value{},
		descriptor:    r.callable(get("Object", "getOwnPropertyDescriptor")),
		mapForEach:    r.callable(get("Map", "prototype", "forEach")),
		setForEach:    r.callable(get("Set", "prototype", "forEach")),
		functionText:  r.callable(get("Function", "prototype", "toString")),
		objectText:    r.callable(get("Object", "prototype", "toString")),
		regexText:     r.callable(get("RegExp", "prototype", "toString")),
		dateISO:       r.callable(get("Date", "prototype", "toISOString")),
		stringify:     r.callable(get("JSON", "stringify")),
		parse:         r.callable(get("JSON", "parse")),
		uint8Array:    get("Uint8Array"),
		objectProto:   get("Object", "prototype"),
		functionProto: get("Function", "prototype"),
		hasInstance:   r.callable(get("Function", "prototype").GetSymbol(goja.SymHasInstance)),
		symbolFor:     r.callable(get("Symbol", "for")),
	}
	for _, name := range []string{"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "URIError"} {
		in.errors[name] = g.Get(name)
	}
	return in
}

// function makes a function of the language with a name and a number of parameters.
func (r *Runtime) function(name string, parameters int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		if v := f(c); v != nil {
			return v
		}
		return goja.Undefined() // the engine's promises take no nil
	}).(*goja.Object)
	_ = o.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = o.DefineDataProperty("length", r.vm.ToValue(parameters), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// method sets a function as a property that is not enumerable.
func (r *Runtime) method(o *goja.Object, name string, parameters int, f func(goja.FunctionCall) goja.Value) {
	r.hide(o, name, r.function(name, parameters, f))
}

// hide sets a property that is not enumerable.
func (r *Runtime) hide(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// set sets a property to a value of Go or of the language.
func (r *Runtime) set(o *goja.Object, name string, v any) {
	if err := o.Set(name, v); err != nil {
		panic(err)
	}
}

// lazily sets a property that is made when it is first read.
func (r *Runtime) lazily(o *goja.Object, name string, enumerable goja.Flag, value func() goja.Value) {
	define := func(v goja.Value) {
		_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable)
	}
	get := r.function("get "+name, 0, func(goja.FunctionCall) goja.Value {
		v := value()
		define(v)
		return v
	})
	put := r.function("set "+name, 1, func(c goja.FunctionCall) goja.Value {
		define(c.Argument(0))
		return nil
	})
	if err := o.DefineAccessorProperty(name, get, put, goja.FLAG_TRUE, enumerable); err != nil {
		panic(err)
	}
}

// fromModule are the globals that a module of this package exports.
var fromModule = map[string][]string{
	"buffer":         {"Buffer", "atob", "btoa", "Blob"},
	"url":            {"URL", "URLSearchParams"},
	"internal/text":  {"TextEncoder", "TextDecoder"},
	"internal/clone": {"structuredClone"},
	"internal/abort": {"AbortController", "AbortSignal", "Event", "EventTarget", "DOMException"},
	"internal/intl":  {"Intl"},
	"internal/fetch": {"fetch", "Request", "Response", "Headers"},
	"crypto":         {"webcrypto"},
	"perf_hooks":     {"performance"},
}

// setGlobals sets what is global in Node beyond the language.
func (r *Runtime) setGlobals() {
	g := r.vm.GlobalObject()
	r.hide(g, "global", g)
	r.hide(g, "console", r.newConsole())
	r.lazily(g, "process", goja.FLAG_FALSE, func() goja.Value { return r.processObject() })
	for module, names := range fromModule {
		for _, name := range names {
			as := name
			if name == "webcrypto" {
				as = "crypto"
			}
			r.lazily(g, as, goja.FLAG_FALSE, func() goja.Value { return r.require(module).Get(name) })
		}
	}
	r.method(g, "setTimeout", 2, func(c goja.FunctionCall) goja.Value { return r.addTimer(c, false) })
	r.method(g, "setInterval", 2, func(c goja.FunctionCall) goja.Value { return r.addTimer(c, true) })
	r.method(g, "setImmediate", 1, func(c goja.FunctionCall) goja.Value {
		t := r.newTimer(c, 1)
		r.immediates = append(r.immediates, t)
		return t.object
	})
	for _, name := range []string{"clearTimeout", "clearInterval", "clearImmediate"} {
		r.method(g, name, 1, func(c goja.FunctionCall) goja.Value {
			r.clear(c.Argument(0))
			return nil
		})
	}
	r.method(g, "queueMicrotask", 1, r.queueMicrotask)
	r.setLanguage(g)
}

// queueMicrotask puts a function among the jobs of promises.
func (r *Runtime) queueMicrotask(c goja.FunctionCall) goja.Value {
	r.callable(c.Argument(0))
	p, resolve, _ := r.vm.NewPromise()
	promise := r.vm.ToValue(p).ToObject(r.vm)
	_ = resolve(goja.Undefined())
	must(r.callable(promise.Get("then"))(promise, must(r.in.job(goja.Undefined(), c.Argument(0)))))
	return nil
}

// scriptGlobals sets what a text given on the command line finds: the variables of a module
// and the modules of this package by their names.
func (r *Runtime) scriptGlobals(name string) {
	g := r.vm.GlobalObject()
	m := r.newModule(name, r.o.Dir)
	r.main = m
	r.hide(g, "module", m)
	r.hide(g, "exports", m.Get("exports"))
	r.hide(g, "require", r.requireFunction(m, r.o.Dir))
	r.hide(g, "__filename", r.vm.ToValue(name))
	r.hide(g, "__dirname", r.vm.ToValue("."))
	if name != "[eval]" {
		return
	}
	for _, module := range moduleNames() {
		if !strings.Contains(module, "/") {
			r.lazily(g, module, goja.FLAG_FALSE, func() goja.Value { return r.require(module) })
		}
	}
}
