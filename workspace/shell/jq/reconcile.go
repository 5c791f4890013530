package jq

import (
	"maps"
	"slices"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v3"
)

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// render gives a result of a query as YAML. A result that is a part of the document is
// that part as it was written, and one of the same shape as the document keeps order,
// comments and quotes of what did not change.
func (d *document) render(v any, o *order) *yaml.Node {
	if d == nil {
		return o.node(v)
	}
	root := d.root
	if root.Kind == yaml.DocumentNode && len(root.Content) > 0 {
		root = root.Content[0]
	}
	if part := d.part(v); part != nil && part != root && !aliased(part) {
		return part
	}
	if !alike(root, v) {
		return d.order.node(v)
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

// part gives what a map or array of the document was made from.
func (d *document) part(v any) *yaml.Node {
	switch list := v.(type) {
	case map[string]any:
		return d.origin[pointer(list)]
	case []any:
		if len(list) > 0 {
			if n := d.origin[pointer(list)]; n != nil && len(n.Content) == len(list) {
				return n
			}
		}
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
	case []any:
		return root.Kind == yaml.SequenceNode
	case map[string]any:
		if root.Kind != yaml.MappingNode {
			return false
		}
		for i := 0; i+1 < len(root.Content); i += 2 {
			if _, ok := v[root.Content[i].Value]; ok {
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
	case map[string]any:
		if target.Kind != yaml.MappingNode {
			break
		}
		if d.merged[target] || target != old {
			if was, err := (&document{origin: map[uintptr]*yaml.Node{}, merged: map[*yaml.Node]bool{}, order: d.order}).convert(target, 0); err == nil && gojq.Compare(was, v) == 0 {
				return old
			}
			if target != old {
				return d.order.node(v)
			}
			break
		}
		return d.reconcileMapping(old, v)
	case []any:
		if target != old || old.Kind != yaml.SequenceNode {
			break
		}
		return d.reconcileSequence(old, v)
	default:
		if target.Kind == yaml.ScalarNode && gojq.Compare(scalar(target), v) == 0 {
			return old
		}
	}
	fresh := d.order.node(v)
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if old.Kind == yaml.ScalarNode && fresh.Tag == "!!str" && old.ShortTag() == "!!str" && old.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		fresh.Style = old.Style
	}
	return fresh
}

func (d *document) reconcileMapping(old *yaml.Node, v map[string]any) *yaml.Node {
	n := *old
	n.Content = nil
	left := maps.Clone(v)
	changed := false
	for i := 0; i+1 < len(old.Content); i += 2 {
		key := d.key(old.Content[i])
		value, ok := left[key]
		if !ok {
			changed = true
			continue
		}
		delete(left, key)
		fresh := d.reconcile(old.Content[i+1], value)
		changed = changed || fresh != old.Content[i+1]
		n.Content = append(n.Content, old.Content[i], fresh)
	}
	if !changed && len(left) == 0 {
		return old
	}
	for _, key := range d.order.keys(left) {
		n.Content = append(n.Content, d.order.node(key), d.order.node(left[key]))
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
			n.Content, changed = append(n.Content, d.order.node(v)), true
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
		return gojq.Compare(scalar(n), v) == 0
	}
	return false
}
