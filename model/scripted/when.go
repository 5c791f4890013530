package scripted

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func (r *reader) condition(n *yaml.Node) condition {
	var c condition
	r.mapping(n, "when", keys{
		{"turn", func(_, v *yaml.Node) { c.turns = r.turns(v) }},
		{"match", func(_, v *yaml.Node) { c.match = r.regexp(v, "match") }},
		{"not_match", func(_, v *yaml.Node) { c.notMatch = r.regexp(v, "not_match") }},
		{"after", func(_, v *yaml.Node) { c.after = r.scalar(v, "after") }},
		{"error", func(_, v *yaml.Node) { b := r.boolean(v, "error"); c.isError = &b }},
		{"has_tool", func(_, v *yaml.Node) { c.hasTool = r.scalar(v, "has_tool") }},
		{"path", func(_, v *yaml.Node) {
			c.path = r.scalar(v, "path")
			if _, err := path.Match(c.path, ""); err != nil {
				r.fault(v, "path %q is no pattern: %v", c.path, err)
			}
		}},
		{"any", func(_, v *yaml.Node) {
			if !r.boolean(v, "any") {
				r.fault(v, "any is true or absent")
			}
		}},
	})
	return c
}

func (r *reader) regexp(n *yaml.Node, what string) *regexp.Regexp {
	re, err := regexp.Compile(r.scalar(n, what))
	if err != nil {
		r.fault(n, "%s: %v", what, err)
		return nil
	}
	return re
}

// turns reads 3, "2-4", "5-" or a list of them.
func (r *reader) turns(n *yaml.Node) []span {
	n = r.real(n)
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	var spans []span
	for _, v := range list {
		low, high, ranged := strings.Cut(r.scalar(v, "turn"), "-")
		s := span{}
		var err1, err2 error
		s.from, err1 = strconv.Atoi(strings.TrimSpace(low))
		s.to = s.from
		if ranged {
			s.to = 0
			if high = strings.TrimSpace(high); high != "" {
				s.to, err2 = strconv.Atoi(high)
				if s.to < s.from {
					err2 = strconv.ErrRange
				}
			}
		}
		if err1 != nil || err2 != nil || s.from < 1 {
			r.fault(v, "turn is a number from 1, a range such as 2-4 or 5-, or a list of them")
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// group is what the model has to answer: everything since its last answer.
type group struct {
	calls []model.Call
	since []model.Message
}

func lastGroup(ms []model.Message) group {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == model.Assistant {
			return group{calls: ms[i].Calls, since: ms[i+1:]}
		}
	}
	return group{since: ms}
}

// text joins what the model reads in the group, one part a line.
func (g group) text() string {
	var parts []string
	for i := range g.since {
		m := &g.since[i]
		if m.Text != "" {
			parts = append(parts, m.Text)
		}
		for j := range m.Results {
			parts = append(parts, m.Results[j].Text)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "\n")
}

func (g group) called(tool string) bool {
	for i := range g.calls {
		if named(tool, g.calls[i].ToolID, g.calls[i].Name) {
			return true
		}
	}
	return false
}

func (g group) failed() bool {
	for i := range g.since {
		for j := range g.since[i].Results {
			if g.since[i].Results[j].IsError {
				return true
			}
		}
	}
	return false
}

// holds says whether all conditions hold, and gives the groups of match.
func (c *condition) holds(req *model.Request, turn int, g group) ([]string, bool) {
	if len(c.turns) > 0 {
		in := false
		for _, s := range c.turns {
			in = in || s.has(turn)
		}
		if !in {
			return nil, false
		}
	}
	if c.after != "" && !g.called(c.after) {
		return nil, false
	}
	if c.isError != nil && *c.isError != g.failed() {
		return nil, false
	}
	if c.hasTool != "" && findTool(req.Tools, c.hasTool) == nil {
		return nil, false
	}
	if c.path != "" {
		if ok, _ := path.Match(c.path, req.Path); !ok {
			return nil, false
		}
	}
	if c.match == nil && c.notMatch == nil {
		return nil, true
	}
	text := g.text()
	if c.notMatch != nil && c.notMatch.MatchString(text) {
		return nil, false
	}
	if c.match == nil {
		return nil, true
	}
	groups := c.match.FindStringSubmatch(text)
	return groups, groups != nil
}

// named says whether a script's name of a tool means the tool of this id and model name:
// the id, the id behind its source, or the model name.
func named(name, id, modelName string) bool {
	if name == "" {
		return false
	}
	_, native, _ := strings.Cut(id, ":")
	return name == id || name == native || name == modelName
}

// findTool gives the tool that a script's name means, ids first, then native names, then
// model names; nil when there is none.
func findTool(tools []model.ToolDef, name string) *model.ToolDef {
	var native, byName *model.ToolDef
	for i := range tools {
		t := &tools[i]
		if t.ID == name {
			return t
		}
		if _, n, ok := strings.Cut(t.ID, ":"); ok && n == name && native == nil {
			native = t
		}
		if t.Name == name && byName == nil {
			byName = t
		}
	}
	if native != nil {
		return native
	}
	return byName
}
