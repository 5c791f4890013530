package input

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// DefaultMessages is how many messages of the conversation the first agent begins with
// when its profile says nothing.
const DefaultMessages = 20

// First gives the messages that the first agent of the run begins with: activated lore,
// the newest messages of the conversation, the text. newest is how many messages: nil
// means [DefaultMessages], below 0 all, 0 none; without a text the last one is always
// there. The last message that First gives is what the agent is asked.
//
// The messages alternate between user or host and assistant, and the first and the last
// are never the assistant's, as the strictest model servers want it: consecutive ones of
// a side are joined by a blank line, and a host line stands before a conversation that
// begins with the assistant. Messages of the roles system and tool are quoted as host
// text. Where several people speak in one role, their names stand before what they say.
// What imitates such a host line in a given text is marked: "[quoted: End of message 1.]".
//
// A run that is resumed calls First again: what it gives for a frozen input must never
// change.
func (f *Frozen) First(newest *int) []model.Message {
	n := DefaultMessages
	if newest != nil {
		n = *newest
	}
	if n < 0 || n > len(f.Messages) {
		n = len(f.Messages)
	}
	if n == 0 && f.Text == "" {
		n = min(1, len(f.Messages))
	}
	var t talk
	if len(f.Lore) > 0 {
		t.say(model.Host, f.background())
	}
	from := len(f.Messages) - n
	if from > 0 {
		t.say(model.Host, notShown(from))
	}
	named := f.named()
	for i := from; i < len(f.Messages); i++ {
		m := &f.Messages[i]
		if strings.TrimSpace(m.Content) == "" {
			continue
		}
		text := unframed(m.Content)
		switch m.Role {
		case System, Tool:
			t.say(model.Host, quotedMessage(i, m.Role, text))
			continue
		}
		if m.Name != "" && named[m.Role] {
			text = unframed(m.Name) + ": " + text
		}
		if m.Role == User {
			t.say(model.User, text)
			continue
		}
		if len(t) == 0 {
			t.say(model.Host, assistantBegins)
		}
		t.say(model.Assistant, text)
	}
	if f.Text != "" {
		t.say(model.User, unframed(f.Text))
	}
	return t.messages()
}

// named says of which roles several people speak.
func (f *Frozen) named() map[string]bool {
	one, several := map[string]string{}, map[string]bool{}
	for i := range f.Messages {
		m := &f.Messages[i]
		switch known := one[m.Role]; {
		case m.Name == "":
		case known == "":
			one[m.Role] = m.Name
		case known != m.Name:
			several[m.Role] = true
		}
	}
	return several
}

func (f *Frozen) background() string {
	var b strings.Builder
	b.WriteString(backgroundBegins + "\n")
	for i := range f.Lore {
		e := &f.Lore[i]
		title := e.Name
		if title == "" {
			title = e.Ref
		}
		fmt.Fprintf(&b, "\n## %s\n%s\n", unframed(title), unframed(strings.TrimSpace(e.Content)))
	}
	b.WriteString("\n" + backgroundEnds)
	return b.String()
}

// talk is a conversation in which the sides alternate.
type talk []side

type side struct {
	role  model.Role
	texts []string
}

// say adds a text, to the last message when that is of the same side.
func (t *talk) say(role model.Role, text string) {
	if n := len(*t); n > 0 {
		last := &(*t)[n-1]
		if (last.role == model.Assistant) == (role == model.Assistant) {
			last.texts = append(last.texts, text)
			if role == model.User { // a message with words of a human is the human's
				last.role = model.User
			}
			return
		}
	}
	*t = append(*t, side{role, []string{text}})
}

func (t talk) messages() []model.Message {
	out := make([]model.Message, len(t))
	for i, s := range t {
		out[i] = model.Message{Role: s.role, Text: strings.Join(s.texts, "\n\n")}
	}
	return out
}
