package delegate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// brief is the first message of a child: its task as readable text, and nothing of the
// parent's conversation.
func (s *State) brief(t *Task) string {
	p := s.Env.Profiles[t.Agent]
	var b strings.Builder
	b.WriteString("# Task\n")
	o := object(t.Content)
	field(&b, o, "title", "Title")
	field(&b, o, "objective", "Objective")
	field(&b, o, "context", "Context")
	field(&b, o, "expectedOutput", "Expected output")
	o.drop("isolation")
	rest(&b, o)
	fmt.Fprintf(&b, "\n## Files\nYou see: %s. You may write below: %s.\n", list(agent.ShownRoots(p.Roots.Visible)), list(p.Roots.Writable))
	if s.Env.Mounts != nil && len(s.Env.Mounts.Names()) > 0 {
		fmt.Fprintf(&b, "Read-only directories: %s.\n", strings.Join(s.Env.Mounts.Names(), ", "))
	}
	b.WriteString("These files are shared with the agent that gave you the task: it sees what you write, and you see what it writes.\n")
	if paths := s.named(readable(json.RawMessage(t.Content)), p.Roots); len(paths) > 0 {
		fmt.Fprintf(&b, "Files named in the task that exist: %s.\n", strings.Join(paths, ", "))
	}
	b.WriteString("\n## How to end\nReturn your result with task_return and a summary. Text that is not returned does not reach the caller.\n")
	fmt.Fprintf(&b, "\n## Limits\nAt most %d rounds and %s.\n", p.Rounds, agent.Spell(t.Deadline))
	return b.String()
}

const maxNamed = 20 // files of a task that its brief names

// named gives the existing files that a task names and its agent sees, in the order in
// which the text names them. A path ends where white space, a quote, a bracket or a
// sentence does.
func (s *State) named(task string, roots workspace.Roots) []string {
	var out []string
	for _, word := range strings.FieldsFunc(task, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>,;|", r) }) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".:!?/")
		if e, ok := s.Files.Get(word); ok && e.Kind != workspace.KindDir && roots.CanSee(word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
		if len(out) == maxNamed {
			break
		}
	}
	return out
}

// handoffBrief is the first message of a handoff target; inv is who hands over.
func (s *State) handoffBrief(inv *Inv, target *agent.Profile, packet string) string {
	var b strings.Builder
	b.WriteString("# The work was handed over to you\n")
	o := object(packet)
	field(&b, o, "title", "Title")
	field(&b, o, "reason", "Reason")
	field(&b, o, "objective", "Objective")
	field(&b, o, "contextSummary", "Context summary")
	field(&b, o, "workspaceRefs", "Files")
	field(&b, o, "mustPreserve", "Must preserve")
	field(&b, o, "completionCriteria", "Completion criteria")
	rest(&b, o)
	var due []*Task
	for _, id := range inv.Children {
		if t := s.Tasks[id]; t.State == "ended" && !t.Delivered {
			due = append(due, t)
		}
	}
	if len(due) > 0 {
		b.WriteString("\n## Results of finished children\n" + s.capsules(inv, due))
	}
	fmt.Fprintf(&b, "\n## Limits\nAt most %d rounds.\n", target.Rounds)
	return b.String()
}

// members is a JSON object in the order of its text.
type members struct {
	names  []string
	values map[string]json.RawMessage
}

// object reads an object; anything else has no members.
func object(text string) *members {
	m := &members{values: map[string]json.RawMessage{}}
	d := json.NewDecoder(strings.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return m
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return m
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return m
		}
		n := name.(string) // the decoder gives nothing else here
		if _, twice := m.values[n]; !twice {
			m.names = append(m.names, n)
		}
		m.values[n] = v
	}
	return m
}

func (m *members) drop(name string) { delete(m.values, name) }

func field(b *strings.Builder, m *members, name, title string) {
	v, ok := m.values[name]
	if !ok {
		return
	}
	m.drop(name)
	fmt.Fprintf(b, "\n## %s\n%s\n", title, readable(v))
}

func rest(b *strings.Builder, m *members) {
	for _, n := range m.names {
		if v, ok := m.values[n]; ok {
			fmt.Fprintf(b, "\n## %s\n%s\n", n, readable(v))
		}
	}
}

// readable renders a JSON value for a reader: texts plainly, lists as items, the rest as JSON.
func readable(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var items []json.RawMessage
	if json.Unmarshal(v, &items) == nil {
		var b strings.Builder
		for _, i := range items {
			b.WriteString("- " + readable(i) + "\n")
		}
		return strings.TrimRight(b.String(), "\n")
	}
	o := object(string(v))
	if len(o.names) > 0 {
		var b strings.Builder
		for _, n := range o.names {
			fmt.Fprintf(&b, "- %s: %s\n", n, strings.ReplaceAll(readable(o.values[n]), "\n", "\n  "))
		}
		return strings.TrimRight(b.String(), "\n")
	}
	var buf bytes.Buffer
	if json.Compact(&buf, v) == nil {
		return buf.String()
	}
	return string(v)
}
