package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// spellings are the names that common tools have elsewhere.
var spellings = map[string][]string{
	"Read": {"read"}, "Write": {"write"}, "Edit": {"edit"}, "Glob": {"glob"}, "Grep": {"grep"},
	"Bash": {"exec", "process"}, "Task": {"agent.delegate"}, "TodoWrite": {"update_plan"}, "AskUserQuestion": {"question"},
	// The same in lower case, as others write them.
	"bash": {"exec", "process"}, "task": {"agent.delegate"}, "todowrite": {"update_plan"},
}

// denying says that a list takes tools away.
const denying = true

// foreignTools reads a list or a comma string of tools. What this program or this version
// does not have is a warning and left out.
func foreignTools(to *[]string, denies bool) kind {
	word := form{typ: "string", is: "names of tools with commas between them"}
	entry := form{typ: "string", is: "name of a tool"}
	f := form{typ: "array", is: "a list of names of tools", each: &entry, also: []form{word}}
	return kind{f, func(in *input, n *yaml.Node, path string) {
		t := foreignList{in: in, path: path, denies: denies, out: []string{}}
		if n.Kind == yaml.ScalarNode {
			for _, name := range splitTools(n.Value) {
				t.add(n, name)
			}
		} else {
			items(entry, func(in *input, v *yaml.Node, path string, _ int) {
				if s, ok := in.text(v, "an entry of "+path); ok {
					t.add(v, s)
				}
			}).read(in, n, path)
		}
		if *to = slices.Concat([]string{}, *to, t.out); t.all {
			*to = nil
		}
	}}
}

// frontTools is the kind of tools in front matter: our mapping, or what others have there.
func frontTools(d *draft, ours kind) kind {
	theirs := foreignTools(&d.profile.Allow, !denying)
	truth := boolean(new(bool)).form
	switched := form{typ: "object", is: "a mapping of names of tools to true or false: those at false are denied", each: &truth}
	k := ours
	k.form.also = []form{theirs.form, switched}
	k.read = func(in *input, v *yaml.Node, path string) {
		switch {
		case v.Kind != yaml.MappingNode:
			d.foreign = true
			theirs.read(in, v, path)
		case switches(v):
			d.foreign = true
			in.switched(v, path, d)
		default:
			ours.read(in, v, path)
		}
	}
	return k
}

// switches says whether a mapping turns tools on and off by name, as some programs do.
func switches(n *yaml.Node) bool {
	for i := 1; i < len(n.Content); i += 2 {
		if v := real(n.Content[i]); v.Kind != yaml.ScalarNode || v.ShortTag() != "!!bool" {
			return false
		}
	}
	return len(n.Content) > 0
}

// switched reads such a mapping: what is off is denied, what is on changes nothing.
func (in *input) switched(n *yaml.Node, path string, d *draft) {
	t := foreignList{in: in, path: path, denies: denying, out: []string{}}
	in.pairs(n, path, form{}, func(k, v *yaml.Node) {
		if v.Value == "false" {
			t.add(k, k.Value)
		}
	})
	d.profile.Deny = append(d.profile.Deny, t.out...)
}

// foreignList collects the tools of a list of another program.
type foreignList struct {
	in     *input
	path   string
	denies bool
	out    []string
	told   []string // warnings that were given
	all    bool     // "*": what a new profile has
}

func (t *foreignList) warn(v *yaml.Node, mend, format string, args ...any) {
	text := t.path + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(t.told, text) {
		t.told = append(t.told, text)
		t.in.warn(v, "config.tool_unknown", text, mend)
	}
}

var specified = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.:-]*)\s*\((.*)\)$`)

// add takes a tool by the name that it has elsewhere.
func (t *foreignList) add(v *yaml.Node, name string) {
	name = strings.TrimSpace(name)
	rule := name
	if m := specified.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	have := spellings[name]
	if have == nil {
		have = []string{name}
	}
	state := status(have)
	if t.denies && state == lacks {
		state = has // a tool to come may be denied
	}
	switch {
	case name == "":
	case name == "*" && !t.denies:
		t.all = true
	case name == "*":
		t.in.fault(v, "config.tool_reserved", t.path+`: "*" denies the tool by which an agent ends`, "name the tools to deny one by one")
	case strings.HasPrefix(name, "mcp__"):
		t.warn(v, "", "the tool %q of an MCP server is not in this version, it is left out", name)
	case state == unknown:
		t.warn(v, akin(name), "there is no tool %q here, it is left out", name)
	case state == lacks && spellings[name] != nil:
		t.warn(v, "", "the tool %q (%s) is not in this version, it is left out", name, strings.Join(have, ", "))
	case state == lacks:
		t.warn(v, "", "the tool %q is not in this version, it is left out", name)
	case rule != name && !t.denies:
		t.warn(v, "name "+name+" to give it whole", "%s: rules for a part of a tool are not in this version, so it is left out", rule)
	default:
		if rule != name {
			t.warn(v, "", "%s: rules for a part of a tool are not in this version, so %s is denied whole", rule, name)
		}
		t.take(v, have)
	}
}

// take adds tools by their names here.
func (t *foreignList) take(v *yaml.Node, have []string) {
	path := t.path
	if t.denies {
		path = "tools.deny"
	}
	for _, name := range have {
		node := &yaml.Node{Kind: yaml.ScalarNode, Value: name, Line: v.Line, Column: v.Column}
		if t.in.pattern(node, path, false) && !slices.Contains(t.out, name) {
			t.out = append(t.out, name)
		}
	}
}

// What this version knows of names of tools.
const (
	has     = iota // there is one, or it is none of the built-in ones
	lacks          // of the specification, and not in this version
	unknown        // no tool
)

// status says what is known of tools of one name elsewhere. One that this version has is
// enough.
func status(have []string) int {
	best := unknown
	for _, name := range have {
		full, err := tooling.Pattern(name)
		switch {
		case err != nil && !strings.Contains(name, ":"):
		case err != nil || !strings.HasPrefix(full, "builtin:") || anyMatch(full, registered()):
			return has
		case anyMatch(full, tabled()):
			best = lacks
		}
	}
	return best
}

// akin names a tool whose name is part of another program's.
func akin(name string) string {
	best := ""
	for _, native := range natives() {
		if len(native) > max(len(best), 3) && strings.Contains(letters(name), letters(native)) {
			best = native
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("the nearest one is %q", best)
}

// splitTools splits at commas outside brackets.
func splitTools(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}
