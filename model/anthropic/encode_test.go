package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// echo gives a server that keeps each request. It answers with byte files as long as there
// are any, then with a text.
func echo(t testing.TB, files ...string) (string, chan modeltest.Seen) {
	var bodies []string
	for _, name := range files {
		bodies = append(bodies, string(modeltest.ByteFile(t, name)))
	}
	return modeltest.Echo(t, "/v1", append(bodies, `{"type":"message","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"}`)...)
}

// answer asks for the answer of a byte file.
func answer(t testing.TB, p *anthropic.Provider, got chan modeltest.Seen) *model.Answer {
	t.Helper()
	a, err := p.Answer(t.Context(), question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	<-got
	return a
}

// history gives a conversation with calls, an invalid call, errors and host messages, after
// one that the run was given.
func history() *model.Request {
	return &model.Request{
		Model: "claude-x", System: "You are \"lead\".\n\tDo it.", ToolsHash: "h",
		Tools: []model.ToolDef{
			{ID: "grep", Name: "grep", Description: "Finds <text> & more.", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`)},
			{ID: "workspace.finish", Name: "workspace_finish", Schema: json.RawMessage(`{"type":"object"}`)},
		},
		Messages: []model.Message{
			{Role: model.User, Text: "Hello"},
			{Role: model.Assistant, Text: "Hello to you"},
			{Role: model.User, Text: "Find it."},
			{Role: model.Host, Text: "Time: 3 min."},
			{Role: model.Assistant, Turn: 1, Text: "I look. \u2028🐝\x01", Calls: []model.Call{{Key: modeltest.CallKey(1), Name: "grep", Args: `{"q":"a\"b"}`}, {Key: modeltest.CallKey(2), Name: "grep", Args: `{}`}},
				Native: []json.RawMessage{json.RawMessage(`{"provider":"scripted","step":1}`)}},
			{Role: model.Tool, Turn: 1, Results: []model.Result{{Key: modeltest.CallKey(1), Name: "grep", Text: "a.go:1", Data: json.RawMessage(`{"secret":1}`)},
				{Key: modeltest.CallKey(2), Name: "grep", Text: "error tool.invalid_arguments: cut", IsError: true}}},
			{Role: model.Host, Text: "2 turns left."},
			{Role: model.Assistant, Turn: 2, Text: "Done?"},
			{Role: model.Host, Text: "End with workspace_finish."},
			{Role: model.Assistant, Turn: 3, Calls: []model.Call{{Key: modeltest.CallKey(3), Name: "no_such_tool", Args: `{"reason":"x"}`}}},
			{Role: model.Tool, Turn: 3, Results: []model.Result{{Key: modeltest.CallKey(3), Name: "no_such_tool", Text: "error model.unknown_tool_call: no", IsError: true}}},
		},
	}
}

const mark = `,"cache_control":{"type":"ephemeral"}`

func TestRequestBytes(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, anthropic.Options{BaseURL: base, Stream: off()})
	modeltest.AskOK(t, p, history())
	const want = `{"model":"claude-x","max_tokens":8192,"tools":[` +
		`{"name":"grep","description":"Finds <text> & more.","input_schema":{"type":"object","properties":{"q":{"type":"string"}}}},` +
		`{"name":"workspace_finish","input_schema":{"type":"object"}}],` +
		`"system":[{"type":"text","text":"You are \"lead\".\n\tDo it."` + mark + `}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"Hello"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"Hello to you"}]},` +
		`{"role":"user","content":[{"type":"text","text":"Find it."},{"type":"text","text":"Time: 3 min."` + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"I look. ` + "\u2028" + `🐝\u0001"},` +
		`{"type":"tool_use","id":"call_000000000000000000000001","name":"grep","input":{"q":"a\"b"}},` +
		`{"type":"tool_use","id":"call_000000000000000000000002","name":"grep","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_000000000000000000000001","content":"a.go:1"},` +
		`{"type":"tool_result","tool_use_id":"call_000000000000000000000002","content":"error tool.invalid_arguments: cut","is_error":true},` +
		`{"type":"text","text":"2 turns left."}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"Done?"}]},` +
		`{"role":"user","content":[{"type":"text","text":"End with workspace_finish."` + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"call_000000000000000000000003","name":"no_such_tool","input":{"reason":"x"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_000000000000000000000003","content":"error model.unknown_tool_call: no","is_error":true` + mark + `}]}]}`
	body := (<-got).Body
	if string(body) != want {
		t.Errorf("body\n%s\nwant\n%s", body, want)
	}
	if faults := modeltest.ValidateMessages(body); faults != nil {
		t.Error(faults)
	}
}

// marked gives the prefixes of a request up to each cache mark, with no mark in them.
func marked(body []byte) []string {
	var out []string
	parts := strings.Split(string(body), mark)
	for i := 1; i < len(parts); i++ {
		out = append(out, strings.Join(parts[:i], ""))
	}
	return out
}

// TestRequestIsAPrefixOfTheNext sends the history turn by turn. Each request begins with
// the one before, marks left out, and marks the end of that one, so that it is found again.
func TestRequestIsAPrefixOfTheNext(t *testing.T) {
	t.Parallel()
	base, got := echo(t, "good_thinking")
	p := provider(t, anthropic.Options{BaseURL: base})
	full := history()
	full.Messages[4].Native = answer(t, p, got).Native // signed thinking of this endpoint
	var before, end string
	for n := 1; n <= len(full.Messages); n++ {
		if n < len(full.Messages) && full.Messages[n].Role != model.Assistant {
			continue
		}
		req := *full
		req.Messages = full.Messages[:n]
		modeltest.AskOK(t, p, &req)
		body := (<-got).Body
		if faults := modeltest.ValidateMessages(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		bare := strings.ReplaceAll(string(body), mark, "")
		if !strings.HasPrefix(bare, strings.TrimSuffix(before, "]}]}")) {
			t.Errorf("%d messages: not a prefix\n%s\n%s", n, before, bare)
		}
		marks := marked(body)
		if end != "" && !slices.Contains(marks, end) {
			t.Errorf("%d messages: the end of the request before has no mark: %s", n, body)
		}
		if len(marks) > 4 || len(marks) == 0 {
			t.Errorf("%d messages: %d marks", n, len(marks))
		}
		before, end = bare, marks[len(marks)-1]
	}
	if !strings.Contains(before, `"signature":"c2ln"`) {
		t.Errorf("no thinking in %s", before)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	half, high := 0.5, 0.98
	sampling := func(r *model.Request) { r.Temperature, r.TopP, r.Stop = &half, &half, []string{"\n.", "END"} }
	for _, row := range []struct {
		name   string
		opt    anthropic.Options
		change func(*model.Request)
		has    string // in the body
		not    string
		header map[string]string
		warned string
	}{
		{name: "streams by itself, key in its header", opt: anthropic.Options{APIKey: "k1"}, has: `{"model":"claude-x","max_tokens":8192,"stream":true,"messages":`,
			header: map[string]string{"X-Api-Key": "k1", "Anthropic-Version": "2023-06-01", "Content-Type": "application/json", "Authorization": ""}},
		{name: "no stream", opt: anthropic.Options{Stream: off()}, not: `"stream"`},
		{name: "key as bearer", opt: anthropic.Options{APIKey: "k1", Auth: "bearer", Headers: map[string]string{"X-Team": "a"}}, header: map[string]string{"Authorization": "Bearer k1", "X-Team": "a", "X-Api-Key": ""}},
		{name: "no key", opt: anthropic.Options{APIKey: "k1", Auth: "none"}, header: map[string]string{"X-Api-Key": "", "Authorization": ""}},
		{name: "version of the user", opt: anthropic.Options{Headers: map[string]string{"Anthropic-Version": "2030-01-01"}}, header: map[string]string{"Anthropic-Version": "2030-01-01"}},
		{name: "output limit of the options", opt: anthropic.Options{MaxOutput: 77}, has: `"max_tokens":77,`},
		{name: "output limit of the request", opt: anthropic.Options{MaxOutput: 77}, change: func(r *model.Request) { r.MaxOutput = 99 }, has: `"max_tokens":99,`},
		{name: "sampling", change: sampling, has: `"temperature":0.5,"top_p":0.5,"stop_sequences":["\n.","END"]`},
		{name: "no tools, no choice", change: func(r *model.Request) { r.Choice.Mode = "none" }, not: `tool`},
		{name: "choice none keeps the tools", change: tools("none"), has: `}],"tool_choice":{"type":"none"},"messages"`},
		{name: "choice required", change: tools("required"), has: `"tool_choice":{"type":"any"}`},
		{name: "choice auto is left out", change: tools("auto"), not: `tool_choice`},
		{name: "choice of one", change: tools("specific"), has: `"tool_choice":{"type":"tool","name":"grep"}`},
		{name: "without system the last tool is marked", change: tools(""), has: `"input_schema":{"type":"object"}` + mark + `}],"messages"`},
		{name: "blank system and description", change: func(r *model.Request) { tools("")(r); r.System, r.Tools[0].Description = " \n", "\t" }, not: `"system"`, has: `"name":"grep","input_schema"`},
		{name: "cache of an hour", opt: anthropic.Options{Cache: "1h"}, has: `"text":"hello","cache_control":{"type":"ephemeral","ttl":"1h"}}`},
		{name: "cache on", opt: anthropic.Options{Cache: "on"}, has: `"text":"hello"` + mark + `}`},
		{name: "no cache", opt: anthropic.Options{Cache: "off"}, not: "cache_control"},
		{name: "reasoning off", opt: anthropic.Options{Reasoning: "off"}, not: "thinking"},
		{name: "reasoning by effort", opt: anthropic.Options{Reasoning: "low"}, has: `"max_tokens":8192,"stream":true,"thinking":{"type":"adaptive"},"output_config":{"effort":"low"},`},
		{name: "reasoning by budget", opt: anthropic.Options{Reasoning: "tokens:2000"}, has: `"max_tokens":10192,"stream":true,"thinking":{"type":"enabled","budget_tokens":2000},`},
		{name: "a budget below the request's limit", opt: anthropic.Options{Reasoning: "tokens:2000"}, change: func(r *model.Request) { r.MaxOutput = 1500 }, has: `"max_tokens":1500,"stream":true,"thinking":{"type":"enabled","budget_tokens":1499},`},
		{name: "no room for a budget", opt: anthropic.Options{Reasoning: "tokens:2000"}, change: func(r *model.Request) { r.MaxOutput = 1024; sampling(r) }, not: "thinking", has: `"temperature":0.5`, warned: "[thinking_dropped]"},
		{name: "thinking takes no sampling", opt: anthropic.Options{Reasoning: "high"}, change: sampling, not: `"temperature"`, has: `"stop_sequences":`, warned: "[temperature_dropped top_p_dropped]"},
		{name: "thinking takes a high top_p", opt: anthropic.Options{Reasoning: "high"}, change: func(r *model.Request) { r.TopP = &high }, has: `"top_p":0.98`},
		{name: "thinking takes no forced call", opt: anthropic.Options{Reasoning: "medium"}, change: tools("required"), not: `tool_choice`, warned: "[choice_dropped]"},
		{name: "thinking takes no choice of one", opt: anthropic.Options{Reasoning: "tokens:1024"}, change: tools("specific"), not: `tool_choice`, warned: "[choice_dropped]"},
		{name: "thinking takes choice none", opt: anthropic.Options{Reasoning: "medium"}, change: tools("none"), has: `"tool_choice":{"type":"none"}`},
		{name: "blank text of the user", change: func(r *model.Request) { r.Messages[0].Text = " \n" }, has: `"text":"(no text)"`},
		{name: "blank text of the model", change: func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Text: "\n"}, model.Message{Role: model.Host, Text: "Go on."})
		}, has: `{"type":"text","text":"hello"` + mark + `},{"type":"text","text":"Go on."` + mark + `}]}`},
		{name: "blank text before calls", change: func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Text: "\n", Calls: []model.Call{{Key: "1", Name: "grep", Args: "{}"}}},
				model.Message{Role: model.Tool, Results: []model.Result{{Key: "1", Name: "grep", Text: "r"}}})
		}, has: `{"role":"assistant","content":[{"type":"tool_use"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got chan modeltest.Seen
			row.opt.BaseURL, got = echo(t)
			row.opt.BaseURL += "/?api-version=7"
			var told []string
			row.opt.Warn = func(kind, _ string) { told = append(told, kind) }
			req := question()
			if row.change != nil {
				row.change(req)
			}
			p := provider(t, row.opt)
			modeltest.AskOK(t, p, req)
			s := <-got
			modeltest.AskOK(t, p, req) // warns no second time
			if again := <-got; !bytes.Equal(again.Body, s.Body) {
				t.Errorf("another body: %s", again.Body)
			}
			if s.Path != "/v1/messages?api-version=7" {
				t.Errorf("path %s", s.Path)
			}
			if !strings.Contains(string(s.Body), row.has) || row.not != "" && strings.Contains(string(s.Body), row.not) {
				t.Errorf("body %s", s.Body)
			}
			if faults := modeltest.ValidateMessages(s.Body); faults != nil {
				t.Error(faults)
			}
			for name, value := range row.header {
				if s.Header.Get(name) != value {
					t.Errorf("header %s is %q, want %q", name, s.Header.Get(name), value)
				}
			}
			if row.warned == "" {
				row.warned = "[]"
			}
			if fmt.Sprint(told) != row.warned {
				t.Errorf("told %v, want %s", told, row.warned)
			}
		})
	}
}

func tools(mode string) func(*model.Request) {
	return func(r *model.Request) {
		r.Tools, r.Choice.Mode = history().Tools, mode
		if mode == "specific" {
			r.Choice.Name = "grep"
		}
	}
}

// FuzzRequestText wants every legal text to arrive as it is.
func FuzzRequestText(f *testing.F) {
	for _, s := range []string{"a", "\x00", "\"\\/\b\f\n\r\t\x1f\x7f", "ü🐝\u2028\ufffd", "\xff", `\ud83d`, " ", "\v\f"} {
		f.Add(s)
	}
	base, got := echo(f)
	p := provider(f, anthropic.Options{BaseURL: base})
	f.Fuzz(func(t *testing.T, text string) {
		req := question()
		req.Messages[0].Text = text
		if model.Validate(req) != nil {
			if _, err := p.Answer(t.Context(), req, nil); err == nil {
				t.Fatal("a bad request was sent")
			}
			return
		}
		modeltest.AskOK(t, p, req)
		body := (<-got).Body
		var in struct {
			Messages []struct{ Content []struct{ Text string } }
		}
		want := text
		if strings.TrimSpace(text) == "" {
			want = "(no text)"
		}
		if err := json.Unmarshal(body, &in); err != nil || in.Messages[0].Content[0].Text != want {
			t.Fatalf("%q arrived as %s: %v", text, body, err)
		}
	})
}
