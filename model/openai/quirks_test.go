package openai_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

// Ids of calls of nine letters and digits are as different as the others, the same in each
// request, and results name those of their calls.
func TestShortCallIDs(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, openai.Options{BaseURL: base, Quirks: openai.Quirks{CallID: "alnum9"}})
	var bodies []string
	for range 2 {
		modeltest.AskOK(t, p, history())
		body := (<-got).Body
		if faults := modeltest.ValidateChat(body); faults != nil {
			t.Errorf("%v", faults)
		}
		bodies = append(bodies, string(body))
	}
	if bodies[0] != bodies[1] || strings.Contains(bodies[0], `"call_`) {
		t.Errorf("got\n%s\nand\n%s", bodies[0], bodies[1])
	}
	var calls, results []string
	for _, m := range regexp.MustCompile(`"(id|tool_call_id)":"([0-9A-Za-z]{9})"`).FindAllStringSubmatch(bodies[0], -1) {
		if m[1] == "id" {
			calls = append(calls, m[2])
		} else {
			results = append(results, m[2])
		}
	}
	if !slices.Equal(calls, results) || len(calls) != 3 || calls[0] == calls[1] || calls[1] == calls[2] {
		t.Errorf("calls %q, results %q", calls, results)
	}
	if _, err := openai.New(openai.Options{Quirks: openai.Quirks{CallID: "hex"}}); err == nil || !strings.Contains(err.Error(), "quirk call_id is alnum9 or absent") {
		t.Errorf("got %v", err)
	}
}

// Schemas go in the form that every server takes, and under the quirk without what grammars
// cannot express. What is lost is said once.
func TestSchemasOnTheWire(t *testing.T) {
	t.Parallel()
	const schema = `{"$schema":"x","anyOf":[{"required":["a"],"properties":{"a":{"type":"string","pattern":"^x"}}},{"required":["b"],"properties":{"b":{"type":"string"}}}]}`
	for _, row := range []struct {
		name    string
		grammar bool
		want    string
		told    string
	}{
		{"every server", false, `{"description":"Give one of these: a; or b.","properties":{"a":{"pattern":"^x","type":"string"},"b":{"type":"string"}},"type":"object"}`, ""},
		{"a grammar", true, `{"description":"Give one of these: a; or b.","properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"}`,
			"the parameters of pick are sent with less than their schema says: pattern is left out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base, got := echo(t)
			var told []string
			p := provider(t, openai.Options{BaseURL: base, Quirks: openai.Quirks{GrammarSchema: row.grammar}, Warn: func(_, detail string) { told = append(told, detail) }})
			req := question()
			req.Tools, req.ToolsHash = []model.ToolDef{{Name: "pick", Schema: json.RawMessage(schema)}}, "h"
			for range 2 {
				modeltest.AskOK(t, p, req)
				if body := string((<-got).Body); !strings.Contains(body, `"parameters":`+row.want+`}`) {
					t.Errorf("got %s", body)
				}
			}
			if said := strings.Join(told, "\n"); said != row.told {
				t.Errorf("told %q", said)
			}
		})
	}
}

// What the server says that an answer cost is kept, also of one that it did not end.
func TestReportedCost(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ events, code string }{
		"an answer":            {`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1,"cost":0.00025}}` + "\n\ndata: [DONE]\n\n", ""},
		"limits-8 filtered":    {`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"cost":2.5e-4}}` + "\n\ndata: [DONE]\n\n", "model.content_filter"},
		"a stream without end": {`data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":1,"cost":0.00025}}` + "\n\n", "model.stream_incomplete"},
		"an empty answer":      {`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":1,"cost":0.00025}}` + "\n\ndata: [DONE]\n\n", "model.empty_answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, row.events)
			})
			a, err := provider(t, openai.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			var e *model.Error
			if (err == nil) != (row.code == "") || err != nil && (!errors.As(err, &e) || e.Code != row.code) {
				t.Fatalf("got %+v, %v", a, err)
			}
			var u journal.Usage
			if err == nil {
				u = a.Usage
			} else {
				u = e.Usage
			}
			if u.Requests != 1 || u.Input == nil || *u.Input != 7 || u.CostReported == nil || *u.CostReported != 250_000 || u.Cost != nil {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

// Reasoning goes back with the answer that it came with, and to this provider only.
func TestReplayedReasoning(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		quirks openai.Quirks
		answer string
		want   string // in the next request, behind the text
	}{
		{"not without the quirk", openai.Quirks{}, `{"content":"a","reasoning_content":"why"}`, ""},
		{"as a member", openai.Quirks{ReplayReasoning: true}, `{"content":"a","reasoning_content":"why \"<\"\n"}`, `,"reasoning_content":"why \"<\"\n"`},
		{"under the other name", openai.Quirks{ReplayReasoning: true}, `{"content":"a","reasoning":"why"}`, `,"reasoning_content":"why"`},
		{"of a tag", openai.Quirks{ReplayReasoning: true, ReasoningField: "think"}, `{"content":"<think>why</think>a"}`, `,"reasoning_content":"why"`},
		{"none", openai.Quirks{ReplayReasoning: true}, `{"content":"a"}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base, got := modeltest.Echo(t, "/v1", `{"choices":[{"message":`+row.answer+`,"finish_reason":"stop"}]}`)
			p := provider(t, openai.Options{BaseURL: base, Quirks: row.quirks})
			req := question()
			a, err := p.Answer(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			<-got
			other := json.RawMessage(`{"provider":"anthropic","kind":"reasoning","data":"secret"}`)
			req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Text: a.Text, Native: append([]json.RawMessage{other}, a.Native...)},
				model.Message{Role: model.Host, Text: "go on"})
			if _, err := p.Answer(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			if body := string((<-got).Body); !strings.Contains(body, `{"role":"assistant","content":"a"`+row.want+`},`) {
				t.Errorf("got %s", body)
			}
		})
	}
}
