package js

import (
	"path"
	"strings"

	"github.com/dop251/goja"
)

// resolve finds the file of a module. What is not there is thrown.
func (r *Runtime) resolve(name, dir, from string) string {
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == ".." || strings.HasPrefix(name, "/") {
		p := name
		if !strings.HasPrefix(name, "/") {
			p = path.Join(dir, name)
		}
		if found := r.fileOrDirectory(p); found != "" {
			return found
		}
	} else {
		for at := dir; ; at = path.Dir(at) {
			if found := r.fileOrDirectory(path.Join(at, "node_modules", name)); found != "" {
				return found
			}
			if at == "/" || at == "." {
				break
			}
		}
	}
	message := "Cannot find module '" + name + "'\nRequire stack:\n- " + from
	e := r.newError("Error", message)
	r.set(e, "code", r.vm.ToValue("MODULE_NOT_FOUND"))
	r.set(e, "requireStack", r.vm.NewArray(from))
	panic(e)
}

func (r *Runtime) fileOrDirectory(p string) string {
	for _, ending := range []string{"", ".js", ".json", ".cjs"} {
		if info, err := r.o.FS.Stat(p + ending); err == nil && !info.IsDir() {
			return r.real(p + ending)
		}
	}
	if info, err := r.o.FS.Stat(p); err != nil || !info.IsDir() {
		return ""
	}
	if main := r.packageField(p, "main"); main != "" {
		for _, ending := range []string{"", ".js", ".json", ".cjs", "/index.js"} {
			file := path.Join(p, main) + ending
			if info, err := r.o.FS.Stat(file); err == nil && !info.IsDir() {
				return r.real(file)
			}
		}
	}
	for _, index := range []string{"index.js", "index.json", "index.cjs"} {
		if info, err := r.o.FS.Stat(path.Join(p, index)); err == nil && !info.IsDir() {
			return r.real(path.Join(p, index))
		}
	}
	return ""
}

func (r *Runtime) real(p string) string {
	if q, err := r.o.FS.Real(p); err == nil {
		return q
	}
	return p
}

// packageField gives a field of the package.json of a directory, "" when there is none.
func (r *Runtime) packageField(dir, field string) string {
	text, err := r.readFile(path.Join(dir, "package.json"))
	if err != nil {
		return ""
	}
	var value string
	if ex := r.vm.Try(func() {
		if o, ok := r.parseJSON(r.vm.ToValue(string(text))).(*goja.Object); ok {
			if s, ok := o.Get(field).(goja.String); ok {
				value = s.String()
			}
		}
	}); ex != nil {
		return ""
	}
	return value
}

func (r *Runtime) readFile(p string) ([]byte, error) {
	f, err := r.o.FS.Open(p, 0, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return r.readBounded(f)
}
