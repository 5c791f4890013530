package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Mends of faults that are found in files and in code.
const (
	mendRole     = "write user, assistant, system or tool"
	mendUID      = "give each entry of a world a uid of its own"
	mendMessages = "leave the oldest out"
	mendEntries  = "leave some out"
)

// check gives what is wrong with a message, with the place inside of it.
func (m *Message) check(add func(Fault)) {
	switch m.Role {
	case User, Assistant, System, Tool:
	default:
		add(Fault{Place: "role", Text: fmt.Sprintf("%q is no role", short(m.Role)), Mend: mendRole})
	}
	checkContent(m.Content, add)
	checkLine("name", m.Name, add)
	checkLine("at", m.At, add)
}

// check gives what is wrong with an entry, with the place inside of it.
func (e *Entry) check(add func(Fault)) {
	checkLine("world", e.World, add)
	checkLine("uid", e.UID, add)
	checkLine("name", e.Name, add)
	checkLine("position", e.Position, add)
	checkContent(e.Content, add)
	if strings.TrimSpace(e.Content) == "" {
		add(Fault{Place: "content", Text: "it is missing or blank", Mend: "write a text, or leave the entry out"})
	}
	if len(e.Keys) > MaxKeys {
		add(Fault{Place: "keys", Text: fmt.Sprintf("there are %d keys, the limit is %d", len(e.Keys), MaxKeys), Mend: "split the entry"})
	}
	for j, k := range e.Keys {
		checkLine("keys["+strconv.Itoa(j)+"]", k, add)
	}
}

func checkContent(text string, add func(Fault)) {
	if len(text) <= MaxContent {
		return
	}
	if n := utf8.RuneCountInString(text); n > MaxContent {
		add(Fault{Place: "content", Text: fmt.Sprintf("it has %s characters, the limit is %s", workspace.Grouped(n), workspace.Grouped(MaxContent)), Mend: "give it as a file"})
	}
}

// checkLine checks a text that stands in one line of what a model reads.
func checkLine(place, text string, add func(Fault)) {
	switch n := utf8.RuneCountInString(text); {
	case strings.ContainsAny(text, "\r\n"):
		add(Fault{Place: place, Text: "it has a line end", Mend: "write it in one line"})
	case n > MaxLine:
		add(Fault{Place: place, Text: fmt.Sprintf("it has %d characters, the limit is %d", n, MaxLine), Mend: "shorten it"})
	}
}

// clean makes a text one that every model server takes: NUL and what is no UTF-8 become
// U+FFFD.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// short cuts a word of somebody else for a message.
func short(s string) string {
	head, left := workspace.Head(clean(s), 60)
	if left > 0 {
		head += "…"
	}
	return head
}
