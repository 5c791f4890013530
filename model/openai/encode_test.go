package openai_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

// echo gives a server that keeps each request and answers with a text.
func echo(t testing.TB) (string, chan modeltest.Seen) {
	return modeltest.Echo(t, "/v1", `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`)
}

// history gives a conversation with calls, an invalid call, errors and host messages.
func history() *model.Request {
	return &model.Request{
		Model: "gpt-x", System: "You are \"lead\".\n\tDo it.", ToolsHash: "h",
		Tools: []model.ToolDef{
			{ID: "grep", Name: "grep", Description: "Finds <text> & more.", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`)},
			{ID: "workspace.finish", Name: "workspace_finish", Schema: json.RawMessage(`{"type":"object"}`)},
		},
		Messages: []model.Message{
			{Role: model.User, Text: "Find it."},
			{Role: model.Host, Text: "Time: 3 min."},
			{Role: model.Assistant, Text: "I look. \u2028🐝\x01", Calls: []model.Call{{Key: modeltest.CallKey(1), Name: "grep", Args: `{"q":"a\"b"}`}, {Key: modeltest.CallKey(2), Name: "grep", Args: `{}`}},
				Native: []json.RawMessage{json.RawMessage(`{"provider":"scripted","step":1}`)}},
			{Role: model.Tool, Results: []model.Result{{Key: modeltest.CallKey(1), Name: "grep", Text: "a.go:1", Data: json.RawMessage(`{"secret":1}`)},
				{Key: modeltest.CallKey(2), Name: "grep", Text: "error tool.invalid_arguments: cut", IsError: true}}},
			{Role: model.Assistant, Text: "Done?"},
			{Role: model.Host, Text: "End with workspace_finish."},
			{Role: model.Assistant, Calls: []model.Call{{Key: modeltest.CallKey(3), Name: "no_such_tool", Args: `{"reason":"x"}`}}},
			{Role: model.Tool, Results: []model.Result{{Key: modeltest.CallKey(3), Name: "no_such_tool", Text: "error model.unknown_tool_call: no", IsError: true}}},
		},
	}
}

func TestRequestBytes(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, openai.Options{BaseURL: base, Stream: off()})
	modeltest.AskOK(t, p, history())
	const want = `{"model":"gpt-x","tools":[` +
		`{"type":"function","function":{"name":"grep","description":"Finds <text> & more.","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}},` +
		`{"type":"function","function":{"name":"workspace_finish","parameters":{"type":"object"}}}],"messages":[` +
		`{"role":"system","content":"You are \"lead\".\n\tDo it."},` +
		`{"role":"user","content":"Find it."},` +
		`{"role":"user","content":"Time: 3 min."},` +
		`{"role":"assistant","content":"I look. ` + "\u2028" + `🐝\u0001","tool_calls":[` +
		`{"id":"call_000000000000000000000001","type":"function","function":{"name":"grep","arguments":"{\"q\":\"a\\\"b\"}"}},` +
		`{"id":"call_000000000000000000000002","type":"function","function":{"name":"grep","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"call_000000000000000000000001","content":"a.go:1"},` +
		`{"role":"tool","tool_call_id":"call_000000000000000000000002","content":"error tool.invalid_arguments: cut"},` +
		`{"role":"assistant","content":"Done?"},` +
		`{"role":"user","content":"End with workspace_finish."},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_000000000000000000000003","type":"function","function":{"name":"no_such_tool","arguments":"{\"reason\":\"x\"}"}}]},` +
		`{"role":"tool","tool_call_id":"call_000000000000000000000003","content":"error model.unknown_tool_call: no"}]}`
	if b := (<-got).Body; string(b) != want {
		t.Errorf("body\n%s\nwant\n%s", b, want)
	}
}

// TestRequestIsAPrefixOfTheNext sends the history turn by turn.
func TestRequestIsAPrefixOfTheNext(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, openai.Options{BaseURL: base})
	full := history()
	var before []byte
	for n := 1; n <= len(full.Messages); n++ {
		if full.Messages[n-1].Role == model.Assistant {
			continue
		}
		req := *full
		req.Messages = full.Messages[:n]
		modeltest.AskOK(t, p, &req)
		body := (<-got).Body
		if faults := modeltest.ValidateChat(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		if before != nil && !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d messages: not a prefix\n%s\n%s", n, before, body)
		}
		before = body
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	yes, half := true, 0.5
	for _, row := range []struct {
		name   string
		opt    openai.Options
		change func(*model.Request)
		has    string // in the body
		not    string
		header map[string]string
	}{
		{name: "streams by itself, key as bearer", opt: openai.Options{APIKey: "k1"}, has: `{"model":"gpt-x","stream":true,"messages":`, header: map[string]string{"Authorization": "Bearer k1", "Content-Type": "application/json"}},
		{name: "no stream", opt: openai.Options{Stream: off()}, not: `"stream"`, header: map[string]string{"Authorization": ""}},
		{name: "key in a header", opt: openai.Options{APIKey: "k1", Auth: "header:api-key", Headers: map[string]string{"X-Team": "a"}}, header: map[string]string{"Api-Key": "k1", "X-Team": "a", "Authorization": ""}},
		{name: "no key", opt: openai.Options{APIKey: "k1", Auth: "none"}, header: map[string]string{"Authorization": ""}},
		{name: "usage in the stream", opt: openai.Options{Quirks: openai.Quirks{StreamUsage: &yes}}, has: `"stream_options":{"include_usage":true}`},
		{name: "output limit", change: func(r *model.Request) { r.MaxOutput = 99 }, has: `"max_tokens":99`},
		{name: "output limit of the service", opt: openai.Options{Quirks: openai.Quirks{MaxTokensField: "max_completion_tokens"}}, change: func(r *model.Request) { r.MaxOutput = 99 }, has: `"max_completion_tokens":99`},
		{name: "sampling", change: func(r *model.Request) { r.Temperature, r.TopP, r.Stop = &half, &half, []string{"\n", "END"} }, has: `"temperature":0.5,"top_p":0.5,"stop":["\n","END"]`},
		{name: "system as developer", opt: openai.Options{Quirks: openai.Quirks{SystemRole: "developer"}}, change: func(r *model.Request) { r.System = "s" }, has: `[{"role":"developer","content":"s"},`},
		{name: "no tools, no choice", change: func(r *model.Request) { r.Choice.Mode = "none" }, not: `tool`},
		{name: "choice none keeps the tools", change: tools("none"), has: `}],"tool_choice":"none","messages"`},
		{name: "choice required", change: tools("required"), has: `"tool_choice":"required"`},
		{name: "choice auto is left out", change: tools("auto"), not: `tool_choice`},
		{name: "choice of one", change: tools("specific"), has: `"tool_choice":{"type":"function","function":{"name":"grep"}}`},
		{name: "parallel calls", opt: openai.Options{Quirks: openai.Quirks{ParallelField: off()}}, change: tools(""), has: `"parallel_tool_calls":false,"tools"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got chan modeltest.Seen
			row.opt.BaseURL, got = echo(t)
			row.opt.BaseURL += "/?api-version=7"
			req := question()
			if row.change != nil {
				row.change(req)
			}
			modeltest.AskOK(t, provider(t, row.opt), req)
			s := <-got
			if s.Path != "/v1/chat/completions?api-version=7" {
				t.Errorf("path %s", s.Path)
			}
			if !strings.Contains(string(s.Body), row.has) || row.not != "" && strings.Contains(string(s.Body), row.not) {
				t.Errorf("body %s", s.Body)
			}
			if faults := modeltest.ValidateChat(s.Body); faults != nil {
				t.Error(faults)
			}
			for name, value := range row.header {
				if s.Header.Get(name) != value {
					t.Errorf("header %s is %q, want %q", name, s.Header.Get(name), value)
				}
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
	for _, s := range []string{"a", "\x00", "\"\\/\b\f\n\r\t\x1f\x7f", "ü🐝\u2028\ufffd", "\xff", `\ud83d`} {
		f.Add(s)
	}
	base, got := echo(f)
	p := provider(f, openai.Options{BaseURL: base})
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
		var in struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(body, &in); err != nil || in.Messages[0].Content != text {
			t.Fatalf("%q arrived as %s: %v", text, body, err)
		}
	})
}
