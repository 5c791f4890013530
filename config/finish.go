package config

import (
	"fmt"
	"maps"
	"slices"

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

func nearest(name string, names []string) string {
	if near := tooling.Nearest(name, names, 1); len(near) > 0 {
		return fmt.Sprintf("the nearest one is %q", near[0])
	}
	return ""
}
