package gemini_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// echo gives a server that keeps each request and answers with a text.
func echo(t testing.TB) (string, chan modeltest.Seen) {
	return modeltest.Echo(t, "/v1beta", `{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
}

// history gives a conversation with calls, an invalid call, errors and host messages.
func history() *model.Request {
	return &model.Request{
		Model: "gemini-x", System: "You are \"lead\".\n\tDo it.", ToolsHash: "h",
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
			{Role: model.Host, Text: "Two minutes are left."},
		},
	}
}

const (
	systemBytes = `"systemInstruction":{"parts":[{"text":"You are \"lead\".\n\tDo it."}]},`
	toolsBytes  = `"tools":[{"functionDeclarations":[` +
		`{"name":"grep","description":"Finds <text> & more.","parametersJsonSchema":{"type":"object","properties":{"q":{"type":"string"}}}},` +
		`{"name":"workspace_finish","parametersJsonSchema":{"type":"object"}}]}],`
	contentsBytes = `"contents":[` +
		`{"role":"user","parts":[{"text":"Find it."},{"text":"Time: 3 min."}]},` +
		`{"role":"model","parts":[{"text":"I look. ` + "\u2028" + `🐝\u0001"},` +
		`{"functionCall":{"name":"grep","args":{"q":"a\"b"}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"grep","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":"a.go:1"}}},` +
		`{"functionResponse":{"name":"grep","response":{"error":"error tool.invalid_arguments: cut"}}}]},` +
		`{"role":"model","parts":[{"text":"Done?"}]},` +
		`{"role":"user","parts":[{"text":"End with workspace_finish."}]},` +
		`{"role":"model","parts":[{"functionCall":{"name":"no_such_tool","args":{"reason":"x"}},"thoughtSignature":"skip_thought_signature_validator"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"no_such_tool","response":{"error":"error model.unknown_tool_call: no"}}},{"text":"Two minutes are left."}]}]}`
)

func TestRequestBytes(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	modeltest.AskOK(t, provider(t, gemini.Options{BaseURL: base, Stream: off()}), history())
	s := <-got
	if want := "{" + systemBytes + toolsBytes + contentsBytes; string(s.Body) != want {
		t.Errorf("body\n%s\nwant\n%s", s.Body, want)
	}
	if faults := modeltest.ValidateGenerate(s.Body); faults != nil {
		t.Error(faults)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	half := 0.5
	for _, row := range []struct {
		name   string
		opt    gemini.Options
		change func(*model.Request)
		path   string
		has    string // in the body
		not    string
		header map[string]string
	}{
		{name: "streams by itself, key in its header", opt: gemini.Options{APIKey: "k1"}, has: `{"contents":[`, header: map[string]string{"X-Goog-Api-Key": "k1", "Content-Type": "application/json", "Authorization": ""}},
		{name: "no stream", opt: gemini.Options{Stream: off()}, path: "/v1beta/models/gemini-x:generateContent?user=7", not: `generationConfig`},
		{name: "key as bearer", opt: gemini.Options{APIKey: "k1", Auth: "bearer", Headers: map[string]string{"X-Team": "a"}}, header: map[string]string{"Authorization": "Bearer k1", "X-Team": "a", "X-Goog-Api-Key": ""}},
		{name: "no key", opt: gemini.Options{APIKey: "k1", Auth: "none"}, header: map[string]string{"Authorization": "", "X-Goog-Api-Key": ""}},
		{name: "a model of another kind", change: func(r *model.Request) { r.Model = "tunedModels/bee" }, path: "/v1beta/tunedModels/bee:streamGenerateContent?user=7&alt=sse"},
		{name: "output limit", change: func(r *model.Request) { r.MaxOutput = 99 }, opt: gemini.Options{MaxOutput: 7}, has: `{"generationConfig":{"maxOutputTokens":99},"contents"`},
		{name: "output limit of the options", opt: gemini.Options{MaxOutput: 7}, has: `"maxOutputTokens":7`},
		{name: "sampling", change: func(r *model.Request) { r.Temperature, r.TopP, r.Stop = &half, &half, []string{"\n", "END"} },
			has: `"generationConfig":{"temperature":0.5,"topP":0.5,"stopSequences":["\n","END"]},"contents"`},
		{name: "reasoning off", opt: gemini.Options{Reasoning: "off"}, not: `thinkingConfig`},
		{name: "reasoning by level", opt: gemini.Options{Reasoning: "medium"}, has: `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"MEDIUM"}}`},
		{name: "reasoning by tokens", opt: gemini.Options{Reasoning: "tokens: 500"}, has: `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":500}}`},
		{name: "reasoning of no tokens", opt: gemini.Options{Reasoning: "tokens:0"}, change: func(r *model.Request) { r.Temperature = &half }, has: `"temperature":0.5,"thinkingConfig":{"thinkingBudget":0}}`},
		{name: "no temperature while thinking", opt: gemini.Options{Reasoning: "low"}, change: func(r *model.Request) { r.Temperature = &half }, not: `temperature`},
		{name: "no tools, no choice", change: func(r *model.Request) { r.Choice.Mode = "none" }, not: `tool`},
		{name: "choice none keeps the tools", change: tools("none"), has: `}]}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},"contents"`},
		{name: "choice required", change: tools("required"), has: `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`},
		{name: "choice auto is left out", change: tools("auto"), not: `toolConfig`},
		{name: "choice of one", change: tools("specific"), has: `"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["grep"]}}`},
		{name: "no forced choice while thinking", opt: gemini.Options{Reasoning: "high"}, change: tools("required"), not: `toolConfig`},
		{name: "choice none while thinking", opt: gemini.Options{Reasoning: "high"}, change: tools("none"), has: `"mode":"NONE"`},
		{name: "schemas in the subset", opt: gemini.Options{Quirks: gemini.Quirks{OpenAPISchema: true}}, change: tools(""),
			has: `"tools":[{"functionDeclarations":[{"name":"grep","description":"Finds <text> & more.","parameters":{"properties":{"q":{"type":"string"}},"type":"object"}},{"name":"workspace_finish"}]}],`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got chan modeltest.Seen
			row.opt.BaseURL, got = echo(t)
			row.opt.BaseURL += "/?user=7"
			req := question()
			if row.change != nil {
				row.change(req)
			}
			modeltest.AskOK(t, provider(t, row.opt), req)
			s := <-got
			if row.path == "" {
				row.path = "/v1beta/models/gemini-x:streamGenerateContent?user=7&alt=sse"
			}
			if s.Path != row.path {
				t.Errorf("path %s, want %s", s.Path, row.path)
			}
			if !strings.Contains(string(s.Body), row.has) || row.not != "" && strings.Contains(string(s.Body), row.not) {
				t.Errorf("body %s", s.Body)
			}
			if faults := modeltest.ValidateGenerate(s.Body); faults != nil {
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

// TestWarnings wants each wish that is dropped to be said once.
func TestWarnings(t *testing.T) {
	t.Parallel()
	base, _ := echo(t)
	said := map[string]int{}
	p := provider(t, gemini.Options{BaseURL: base, Reasoning: "low", Quirks: gemini.Quirks{OpenAPISchema: true}, Warn: func(kind, _ string) { said[kind]++ }})
	hot := 1.5
	for range 3 {
		req := history()
		req.ToolsHash = ""
		req.Temperature, req.Choice.Mode = &hot, "required"
		req.Tools[1].Schema = json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"https://example.com/a"}}}`)
		modeltest.AskOK(t, p, req)
	}
	if fmt.Sprint(said) != "map[schema:workspace_finish:1 thinking_choice:1 thinking_temperature:1]" {
		t.Errorf("%v", said)
	}
}

// TestRequestIsAPrefixOfTheNext sends a conversation turn by turn, one that other providers
// began and this one goes on with.
func TestRequestIsAPrefixOfTheNext(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, gemini.Options{BaseURL: base})
	full := history()
	a := answer(t, base, "good_signatures")
	m := message(a, 4)
	full.Messages = append(full.Messages, m,
		model.Message{Role: model.Tool, Results: []model.Result{{Key: modeltest.CallKey(4), Name: "weather", Text: "rain"}, {Key: modeltest.CallKey(5), Name: "weather", Text: "sun"}}},
		message(answer(t, base, "D20_unknown_part"), 6), model.Message{Role: model.Host, Text: "Use a tool."},
		model.Message{Role: model.User, Text: "And hurry."})
	var before []byte
	for n := 1; n <= len(full.Messages); n++ {
		if full.Messages[n-1].Role == model.Assistant {
			continue
		}
		req := *full
		req.Messages = full.Messages[:n]
		modeltest.AskOK(t, p, &req)
		body := (<-got).Body
		if faults := modeltest.ValidateGenerate(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		if before != nil && !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}]}"))) {
			t.Errorf("%d messages: not a prefix\n%s\n%s", n, before, body)
		}
		before = body
	}
}

// FuzzRequestText wants every legal text to arrive as it is.
func FuzzRequestText(f *testing.F) {
	for _, s := range []string{"a", "\x00", "\"\\/\b\f\n\r\t\x1f\x7f", "ü🐝\u2028\ufffd", "\xff", `\ud83d`} {
		f.Add(s)
	}
	base, got := echo(f)
	p := provider(f, gemini.Options{BaseURL: base})
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
			Contents []struct{ Parts []struct{ Text string } }
		}
		if err := json.Unmarshal(body, &in); err != nil || in.Contents[0].Parts[0].Text != text {
			t.Fatalf("%q arrived as %s: %v", text, body, err)
		}
	})
}
