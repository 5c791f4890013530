package anthropic_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const aimockFixture = `{"fixtures": [
  {"match": {"userMessage": "say hello"}, "response": {"content": "Hello, wörld, this is a longer text 🐝."}},
  {"match": {"userMessage": "look twice", "hasToolResult": false}, "response": {"content": "I look.", "reasoning": "Where may it be?", "reasoningSignature": "c2ln", "redactedThinking": ["ZGF0YQ=="], "toolCalls": [
    {"name": "grep", "arguments": "{\"q\":\"a \\\"quoted\\\" word\"}"}, {"name": "grep", "arguments": "{\"q\":\"another, longer text\"}"}]}},
  {"match": {"userMessage": "look twice", "hasToolResult": true}, "response": {"content": "Both were there."}},
  {"match": {"userMessage": "too often"}, "response": {"error": {"message": "Rate limit reached", "type": "rate_limit_error"}, "status": 429, "retryAfter": 7}},
  {"match": {"userMessage": "too busy"}, "response": {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}},
  {"match": {"userMessage": "break off"}, "response": {"content": "This text is long enough for several chunks of a stream."}, "truncateAfterChunks": 3, "latency": 10},
  {"match": {"userMessage": "babble"}, "response": {"content": "x"}, "chaos": {"malformedRate": 1}}
]}`

// TestAimock drives a mock server that others wrote, with a budget for thinking, which it
// demands back. Its journal holds each request as a chat completion, into which it turns
// them: that form is checked too, beside the bytes that were sent.
func TestAimock(t *testing.T) {
	t.Parallel()
	base := modeltest.StartAimock(t, aimockFixture)
	sent := &recorder{next: transport(t)}
	for _, stream := range []bool{true, false} {
		name := "whole"
		if stream {
			name = "streamed"
		}
		p := provider(t, anthropic.Options{BaseURL: base, APIKey: "test-key-1", Stream: &stream, Reasoning: "tokens:1024",
			HTTP: &http.Client{Transport: sent}, Timeouts: anthropic.Timeouts{Total: time.Minute}})
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
			if err != nil || len(a.Calls) != 2 || a.Finish != model.FinishCalls || a.Text != "I look." || a.Reasoning != "Where may it be?" || len(a.Native) != 2 {
				t.Fatalf("%+v, %v", a, err)
			}
			for i, want := range []string{`{"q":"a \"quoted\" word"}`, `{"q":"another, longer text"}`} {
				if stream {
					want = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(want) + `"`
				}
				if a.Calls[i].Name != "grep" || string(a.Calls[i].Args) != want || a.Calls[i].ProviderID == "" {
					t.Errorf("call %d: %+v %s", i, a.Calls[i], a.Calls[i].Args)
				}
			}
			answered := said(a, func(*model.Message) {})
			req.Messages = append(req.Messages, answered.Messages[1:]...)
			if a, err = p.Answer(t.Context(), req, nil); err != nil || a.Text != "Both were there." {
				t.Errorf("%+v, %v", a, err)
			}
			req.Messages[1].Native = nil
			_, err = p.Answer(t.Context(), req, nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassPermanent || e.Code != "model.native_metadata_lost" || !strings.Contains(e.Detail, "thinking of turn 1,") {
				t.Errorf("without its thinking: %v", err)
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
	if len(sent.bodies) != 15 {
		t.Errorf("%d requests, want 15", len(sent.bodies))
	}
	lost := 0
	for i, b := range sent.bodies {
		faults := modeltest.ValidateMessages(b)
		if len(faults) == 1 && faults[0].Rule == "native.missing" { // the one without its thinking
			lost++
			continue
		}
		if faults != nil {
			t.Errorf("request %d: %v\n%s", i, faults, b)
		}
	}
	if lost != 2 {
		t.Errorf("%d requests without their thinking, want 2", lost)
	}
	seen := modeltest.AimockJournal(t, base)
	if len(seen) != len(sent.bodies) {
		t.Errorf("%d requests in the journal, %d were sent", len(seen), len(sent.bodies))
	}
	refused := 0
	for i, b := range seen {
		if string(b) == "null" { // the server keeps no body that it refuses
			refused++
		} else if faults := modeltest.ValidateChat(b); faults != nil {
			t.Errorf("request %d as the server read it: %v\n%s", i, faults, b)
		}
	}
	if refused != lost {
		t.Errorf("%d requests were refused, want %d", refused, lost)
	}
}

// recorder keeps the bodies of requests, one after another.
type recorder struct {
	next   http.RoundTripper
	bodies [][]byte
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.bodies = append(r.bodies, b)
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(b))
	return r.next.RoundTrip(again)
}

// transport gives one that ends with the test.
func transport(t *testing.T) *http.Transport {
	tr := new(http.Transport)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}
