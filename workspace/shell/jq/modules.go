package jq

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// ownModules is where modules are looked for without -L.
const ownModules = "~/.jq"

// loader finds modules in the view of the call.
type loader struct {
	c    *command.Call
	dirs []string // absolute
}

// newLoader looks into the directories of -L, or into ~/.jq.
func newLoader(c *command.Call, library []string) *loader {
	l := &loader{c: c}
	if len(library) == 0 {
		library = []string{ownModules}
	}
	for _, dir := range library {
		l.dirs = append(l.dirs, l.resolve(dir, c.Dir))
	}
	return l
}

func (l *loader) resolve(dir, from string) string {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir, from = rest, l.c.Getenv("HOME")
	}
	if !path.IsAbs(dir) {
		dir = from + "/" + dir
	}
	return path.Clean("/" + dir)
}

// own gives ~/.jq when it is a file, else nil.
func (l *loader) own() (*gojq.Query, error) {
	home := l.resolve(ownModules, "")
	if !l.isFile(home) {
		return nil, nil
	}
	text, err := l.read(home)
	if err != nil {
		return nil, err
	}
	return parseProgram(text, l.c.Budget.Limits)
}

// module loads NAME.jq or NAME/NAME.jq.
func (l *loader) module(name string, meta *object) (q *gojq.Query, file string, err error) {
	if file, err = l.find(name, ".jq", meta); err != nil {
		return nil, "", err
	}
	text, err := l.read(file)
	if err != nil {
		return nil, "", err
	}
	if q, err = parseProgram(text, l.c.Budget.Limits); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	l.rebase(q, path.Dir(file))
	return q, file, nil
}

// data loads the values of NAME.json as an array.
func (l *loader) data(name string, meta *object) (any, error) {
	file, err := l.find(name, ".json", meta)
	if err != nil {
		return nil, err
	}
	text, err := l.read(file)
	if err != nil {
		return nil, err
	}
	list, err := parseAll(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &array{items: list}, nil
}

// meta gives what modulemeta says about a module.
func (l *loader) meta(v any) (any, error) {
	name, ok := v.(string)
	if !ok {
		return nil, words("modulemeta input module name must be a string")
	}
	q, _, err := l.module(name, &object{})
	if err != nil {
		return nil, words(err.Error())
	}
	about := values(q.Meta)
	imports, defs := &array{}, &array{}
	for _, i := range q.Imports {
		dep := values(i.Meta)
		relative := i.IncludePath
		if i.ImportPath != "" {
			relative = i.ImportPath
			dep.put("as", strings.TrimPrefix(i.ImportAlias, "$"))
		}
		dep.put("is_data", strings.HasPrefix(i.ImportAlias, "$"))
		dep.put("relpath", relative)
		imports.items = append(imports.items, dep)
	}
	for _, def := range q.FuncDefs {
		defs.items = append(defs.items, signature(def.Name, len(def.Args)))
	}
	about.put("deps", imports)
	about.put("defs", defs)
	return about, nil
}

// rebase makes the search paths of a module's own imports absolute.
func (l *loader) rebase(q *gojq.Query, dir string) {
	for _, i := range q.Imports {
		if i.Meta == nil {
			continue
		}
		for _, kv := range i.Meta.KeyVals {
			if (kv.Key == "search" || kv.KeyString == "search") && kv.Val.Str != "" {
				kv.Val.Str = l.resolve(kv.Val.Str, dir)
			}
		}
	}
}

func (l *loader) find(name, extension string, meta *object) (string, error) {
	dirs := l.dirs
	search, _ := meta.get("search")
	if search, ok := search.(string); ok {
		dirs = append([]string{l.resolve(search, l.c.Dir)}, dirs...)
	}
	for _, dir := range dirs {
		for _, file := range []string{path.Join(dir, name+extension), path.Join(dir, name, path.Base(name)+extension)} {
			if l.isFile(file) {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("module not found: %s", name)
}

func (l *loader) isFile(file string) bool {
	info, err := l.c.FS.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

func (l *loader) read(file string) (string, error) { return readFile(l.c, file) }

func readFile(c *command.Call, name string) (string, error) {
	f, err := c.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}
