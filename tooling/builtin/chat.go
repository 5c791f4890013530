package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// givenTool describes a tool that reads what a run with a conversation was given.
func givenTool(id, description, schema string, handle func(context.Context, *tooling.Call) tooling.Result) tooling.Tool {
	t := readingTool(id, gateWorkspace, description, schema, handle)
	t.Scenes = []string{input.SceneChat}
	return t
}

// Bounds of what one call reads of the frozen input (tools spec §4).
const (
	frozenOne  = 8000   // characters of one message or entry
	frozenCall = 20_000 // characters of one call
	frozenRoom = 1000   // that the words around the texts take of the inline limit
)

// frozenRange is the schema of a part of a text.
const frozenRange = `"start_char":{"type":"integer","minimum":0,"default":0,"description":"First character, from 0."},` +
	`"max_chars":{"type":"integer","minimum":1,"maximum":8000,"description":"Characters to read."}`

// excerpt is a part of one text of the frozen input that is to be read.
type excerpt struct {
	name       string // e.g. message 3
	text       string // the whole
	start, max int    // characters; max 0: as many as may be read at once
	ranged     bool   // a part was asked for, so the rest may be left out
}

// part is an excerpt as it was read.
type part struct {
	text              string
	start, end, total int // characters
}

// excerpts takes the parts, or gives the refusal that says how to split the reading. area
// is the first word of its code.
func excerpts(c *tooling.Call, area string, list []excerpt) ([]part, *tooling.Result) {
	room := max(1, inline(c)-frozenRoom)
	one, all := min(frozenOne, room), min(frozenCall, room)
	parts := make([]part, len(list))
	sum := 0
	for i, e := range list {
		total := workspace.Chars(e.text)
		if e.start > 0 && e.start >= total {
			r := tooling.Fail(area+".invalid_range", fmt.Sprintf("start_char %s is past the end: %s has %s", workspace.Grouped(e.start), e.name, workspace.Count(total, "character")))
			return nil, &r
		}
		n := total - e.start
		switch {
		case e.max > 0:
			n = min(n, e.max)
		case e.ranged:
			n = min(n, one)
		}
		if n > one {
			r := tooling.Fail(area+".read_too_large", fmt.Sprintf(
				"%s has %s and at most %s of one can be read at once: read it in parts, the first with start_char 0 and max_chars %d, the next with start_char %d",
				e.name, workspace.Count(total, "character"), workspace.Grouped(one), one, one))
			return nil, &r
		}
		_, rest := cutChars(e.text, e.start)
		text, _ := cutChars(rest, n)
		parts[i] = part{text: text, start: e.start, end: e.start + n, total: total}
		sum += n
	}
	if sum > all {
		sizes := make([]string, len(list))
		for i, e := range list {
			sizes[i] = e.name + " " + workspace.Grouped(parts[i].end-parts[i].start)
		}
		r := tooling.Fail(area+".read_too_large", fmt.Sprintf("this asks for %s and one call gives at most %s: read fewer at once, or parts with start_char and max_chars. Characters asked for: %s",
			workspace.Count(sum, "character"), workspace.Grouped(all), strings.Join(sizes, ", ")))
		return nil, &r
	}
	return parts, nil
}

// cutChars cuts a text behind n characters.
func cutChars(s string, n int) (head, rest string) {
	for i := range s {
		if n == 0 {
			return s[:i], s[i:]
		}
		n--
	}
	return s, ""
}

// inline is how many characters of a result the calling agent is shown.
func inline(c *tooling.Call) int {
	if c.View == nil {
		return tooling.DefaultInlineChars
	}
	return c.View.Limits().InlineChars
}

// shown gives a result, or a refusal when control characters, which take more room when
// they are made visible, would push it over what an agent is shown.
func shown(c *tooling.Call, area, text string, structured any) tooling.Result {
	if n := workspace.Chars(workspace.Visible(text)); n > inline(c) {
		return tooling.Fail(area+".read_too_large", fmt.Sprintf("with its control characters shown this takes %s and the limit is %s: read fewer or smaller parts with start_char and max_chars",
			workspace.Count(n, "character"), workspace.Grouped(inline(c))))
	}
	return tooling.Result{Content: text, Structured: structured}
}

// write renders a part behind its heading.
func (p *part) write(b *strings.Builder, heading string) {
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	fmt.Fprintf(b, "%s, characters %d-%d of %d\n%s", heading, p.start, p.end, p.total, p.text)
	if left := p.total - p.end; left > 0 {
		fmt.Fprintf(b, "\n[%s left; go on with start_char %d]", workspace.Count(left, "character"), p.end)
	}
}

func chatRead() tooling.Tool {
	return givenTool("builtin:chat.read_messages",
		"Read messages of the conversation by their index, whole or in parts. At most 8,000 characters of one message and 20,000 in one call.",
		`{"type":"object","additionalProperties":false,"required":["messages"],"properties":{`+
			`"messages":{"type":"array","minItems":1,"maxItems":20,"description":"What to read.","items":{`+
			`"type":"object","additionalProperties":false,"required":["index"],"properties":{`+
			`"index":{"type":"integer","minimum":0,"description":"Index of the message, from 0, the oldest."},`+frozenRange+`}}}}}`,
		readMessages)
}

type readMessage struct {
	Index      int    `json:"index"`
	Role       string `json:"role"`
	Name       string `json:"name,omitempty"`
	SentAt     string `json:"sentAt,omitempty"`
	StartChar  int    `json:"startChar"`
	EndChar    int    `json:"endChar"`
	Chars      int    `json:"chars"`
	TotalChars int    `json:"totalChars"`
	Words      int    `json:"words"`
	Truncated  bool   `json:"truncated"`
	Text       string `json:"text"`
	Ref        string `json:"ref"` // chat:<index>
}

type messagesRead struct {
	TotalMessages int           `json:"totalMessages"`
	Messages      []readMessage `json:"messages"`
}

func readMessages(_ context.Context, c *tooling.Call) tooling.Result {
	ms, none := conversation(c)
	if none != nil {
		return *none
	}
	asked, _ := c.Args.Objects("messages")
	list, index := make([]excerpt, len(asked)), make([]int, len(asked))
	for i, o := range asked {
		n := argInt(o, "index", 0)
		if n >= len(ms) {
			return tooling.Fail("chat.message_not_found", fmt.Sprintf("there is no message %d: the conversation has %s, the last one is %d. Nothing was read.",
				n, workspace.Count(len(ms), "message"), len(ms)-1))
		}
		index[i] = n
		list[i] = excerptOf(o, fmt.Sprintf("message %d", n), ms[n].Content)
	}
	parts, refused := excerpts(c, "chat", list)
	if refused != nil {
		return *refused
	}
	out := messagesRead{TotalMessages: len(ms), Messages: make([]readMessage, len(parts))}
	var b strings.Builder
	for i := range parts {
		p, m := &parts[i], &ms[index[i]]
		out.Messages[i] = readMessage{
			Index: index[i], Role: m.Role, Name: m.Name, SentAt: m.At, StartChar: p.start, EndChar: p.end, Chars: p.end - p.start, TotalChars: p.total,
			Words: workspace.Words(p.text), Truncated: p.end-p.start < p.total, Text: p.text, Ref: chatRef(index[i]),
		}
		heading := fmt.Sprintf("message %d of %d, %s", index[i], len(ms), m.Role)
		for _, s := range []string{m.Name, m.At} {
			if s != "" {
				heading += ", " + s
			}
		}
		p.write(&b, heading)
	}
	return shown(c, "chat", b.String(), out)
}

// excerptOf reads the range of an item of the arguments.
func excerptOf(o *tooling.Object, name, text string) excerpt {
	return excerpt{name: name, text: text, start: argInt(o, "start_char", 0), max: argInt(o, "max_chars", 0), ranged: o.Has("start_char") || o.Has("max_chars")}
}

func chatRef(index int) string { return fmt.Sprintf("chat:%d", index) }

// conversation gives the messages of the run's input, or the refusal when there are none.
func conversation(c *tooling.Call) ([]input.Message, *tooling.Result) {
	if c.Input == nil || len(c.Input.Messages) == 0 {
		r := tooling.Fail("chat.not_found", "this run was started without a conversation, so there is nothing to read")
		return nil, &r
	}
	return c.Input.Messages, nil
}
