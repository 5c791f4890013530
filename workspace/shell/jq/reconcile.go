package jq

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// render gives a result of a query as YAML. A result that is a part of the document is
// that part as it was written, and one of the same shape as the document keeps order,
// comments and quotes of what did not change.
func (d *document) render(v any) *yaml.Node {
	if d == nil {
		return yamlOf(v)
	}
	root := d.root
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		root = root.Content[0]
	}
	if part := d.part(v); part != nil && part != root && !aliased(part) {
		return part
	}
	if !alike(root, v) {
		return yamlOf(v)
	}
	if n := d.reconcile(root, v); n != root || d.root.Kind != yaml.DocumentNode {
		whole := *d.root
		whole.Content = []*yaml.Node{n}
		if d.root.Kind != yaml.DocumentNode {
			return n
		}
		return &whole
	}
	return d.root
}

// part gives what an object or array of the document was made from.
func (d *document) part(v any) *yaml.Node {
	switch v.(type) {
	case *object, *array:
		return d.origin[v]
	}
	return nil
}

// aliased says whether there are aliases below a node: it cannot stand alone.
func aliased(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, aliased)
}

// alike says whether a result can be a changed form of the root: an array for an array, or
// an object that shares a key with it.
func alike(root *yaml.Node, v any) bool {
	switch v := v.(type) {
	case *array:
		return root.Kind == yaml.SequenceNode
	case *object:
		if root.Kind != yaml.MappingNode {
			return false
		}
		for i := 0; i+1 < len(root.Content); i += 2 {
			if v.find(root.Content[i].Value) >= 0 {
				return true
			}
		}
	}
	return false
}

// reconcile gives a node for a value, as much of old as it can be.
func (d *document) reconcile(old *yaml.Node, v any) *yaml.Node {
	target := old
	if old.Kind == yaml.AliasNode {
		target = old.Alias
	}
	switch v := v.(type) {
	case *object:
		if target.Kind != yaml.MappingNode {
			break
		}
		if d.merged[target] || target != old {
			if was, err := (&document{origin: map[any]*yaml.Node{}, merged: map[*yaml.Node]bool{}}).convert(target, 0); err == nil && equal(was, v) {
				return old
			}
			if target != old {
				return yamlOf(v)
			}
			break
		}
		return d.reconcileMapping(old, v)
	case *array:
		if target != old || old.Kind != yaml.SequenceNode {
			break
		}
		return d.reconcileSequence(old, v.list())
	default:
		if target.Kind == yaml.ScalarNode && equal(scalar(target), v) {
			return old
		}
	}
	fresh := yamlOf(v)
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if old.Kind == yaml.ScalarNode && fresh.Tag == "!!str" && old.ShortTag() == "!!str" && old.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		fresh.Style = old.Style
	}
	return fresh
}

func (d *document) reconcileMapping(old *yaml.Node, v *object) *yaml.Node {
	n := *old
	n.Content = nil
	seen := map[string]bool{}
	changed := false
	for i := 0; i+1 < len(old.Content); i += 2 {
		key := d.key(old.Content[i])
		value, ok := v.get(key)
		if !ok || seen[key] {
			changed = true
			continue
		}
		seen[key] = true
		fresh := d.reconcile(old.Content[i+1], value)
		changed = changed || fresh != old.Content[i+1]
		n.Content = append(n.Content, old.Content[i], fresh)
	}
	if !changed && len(seen) == v.len() {
		return old
	}
	for i, key := range v.own().keys {
		if !seen[key] {
			n.Content = append(n.Content, yamlOf(key), yamlOf(v.vals[i]))
		}
	}
	if len(old.Content) == 0 {
		n.Style &^= yaml.FlowStyle
	}
	if len(n.Content) == 0 {
		n.Style |= yaml.FlowStyle
	}
	return &n
}

func (d *document) reconcileSequence(old *yaml.Node, list []any) *yaml.Node {
	n := *old
	n.Content = nil
	changed := len(list) != len(old.Content)
	at := 0
	for i, v := range list {
		like := (*yaml.Node)(nil)
		if len(list) == len(old.Content) {
			like = old.Content[i]
		} else {
			for j := at; j < len(old.Content) && j < at+1000; j++ {
				if d.same(old.Content[j], v) {
					like, at = old.Content[j], j+1
					break
				}
			}
		}
		if like == nil {
			n.Content, changed = append(n.Content, yamlOf(v)), true
			continue
		}
		fresh := d.reconcile(like, v)
		changed = changed || fresh != like
		n.Content = append(n.Content, fresh)
	}
	if !changed {
		return old
	}
	if len(old.Content) == 0 {
		n.Style &^= yaml.FlowStyle
	}
	if len(n.Content) == 0 {
		n.Style |= yaml.FlowStyle
	}
	return &n
}

// same says whether a value is what a node stands for.
func (d *document) same(n *yaml.Node, v any) bool {
	if part := d.part(v); part != nil {
		return part == n
	}
	if n.Kind == yaml.ScalarNode {
		return equal(scalar(n), v)
	}
	return false
}
