package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// set puts values of flags into the tree of the team file, so that they are read and
// checked as if they stood in it.
func (l *loader) set(root *yaml.Node, values []string) {
	for _, one := range values {
		flag := "--set " + hidden(one)
		bad := func(text, mend string) {
			l.add(Fault{File: flag, Code: "config.set_invalid", Text: text, Mend: mend})
		}
		path, text, found := strings.Cut(one, "=")
		if !found || path == "" {
			bad("a setting is KEY=VALUE", "for example budgets.rounds=20")
			continue
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			bad("the value is not YAML: "+strings.TrimPrefix(err.Error(), "yaml: "), "")
			continue
		}
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		if len(doc.Content) > 0 {
			value = doc.Content[0]
		}
		l.mark(value, flag)
		if at, ok := l.put(root, strings.Split(path, "."), value, flag); !ok {
			bad(fmt.Sprintf("%s is no mapping", at), "")
		}
	}
}

// hidden is a setting as messages show it: a key is not shown.
func hidden(setting string) string {
	path, _, found := strings.Cut(setting, "=")
	if found && (strings.Contains(path, "api_key") || strings.Contains(path, "headers")) {
		return path + "=…"
	}
	return setting
}

// put sets a value below a mapping; at is the path that stands in the way.
func (l *loader) put(n *yaml.Node, path []string, value *yaml.Node, flag string) (at string, ok bool) {
	for i, name := range path {
		if n = real(n); n.Kind != yaml.MappingNode {
			return title(strings.Join(path[:i], ".")), false
		}
		slot := -1
		for j := 0; j+1 < len(n.Content); j += 2 {
			if n.Content[j].Value == name {
				slot = j
			}
		}
		if slot < 0 {
			k := &yaml.Node{Kind: yaml.ScalarNode, Value: name}
			l.mark(k, flag)
			v := &yaml.Node{Kind: yaml.MappingNode}
			l.mark(v, flag)
			n.Content = append(n.Content, k, v)
			slot = len(n.Content) - 2
		}
		if i == len(path)-1 {
			n.Content[slot+1] = value
			return "", true
		}
		n = n.Content[slot+1]
	}
	return "", false
}

func (l *loader) mark(n *yaml.Node, flag string) {
	l.flags[n] = flag
	for _, c := range n.Content {
		l.mark(c, flag)
	}
}
