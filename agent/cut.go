package agent

import (
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Of what a closing turn has when the conversation does not fit any more: how much each
// part may have of the whole.
const (
	cutTo       = 0.5 // of what requests may have, prompt and tools included
	cutTask     = 0.4
	cutGuidance = 0.2
	cutWork     = 0.3
	leastCut    = 200 // tokens, when prompt and tools leave next to nothing
)

// cut gives the records that put what is pinned, cut, in the place of the conversation:
// the task, what a human said, the plan, and what was done.
func (p *Part) cut() []journal.Record {
	free := float64(p.part(cutTo)-p.fit.meter.Scale(p.fit.base)) / float64(max(p.fit.meter.Scale(100), 1)) * 100
	free = max(free, leastCut)
	var b strings.Builder
	b.WriteString("The conversation became too long and is cut. This is what was asked, and what the runtime knows of the work.\n")
	part := func(name, text string, of float64) {
		if text = headTokens(text, int64(free*of)); text != "" {
			fmt.Fprintf(&b, "\n%s", framed(name, text))
		}
	}
	part("task", p.Brief, cutTask)
	var said []string
	for i := p.fit.head; i < len(p.History); i++ {
		if p.History[i].Role == model.User {
			said = append([]string{p.History[i].Text}, said...) // the newest first
		}
	}
	part("what the user said since", strings.Join(said, "\n"), cutGuidance)
	if p.fit.plan.turn > 0 {
		part("plan", p.fit.plan.text, cutGuidance/2)
	}
	ms := p.History[min(p.fit.head, len(p.History)):]
	if p.fit.record != "" {
		ms = ms[1:]
	}
	done := digestOf(ms, p.fit.record, int(free*cutWork*2)) // a token has more than two characters, mostly
	part("work", done, cutWork)
	if ask := p.lastHost(); ask != "" {
		b.WriteString("\n" + ask)
	}
	text := b.String()
	m := &journal.HistoryCompacted{Why: whyClosing, To: p.lastTurn(), By: byCut, Text: journal.Text(text),
		Before: p.Estimate(), After: p.fit.meter.Scale(p.fit.base + model.Tokens(text))}
	if m.To > 0 {
		m.From = max(p.fit.from, 1)
	}
	return p.anchored(m)
}

// lastHost gives the text with which the closing turn began.
func (p *Part) lastHost() string {
	if n := len(p.History); n > 0 && p.History[n-1].Role == model.Host {
		return p.History[n-1].Text
	}
	return ""
}

// headTokens gives the beginning of a text that has at most so many tokens, by estimate.
func headTokens(text string, most int64) string {
	chars := int(most) * 4
	head, left := workspace.Head(text, chars)
	for model.Tokens(head) > most && chars > 0 {
		chars = chars * 3 / 4
		head, left = workspace.Head(text, chars)
	}
	if left > 0 {
		head += fmt.Sprintf("… [%s characters more]", workspace.Grouped(left))
	}
	return head
}
