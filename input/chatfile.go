package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// ParseChat reads a conversation file, one JSON object a line, oldest message first, in
// one of two forms:
//
//   - {"role", "content", "name", "at"}, the last two optional,
//   - a chat log: {"mes", "is_user", "is_system", "name", "send_date"}, with "mes" needed;
//     its first line may hold the metadata of the chat instead of a message.
//
// Blank lines and further members are passed over. file is its name in messages. Error:
// "input.invalid" with every fault of the file, at most [MaxFaults], as its cause.
func ParseChat(file string, data []byte) ([]Message, error) {
	p := chatFile{file: file}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) > 0 {
			p.line(n, line)
		}
		if p.done || p.faults.full() {
			break
		}
	}
	p.headed()
	if len(p.messages) == 0 && len(p.faults) == 0 {
		p.faults.add(Fault{File: file, Text: "the file holds no message", Mend: `write one JSON object a line, such as {"role":"user","content":"Hello"}`})
	}
	if err := p.faults.invalid("read conversation", ""); err != nil {
		return nil, err
	}
	return p.messages, nil
}

// chatFile is a conversation file that is read.
type chatFile struct {
	file     string
	messages []Message
	header   int // line that may hold metadata; 0: none
	members  string
	log      bool // a message of the log form was seen
	lines    int  // that are not blank
	done     bool // nothing more is read
	faults   Faults
}

func (p *chatFile) fault(line, column int, text, mend string) {
	p.faults.add(Fault{File: p.file, Line: line, Column: column, Text: text, Mend: mend})
}

func (p *chatFile) line(n int, text []byte) {
	p.lines++
	if !utf8.Valid(text) {
		p.fault(n, 1, "the line is not UTF-8", "save the file as UTF-8")
		return
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil || m == nil {
		p.broken(n, text, err)
		return
	}
	switch {
	case m["role"] == nil && m["mes"] != nil:
		p.log = true
		p.logged(n, m)
	case m["role"] == nil && m["content"] == nil && p.lines == 1:
		p.header, p.members = n, names(m)
	default:
		p.plain(n, m)
	}
}

// headed judges a first line without a message: it is metadata only in a chat log.
func (p *chatFile) headed() {
	if p.header > 0 && !p.log {
		p.faults = slices.Insert(p.faults, 0, Fault{File: p.file, Line: p.header, Column: 1,
			Text: "the line is no message: it has " + p.members, Mend: `a message has "role" and "content"`})
		p.faults = p.faults[:min(len(p.faults), MaxFaults)]
	}
}

func (p *chatFile) broken(n int, text []byte, err error) {
	mend := `write one JSON object a line, such as {"role":"user","content":"Hello"}`
	column := 1
	what := "the line is no JSON object"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		column = utf8.RuneCount(text[:min(max(int(syntax.Offset)-1, 0), len(text))]) + 1
		what = "the line is not JSON: " + syntax.Error()
	}
	if p.lines == 1 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		what, mend, column = "the file holds a JSON list", "write each message as an object on a line of its own", 1
	}
	if role, said, ok := spoken(string(text)); ok {
		line, _ := json.Marshal(Message{Role: role, Content: short(said)}) // it always marshals
		what, mend, column = "the line is no JSON object", "write "+string(line), 1
	}
	p.fault(n, column, what, mend)
}

// spoken reads a line such as "User: Hello".
func spoken(text string) (role, said string, ok bool) {
	name, said, found := strings.Cut(text, ":")
	role = strings.ToLower(strings.TrimSpace(name))
	return role, strings.TrimSpace(said), found && slices.Contains([]string{User, Assistant, System, Tool}, role)
}

// plain reads a message of the form of this program.
func (p *chatFile) plain(n int, m map[string]json.RawMessage) {
	role, ok := p.text(n, m, "role", true)
	out := Message{Role: role}
	out.Content, _ = p.text(n, m, "content", true)
	out.Name, _ = p.text(n, m, "name", false)
	out.At = p.when(n, m, "at")
	if ok {
		p.take(n, out)
	}
}

// take keeps a message when it is good.
func (p *chatFile) take(n int, m Message) {
	if len(p.messages) == MaxMessages {
		p.fault(n, 1, fmt.Sprintf("the file holds more than %s messages", workspace.Grouped(MaxMessages)), mendMessages)
		p.done = true
		return
	}
	m.check(func(f Fault) {
		f.File, f.Line, f.Column = p.file, n, 1
		p.faults.add(f)
	})
	p.messages = append(p.messages, m)
}

// logged reads a message of a chat log.
func (p *chatFile) logged(n int, m map[string]json.RawMessage) {
	out := Message{Role: Assistant}
	out.Content, _ = p.text(n, m, "mes", true)
	out.Name, _ = p.text(n, m, "name", false)
	out.At = p.when(n, m, "send_date")
	switch {
	case p.flag(n, m, "is_system"):
		out.Role = System
	case p.flag(n, m, "is_user"):
		out.Role = User
	}
	p.take(n, out)
}

// text reads a member that is a text. null counts as absent.
func (p *chatFile) text(n int, m map[string]json.RawMessage, name string, needed bool) (text string, ok bool) {
	raw := m[name]
	if raw == nil || string(raw) == "null" {
		if needed {
			p.fault(n, 1, fmt.Sprintf("the message has no %q; it has %s", name, names(m)), `a message has "role" and "content"`)
		}
		return "", false
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		p.fault(n, 1, fmt.Sprintf("%q is no text", name), "write a text in double quotes")
		return "", false
	}
	return text, true
}

func (p *chatFile) flag(n int, m map[string]json.RawMessage, name string) (set bool) {
	if raw := m[name]; raw != nil && json.Unmarshal(raw, &set) != nil {
		p.fault(n, 1, fmt.Sprintf("%q is neither true nor false", name), "write true or false without quotes")
	}
	return set
}

// when reads a time: a text as it stands, or a number of milliseconds since 1970.
func (p *chatFile) when(n int, m map[string]json.RawMessage, name string) string {
	raw := strings.TrimSpace(string(m[name]))
	if ms, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return time.UnixMilli(ms).UTC().Format(time.RFC3339)
	}
	text, _ := p.text(n, m, name, false)
	return text
}

// names lists the members of an object, sorted.
func names(m map[string]json.RawMessage) string {
	if len(m) == 0 {
		return "no member"
	}
	all := slices.Sorted(maps.Keys(m))
	for i := range all {
		all[i] = strconv.Quote(short(all[i]))
	}
	if len(all) > 8 {
		return strings.Join(all[:8], ", ") + fmt.Sprintf(" and %d more", len(all)-8)
	}
	return strings.Join(all, ", ")
}
