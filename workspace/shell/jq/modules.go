package jq

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// loader finds modules in the view of the call.
type loader struct {
	c     *command.Call
	dirs  []string // absolute
	text  string   // the main program
	order *order
	file  bool // the program imports something
}

// newLoader looks into the directories of -L, or into ~/.jq.
func newLoader(c *command.Call, library []string, program string, o *order) *loader {
	l := &loader{c: c, order: o, text: program, file: strings.Contains(program, "import") || strings.Contains(program, "include")}
	if len(library) == 0 {
		library = []string{"~/.jq"}
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

// LoadInitModules gives the prelude, and ~/.jq when it is a file.
func (l *loader) LoadInitModules() ([]*gojq.Query, error) {
	var all []*gojq.Query
	own := ""
	if home := l.resolve("~/.jq", ""); l.isFile(home) {
		text, err := l.read(home)
		if err != nil {
			return nil, err
		}
		own = text
	}
	first, err := preludeFor(l.text+" "+own, l.file)
	if err != nil {
		return nil, err
	}
	if first != nil {
		all = append(all, first)
	}
	if own != "" {
		p, err := parseProgram(own, l.c.Budget.Limits, l.order)
		if err != nil {
			return nil, err
		}
		all = append(all, p.query)
	}
	return all, nil
}

// LoadModuleWithMeta loads NAME.jq or NAME/NAME.jq.
func (l *loader) LoadModuleWithMeta(name string, meta map[string]any) (*gojq.Query, error) {
	file, err := l.find(name, ".jq", meta)
	if err != nil {
		return nil, err
	}
	text, err := l.read(file)
	if err != nil {
		return nil, err
	}
	p, err := parseProgram(text, l.c.Budget.Limits, l.order)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	l.rebase(p.query, path.Dir(file))
	return p.query, nil
}

// LoadJSONWithMeta loads the values of NAME.json as an array.
func (l *loader) LoadJSONWithMeta(name string, meta map[string]any) (any, error) {
	file, err := l.find(name, ".json", meta)
	if err != nil {
		return nil, err
	}
	text, err := l.read(file)
	if err != nil {
		return nil, err
	}
	list, err := l.order.parseAll(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
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

func (l *loader) find(name, extension string, meta map[string]any) (string, error) {
	dirs := l.dirs
	if search, ok := meta["search"].(string); ok {
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
