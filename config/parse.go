package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// teamFile reads the keys of a team file.
func (l *loader) teamFile(root *yaml.Node) {
	in, t := l.top, l.team
	var agents *yaml.Node
	var store string
	depth := 0
	in.mapping(root, "", []key{
		{"version", func(v *yaml.Node) {
			if s, ok := in.text(v, "version"); ok && s != "1" {
				in.fault(v, "config.version", fmt.Sprintf("version is 1 in this version of swarm, not %s", shown(v)), "")
			}
		}},
		{"name", func(v *yaml.Node) {
			if s, ok := in.text(v, "name"); ok {
				t.Name = s
				if !validID(s) {
					in.value(v, "name", idGrammar)
				}
			}
		}},
		{"entry", in.str(&t.Entry, "entry")},
		{"models", l.models},
		{"agents", func(v *yaml.Node) { agents = v }},
		{"workspace", func(v *yaml.Node) {
			in.mapping(v, "workspace", []key{
				{"mounts", l.mounts},
				{"persist", nil}, {"promote_partial", nil}, {"on_persist_conflict", nil}, {"commit_timeout", nil},
				{"gate_wait", nil}, {"fork_limit", nil}, {"limits", nil},
			})
		}},
		{"permissions", func(v *yaml.Node) {
			var ignored string // nothing in this version asks for permission
			in.mapping(v, "permissions", []key{
				{"mode", in.choice(&ignored, "permissions.mode", "ask", "full", "|", "auto", "deny")},
				{"headless", in.choice(&ignored, "permissions.headless", "pause", "deny", "fail", "|", "auto")},
				{"rules", nil}, {"reviewer", nil},
			})
		}},
		{"budgets", func(v *yaml.Node) {
			b := &t.Budgets
			in.mapping(v, "budgets", []key{
				{"rounds", in.count(&b.Rounds, "budgets.rounds")},
				{"calls", in.count(&b.Calls, "budgets.calls")},
				{"agents", in.count(&b.Agents, "budgets.agents")},
				{"agents_running", in.count(&b.AgentsRunning, "budgets.agents_running")},
				{"depth", func(v *yaml.Node) {
					depth = -1 // 0 in the file: nobody delegates
					in.integer(&depth, "budgets.depth", 0, 100)(v)
					b.Depth = depth
					if depth == 0 {
						b.Depth = -1
					}
				}},
				{"tokens", nil}, {"usd", nil}, {"wall", nil}, {"unpriced", nil},
			})
		}},
		{"store", func(v *yaml.Node) {
			in.mapping(v, "store", []key{
				{"dir", in.line(&store, "store.dir")},
				{"durability", in.choice(&t.Durability, "store.durability", "full", "relaxed")},
				{"key", nil}, {"retention", nil},
			})
		}},
		{"on_unknown", func(v *yaml.Node) {
			var ignored string
			in.choice(&ignored, "on_unknown", "continue", "|", "park")(v)
		}},
		{"image_model", nil}, {"mcp", nil}, {"extensions", nil}, {"skills", nil}, {"lore", nil}, {"tools", nil},
		{"interactions", nil}, {"shell", nil}, {"plain_env", nil}, {"traces", nil}, {"serve", nil},
	})
	if _, ok := in.seen["version"]; !ok && !l.bare && root.Kind == yaml.MappingNode {
		in.fault(root, "config.missing", "version is missing", "write version: 1")
	}
	if store != "" {
		t.StoreDir = l.absolute(store)
	}
	t.Budgets = t.Budgets.Defaults()
	if l.options.Entry != "" {
		t.Entry = l.options.Entry
	}
	l.readAgents(root, agents)
}

// mounts reads workspace.mounts.
func (l *loader) mounts(n *yaml.Node) {
	in := l.top
	i := 0
	in.items(n, "workspace.mounts", func(v *yaml.Node) {
		path := fmt.Sprintf("workspace.mounts[%d]", i)
		i++
		m := workspace.MountSpec{Mode: "read-only"}
		in.mapping(v, path, []key{
			{"host", in.line(&m.Host, path+".host")},
			{"at", in.line(&m.At, path+".at")},
			{"mode", in.choice(&m.Mode, path+".mode", "read-only", "|", "read-write")},
			{"roots", in.list(&m.Roots, path+".roots")},
			{"hidden", in.list(&m.Hidden, path+".hidden")},
			{"ignore", in.list(&m.Ignore, path+".ignore")},
			{"symlinks", in.choice(&m.Symlinks, path+".symlinks", "inside", "none")},
			{"checkpoint", nil}, {"create", nil}, {"exclusive", nil},
		})
		if v.Kind != yaml.MappingNode {
			return
		}
		if m.Host == "" {
			if _, ok := in.seen[path+".host"]; !ok {
				in.fault(v, "config.missing", path+" has no host", "name the directory to mount")
			}
			return
		}
		m.Host = l.absolute(m.Host)
		if m.At == "" {
			m.At = filepath.Base(m.Host)
		}
		if p, err := workspace.ParsePath(m.At); err != nil || p != m.At || strings.ContainsAny(m.At, "/:") {
			in.fault(v, "config.mount_name", fmt.Sprintf("%s: the name %q is not one valid path segment", path, m.At), "give another one with at")
			return
		}
		for _, other := range l.team.Mounts {
			switch {
			case strings.EqualFold(other.At, m.At):
				in.fault(v, "config.mount_name", fmt.Sprintf("%s: the name %q is taken by another mount", path, m.At), "give another one with at")
			case within(m.Host, other.Host) || within(other.Host, m.Host):
				in.fault(v, "config.mount_overlap", fmt.Sprintf("%s overlaps with the mount %q", path, other.At), "mount one of the two")
			}
		}
		l.team.Mounts = append(l.team.Mounts, m)
	})
}

// within says whether a cleaned path is dir or below it.
func within(p, dir string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// finish fills in what follows from the whole, and checks it.
func (l *loader) finish() {
	t := l.team
	ids := slices.Sorted(maps.Keys(l.agents))
	l.defaultEntry(ids)
	l.defaultModel()
	for _, id := range ids {
		d := l.agents[id]
		l.foreignModel(d)
		if l.bare && !d.hasPolicy && l.agents[t.Entry] != nil {
			l.openPolicy(d, len(ids))
		}
		l.finishAgent(d)
		if d.unread && d.profile.Prompt == "" {
			d.profile.Prompt = "?" // the load fails anyway, and one fault of one cause is enough
		}
		t.Agents[id] = &d.profile
	}
	noModel := l.finishModels(ids)
	if len(ids) > 0 {
		check(t, l.where, l.add)
	}
	if noModel && !l.broken() {
		l.add(Fault{File: l.top.file, Code: "config.no_model", Warning: true,
			Text: "models.default is missing, so agents ask the embedded scripted model, which only repeats its input",
			Mend: "add models: {default: {provider: openai, model: …}}"})
	}
	for _, id := range ids {
		p := l.agents[id].profile.Defaults()
		t.Agents[id] = &p
	}
}

// defaultEntry finds the entry when no file and no flag names one.
func (l *loader) defaultEntry(ids []string) {
	t := l.team
	if t.Entry != "" || len(ids) == 0 {
		return
	}
	if len(ids) == 1 {
		t.Entry = ids[0]
		return
	}
	if l.bare {
		l.add(Fault{File: l.top.file, Code: "config.entry_missing", Text: "which agent begins is not said; there are " + listed(ids), Mend: "give --entry ID"})
		return
	}
	l.add(Fault{File: l.top.file, Line: 1, Column: 1, Code: "config.entry_missing", Text: "entry is missing; there are " + listed(ids), Mend: "name the agent that begins"})
}

// openPolicy lets the agents of a directory without a team file work together.
func (l *loader) openPolicy(d *draft, agents int) {
	p := &d.profile.Delegation
	if d.profile.ID == l.team.Entry {
		p.CanDelegate = agents > 1
		return
	}
	p.Callable, p.AsChild = true, true
}

// where gives the place of a key of an agent, of an entry of its list, or of a key of the
// team file when the agent is empty. Unknown: the place of the agent.
func (l *loader) where(id, path, item string) Fault {
	if id == "" {
		if p, ok := l.top.seen[path]; ok {
			return l.top.at(p.value)
		}
		return Fault{File: l.top.file}
	}
	d := l.agents[id]
	for _, s := range d.sources {
		p, ok := s.in.seen[join(s.prefix, path)]
		if !ok || path == "" {
			continue
		}
		for _, v := range p.value.Content {
			if v = real(v); item != "" && v.Value == item {
				return s.in.at(v)
			}
		}
		return s.in.at(p.key)
	}
	return d.at
}

func nearest(name string, names []string) string {
	if near := tooling.Nearest(name, names, 1); len(near) > 0 {
		return fmt.Sprintf("the nearest one is %q", near[0])
	}
	return ""
}
