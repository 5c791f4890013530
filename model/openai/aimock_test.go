package openai_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

const aimockFixture = `{"fixtures": [
  {"match": {"userMessage": "say hello"}, "response": {"content": "Hello, wörld, this is a longer text 🐝."}},
  {"match": {"userMessage": "look twice", "hasToolResult": false}, "response": {"content": "I look.", "toolCalls": [
    {"name": "grep", "arguments": "{\"q\":\"a \\\"quoted\\\" word\"}"}, {"name": "grep", "arguments": "{\"q\":\"another, longer text\"}"}]}},
  {"match": {"userMessage": "look twice", "hasToolResult": true}, "response": {"content": "Both were there."}},
  {"match": {"userMessage": "too often"}, "response": {"error": {"message": "Rate limit reached", "type": "rate_limit_error", "code": "rate_limit_exceeded"}, "status": 429, "retryAfter": 7}},
  {"match": {"userMessage": "too busy"}, "response": {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}},
  {"match": {"userMessage": "break off"}, "response": {"content": "This text is long enough for several chunks of a stream."}, "truncateAfterChunks": 3, "latency": 10},
  {"match": {"userMessage": "babble"}, "response": {"content": "x"}, "chaos": {"malformedRate": 1}}
]}`

func TestAimock(t *testing.T) {
	t.Parallel()
	base := modeltest.StartAimock(t, aimockFixture)
	yes := true
	for _, stream := range []bool{true, false} {
		name := "whole"
		if stream {
			name = "streamed"
		}
		p := provider(t, openai.Options{BaseURL: base, APIKey: "test", Stream: &stream, Quirks: openai.Quirks{StreamUsage: &yes},
			HTTP: &http.Client{Transport: transport(t)}, Timeouts: openai.Timeouts{Total: time.Minute}})
		request := func(text string) *model.Request {
			req := history()
			req.Messages = []model.Message{{Role: model.User, Text: text}}
			return req
		}
		t.Run(name+" text", func(t *testing.T) {
			a, err := p.Answer(t.Context(), request("say hello"), nil)
			if err != nil || a.Text != "Hello, wörld, this is a longer text 🐝." || a.Finish != model.FinishStop || a.Usage.Output == nil || a.ID == "" {
				t.Errorf("%+v, %v", a, err)
			}
		})
		t.Run(name+" parallel calls", func(t *testing.T) {
			req := request("look twice")
			a, err := p.Answer(t.Context(), req, nil)
			if err != nil || len(a.Calls) != 2 || a.Finish != model.FinishCalls {
				t.Fatalf("%+v, %v", a, err)
			}
			m, res := model.Message{Role: model.Assistant, Text: a.Text}, model.Message{Role: model.Tool}
			for i, want := range []string{`"{\"q\":\"a \\\"quoted\\\" word\"}"`, `"{\"q\":\"another, longer text\"}"`} {
				if a.Calls[i].Name != "grep" || string(a.Calls[i].Args) != want || a.Calls[i].ProviderID == "" {
					t.Errorf("call %d: %+v %s", i, a.Calls[i], a.Calls[i].Args)
				}
				m.Calls = append(m.Calls, model.Call{Key: modeltest.CallKey(i), Name: "grep", Args: `{"q":"x"}`})
				res.Results = append(res.Results, model.Result{Key: modeltest.CallKey(i), Name: "grep", Text: "found"})
			}
			req.Messages = append(req.Messages, m, res)
			if a, err = p.Answer(t.Context(), req, nil); err != nil || a.Text != "Both were there." {
				t.Errorf("%+v, %v", a, err)
			}
		})
		for _, row := range []struct {
			name  string
			class model.Class
			code  string
			wait  time.Duration
		}{
			{"too often", model.ClassRate, "model.rate_limited", 7 * time.Second},
			{"too busy", model.ClassOverload, "model.overloaded", 0},
			{"babble", model.ClassTransient, "model.invalid_upstream", 0},
			{"break off", model.ClassTransient, "model.stream_incomplete", 0},
		} {
			if row.name == "break off" && !stream { // only streams are cut by it
				continue
			}
			t.Run(name+" "+row.name, func(t *testing.T) {
				a, err := p.Answer(t.Context(), request(row.name), nil)
				var e *model.Error
				if !errors.As(err, &e) || e.Class != row.class || e.Code != row.code || e.RetryAfter != row.wait {
					t.Errorf("%+v, %v", a, err)
				}
			})
		}
	}
	bodies := modeltest.AimockJournal(t, base)
	if len(bodies) != 13 {
		t.Errorf("%d requests in the journal, want 13", len(bodies))
	}
	for i, b := range bodies {
		if faults := modeltest.ValidateChat(b); faults != nil {
			t.Errorf("request %d: %v\n%s", i, faults, b)
		}
		if !strings.Contains(string(b), `"messages"`) {
			t.Errorf("request %d has no messages", i)
		}
	}
}

// transport gives one that ends with the test.
func transport(t *testing.T) *http.Transport {
	tr := new(http.Transport)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}
