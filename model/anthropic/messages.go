package anthropic

import (
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// noText stands for a text of the user that is only white space: as a block of text that
// would be refused, and left out it could leave a message without any content.
const noText = "(no text)"

// marks are the messages whose end is marked for the cache, -1 for none. With the mark
// behind tools and system they are the four that the service takes. The last message of
// the previous request stands right before the model's last one, so a mark of one request
// is met exactly by the next, whatever number of blocks lies between.
type marks struct{ brief, before, last int }

func marksOf(ms []model.Message) marks {
	m := marks{-1, -1, len(ms) - 1}
	for i := range ms { // a conversation that the run was given has no turns
		if ms[i].Role == model.Assistant && ms[i].Turn > 0 {
			m.brief = i - 1
			break
		}
	}
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == model.Assistant {
			m.before = i - 1
			break
		}
	}
	return m
}

func (m marks) has(i int) bool { return i == m.brief || i == m.before || i == m.last }

// writer writes messages. Neighbours of one role are one message on the wire.
type writer struct {
	p     *Provider
	b     []byte
	pics  model.Pictures
	role  string   // of the message that is open; "": none
	parts []native // to use again
}

// appendMessages writes all messages and the end of the body.
func (p *Provider) appendMessages(b []byte, ms []model.Message, tail *model.Message, pics model.Pictures) []byte {
	w := writer{p: p, b: b, pics: pics}
	at := marksOf(ms)
	for i := range ms {
		m := &ms[i]
		switch m.Role {
		case model.Assistant:
			w.assistant(m)
			continue
		case model.Tool:
			w.results(m.Results)
		default: // user and host
			w.begin("user")
			if blank(m.Text) {
				w.text(noText)
			} else {
				w.text(m.Text)
			}
			w.images(m.Images)
		}
		if at.has(i) {
			w.b = p.mark(w.b)
		}
	}
	if tail != nil {
		w.assistant(tail)
	}
	return append(w.b, `]}]}`...)
}

// begin makes the place for a block of a role.
func (w *writer) begin(role string) {
	switch w.role {
	case role:
		w.b = append(w.b, ',')
		return
	case "":
		w.b = append(w.b, `{"role":"`...)
	default:
		w.b = append(w.b, `]},{"role":"`...)
	}
	w.role = role
	w.b = append(w.b, role...)
	w.b = append(w.b, `","content":[`...)
}

func (w *writer) text(s string) {
	w.b = append(w.b, `{"type":"text","text":`...)
	w.b = wire.AppendString(w.b, s)
	w.b = append(w.b, '}')
}

func (w *writer) results(results []model.Result) {
	for i := range results {
		r := &results[i]
		w.begin("user")
		w.b = append(w.b, `{"type":"tool_result","tool_use_id":`...)
		w.b = wire.AppendString(w.b, model.WireID(r.Key))
		w.b = append(w.b, `,"content":`...)
		w.resultContent(r)
		if r.IsError {
			w.b = append(w.b, `,"is_error":true`...)
		}
		w.b = append(w.b, '}')
	}
}

// assistant writes a message of the model: its native blocks in their old places, text
// before calls. A message in which nothing is left is left out.
func (w *writer) assistant(m *model.Message) {
	w.parts = w.p.natives(w.parts[:0], m)
	text, call := 0, 0
	for i := range w.parts {
		n := &w.parts[i]
		to := cut(m.Text, n.text)
		if n.calls > call { // calls stand behind all text
			to = len(m.Text)
		}
		text = w.piece(m.Text, text, to)
		call = w.calls(m.Calls, call, n.calls)
		w.begin("assistant")
		w.b = append(w.b, n.data...)
	}
	w.piece(m.Text, text, len(m.Text))
	w.calls(m.Calls, call, len(m.Calls))
}

// piece writes the text between two places and gives the place that is reached.
func (w *writer) piece(s string, from, to int) int {
	if to <= from {
		return from
	}
	if !blank(s[from:to]) {
		w.begin("assistant")
		w.text(s[from:to])
	}
	return to
}

// calls writes the calls between two places and gives the place that is reached.
func (w *writer) calls(calls []model.Call, from, to int) int {
	for ; from < min(to, len(calls)); from++ {
		c := &calls[from]
		w.begin("assistant")
		w.b = append(w.b, `{"type":"tool_use","id":`...)
		w.b = wire.AppendString(w.b, c.WireID())
		w.b = append(w.b, `,"name":`...)
		w.b = wire.AppendString(w.b, c.Name)
		w.b = append(w.b, `,"input":`...)
		w.b = append(w.b, c.Args...)
		w.b = append(w.b, '}')
	}
	return from
}

// cut gives the last place at or before n where a text can be cut between two runes.
func cut(s string, n int) int {
	n = min(n, len(s))
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
