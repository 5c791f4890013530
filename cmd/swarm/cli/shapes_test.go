package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shapes are those of docs/json.md.
type shapes struct {
	commands []string
	shapes   map[string][]shapeField
}

type shapeField struct {
	name, kind string
	optional   bool
}

var shapeRow = regexp.MustCompile("^\\| `([a-z0-9_]+)` \\| ([^|]+?) \\| .+ \\|$")

func readShapes(t *testing.T) *shapes {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, shape := &shapes{shapes: map[string][]shapeField{}}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "## "); ok {
			shape = ""
			for _, name := range strings.Split(rest, ", ") {
				page.commands = append(page.commands, strings.TrimPrefix(name, "swarm "))
			}
		} else if rest, ok := strings.CutPrefix(line, "### "); ok {
			shape = rest
		} else if m := shapeRow.FindStringSubmatch(line); m != nil && shape != "" {
			kind, optional := strings.CutSuffix(m[2], "?")
			page.shapes[shape] = append(page.shapes[shape], shapeField{m[1], kind, optional})
		} else if strings.HasPrefix(line, "| `") {
			t.Errorf("docs/json.md: %s is no row of a shape", line)
		}
	}
	if len(page.shapes) == 0 {
		t.Fatal("docs/json.md has no shapes")
	}
	return page
}

// check compares an object with a shape and notes the fields that it has.
func (p *shapes) check(t *testing.T, shape string, o map[string]any, at string, seen map[string]bool) {
	t.Helper()
	fields, ok := p.shapes[shape]
	if !ok {
		t.Errorf("%s: docs/json.md has no shape %q", at, shape)
		return
	}
	known := map[string]bool{}
	for _, f := range fields {
		known[f.name] = true
		v, there := o[f.name]
		switch {
		case there:
			seen[shape+"."+f.name] = true
			p.value(t, f.kind, v, at+"."+f.name, seen)
		case !f.optional:
			t.Errorf("%s: %s is always there by docs/json.md, and is missing", at, f.name)
		}
	}
	for name := range o {
		if !known[name] {
			t.Errorf("%s: shape %s of docs/json.md has no field %q", at, shape, name)
		}
	}
}

func (p *shapes) value(t *testing.T, kind string, v any, at string, seen map[string]bool) {
	t.Helper()
	if of, ok := strings.CutSuffix(kind, " or null"); ok {
		if v != nil {
			p.value(t, of, v, at, seen)
		}
		return
	}
	if of, ok := strings.CutPrefix(kind, "list of "); ok {
		list, is := v.([]any)
		if !is {
			t.Errorf("%s is %T, no list", at, v)
		}
		for i := range list {
			p.value(t, of, list[i], at+"[]", seen)
		}
		return
	}
	o, object := v.(map[string]any)
	if of, ok := strings.CutPrefix(kind, "map of "); ok {
		if !object {
			t.Errorf("%s is %T, no object", at, v)
		}
		for _, one := range o {
			p.value(t, of, one, at+"{}", seen)
		}
		return
	}
	fits := object
	switch kind {
	case "any":
		fits = true
	case "object":
	case "string":
		_, fits = v.(string)
	case "boolean":
		_, fits = v.(bool)
	case "number":
		_, fits = v.(float64)
	case "integer":
		f, is := v.(float64)
		fits = is && f == float64(int64(f))
	default:
		if fits {
			p.check(t, kind, o, at, seen)
		}
	}
	if !fits {
		t.Errorf("%s is %T, docs/json.md says %s", at, v, kind)
	}
}
