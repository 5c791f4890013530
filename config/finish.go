package config

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// finish fills in what follows from the whole, and checks it.
func (l *loader) finish() {
	t := l.team
	ids := slices.Sorted(maps.Keys(l.agents))
	l.defaultEntry(ids)
	l.defaultModel()
	for _, id := range ids {
		d := l.agents[id]
		l.foreignModel(d)
		if l.bare && l.agents[t.Entry] != nil {
			l.openPolicy(d)
		}
		l.finishAgent(d)
		if d.unread && d.profile.Prompt == "" {
			d.profile.Prompt = "?" // the load fails anyway, and one fault of one cause is enough
		}
		t.Agents[id] = &d.profile
	}
	noModel := l.finishModels(ids)
	if len(ids) > 0 {
		l.told = slices.Clone(l.faults)
		check(t, l.where, l.doubt, l.add)
	}
	if noModel && !l.broken() {
		f := Fault{File: l.top.file, Code: "config.no_model", Warning: true,
			Text: "models.default is missing, so agents ask the embedded scripted model, which only repeats its input",
			Mend: "add models: {default: {provider: openai, model: …}}"}
		if l.bare {
			f.Text = "no model is named, so agents ask the embedded scripted model, which only repeats its input"
			f.Mend = "give --model openai/MODEL, or write a team.yaml with models: {default: {provider: openai, model: …}}"
		}
		l.add(f)
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

// openPolicy lets the agents of a directory without a team file work together: the entry
// may delegate, if anybody is there for it, and the others take tasks.
func (l *loader) openPolicy(d *draft) {
	p := &d.profile.Delegation
	switch {
	case d.profile.ID != l.team.Entry:
		if !d.hasPolicy {
			p.Callable, p.AsChild = true, true
		}
	case !d.hasDelegation:
		for id, other := range l.agents { // whether there is one, so order does not matter
			p.CanDelegate = p.CanDelegate || id != l.team.Entry && (!other.hasPolicy || other.profile.Delegation.AsChild)
		}
		if p.CanDelegate && d.listed {
			// A list of another program cannot name the tools for that.
			for _, name := range delegating {
				if !slices.Contains(d.profile.Allow, name) {
					d.profile.Allow = append(d.profile.Allow, name)
				}
			}
		}
	}
}

// where gives the place of a key of an agent, of an entry of its list, or of a key of the
// team file when the agent is empty. Unknown: the place of the agent.
func (l *loader) where(id, path, item string) Fault {
	if id == "" {
		if p, ok := l.top.seen[path]; ok {
			for _, v := range p.value.Content {
				if v = real(v); item != "" && v.Value == item {
					return l.top.at(v)
				}
			}
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

// doubt says whether what an agent says at a path could not be read, which was told: what
// would follow from it is no fault of its own. Without an agent: whether there may be
// agents whose ids are not known.
func (l *loader) doubt(id, path string) bool {
	d := l.agents[id]
	if d == nil {
		return l.unsure
	}
	if d.hidden {
		return true
	}
	for _, s := range d.sources {
		p, ok := s.in.seen[join(s.prefix, path)]
		if ok && slices.ContainsFunc(l.told, func(f Fault) bool { return !f.Warning && (stands(s.in, p.key, f) || stands(s.in, p.value, f)) }) {
			return true
		}
	}
	return false
}

// stands says whether a fault has the place of a node or of one below it.
func stands(in *input, n *yaml.Node, f Fault) bool {
	at := in.at(n)
	return at.File == f.File && at.Line == f.Line && at.Column == f.Column ||
		slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return stands(in, c, f) })
}

func nearest(name string, names []string) string {
	if near := tooling.Nearest(name, names, 1); len(near) > 0 {
		return fmt.Sprintf("the nearest one is %q", near[0])
	}
	return ""
}
