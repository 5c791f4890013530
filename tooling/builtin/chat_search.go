package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func chatSearch() tooling.Tool {
	return givenTool("builtin:chat.search",
		"Search the conversation for words. A message counts when it holds at least one of them; those that hold most come first. Read the hits with the reading tool.",
		`{"type":"object","additionalProperties":false,"required":["query"],"properties":{`+
			`"query":{"type":"string","minLength":1,"maxLength":1000,"description":"Words; case is ignored."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":50,"default":20,"description":"Hits to show."},`+
			`"role":{"type":"string","enum":["user","assistant","system","tool"],"description":"Only messages of this role."},`+
			`"start_message":{"type":"integer","minimum":0,"description":"First index to search, from 0, the oldest."},`+
			`"end_message":{"type":"integer","minimum":0,"description":"Last index to search."},`+
			`"scan_limit":{"type":"integer","minimum":1,"maximum":100000,"description":"Search only this many messages, the newest of the range."}}}`,
		searchChat)
}

type chatHit struct {
	Index   int     `json:"index"`
	Role    string  `json:"role"`
	Score   float64 `json:"score"` // share of the words found
	Snippet string  `json:"snippet"`
	Chars   int     `json:"chars"` // of the whole message
	Words   int     `json:"words"`
	Ref     string  `json:"ref"` // chat:<index>
}

type chatFound struct {
	Query     string    `json:"query"`
	Hits      []chatHit `json:"hits"`
	Scanned   int       `json:"scanned"`
	Truncated bool      `json:"truncated"` // there are more hits, or messages of the range that were not searched
}

func searchChat(ctx context.Context, c *tooling.Call) tooling.Result {
	ms, none := conversation(c)
	if none != nil {
		return *none
	}
	from, to := argInt(c.Args, "start_message", 0), argInt(c.Args, "end_message", len(ms)-1)
	if c.Args.Has("end_message") && from > to {
		bad := tooling.Invalid{Reason: tooling.ReasonWrongValue, Place: "end_message", Expected: "at least start_message", Got: fmt.Sprint(to)}
		return bad.Result()
	}
	query := argText(c.Args, "query")
	match, err := workspace.RankWords(query)
	if err != nil {
		bad := tooling.Invalid{Reason: tooling.ReasonWrongValue, Place: "query", Expected: "at least one word", Got: query}
		return bad.Result()
	}
	to = min(to, len(ms)-1)
	out := chatFound{Query: query, Hits: []chatHit{}}
	if n := argInt(c.Args, "scan_limit", 0); n > 0 && to-from+1 > n {
		from, out.Truncated = to-n+1, true
	}
	type found struct {
		index, at int
		score     float64
	}
	var all []found
	role := argText(c.Args, "role")
	for i := from; i <= to; i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return tooling.Fail("tool.cancelled", "the search was stopped")
		}
		out.Scanned++
		if role != "" && ms[i].Role != role {
			continue
		}
		if score, at := match(ms[i].Content); score > 0 {
			all = append(all, found{i, at, score})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	total := len(all)
	var b strings.Builder
	room := inline(c) - frozenRoom/2
	for _, f := range all[:min(total, argInt(c.Args, "limit", 20))] {
		m := &ms[f.index]
		hit := chatHit{Index: f.index, Role: m.Role, Score: f.score, Snippet: around(m.Content, f.at), Chars: workspace.Chars(m.Content), Words: workspace.Words(m.Content), Ref: chatRef(f.index)}
		line := fmt.Sprintf("\n%d %s: %s", hit.Index, hit.Role, workspace.Visible(hit.Snippet))
		if room -= workspace.Chars(line); room < 0 && len(out.Hits) > 0 {
			break
		}
		out.Hits = append(out.Hits, hit)
		b.WriteString(line)
	}
	head := fmt.Sprintf("%s in %s of %d", workspace.Count(total, "hit"), workspace.Count(out.Scanned, "message"), len(ms))
	if n := len(out.Hits); n < total {
		out.Truncated = true
		head += fmt.Sprintf("; the first %d are shown", n)
	}
	return tooling.Result{Content: head + b.String(), Structured: out}
}

// around gives at most SnippetChars characters of a text round a character, in one line.
func around(text string, at int) string {
	const room = workspace.SnippetChars
	before := ""
	if from := at - room/3; from > 0 && workspace.Chars(text) > room {
		_, text = cutChars(text, from)
		before = "…"
	}
	behind := ""
	if head, rest := cutChars(text, room-len([]rune(before))-1); rest != "" {
		text, behind = head, "…"
	}
	return before + strings.Join(strings.Fields(text), " ") + behind
}
