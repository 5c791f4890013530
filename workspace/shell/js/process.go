package js

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// processObject gives the global process, made at its first use.
func (r *Runtime) processObject() *goja.Object {
	if r.process == nil {
		r.process = r.require("process")
	}
	return r.process
}

// exit ends the program with a code, after the listeners of 'exit' ran.
func (r *Runtime) exit(c goja.FunctionCall) goja.Value {
	if v := c.Argument(0); !goja.IsUndefined(v) && !goja.IsNull(v) {
		r.code = int(v.ToInteger()) & 0xff
		r.setExitCode(r.code)
	} else {
		r.takeExitCode()
	}
	if !r.exiting {
		r.callExitListeners()
	}
	r.end()
	return nil
}

// takeExitCode takes process.exitCode as the exit code, when it was set.
func (r *Runtime) takeExitCode() {
	if r.process == nil {
		return
	}
	if v := r.process.Get("exitCode"); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
		r.code = int(v.ToInteger()) & 0xff
	}
}

func (r *Runtime) setExitCode(code int) {
	if r.process != nil {
		r.set(r.process, "exitCode", r.vm.ToValue(code))
	}
}

// callExitListeners emits 'exit', once.
func (r *Runtime) callExitListeners() {
	r.exiting = true
	if r.process == nil {
		return
	}
	r.emitProcess("exit", r.vm.ToValue(r.code))
	r.takeExitCode()
}

// emitExit lets listeners of 'exit' run at the end of a program that ended by itself.
func (r *Runtime) emitExit() {
	if r.ctx.Err() != nil || r.exiting {
		return
	}
	failed := r.ended
	r.ended = false
	if !failed {
		r.takeExitCode()
	}
	r.exiting = true
	r.enter(func() {
		if !r.emitProcess("exit", r.vm.ToValue(r.code)) {
			return
		}
		r.takeExitCode()
	})
}

// emitBeforeExit emits 'beforeExit' and says whether someone listened.
func (r *Runtime) emitBeforeExit() bool {
	listened := false
	r.takeExitCode()
	r.turn(func() error {
		listened = r.emitProcess("beforeExit", r.vm.ToValue(r.code))
		return nil
	})
	return listened
}

// emitProcess emits an event of process and says whether someone listened.
func (r *Runtime) emitProcess(event string, args ...goja.Value) bool {
	if r.process == nil {
		return false
	}
	emit := r.callable(r.process.Get("emit"))
	v, err := emit(r.process, append([]goja.Value{r.vm.ToValue(event)}, args...)...)
	if err != nil {
		r.report(err)
		return true
	}
	return v.ToBoolean()
}

// emitUncaught gives an error that nothing caught to who listens for those.
func (r *Runtime) emitUncaught(v goja.Value, origin string) bool {
	return r.emitProcess("uncaughtException", v, r.vm.ToValue(origin))
}

// nextTick puts a function off until the end of the turn.
func (r *Runtime) nextTick(c goja.FunctionCall) goja.Value {
	f := r.callable(c.Argument(0))
	args := slices.Clone(c.Arguments[1:]) // the engine uses the list again
	r.ticks = append(r.ticks, func() error {
		_, err := f(goja.Undefined(), args...)
		return err
	})
	return nil
}

// makeNative makes what the modules of lib reach of Go.
func (r *Runtime) makeNative() *goja.Object {
	o := r.vm.NewObject()
	set := func(name string, f func(goja.FunctionCall) goja.Value) { r.set(o, name, f) }
	set("exit", r.exit)
	set("nextTick", r.nextTick)
	set("poll", func(c goja.FunctionCall) goja.Value {
		f := r.callable(c.Argument(0))
		r.poll(func() error {
			_, err := f(goja.Undefined())
			return err
		})
		return nil
	})
	set("readInput", r.readInput)
	set("stopInput", func(goja.FunctionCall) goja.Value {
		r.input.want = nil
		return nil
	})
	set("write", func(c goja.FunctionCall) goja.Value {
		to := r.o.Out
		if c.Argument(0).ToInteger() == 2 {
			to = r.o.Err
		}
		_, _ = to.Write(r.data(c.Argument(1), "utf8"))
		return nil
	})
	set("inspect", func(c goja.FunctionCall) goja.Value {
		n := r.newInspector()
		if options, ok := c.Argument(1).(*goja.Object); ok {
			n.setOptions(options)
		}
		return r.vm.ToValue(n.value(c.Argument(0), 0, false))
	})
	set("format", func(c goja.FunctionCall) goja.Value { return r.vm.ToValue(r.format(c.Arguments)) })
	set("frames", func(goja.FunctionCall) goja.Value { return r.vm.ToValue(r.frames()) })
	set("constructorName", func(c goja.FunctionCall) goja.Value {
		return r.vm.ToValue(r.newInspector().constructor(c.Argument(0).ToObject(r.vm)))
	})
	set("kind", func(c goja.FunctionCall) goja.Value { return r.vm.ToValue(r.kind(c.Argument(0))) })
	set("promiseState", func(c goja.FunctionCall) goja.Value {
		if p, ok := c.Argument(0).Export().(*goja.Promise); ok {
			return r.vm.ToValue(int(p.State()))
		}
		return r.vm.ToValue(-1)
	})
	set("nodeError", func(c goja.FunctionCall) goja.Value {
		return r.nodeError(c.Argument(0).String(), c.Argument(1).String(), c.Argument(2).String())
	})
	set("received", func(c goja.FunctionCall) goja.Value { return r.vm.ToValue(received(c.Argument(0))) })
	set("random", func(c goja.FunctionCall) goja.Value {
		n := c.Argument(0).ToFloat()
		if !(n >= 0) || n > float64(r.caps.bytes) {
			panic(r.nodeError("RangeError", "ERR_OUT_OF_RANGE", `The value of "size" is out of range. Received `+c.Argument(0).String()))
		}
		b := make([]byte, int(n))
		r.o.Rand(b)
		return r.bytes(b)
	})
	set("uptime", func(goja.FunctionCall) goja.Value { return r.vm.ToValue(r.o.Now().Sub(r.began).Seconds()) })
	set("nanoseconds", func(goja.FunctionCall) goja.Value { return r.vm.ToValue(float64(r.o.Now().Sub(r.began).Nanoseconds())) })
	set("epoch", func(goja.FunctionCall) goja.Value {
		return r.vm.ToValue(float64(r.began.UnixMicro()) / 1000)
	})
	set("memory", func(goja.FunctionCall) goja.Value { return r.vm.ToValue(r.o.Limits.Memory) })
	r.set(o, "version", r.vm.ToValue(Version))
	r.set(o, "dir", r.vm.ToValue(r.o.Dir))
	args := make([]any, len(r.o.Args))
	for i, a := range r.o.Args {
		args[i] = a
	}
	r.set(o, "args", r.vm.NewArray(args...))
	env := r.vm.NewObject()
	for _, pair := range r.o.Env {
		name, value, _ := strings.Cut(pair, "=")
		r.set(env, name, r.vm.ToValue(value))
	}
	r.set(o, "env", env)
	r.addFileNatives(o)
	r.addByteNatives(o)
	r.addHashNatives(o)
	r.addURLNatives(o)
	r.addLocaleNatives(o)
	return o
}

// proxyTarget gives what a proxy of the program stands before, nil for what is none.
func (r *Runtime) proxyTarget(o *goja.Object) *goja.Object {
	if o.ExportType() != reflect.TypeFor[goja.Proxy]() || r.caps.real[o] != nil {
		return nil
	}
	return o.Export().(goja.Proxy).Target()
}

// kind names what an object is by what it holds: Map, Set, Date, Proxy and so on.
func (r *Runtime) kind(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		return ""
	}
	if r.proxyTarget(o) != nil {
		return "Proxy"
	}
	switch c := o.ClassName(); c {
	case "Object":
	default:
		return c
	}
	if t := o.ExportType(); t != nil {
		switch kind := r.newInspector().kindOf(o, t); kind {
		case "typed":
			return str(o.GetSymbol(goja.SymToStringTag))
		case "iterator":
			return str(o.GetSymbol(goja.SymToStringTag))
		default:
			return kind
		}
	}
	return ""
}

// readBounded reads a stream to its end, up to the bound on one value.
func (r *Runtime) readBounded(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, r.caps.bytes+1))
	if err == nil && int64(len(data)) > r.caps.bytes {
		panic(r.nodeError("RangeError", "ERR_FS_FILE_TOO_LARGE", "the input is larger than "+r.vm.ToValue(r.caps.bytes).String()+" bytes; read it in pieces, as a stream"))
	}
	return data, err
}
