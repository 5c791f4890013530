package config

import (
	"fmt"
	"os"
	"path/filepath"
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
	file      string // that the team file names
	hasPolicy bool   // its file has delegation or mode
	// hasDelegation says that its file has delegation, which rules an entry too.
	hasDelegation bool
	prompted      bool // prompt was given as a key
	unread        bool // its body could not be read, which was told
	foreign       bool // its file has a field of another program
	listed        bool // its tools are a list of another program
	hidden        bool // what its file says could not be read, which was told
	modelAt       *yaml.Node
	modelIn       *input // where its model was named in an agent file; nil: not there
	sources       []source
	at            Fault // the agent's own place
}

// source is a file that says something of an agent. Earlier sources win.
type source struct {
	in     *input
	prefix string
}

// listAgents reads the agent files beside a team file that names no agents.
func (l *loader) listAgents(root *yaml.Node) {
	if l.list == nil {
		l.top.fault(root, "config.missing", "agents is missing", "write agents: {lead: {file: lead.md}}")
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
			f.Text, f.Mend = "there is neither a team.yaml nor an agent file (*.md) in this directory", beside(dir)
		}
		l.add(f)
		return
	}
	for _, file := range files {
		l.agentFile(file)
	}
	l.strays(dir)
}

// beside says what to do about a directory without a team.
func beside(dir string) string {
	for _, one := range []struct{ name, mend string }{
		{"team.yml", "there is a team.yml: rename it to team.yaml, or name it"},
		{"agents", "name the directory agents below it"},
	} {
		if _, err := os.Stat(filepath.Join(dir, one.name)); err == nil {
			return one.mend
		}
	}
	if found := astray(dir); len(found) > 0 {
		return "an agent file is NAME.md in the directory itself: move or rename " + listed(found)
	}
	return "swarm init DIR writes a small team"
}

// agent reads an entry of agents in the team file.
func (l *loader) agent(in *input, k, v *yaml.Node, path string) {
	id := k.Value
	if !l.admit(id, in.at(k)) {
		return
	}
	d := &draft{profile: agent.Profile{ID: id}, at: in.at(k)}
	l.agents[id] = d
	d.sources = append(d.sources, source{in, path})
	if isNull(v) {
		v = &yaml.Node{Kind: yaml.MappingNode, Line: k.Line, Column: k.Column}
	}
	file, at, noText := "", k, false
	for i := 0; v.Kind == yaml.MappingNode && i+1 < len(v.Content); i += 2 {
		switch value := real(v.Content[i+1]); v.Content[i].Value {
		case "file":
			at, d.unread = value, true
			if value.Kind == yaml.ScalarNode {
				file = strings.TrimSpace(value.Value)
			}
		case "prompt":
			d.prompted = true
			noText = value.Kind != yaml.ScalarNode || isNull(value)
		}
	}
	d.hidden = d.unread && file == "" || v.Kind != yaml.MappingNode
	d.unread = d.hidden || noText
	if file != "" || !d.prompted && !d.unread {
		l.body(d, file, at)
	}
	agentKind(l, d).read(in, v, path)
}

// body reads the agent file of an entry: the one it names, else agents/<id>.md.
func (l *loader) body(d *draft, name string, at *yaml.Node) {
	id := d.profile.ID
	named := name != ""
	if !named {
		name = filepath.Join("agents", id+".md")
	}
	file := l.path(name)
	l.used = append(l.used, l.absolute(name))
	if file == l.top.file {
		d.unread, d.hidden = true, true
		l.top.fault(at, "config.value", fmt.Sprintf("agent %s: %s is the team file itself", id, file), "name a Markdown file with the prompt")
		return
	}
	data, err := l.read(file)
	d.unread, d.hidden = d.unread || err != nil, d.hidden || err != nil
	switch {
	case err != nil && !named:
		l.top.fault(at, "config.missing", fmt.Sprintf("agent %s has no prompt, no file, and there is no %s", id, file), "write that file, or give the agent a prompt or a file")
		return
	case err != nil:
		f := unreadable(file, err)
		l.top.fault(at, f.Code, fmt.Sprintf("agent %s: %s: %s", id, file, f.Text), f.Mend)
		return
	}
	in := l.input(file)
	front, body, ok := in.split(data)
	d.profile.Prompt, d.unread, d.hidden = body, d.unread || !ok, d.hidden || !ok
	d.sources = append(d.sources, source{in, ""})
	if front != nil {
		in.front(front, d)
	}
}

// agentFile reads an agent that is only a file. Its id is its name, else the file's.
func (l *loader) agentFile(file string) {
	data, err := l.read(file)
	if err != nil {
		l.unsure = true
		l.add(unreadable(file, err))
		return
	}
	in := l.input(file)
	front, body, ok := in.split(data)
	l.unsure = l.unsure || !ok
	name, at := strings.TrimSuffix(filepath.Base(file), ".md"), Fault{File: file, Line: 1, Column: 1}
	if front != nil && front.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(front.Content); i += 2 {
			if v := real(front.Content[i+1]); front.Content[i].Value == "name" && v.Kind == yaml.ScalarNode && v.Value != "" {
				name, at = v.Value, in.at(v)
			}
		}
	}
	id := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "-")
	if !ok && (!validID(id) || l.agents[id] != nil) {
		return // the name that it has could not be read, which was told
	}
	if !l.admit(id, at) {
		return
	}
	d := &draft{profile: agent.Profile{ID: id, Prompt: body}, at: at, unread: !ok, hidden: !ok}
	l.agents[id] = d
	d.sources = append(d.sources, source{in, ""})
	if front != nil {
		in.front(front, d)
	}
}

// admit checks the id of an agent.
func (l *loader) admit(id string, at Fault) bool {
	switch {
	case !validID(id):
		at.Code, at.Text, at.Mend = "config.agent_id", fmt.Sprintf("the id %q of an agent is not %s", id, idGrammar), mendID(id)
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
