package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// find gives the place of a document that a local reference names, nil for none.
func find(root node, ref string) node {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := any(root)
	if path != "" {
		for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			at = child(at, step)
		}
	}
	m, _ := at.(node)
	return m
}

// child gives a member or an element by a step of a JSON pointer in a URL, nil for none.
func child(at any, step string) any {
	if s, err := url.PathUnescape(step); err == nil {
		step = s
	}
	step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	switch v := at.(type) {
	case node:
		return v[step]
	case []any:
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(v) {
			return v[n]
		}
	}
	return nil
}
