package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// draft is an agent that is being read.
type draft struct {
	profile   agent.Profile
	visible   []string // workspace.visible_roots; nil: not given
	writable  []string
	hasPolicy bool // its file has delegation or mode
	prompted  bool // prompt was given as a key
	unread    bool // its body could not be read, which was told
	foreign   bool // its file has a field of another program
	modelAt   *yaml.Node
	modelIn   *input // where its model was named in an agent file; nil: not there
	sources   []source
	at        Fault // the agent's own place
}

// source is a file that says something of an agent. Earlier sources win.
type source struct {
	in     *input
	prefix string
}

// readAgents reads the agents of the team file, or the agent files beside it.
func (l *loader) readAgents(root, agents *yaml.Node) {
	switch {
	case agents != nil:
		l.top.pairs(agents, "agents", l.agent)
		if len(l.agents) == 0 && agents.Kind == yaml.MappingNode && len(agents.Content) == 0 {
			l.top.fault(agents, "config.missing", "agents is empty", "a team has at least one agent")
		}
		return
	case l.list == nil:
		l.top.fault(root, "config.missing", "agents is missing", "name at least one agent")
		return
	}
	dir := filepath.Join(l.dir, "agents")
	if l.bare {
		dir = l.dir
	}
	files, err := l.list(dir)
	if err != nil || len(files) == 0 {
		f := Fault{File: l.top.file, Code: "config.missing", Text: "agents is missing, and there are no agent files in " + dir, Mend: "name at least one agent, or write one as a Markdown file"}
		if l.bare {
			f.Text, f.Mend = "there is neither a team.yaml nor an agent file (*.md) in this directory", "swarm init DIR writes a small team"
		}
		l.add(f)
		return
	}
	for _, file := range files {
		l.agentFile(file)
	}
}

// agent reads an entry of agents in the team file.
func (l *loader) agent(k, v *yaml.Node) {
	id, in, path := k.Value, l.top, "agents."+k.Value
	if !l.admit(id, in.at(k)) {
		return
	}
	d := &draft{profile: agent.Profile{ID: id}, at: in.at(k)}
	l.agents[id] = d
	d.sources = append(d.sources, source{in, path})
	if isNull(v) {
		v = &yaml.Node{Kind: yaml.MappingNode, Line: k.Line, Column: k.Column}
	}
	file, at := "", k
	if v.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(v.Content); i += 2 {
			switch name := v.Content[i]; name.Value {
			case "file":
				at = real(v.Content[i+1])
				in.line(&file, path+".file")(at)
				if file == "" {
					return
				}
			case "prompt":
				d.prompted = true
			}
		}
	}
	if file != "" || !d.prompted {
		l.body(d, file, at)
	}
	in.profile(v, path, d, false)
}

// body reads the agent file of an entry: the one it names, else agents/<id>.md.
func (l *loader) body(d *draft, name string, at *yaml.Node) {
	id := d.profile.ID
	named := name != ""
	if !named {
		name = filepath.Join("agents", id+".md")
	}
	file := l.path(name)
	data, err := l.read(file)
	d.unread = err != nil
	switch {
	case err != nil && !named:
		l.top.fault(at, "config.missing", fmt.Sprintf("agent %s has no prompt, no file, and there is no %s", id, file), "give it one of them")
		return
	case err != nil:
		f := unreadable(file, err)
		l.top.fault(at, f.Code, fmt.Sprintf("agent %s: %s: %s", id, file, f.Text), "")
		return
	}
	in := l.input(file)
	front, body, ok := in.split(data)
	d.profile.Prompt, d.unread = body, !ok
	d.sources = append(d.sources, source{in, ""})
	if front != nil {
		in.profile(front, "", d, true)
	}
}

// agentFile reads an agent that is only a file. Its id is its name, else the file's.
func (l *loader) agentFile(file string) {
	data, err := l.read(file)
	if err != nil {
		l.add(unreadable(file, err))
		return
	}
	in := l.input(file)
	front, body, ok := in.split(data)
	name, at := strings.TrimSuffix(filepath.Base(file), ".md"), Fault{File: file, Line: 1, Column: 1}
	if front != nil && front.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(front.Content); i += 2 {
			if v := real(front.Content[i+1]); front.Content[i].Value == "name" && v.Kind == yaml.ScalarNode && v.Value != "" {
				name, at = v.Value, in.at(v)
			}
		}
	}
	id := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
	if !l.admit(id, at) {
		return
	}
	d := &draft{profile: agent.Profile{ID: id, Prompt: body}, at: at, unread: !ok}
	l.agents[id] = d
	d.sources = append(d.sources, source{in, ""})
	if front != nil {
		in.profile(front, "", d, true)
	}
}

// admit checks the id of an agent.
func (l *loader) admit(id string, at Fault) bool {
	switch {
	case !validID(id):
		at.Code, at.Text = "config.agent_id", fmt.Sprintf("the id %q of an agent is not %s", id, idGrammar)
	case id == "human" || id == "self":
		at.Code, at.Text, at.Mend = "config.agent_id", fmt.Sprintf("the id %q is reserved", id), "give the agent another one"
	case l.agents[id] != nil:
		at.Code, at.Text, at.Mend = "config.agent_duplicate", fmt.Sprintf("there are two agents %q, the other one in %s", id, l.agents[id].at.File), "rename one"
	default:
		return true
	}
	l.add(at)
	return false
}

var (
	bom   = []byte("\uFEFF")
	fence = []byte("---")
)

// split takes an agent file apart: front matter, nil when there is none, and body. It is
// not ok when the body could not be told.
func (in *input) split(data []byte) (front *yaml.Node, body string, ok bool) {
	if !in.l.readable(in.file, data) {
		return nil, "", false
	}
	data = bytes.TrimPrefix(data, bom)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	lines := bytes.Split(data, []byte("\n"))
	isFence := func(line []byte) bool { return bytes.Equal(bytes.TrimRight(line, " \t"), fence) }
	if !isFence(lines[0]) {
		in.unmarked(lines)
		return nil, strings.TrimSpace(string(data)), true
	}
	end := slices.IndexFunc(lines[1:], isFence)
	if end < 0 {
		in.l.add(Fault{File: in.file, Line: 1, Column: 1, Code: "config.front_matter", Text: "the front matter that begins here does not end", Mend: "close it with a line ---"})
		return nil, "", false
	}
	// The first line is empty in place of the fence, so that lines are counted right.
	text := append([]byte("\n"), bytes.Join(lines[1:end+1], []byte("\n"))...)
	return in.document(text), strings.TrimSpace(string(bytes.Join(lines[end+2:], []byte("\n")))), true
}

// unmarked warns of a file that begins with keys that no marks make front matter.
func (in *input) unmarked(lines [][]byte) {
	first := slices.IndexFunc(lines, func(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 })
	if first < 0 {
		return
	}
	f := Fault{File: in.file, Line: first + 1, Column: 1, Code: "config.front_matter", Warning: true}
	name, _, found := bytes.Cut(lines[first], []byte(":"))
	switch {
	case bytes.Equal(bytes.TrimSpace(lines[first]), fence):
		f.Text, f.Mend = "front matter begins in the first line, so what follows is part of the prompt", "remove the lines before it"
	case found && slices.Contains(frontKeys, string(name)):
		f.Text, f.Mend = fmt.Sprintf("%q looks like a key, but there is no front matter, so it is part of the prompt", name), "put a line --- before the keys and one after them"
	default:
		return
	}
	in.l.add(f)
}

// frontKeys are keys by which front matter is recognised that lacks its marks.
var frontKeys = []string{
	"budgets", "context", "delegation", "description", "disallowedTools", "maxTurns", "mcpServers", "mode", "model",
	"name", "output", "permissionMode", "permissions", "tools", "turns", "workspace",
}

// finishAgent fills in what follows from the whole of an agent's sources.
func (l *loader) finishAgent(d *draft) {
	p := &d.profile
	if d.visible == nil && d.writable == nil {
		return
	}
	key := "workspace.visible_roots"
	if d.visible == nil {
		key = "workspace.writable_roots"
	}
	roots, err := workspace.DefaultRoots().Narrow(d.visible, d.writable)
	if err != nil {
		f := l.where(p.ID, key, "")
		f.Code, f.Text = "config.roots", fmt.Sprintf("agent %s: %s", p.ID, plainText(err))
		l.add(f)
		return
	}
	p.Roots = roots
}
