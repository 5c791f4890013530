package builtin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// reading calls a tool of the frozen input, whose agent is shown so many characters of a
// result; 0: as many as by default.
func reading(t *testing.T, f *input.Frozen, chars int, id, args string) tooling.Result {
	t.Helper()
	o, bad := checked(t, core(t, "builtin:"+id), args)
	if bad != nil {
		return bad.Result()
	}
	tool := core(t, "builtin:"+id)
	view := workspace.NewView(workspace.ViewOptions{Agent: "root", Limits: workspace.Limits{InlineChars: chars}})
	return tool.Handle(t.Context(), &tooling.Call{Key: "k", Run: "r", Path: "root", Tool: tool.ID, Args: o, View: view, Input: f})
}

func frozen(t *testing.T, in input.Input) *input.Frozen {
	t.Helper()
	in.Text = "ask"
	f, _, err := input.Freeze(in, 0, workspace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// talk is a conversation of so many messages of the user, then two of note.
func talk(t *testing.T, n int) *input.Frozen {
	t.Helper()
	in := input.Input{}
	for i := range n {
		in.Messages = append(in.Messages, input.Message{Role: input.User, Content: fmt.Sprintf("Message number %d about foxes.", i)})
	}
	in.Messages = append(in.Messages,
		input.Message{Role: input.Assistant, Content: strings.Repeat("long ", 400) + "the Red fox\nsleeps " + strings.Repeat("more ", 400), Name: "Mate", At: "today"},
		input.Message{Role: input.System, Content: ""})
	return frozen(t, in)
}

type row struct {
	name, args, code string
	content          []string
	structured       string // a part of it
}

func (r *row) check(t *testing.T, got tooling.Result) {
	t.Helper()
	if got.Code != r.code {
		t.Fatalf("code %q, want %q: %s", got.Code, r.code, got.Content)
	}
	wantParts(t, got.Content, r.content...)
	if b, err := json.Marshal(got.Structured); err != nil || !strings.Contains(string(b), r.structured) {
		t.Errorf("structured %s %v\ndoes not hold %s", b, err, r.structured)
	}
}

func TestChatSearch(t *testing.T) {
	t.Parallel()
	f := talk(t, 60)
	for _, r := range []row{
		{"the best first, then by position", `{"query":"RED foxes","limit":3}`, "", []string{"61 hits in 62 messages of 62; the first 3 are shown", "\n0 user: Message number 0 about foxes.\n1 user:"}, `"hits":[{"index":0,"role":"user","score":0.5,"snippet":"Message number 0 about foxes.","chars":29,"words":5,"ref":"chat:0"},{"index":1`},
		{"all words before one", `{"query":"red fox","limit":1}`, "", []string{"61 hits", "\n60 assistant: …"}, `"score":1`},
		{"a snippet in one line round the match", `{"query":"sleeps"}`, "", []string{"1 hit in", "long the Red fox sleeps more"}, `"scanned":62,"truncated":false`},
		{"a role", `{"query":"fox","role":"assistant"}`, "", []string{"1 hit in 62 messages"}, `"scanned":62`},
		{"a range, both ends in it", `{"query":"foxes","start_message":2,"end_message":4}`, "", []string{"3 hits in 3 messages of 62"}, `"scanned":3,"truncated":false`},
		{"a range over the end", `{"query":"fox","start_message":59,"end_message":900}`, "", []string{"2 hits in 3 messages"}, `"scanned":3`},
		{"a range past the end", `{"query":"fox","start_message":62}`, "", []string{"0 hits in 0 messages of 62"}, `"hits":[],"scanned":0,"truncated":false`},
		{"only the newest", `{"query":"foxes","scan_limit":10}`, "", []string{"8 hits in 10 messages"}, `"scanned":10,"truncated":true`},
		{"only the newest of a range", `{"query":"foxes","end_message":9,"scan_limit":2}`, "", []string{"2 hits", "\n8 user", "\n9 user"}, `"truncated":true`},
		{"twenty by default", `{"query":"foxes"}`, "", []string{"the first 20 are shown"}, `"truncated":true`},
		{"nothing", `{"query":"whale"}`, "", []string{"0 hits in 62 messages of 62"}, `"hits":[]`},
		{"an end before the start", `{"query":"x","start_message":5,"end_message":4}`, tooling.CodeInvalidArguments, []string{"end_message", "at least start_message"}, ""},
		{"a blank query", `{"query":" "}`, tooling.CodeInvalidArguments, []string{"query"}, ""},
		{"too many hits asked for", `{"query":"x","limit":51}`, tooling.CodeInvalidArguments, []string{"limit"}, ""},
		{"an unknown role", `{"query":"x","role":"bot"}`, tooling.CodeInvalidArguments, []string{"role"}, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.check(t, reading(t, f, 0, "chat.search", r.args))
		})
	}
	r := row{code: "chat.not_found", structured: "null"}
	r.check(t, reading(t, nil, 0, "chat.search", `{"query":"x"}`))
	r.check(t, reading(t, frozen(t, input.Input{}), 0, "chat.read_messages", `{"messages":[{"index":0}]}`))
}

// A snippet is at most 300 characters long, and a result stays within what is shown.
func TestChatSearchIsBounded(t *testing.T) {
	t.Parallel()
	in := input.Input{}
	for range 50 {
		in.Messages = append(in.Messages, input.Message{Role: input.User, Content: strings.Repeat("\x1bö", 300) + " fox " + strings.Repeat("ä", 600)})
	}
	f := frozen(t, in)
	for _, chars := range []int{2000, 50_000} {
		got := reading(t, f, chars, "chat.search", `{"query":"fox","limit":50}`)
		if n := workspace.Chars(got.Content); n > chars || got.Code != "" {
			t.Errorf("%d characters of %d: %s", n, chars, got.Code)
		}
		hits := got.Structured.(chatFound).Hits
		if n := workspace.Chars(hits[0].Snippet); n > 300 || !strings.Contains(hits[0].Snippet, "fox") {
			t.Errorf("snippet of %d characters: %q", n, hits[0].Snippet)
		}
		if len(hits) == 50 && chars == 2000 {
			t.Error("all hits are shown")
		}
	}
}

func TestChatRead(t *testing.T) {
	t.Parallel()
	in := input.Input{Messages: []input.Message{
		{Role: input.User, Content: "Höllo\nthere", Name: "Ann", At: "today"}, {Role: input.Assistant, Content: strings.Repeat("ü", 8001)},
		{Role: input.Tool, Content: ""}, {Role: input.User, Content: strings.Repeat("y", 8000)},
	}}
	f := frozen(t, in)
	for _, r := range []row{
		{"whole", `{"messages":[{"index":0}]}`, "", []string{"message 0 of 4, user, Ann, today, characters 0-11 of 11\nHöllo\nthere"},
			`{"totalMessages":4,"messages":[{"index":0,"role":"user","name":"Ann","sentAt":"today","startChar":0,"endChar":11,"chars":11,"totalChars":11,"words":2,"truncated":false,"text":"Höllo\nthere","ref":"chat:0"}]}`},
		{"a part", `{"messages":[{"index":0,"start_char":1,"max_chars":3}]}`, "", []string{"characters 1-4 of 11\nöll\n[7 characters left; go on with start_char 4]"}, `"startChar":1,"endChar":4,"chars":3,"totalChars":11,"words":1,"truncated":true,"text":"öll"`},
		{"several, one of them twice", `{"messages":[{"index":2},{"index":0,"max_chars":1},{"index":0}]}`, "", []string{"message 2 of 4, tool, characters 0-0 of 0\n\n\nmessage 0"}, `"index":2`},
		{"a range without an end", `{"messages":[{"index":1,"start_char":0}]}`, "", []string{"characters 0-8000 of 8001", "go on with start_char 8000"}, `"truncated":true`},
		{"the rest", `{"messages":[{"index":1,"start_char":8000}]}`, "", []string{"characters 8000-8001 of 8001\nü"}, `"truncated":true`},
		{"no such message", `{"messages":[{"index":0},{"index":4}]}`, "chat.message_not_found", []string{"there is no message 4: the conversation has 4 messages, the last one is 3. Nothing was read."}, "null"},
		{"past the end", `{"messages":[{"index":0,"start_char":11}]}`, "chat.invalid_range", []string{"start_char 11 is past the end: message 0 has 11 characters"}, ""},
		{"one that is too long", `{"messages":[{"index":1}]}`, "chat.read_too_large", []string{"message 1 has 8,001 characters and at most 8,000 of one can be read at once", "start_char 0 and max_chars 8000"}, ""},
		{"too much in all", `{"messages":[{"index":3},{"index":3},{"index":1,"max_chars":4001}]}`, "chat.read_too_large", []string{"20,001 characters and one call gives at most 20,000", "message 3 8,000, message 3 8,000, message 1 4,001"}, ""},
		{"as much as there may be", `{"messages":[{"index":3},{"index":3},{"index":1,"max_chars":4000}]}`, "", []string{"[4,001 characters left"}, ""},
		{"arguments-10 a misspelt name", `{"messages":[{"indx":1}]}`, tooling.CodeInvalidArguments, []string{"messages[0].indx", "index"}, ""},
		{"none", `{"messages":[]}`, tooling.CodeInvalidArguments, []string{"messages"}, ""},
		{"too many characters", `{"messages":[{"index":0,"max_chars":8001}]}`, tooling.CodeInvalidArguments, []string{"messages[0].max_chars"}, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.check(t, reading(t, f, 0, "chat.read_messages", r.args))
		})
	}
	r := row{code: "chat.read_too_large", content: []string{"at most 1,000 of one"}}
	r.check(t, reading(t, f, 2000, "chat.read_messages", `{"messages":[{"index":3}]}`))
	wild := frozen(t, input.Input{Messages: []input.Message{{Role: input.User, Content: strings.Repeat("\x1b", 1000)}}})
	r = row{code: "chat.read_too_large", content: []string{"with its control characters shown this takes 4,"}}
	r.check(t, reading(t, wild, 2000, "chat.read_messages", `{"messages":[{"index":0}]}`))
}

func TestLoreRead(t *testing.T) {
	t.Parallel()
	f := frozen(t, input.Input{Messages: []input.Message{{Role: input.User, Content: "a fox"}}, Lore: []input.Entry{
		{World: "w", UID: "1", Name: "Foxes", Keys: []string{"fox"}, Content: "Red animals.", Position: "top", Order: 1},
		{UID: "2", Constant: true, Content: strings.Repeat("z", 9000)}, {UID: "3", Keys: []string{"hen"}, Content: "Never."},
	}})
	for _, r := range []row{
		{"the list", `{}`, "", []string{"2 of the 3 entries given with this run are activated\n2: 9,000 characters, constant\nw/1 (Foxes): 12 characters, key \"fox\" in message 0"},
			`{"entries":[{"ref":"2","uid":"2","constant":true,"chars":9000,"totalChars":9000},{"ref":"w/1","uid":"1","name":"Foxes","position":"top","constant":false,"chars":12,"totalChars":12}]}`},
		{"one", `{"entries":[{"ref":"w/1"}]}`, "", []string{"entry w/1 (Foxes), characters 0-12 of 12\nRed animals."}, `"chars":12,"totalChars":12,"text":"Red animals."`},
		{"a part", `{"entries":[{"ref":"2","start_char":8999}]}`, "", []string{"entry 2, characters 8999-9000 of 9000\nz"}, `"chars":1,"totalChars":9000,"truncated":true,"text":"z"`},
		{"one that is too long", `{"entries":[{"ref":"2"}]}`, "worldinfo.read_too_large", []string{"entry 2 has 9,000 characters"}, "null"},
		{"past the end", `{"entries":[{"ref":"w/1","start_char":12}]}`, "worldinfo.invalid_range", []string{"entry w/1 has 12 characters"}, ""},
		{"one that was not activated", `{"entries":[{"ref":"2","max_chars":1},{"ref":"3"}]}`, "worldinfo.entry_not_found", []string{`there is no activated entry "3"; the nearest are 2, w/1. Nothing was read`}, ""},
		{"a misspelt name", `{"entry":[{"ref":"2"}]}`, tooling.CodeInvalidArguments, []string{"entries"}, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.check(t, reading(t, f, 0, "worldinfo.read_activated", r.args))
		})
	}
	chat := []input.Message{{Role: input.User, Content: "x"}}
	r := row{code: "worldinfo.activation_unavailable"}
	r.check(t, reading(t, frozen(t, input.Input{Messages: chat}), 0, "worldinfo.read_activated", `{}`))
	r.check(t, reading(t, nil, 0, "worldinfo.read_activated", `{}`))
	idle := frozen(t, input.Input{Messages: chat, Lore: []input.Entry{{UID: "3", Keys: []string{"hen"}, Content: "Never."}}})
	r = row{content: []string{"0 of the 1 entries given"}, structured: `{"entries":[]}`}
	r.check(t, reading(t, idle, 0, "worldinfo.read_activated", `{}`))
	r = row{code: "worldinfo.entry_not_found", content: []string{"no entry was activated for this run"}}
	r.check(t, reading(t, idle, 0, "worldinfo.read_activated", `{"entries":[{"ref":"3"}]}`))
	many := input.Input{Messages: chat}
	for i := range 2000 {
		many.Lore = append(many.Lore, input.Entry{UID: fmt.Sprint(i), Name: strings.Repeat("n", 100), Constant: true, Content: "c"})
	}
	got := reading(t, frozen(t, many), 0, "worldinfo.read_activated", `{}`)
	if n := workspace.Chars(got.Content); n > 21_000 || !strings.Contains(got.Content, " more are not listed]") {
		t.Errorf("%d characters", n)
	}
}

func TestGivenToolsDescribed(t *testing.T) {
	t.Parallel()
	for id, condition := range map[string]tooling.Condition{"chat.search": tooling.Always, "chat.read_messages": tooling.Always, "worldinfo.read_activated": tooling.HasLore} {
		d := core(t, "builtin:"+id)
		if d.Effect.Class != tooling.Read || d.Again != tooling.AgainYes || d.GateKey != "ws" || !d.New || d.Condition != condition || len(d.Scenes) != 1 || d.Scenes[0] != "chat" {
			t.Errorf("%s: %+v", id, d.Descriptor)
		}
	}
}
