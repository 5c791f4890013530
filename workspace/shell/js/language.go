package js

import (
	"strings"
	"sync"

	"github.com/dop251/goja"
)

// setLanguage adds what the engine lacks of the language, and what rewritten sources call.
func (r *Runtime) setLanguage(g *goja.Object) {
	symbol := g.Get("Symbol").ToObject(r.vm)
	_ = symbol.DefineDataProperty("asyncIterator", goja.NewSymbol("Symbol.asyncIterator"), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	r.method(g, fnCaught, 1, func(c goja.FunctionCall) goja.Value { return r.fix(c.Argument(0)) })
	for _, name := range []string{fnAsync, fnAwait, fnForAwait, fnDelegate, "WeakRef", "FinalizationRegistry"} {
		r.lazily(g, name, goja.FLAG_FALSE, func() goja.Value { return r.require("internal/language").Get(name) })
	}
	r.setJSON(g.Get("JSON").ToObject(r.vm))
	r.setPromise(g)
	r.setRegExp(g)
	errors := g.Get("Error").ToObject(r.vm)
	r.method(errors, "captureStackTrace", 2, func(c goja.FunctionCall) goja.Value {
		o := c.Argument(0).ToObject(r.vm)
		head := "Error"
		if name := str(o.Get("name")); name != "" {
			head = name
		}
		if message := str(o.Get("message")); message != "" {
			head += ": " + message
		}
		_ = o.DefineDataProperty("stack", r.vm.ToValue(head+"\n"+r.frames()), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		return nil
	})
	dates := g.Get("Date").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	for _, name := range []string{"toString", "toTimeString"} {
		text := r.callable(dates.Get(name))
		r.method(dates, name, 0, func(c goja.FunctionCall) goja.Value {
			return r.vm.ToValue(strings.Replace(must(text(c.This)).String(), "(UTC)", "(Coordinated Universal Time)", 1))
		})
	}
	r.set(errors, "stackTraceLimit", r.vm.ToValue(maxFrames))
	r.setLocales(g)
}

func (r *Runtime) setJSON(o *goja.Object) {
	r.method(o, "parse", 2, func(c goja.FunctionCall) goja.Value {
		text := c.Argument(0).ToString()
		v := r.parseJSON(text)
		if _, ok := goja.AssertFunction(c.Argument(1)); !ok {
			return v
		}
		v, err := r.in.parse(o, text, c.Argument(1))
		if err != nil {
			panic(err)
		}
		return v
	})
	r.method(o, "stringify", 3, func(c goja.FunctionCall) goja.Value {
		v, err := r.in.stringify(o, c.Arguments...)
		if ex, ok := err.(*goja.Exception); ok && isError(ex.Value()) {
			e := ex.Value().(*goja.Object)
			if str(e.Get("message")) == "Converting circular structure to JSON" {
				r.hide(e, "message", r.vm.ToValue("Converting circular structure to JSON"+r.circle(c.Argument(0))))
			}
		}
		if err != nil {
			panic(err)
		}
		return v
	})
}

// circle says which properties lead from a value back to itself or to one on the way.
func (r *Runtime) circle(v goja.Value) string {
	var path []*goja.Object
	var names []string
	n := r.newInspector()
	quoted := func(o *goja.Object, k string) string {
		if o.ClassName() == "Array" {
			return "index " + k
		}
		return "property '" + k + "'"
	}
	var look func(o *goja.Object) string
	look = func(o *goja.Object) string {
		for i, p := range path {
			if p != o {
				continue
			}
			out := "\n    --> starting at object with constructor '" + n.constructor(o) + "'"
			between := path[i+1:]
			for j, q := range between {
				if j > 0 && j < len(between)-1 {
					if j == 1 {
						out += "\n    |     ..."
					}
					continue
				}
				out += "\n    |     " + quoted(path[i+j], names[i+j]) + " -> object with constructor '" + n.constructor(q) + "'"
			}
			return out + "\n    --- " + quoted(path[len(path)-1], names[len(names)-1]) + " closes the circle"
		}
		if len(path) > maxInspect {
			return ""
		}
		path = append(path, o)
		for _, k := range o.Keys() {
			inner, ok := o.Get(k).(*goja.Object)
			if !ok {
				continue
			}
			if _, f := goja.AssertFunction(inner); f {
				continue
			}
			names = append(names, k)
			if found := look(inner); found != "" {
				return found
			}
			names = names[:len(names)-1]
		}
		path = path[:len(path)-1]
		return ""
	}
	if o, ok := v.(*goja.Object); ok {
		return look(o)
	}
	return ""
}

// promiseProgram gives what replaces Promise.prototype.then. Each handler is called from
// within the language: the engine would run other jobs in the middle of a native one.
var promiseProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("node:internal/promise", `(function (then, fix, report, call) {
  return {
    then(f, g) { return call(then, this, [typeof f === 'function' ? (v) => f(v) : f, typeof g === 'function' ? (e) => g(fix(e)) : g]) },
    job(f) { return () => { try { f() } catch (e) { report(e) } } },
  };
})`, true)
})

// setPromise lets handlers of rejections see errors in the usual words.
func (r *Runtime) setPromise(g *goja.Object) {
	proto := g.Get("Promise").ToObject(r.vm).Get("prototype").ToObject(r.vm)
	fix := r.function("", 1, func(c goja.FunctionCall) goja.Value { return r.fix(c.Argument(0)) })
	report := r.function("", 1, func(c goja.FunctionCall) goja.Value {
		r.reportValue(c.Argument(0))
		return nil
	})
	make := r.callable(must(r.vm.RunProgram(promiseProgram())))
	made := must(make(goja.Undefined(), proto.Get("then"), fix, report, g.Get("Reflect").ToObject(r.vm).Get("apply"))).ToObject(r.vm)
	then := made.Get("then").ToObject(r.vm)
	_ = then.DefineDataProperty("length", r.vm.ToValue(2), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	r.hide(proto, "then", then)
	r.in.job = r.callable(made.Get("job"))
}

// setRegExp lets the constructor know the properties of Unicode.
func (r *Runtime) setRegExp(g *goja.Object) {
	real := g.Get("RegExp").ToObject(r.vm)
	construct, _ := goja.AssertConstructor(real)
	expand := func(args []goja.Value) []goja.Value {
		if len(args) > 1 {
			if s, ok := args[0].(goja.String); ok {
				if expanded, changed := expandProperties(s.String(), args[1].String()); changed {
					return []goja.Value{r.vm.ToValue(expanded), args[1]}
				}
			}
		}
		return args
	}
	call := r.callable(real)
	var shown *goja.Object
	shown = r.vm.ToValue(r.vm.NewProxy(real, &goja.ProxyTrapConfig{
		Construct: func(_ *goja.Object, args []goja.Value, newTarget *goja.Object) *goja.Object {
			if newTarget == shown {
				newTarget = real
			}
			o, err := construct(newTarget, expand(args)...)
			if err != nil {
				panic(r.invalidRegex(err, args))
			}
			return o
		},
		Apply: func(_ *goja.Object, this goja.Value, args []goja.Value) goja.Value {
			v, err := call(this, expand(args)...)
			if err != nil {
				panic(r.invalidRegex(err, args))
			}
			return v
		},
	})).(*goja.Object)
	r.standIn("RegExp", shown, real)
	proto := real.Get("prototype").ToObject(r.vm)
	text := r.callable(proto.Get("toString"))
	r.method(proto, "toString", 0, func(c goja.FunctionCall) goja.Value {
		return r.vm.ToValue(usualSlashes(must(text(c.This)).String()))
	})
	r.in.regexText = r.callable(proto.Get("toString"))
	descriptor := must(r.in.descriptor(goja.Undefined(), proto, r.vm.ToValue("source"))).ToObject(r.vm)
	source := r.callable(descriptor.Get("get"))
	_ = proto.DefineAccessorProperty("source", r.function("get source", 0, func(c goja.FunctionCall) goja.Value {
		return r.vm.ToValue(usualSlashes(must(source(c.This)).String()))
	}), nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// usualSlashes writes the slashes of a pattern as V8 does; the engine has them in hex.
func usualSlashes(s string) string {
	if !strings.Contains(s, `\u002f`) {
		return s
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], `\u002f`):
			if inClass {
				b.WriteByte('/')
			} else {
				b.WriteString(`\/`)
			}
			i += len(`\u002f`) - 1
			continue
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte(s[i])
			i++
		case s[i] == '[':
			inClass = true
		case s[i] == ']':
			inClass = false
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// invalidRegex gives the error for a pattern the words of V8.
func (r *Runtime) invalidRegex(err error, args []goja.Value) any {
	ex, ok := err.(*goja.Exception)
	if !ok || !isError(ex.Value()) || len(args) == 0 {
		return err
	}
	message := str(ex.Value().(*goja.Object).Get("message"))
	if strings.HasPrefix(message, "Invalid flags") {
		return r.newError("SyntaxError", "Invalid flags supplied to RegExp constructor '"+str(args[1])+"'")
	}
	message = strings.TrimPrefix(message, "Invalid regular expression: ")
	return r.newError("SyntaxError", "Invalid regular expression: /"+args[0].String()+"/: "+message)
}
