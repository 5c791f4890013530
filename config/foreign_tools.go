package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// spellings are the names that common tools have elsewhere, by their letters, and what
// they mean here. A tool for files means both the one for the files of mounts, which is
// there with a mount only, and the one for the files of the run.
var spellings = map[string][]string{
	"read": {"read", "workspace.read_file"}, "write": {"write", "workspace.write_file"}, "edit": {"edit", "workspace.apply_patch"},
	"multiedit": {"edit", "workspace.apply_patch"}, "glob": {"glob", "workspace.list_files"}, "ls": {"glob", "workspace.list_files"},
	"grep": {"grep", "workspace.search_files"}, "bash": {"exec", "process", "workspace.shell"}, "task": delegating,
	"todowrite": {"update_plan"}, "askuserquestion": {"question"},
}

// delegating are the tools by which an agent gives tasks to others and gets their results.
var delegating = []string{"agent.delegate", "agent.await", "agent.read_result", "agent.cancel"}

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
		switch {
		case denies:
			*to = append(*to, t.out...)
		case t.all:
			*to = nil
		default:
			*to = t.out // not nil, so that the agent has these and no others
			t.closed(n)
		}
	}}
}

// closed warns of a list that gives nothing.
func (t *foreignList) closed(n *yaml.Node) {
	if len(t.out) > 0 || t.bad {
		return
	}
	text := "none of the tools that it names is here"
	if len(n.Content) == 0 && strings.TrimSpace(n.Value) == "" {
		text = "it names no tool"
	}
	t.in.warn(n, "config.tools_none", t.path+": "+text+", so the agent has only those by which it ends",
		"name tools of this version, such as workspace.read_file, or remove "+t.path+" for those that a new agent has")
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
			d.listed = d.profile.Allow != nil
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
	bad    bool     // an entry is a fault
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
	have := spellings[letters(name)]
	spelled := have != nil
	if !spelled {
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
	case state != has && shelly(name) && rule == name:
		t.sandboxed(v, name)
		t.take(v, []string{theShell})
	case state == unknown:
		t.warn(v, nearestTool(name), "there is no tool %q here, it is left out", name)
	case state == lacks && spelled:
		t.warn(v, "", "the tool %q (%s) is not in this version, it is left out", name, strings.Join(have, ", "))
	case state == lacks:
		t.warn(v, "", "the tool %q is not in this version, it is left out", name)
	case rule != name && !t.denies:
		t.warn(v, "name "+name+" to give it whole", "%s: rules for a part of a tool are not in this version, so it is left out", rule)
	default:
		if rule != name {
			t.warn(v, "", "%s: rules for a part of a tool are not in this version, so %s is denied whole", rule, name)
		}
		if slices.Contains(have, theShell) && name != theShell {
			t.sandboxed(v, name)
		}
		t.take(v, have)
	}
}

// sandboxed says how the shell here is other than where the file comes from.
func (t *foreignList) sandboxed(v *yaml.Node, name string) {
	if !t.denies {
		t.warn(v, "", "the tool %q is workspace.shell here: a sandbox on the files of the run, without programs of the host and without network", name)
	}
}

// take adds tools by their names here.
func (t *foreignList) take(v *yaml.Node, have []string) {
	path := t.path
	if t.denies {
		path = "tools.deny"
	}
	for _, name := range have {
		if !t.denies && len(have) > 1 && status([]string{name}) != has {
			continue // the others are what the name means in this version
		}
		node := &yaml.Node{Kind: yaml.ScalarNode, Value: name, Line: v.Line, Column: v.Column}
		switch {
		case !t.in.pattern(node, path, false):
			t.bad = true
		case !slices.Contains(t.out, name):
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
