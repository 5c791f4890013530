package js

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// The modules that programs require, in the language. Each is the body of a function with
// the parameters exports, require, module and $, which is what they reach of Go.
//
//go:embed lib
var lib embed.FS

// programs gives the compiled modules of lib by name, each compiled at its first use.
var programs = sync.OnceValue(func() map[string]func() *goja.Program {
	all := map[string]func() *goja.Program{}
	err := fs.WalkDir(lib, "lib", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(p, "lib/"), ".js")
		all[name] = sync.OnceValue(func() *goja.Program {
			text, err := lib.ReadFile(p)
			if err != nil {
				panic(err)
			}
			source, err := rewrite(string(text))
			if err != nil {
				panic(err)
			}
			return goja.MustCompile("node:"+name, "(function (exports, require, module, $) {"+source+"\n})", true)
		})
		return nil
	})
	if err != nil {
		panic(err)
	}
	return all
})

// moduleNames gives the names of the modules that a program may require.
func moduleNames() []string {
	var names []string
	for name := range programs() {
		if !strings.HasPrefix(name, "internal/") && name != "process" && name != "console" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// refused are the modules of Node that cannot exist here, with what to do instead.
var refused = map[string]string{
	"child_process": "no other program can be started from JavaScript; run the command in the shell and pipe its output into node",
	"http":          noNetwork, "https": noNetwork, "http2": noNetwork, "net": noNetwork, "tls": noNetwork, "dgram": noNetwork, "dns": noNetwork, "dns/promises": noNetwork,
	"cluster": noThreads, "worker_threads": noThreads,
	"vm": "no second context can be made", "repl": "there is no prompt", "inspector": "there is no debugger", "v8": "the engine is not V8",
	"zlib": "compression is not available; use the commands gzip and gunzip", "wasi": "there is no WebAssembly", "sqlite": "there is no SQLite",
}

const (
	noNetwork = "there is no network"
	noThreads = "there is one thread only; start several node commands in the shell"
)

// require gives what a module of this package exports.
func (r *Runtime) require(name string) *goja.Object {
	if m := r.lib[name]; m != nil {
		return r.exports(m)
	}
	program := programs()[name]
	if program == nil {
		panic("no module " + name)
	}
	m := r.vm.NewObject()
	exports := r.vm.NewObject()
	r.set(m, "exports", exports)
	r.lib[name] = m
	f := r.callable(must(r.vm.RunProgram(program())))
	inner := r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		return r.require(strings.TrimPrefix(c.Argument(0).String(), "node:"))
	})
	if _, err := f(exports, exports, inner, m, r.native); err != nil {
		delete(r.lib, name)
		panic(err)
	}
	return r.exports(m)
}

func (r *Runtime) exports(m *goja.Object) *goja.Object { return m.Get("exports").(*goja.Object) }

// newModule makes the object module of a file.
func (r *Runtime) newModule(file, dir string) *goja.Object {
	m := r.vm.NewObject()
	r.set(m, "id", r.vm.ToValue(file))
	r.set(m, "path", r.vm.ToValue(dir))
	r.set(m, "exports", r.vm.NewObject())
	r.set(m, "filename", r.vm.ToValue(file))
	r.set(m, "loaded", r.vm.ToValue(false))
	r.set(m, "children", r.vm.NewArray())
	r.set(m, "paths", r.vm.NewArray())
	r.method(m, "require", 1, func(c goja.FunctionCall) goja.Value { return r.requireFrom(c.Argument(0), dir, file) })
	return m
}

// requireFunction makes the require of a module in a directory.
func (r *Runtime) requireFunction(m *goja.Object, dir string) *goja.Object {
	file := str(m.Get("filename"))
	f := r.function("require", 1, func(c goja.FunctionCall) goja.Value { return r.requireFrom(c.Argument(0), dir, file) })
	r.set(f, "resolve", r.function("resolve", 1, func(c goja.FunctionCall) goja.Value {
		name := c.Argument(0).String()
		if _, ok := r.builtinName(name); ok {
			return r.vm.ToValue(name)
		}
		return r.vm.ToValue(r.resolve(name, dir, file))
	}))
	r.set(f, "main", r.main)
	r.set(f, "cache", r.cacheObject())
	r.set(f, "extensions", r.vm.NewObject())
	return f
}

// cacheObject gives require.cache: an object over the modules that were loaded.
func (r *Runtime) cacheObject() *goja.Object { return r.vm.NewDynamicObject(moduleCache{r}) }

type moduleCache struct{ r *Runtime }

func (c moduleCache) Get(key string) goja.Value {
	if m := c.r.modules[key]; m != nil {
		return m
	}
	return nil
}

func (c moduleCache) Set(key string, v goja.Value) bool {
	m, ok := v.(*goja.Object)
	if ok {
		c.r.modules[key] = m
	}
	return ok
}

func (c moduleCache) Has(key string) bool { return c.r.modules[key] != nil }

func (c moduleCache) Delete(key string) bool {
	delete(c.r.modules, key)
	return true
}

func (c moduleCache) Keys() []string {
	var keys []string
	for k := range c.r.modules {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// builtinName gives the name of a module of this package or of a refused one.
func (r *Runtime) builtinName(name string) (string, bool) {
	short, node := strings.CutPrefix(name, "node:")
	if strings.HasPrefix(short, "internal/") {
		return "", false
	}
	return short, node || programs()[short] != nil || refused[short] != ""
}

// requireFrom is require(name) of a module in a directory.
func (r *Runtime) requireFrom(v goja.Value, dir, from string) goja.Value {
	s, ok := v.(goja.String)
	if !ok {
		panic(r.nodeError("TypeError", "ERR_INVALID_ARG_TYPE", `The "id" argument must be of type string. Received `+received(v)))
	}
	name := s.String()
	if short, ok := r.builtinName(name); ok {
		switch {
		case refused[short] != "":
			e := r.newError("Error", "the module '"+name+"' is not available here: "+refused[short])
			r.set(e, "code", r.vm.ToValue("ERR_UNKNOWN_BUILTIN_MODULE"))
			panic(e)
		case programs()[short] == nil:
			panic(r.nodeError("Error", "ERR_UNKNOWN_BUILTIN_MODULE", "No such built-in module: "+name))
		case short == "process":
			return r.processObject()
		case short == "console":
			return r.vm.GlobalObject().Get("console")
		}
		return r.require(short)
	}
	m, err := r.load(r.resolve(name, dir, from))
	if err != nil {
		panic(r.thrown(err))
	}
	return m.Get("exports")
}

// thrown gives what to throw for an error.
func (r *Runtime) thrown(err error) any {
	if s, ok := errors.AsType[*syntaxError](err); ok {
		e := r.newError("SyntaxError", s.text)
		_ = e.DefineDataProperty("stack", r.vm.ToValue(s.report()), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		return e
	}
	return err
}

// loadMain loads the program itself.
func (r *Runtime) loadMain(p string) (*goja.Object, error) {
	if info, err := r.o.FS.Stat(p); err != nil || info.IsDir() {
		if found := r.fileOrDirectory(p); found != "" {
			p = found
		} else {
			if err == nil {
				err = fs.ErrNotExist
			}
			return nil, &syntaxError{name: p, line: 1, text: "Cannot find module '" + p + "': " + view.Text(err)}
		}
	}
	return r.load(r.real(p))
}

// load loads a file of the view as a module, once.
func (r *Runtime) load(file string) (*goja.Object, error) {
	if m := r.modules[file]; m != nil {
		return m, nil
	}
	text, err := r.readFile(file)
	if err != nil {
		return nil, errors.New("Cannot read module '" + file + "': " + view.Text(err))
	}
	dir := path.Dir(file)
	m := r.newModule(file, dir)
	r.modules[file] = m
	if r.main == nil {
		r.main = m
		r.set(m, "id", r.vm.ToValue("."))
	}
	if strings.HasSuffix(file, ".json") {
		ex := r.vm.Try(func() { r.set(m, "exports", r.parseJSON(r.vm.ToValue(strings.TrimPrefix(string(text), "\ufeff")))) })
		if ex != nil {
			delete(r.modules, file)
			if o, ok := ex.Value().(*goja.Object); ok {
				r.set(o, "message", r.vm.ToValue(file+": "+str(o.Get("message"))))
			}
			return nil, ex
		}
		return m, nil
	}
	if strings.HasSuffix(file, ".mjs") {
		return nil, &syntaxError{name: file, line: 1, text: (&moduleError{}).Error(), source: string(text)}
	}
	source := strings.TrimPrefix(string(text), "\ufeff")
	p, err := r.compile(file, source, "(function (exports, require, module, __filename, __dirname) {", "\n})")
	if err != nil {
		delete(r.modules, file)
		return nil, err
	}
	v, err := r.vm.RunProgram(p)
	if err == nil {
		exports := m.Get("exports")
		_, err = r.callable(v)(exports, exports, r.requireFunction(m, dir), m, r.vm.ToValue(file), r.vm.ToValue(dir))
	}
	if err != nil {
		delete(r.modules, file)
		return nil, err
	}
	r.set(m, "loaded", r.vm.ToValue(true))
	return m, nil
}
