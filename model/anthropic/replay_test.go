package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// said gives a history in which an answer was given, its calls answered.
func said(a *model.Answer, change func(*model.Message)) *model.Request {
	req := question()
	m, res := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native, Turn: 1}, model.Message{Role: model.Tool, Turn: 1}
	for i, c := range a.Calls {
		m.Calls = append(m.Calls, model.Call{Key: modeltest.CallKey(i), Name: c.Name, Args: "{}"})
		res.Results = append(res.Results, model.Result{Key: modeltest.CallKey(i), Name: c.Name, Text: "r"})
	}
	change(&m)
	if len(m.Calls) == 0 {
		res = model.Message{Role: model.Host, Text: "go on"}
	}
	req.Messages = append(req.Messages, m, res)
	return req
}

// TestReplay sends answers back: signed blocks stand where they were, unchanged, and those
// of others, or changed ones, are left out.
func TestReplay(t *testing.T) {
	t.Parallel()
	const (
		think    = `{"signature":"c2ln","thinking":"I think","type":"thinking"}`
		again    = `{"signature":"c2ln2","thinking":"Again","type":"thinking"}`
		redacted = `{"data":"ZGF0YQ==","type":"redacted_thinking"}`
		look     = `{"type":"text","text":"I look."}`
		hello    = `{"type":"text","text":"Hello"}`
	)
	call := func(n int, name string) string {
		return fmt.Sprintf(`{"type":"tool_use","id":"call_%024x","name":"%s","input":{}}`, n, name)
	}
	weather := call(0, "weather")
	changed := func(old, new string) func(*model.Message) {
		return func(m *model.Message) {
			for i := range m.Native {
				m.Native[i] = bytes.ReplaceAll(m.Native[i], []byte(old), []byte(new))
			}
		}
	}
	for _, row := range []struct {
		name, file string
		change     func(*model.Message)
		want       string // content of the model's message
		warned     string
	}{
		{"thinking, text, thinking, call", "good_thinking", nil, think + "," + redacted + "," + look + "," + again + "," + weather, "[]"},
		{"in one body", "D19_whole", nil, think + "," + look + "," + weather + "," + call(1, "weather"), "[]"},
		{"without its text", "good_thinking", func(m *model.Message) { m.Text = "" }, think + "," + redacted + "," + again + "," + weather, "[]"},
		{"with a text that was cut", "good_thinking", func(m *model.Message) { m.Text = "I" }, think + "," + redacted + `,{"type":"text","text":"I"},` + again + "," + weather, "[]"},
		{"with a text of other runes", "good_thinking", func(m *model.Message) { m.Text = "I lookö" }, think + "," + redacted + `,{"type":"text","text":"I look"},` + again + `,{"type":"text","text":"ö"},` + weather, "[]"},
		{"without calls thinking cannot be last", "good_thinking", func(m *model.Message) { m.Calls = nil }, think + "," + redacted + "," + look, "[]"},
		{"through a journal that escapes", "good_thinking", func(m *model.Message) {
			b, _ := json.Marshal(m.Native)
			m.Native = nil
			_ = json.Unmarshal(b, &m.Native)
		}, think + "," + redacted + "," + look + "," + again + "," + weather, "[]"},
		{"masked", "good_thinking", changed("I think", "I ***"), look + "," + weather, "[native_changed]"},
		{"cut", "good_thinking", changed(`"type":"thinking"}}`, ``), look + "," + weather, "[native_changed]"},
		{"of another endpoint", "good_thinking", changed("127.0.0.1", "127.0.0.2"), look + "," + weather, "[]"},
		{"of another provider", "good_thinking", changed(`"anthropic"`, `"other"`), look + "," + weather, "[]"},
		{"text after a call", "D21_text_after_call", nil, `{"type":"text","text":"ab"},` + weather, "[]"},
		{"thinking and text after a call", "D21_thinking_after_call", nil, `{"type":"text","text":"ab"},` + weather + "," + think + "," + call(1, "weather"), "[]"},
		{"unsigned thinking", "D23_thinking_unsigned", nil, hello, "[]"},
		{"blocks of a server's tool", "D20_unknown_block", nil, `{"id":"srvtoolu_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"},` +
			`{"content":[],"tool_use_id":"srvtoolu_1","type":"web_search_tool_result"},` + hello, "[block:server_tool_use block:web_search_tool_result]"},
		{"blocks that were not understood", "D20_unknown_block_and_delta", nil, hello, "[block:dream delta:dream_delta part:dream]"},
		{"a block whose input broke off", "D20_block_broken_input", nil, hello, "[block:server_tool_use part:server_tool_use]"},
		{"events that were not understood", "D20_unknown_event", nil, hello, "[event:mood event:unnamed]"},
		{"citations", "D20_citations", nil, hello, "[]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base, got := echo(t, row.file)
			var told []string
			p := provider(t, anthropic.Options{BaseURL: base, Cache: "off", Warn: func(kind, _ string) { told = append(told, kind) }})
			if row.change == nil {
				row.change = func(*model.Message) {}
			}
			req := said(answer(t, p, got), row.change)
			modeltest.AskOK(t, p, req)
			body := (<-got).Body
			if want := `{"role":"assistant","content":[` + row.want + `]}`; !strings.Contains(string(body), want) {
				t.Errorf("body\n%s\nlacks\n%s", body, want)
			}
			if faults := modeltest.ValidateMessages(body); faults != nil {
				t.Error(faults)
			}
			if fmt.Sprint(told) != row.warned {
				t.Errorf("told %v, want %s", told, row.warned)
			}
		})
	}
}

// TestKeptForTheRecord looks at parts that are never sent.
func TestKeptForTheRecord(t *testing.T) {
	t.Parallel()
	base, got := echo(t, "D20_citations", "D20_unknown_event")
	p := provider(t, anthropic.Options{BaseURL: base})
	for _, want := range []string{
		`[{"provider":"anthropic","kind":"citations","data":{"type":"char_location","cited_text":"x"}}]`,
		`[{"provider":"anthropic","kind":"event:mood","data":{"type":"mood","value":1}} {"provider":"anthropic","kind":"event:mood","data":{"type":"mood","value":2}} {"provider":"anthropic","kind":"event:unnamed","data":{"a":1}}]`,
	} {
		if parts := fmt.Sprintf("%s", answer(t, p, got).Native); parts != want {
			t.Errorf("kept %s, want %s", parts, want)
		}
	}
}

// TestSurrogatesInThinking joins halves of a character and replaces a lone one, which no
// server takes back.
func TestSurrogatesInThinking(t *testing.T) {
	t.Parallel()
	body := `{"type":"message","content":[{"type":"thinking","thinking":"\ud83d\udc1d \ud83d","signature":"s"},{"type":"text","text":"ok"}],"stop_reason":"end_turn"}`
	base := modeltest.Serve(t, "/v1", modeltest.Play([]byte(body), "application/json", nil))
	a, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
	if err != nil || len(a.Native) != 1 || !strings.Contains(string(a.Native[0]), `"🐝 �"`) && !strings.Contains(string(a.Native[0]), `"🐝 \ufffd"`) {
		t.Errorf("%v, %s", err, a.Native)
	}
}
