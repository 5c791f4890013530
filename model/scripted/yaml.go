package scripted

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds how much a script may grow by aliases.
const maxNodes = 200_000

// reader walks a YAML document and gathers every fault.
type reader struct {
	file   string
	faults []string
	nodes  int
}

func (r *reader) fault(n *yaml.Node, format string, args ...any) {
	if len(r.faults) < 50 { // more help nobody
		r.faults = append(r.faults, fmt.Sprintf("%s:%d:%d: %s", r.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
	}
}

// real follows an alias.
func (r *reader) real(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// keys are the members that a mapping may have, in the order in which faults name them.
type keys []struct {
	name string
	read func(key, value *yaml.Node)
}

// pairs calls do for each member of a mapping.
func (r *reader) pairs(n *yaml.Node, what string, do func(key, value *yaml.Node)) {
	n = r.real(n)
	if n.Kind != yaml.MappingNode {
		r.fault(n, "%s is a mapping", what)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		do(n.Content[i], n.Content[i+1])
	}
}

// mapping reads a mapping with known keys only and gives which were there.
func (r *reader) mapping(n *yaml.Node, what string, known keys) map[string]bool {
	seen := make(map[string]bool, len(known))
	r.pairs(n, what, func(k, v *yaml.Node) {
		if seen[k.Value] {
			r.fault(k, "%s has %s twice", what, k.Value)
			return
		}
		seen[k.Value] = true
		for _, key := range known {
			if key.name == k.Value {
				key.read(k, r.real(v))
				return
			}
		}
		names := make([]string, len(known))
		for i, key := range known {
			names[i] = key.name
		}
		r.fault(k, "%s has no key %q; it has %s", what, k.Value, strings.Join(names, ", "))
	})
	return seen
}

func (r *reader) scalar(n *yaml.Node, what string) string {
	n = r.real(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		r.fault(n, "%s is a single value", what)
		return ""
	}
	return n.Value
}

func (r *reader) integer(n *yaml.Node, what string, least int) int {
	s := r.scalar(n, what)
	i, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
	if err != nil || i < least {
		r.fault(n, "%s is a whole number from %d, not %q", what, least, s)
		return least
	}
	return i
}

func (r *reader) boolean(n *yaml.Node, what string) bool {
	switch s := r.scalar(n, what); s {
	case "true":
		return true
	case "false":
		return false
	default:
		r.fault(n, "%s is true or false, not %q", what, s)
		return false
	}
}

func (r *reader) choice(n *yaml.Node, what string, allowed ...string) string {
	s := r.scalar(n, what)
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	r.fault(n, "%s is %s, not %q", what, strings.Join(allowed, " or "), s)
	return allowed[0]
}
