package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// frame is what the functions of a template see: one request and the step that answers it.
type frame struct {
	req   *model.Request
	turn  int
	match []string
	seed  int64
	drawn uint64 // numbers drawn so far
}

// list is a list of values; as text it is one value a line.
type list []any

// String implements [fmt.Stringer].
func (l list) String() string { return l.join("\n") }

func (l list) join(sep string) string {
	parts := make([]string, len(l))
	for i, v := range l {
		parts[i] = show(v)
	}
	return strings.Join(parts, sep)
}

// functions are the functions of templates, bound to f.
func (f *frame) functions() template.FuncMap {
	return template.FuncMap{
		"input":   f.input,
		"turn":    func() int { return f.turn },
		"agent":   func() string { return f.req.Agent },
		"match":   f.group,
		"result":  f.result,
		"results": f.results,
		"json":    f.json,
		"arg":     f.arg,
		"rand":    f.rand,
		"lines":   lines,
		"count":   count,
		"find":    find,
		"findall": findAll,
		"each":    each,
		"join":    join,
		"jsonval": func(v any) (string, error) { b, err := marshal(v); return string(b), err },
	}
}

func (f *frame) input() (string, error) {
	if f.req.Input != "" {
		return f.req.Input, nil
	}
	for i := range f.req.Messages {
		if m := &f.req.Messages[i]; m.Role == model.User || m.Role == model.Host {
			return m.Text, nil
		}
	}
	return "", fmt.Errorf("the request has no input")
}

func (f *frame) group(n int) (string, error) {
	if n < 0 || n >= len(f.match) {
		return "", fmt.Errorf("when.match has no group %d", n)
	}
	return f.match[n], nil
}

// newest gives the newest result of a tool.
func (f *frame) newest(tool string) (*model.Result, error) {
	for i := len(f.req.Messages) - 1; i >= 0; i-- {
		results := f.req.Messages[i].Results
		for j := len(results) - 1; j >= 0; j-- {
			if named(tool, results[j].ToolID, results[j].Name) {
				return &results[j], nil
			}
		}
	}
	return nil, fmt.Errorf("there is no result of %s", tool)
}

func (f *frame) result(tool string) (string, error) {
	r, err := f.newest(tool)
	if err != nil {
		return "", err
	}
	return r.Text, nil
}

func (f *frame) results(tool string) (list, error) {
	var all list
	for i := range f.req.Messages {
		for j := range f.req.Messages[i].Results {
			if r := &f.req.Messages[i].Results[j]; named(tool, r.ToolID, r.Name) {
				all = append(all, r.Text)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no result of %s", tool)
	}
	return all, nil
}

// json has the forms json tool path, json tool "" and json text.
func (f *frame) json(s string, path ...string) (any, error) {
	if len(path) > 1 {
		return nil, fmt.Errorf("json takes a tool and a path, or one text")
	}
	if len(path) == 0 {
		return decode([]byte(s))
	}
	r, err := f.newest(s)
	if err != nil {
		return nil, err
	}
	data := []byte(r.Data)
	if len(data) == 0 {
		data = []byte(r.Text)
	}
	v, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the result of %s has no structured form", s)
	}
	return walk(v, path[0])
}

// arg has the forms arg path and arg tool path.
func (f *frame) arg(words ...string) (any, error) {
	if len(words) != 1 && len(words) != 2 {
		return nil, fmt.Errorf("arg takes a path, or a tool and a path")
	}
	path := words[len(words)-1]
	for i := len(f.req.Messages) - 1; i >= 0; i-- {
		calls := f.req.Messages[i].Calls
		for j := len(calls) - 1; j >= 0; j-- {
			if c := &calls[j]; len(words) == 1 || named(words[0], c.ToolID, c.Name) {
				v, err := decode([]byte(c.Args))
				if err != nil {
					return nil, err
				}
				return walk(v, path)
			}
		}
	}
	return nil, fmt.Errorf("there is no call of %s", strings.Join(words[:len(words)-1], "any tool"))
}

// rand draws from a stream that is fixed by seed, run, invocation and turn.
func (f *frame) rand(n int) (int, error) {
	if n < 1 {
		return 0, fmt.Errorf("rand takes a number from 1, not %d", n)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%d", f.req.Run, f.req.Path, f.turn, f.drawn)
	f.drawn++
	return rand.New(rand.NewPCG(uint64(f.seed), h.Sum64())).IntN(n), nil
}

func lines(v any) list {
	var l list
	for s := range strings.Lines(show(v)) {
		if s = strings.TrimRight(s, "\r\n"); strings.TrimSpace(s) != "" {
			l = append(l, s)
		}
	}
	return l
}

func count(pattern string, v any) (int, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return 0, err
	}
	return len(re.FindAllStringIndex(show(v), -1)), nil
}

func find(pattern string, v any) (any, error) {
	all, err := findAll(pattern, v)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing matches %s", pattern)
	}
	return all[0], nil
}

func findAll(pattern string, v any) (list, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var l list
	for _, m := range re.FindAllStringSubmatch(show(v), -1) {
		l = append(l, m[min(1, len(m)-1)])
	}
	return l, nil
}

func each(path string, v any) (list, error) {
	entries, err := entries(v)
	if err != nil {
		return nil, err
	}
	out := make(list, len(entries))
	for i, e := range entries {
		if out[i], err = walk(e, path); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return out, nil
}

func join(sep string, v any) (string, error) {
	l, err := entries(v)
	if err != nil {
		return "", err
	}
	return l.join(sep), nil
}

func entries(v any) (list, error) {
	switch v := v.(type) {
	case list:
		return v, nil
	case []any:
		return v, nil
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return nil, fmt.Errorf("%s is no list", show(v))
	}
	l := make(list, rv.Len())
	for i := range l {
		l[i] = rv.Index(i).Interface()
	}
	return l, nil
}

// show gives a value as text: texts as they are, lists and objects as JSON.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	b, err := marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// decode reads one JSON value; whole numbers become int64.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("no JSON: there is more after the first value")
	}
	return numbers(v), nil
}

// numbers makes numbers comparable in templates.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
		return v
	}
	return v
}

// walk follows a path of the form a.b[0].c into a value.
func walk(v any, path string) (any, error) {
	rest := path
	for rest != "" {
		var key string
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("path %s: a [ is not closed", path)
			}
			key, rest = rest[1:end], strings.TrimPrefix(rest[end+1:], ".")
			n, err := strconv.Atoi(key)
			if err != nil {
				return nil, fmt.Errorf("path %s: %q is no index", path, key)
			}
			l, err := entries(v)
			if err != nil {
				return nil, fmt.Errorf("path %s: [%d] of what is no list", path, n)
			}
			if n < 0 {
				n += len(l)
			}
			if n < 0 || n >= len(l) {
				return nil, fmt.Errorf("path %s: there is no entry [%s] in %d", path, key, len(l))
			}
			v = l[n]
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		key, rest = rest[:end], strings.TrimPrefix(rest[end:], ".")
		if key == "#" {
			l, err := entries(v)
			if err != nil {
				return nil, fmt.Errorf("path %s: # of what is no list", path)
			}
			v = len(l)
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("path %s: %q of what is no object", path, key)
		}
		if v, ok = m[key]; !ok {
			return nil, fmt.Errorf("path %s: there is no %q", path, key)
		}
	}
	return v, nil
}
