package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const aimockFixture = `{"fixtures": [
  {"match": {"userMessage": "say hello"}, "response": {"content": "Hello, wörld, this is a longer text 🐝.", "reasoning": "A greeting, then."}},
  {"match": {"userMessage": "look twice", "hasToolResult": false}, "response": {"content": "I look.", "toolCalls": [
    {"name": "grep", "arguments": "{\"q\":\"a \\\"quoted\\\" word\"}"}, {"name": "grep", "arguments": "{\"q\":\"another, longer text\"}"}]}},
  {"match": {"userMessage": "look twice", "hasToolResult": true}, "response": {"content": "Both were there."}},
  {"match": {"userMessage": "too often"}, "response": {"error": {"message": "Rate limit reached", "type": "RESOURCE_EXHAUSTED"}, "status": 429, "retryAfter": 7}},
  {"match": {"userMessage": "too busy"}, "response": {"error": {"message": "Overloaded", "type": "UNAVAILABLE"}, "status": 503}},
  {"match": {"userMessage": "break off"}, "response": {"content": "This text is long enough for several chunks of a stream."}, "truncateAfterChunks": 3, "latency": 10},
  {"match": {"userMessage": "babble"}, "response": {"content": "x"}, "chaos": {"malformedRate": 1}}
]}`

// keeper keeps the body of each request on its way: the mock's own journal has them only in
// the form of another service.
type keeper struct {
	next   http.RoundTripper
	mu     sync.Mutex
	bodies [][]byte
}

func (k *keeper) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	k.bodies = append(k.bodies, b)
	k.mu.Unlock()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(b))
	return k.next.RoundTrip(r)
}

func TestAimock(t *testing.T) {
	t.Parallel()
	base := strings.TrimSuffix(modeltest.StartAimock(t, aimockFixture), "/v1")
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	kept := &keeper{next: transport}
	for _, stream := range []bool{true, false} {
		name := "whole"
		if stream {
			name = "streamed"
		}
		p := provider(t, gemini.Options{BaseURL: base + "/v1beta", APIKey: "test", Stream: &stream, Quirks: gemini.Quirks{OpenAPISchema: stream},
			HTTP: &http.Client{Transport: kept}, Timeouts: gemini.Timeouts{Total: time.Minute}})
		request := func(text string) *model.Request {
			req := history()
			req.Messages = []model.Message{{Role: model.User, Text: text}}
			return req
		}
		t.Run(name+" text", func(t *testing.T) {
			a, err := p.Answer(t.Context(), request("say hello"), nil)
			if err != nil || a.Text != "Hello, wörld, this is a longer text 🐝." || a.Finish != model.FinishStop || a.Usage.Output == nil {
				t.Errorf("%+v, %v", a, err)
			}
		})
		t.Run(name+" parallel calls", func(t *testing.T) {
			req := request("look twice")
			a, err := p.Answer(t.Context(), req, nil)
			if err != nil || len(a.Calls) != 2 || a.Finish != "unknown:FUNCTION_CALL" || a.Text != "I look." {
				t.Fatalf("%+v, %v", a, err)
			}
			m, res := message(a, 1), model.Message{Role: model.Tool}
			for i, want := range []string{`{"q":"a \"quoted\" word"}`, `{"q":"another, longer text"}`} {
				if a.Calls[i].Name != "grep" || string(a.Calls[i].Args) != want {
					t.Errorf("call %d: %+v %s", i, a.Calls[i], a.Calls[i].Args)
				}
				res.Results = append(res.Results, model.Result{Key: m.Calls[i].Key, Name: "grep", Text: "found"})
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
	for i, b := range kept.bodies {
		if faults := modeltest.ValidateGenerate(b); faults != nil {
			t.Errorf("request %d: %v\n%s", i, faults, b)
		}
	}
	understood := aimockRequests(t, base)
	if len(kept.bodies) != 13 || len(understood) != 13 {
		t.Fatalf("%d requests were sent, %d are in the journal, want 13", len(kept.bodies), len(understood))
	}
	for i, roles := range understood {
		want := "system user"
		if bytes.Contains(kept.bodies[i], []byte("functionResponse")) {
			want = "system user assistant tool tool"
		}
		if roles != want {
			t.Errorf("request %d was understood as %q, want %q", i, roles, want)
		}
	}
}

// aimockRequests gives the roles of each request as the mock has understood it.
func aimockRequests(t *testing.T, base string) []string {
	t.Helper()
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	resp, err := client.Get(base + "/__aimock/journal")
	if err != nil {
		t.Fatalf("read aimock's journal: %v", err)
	}
	defer resp.Body.Close()
	var entries []struct {
		Path string
		Body struct{ Messages []struct{ Role string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&entries); err != nil {
		t.Fatalf("read aimock's journal: %v", err)
	}
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Path, "/v1beta/models/gemini-x:") {
			continue
		}
		var roles []string
		for _, m := range e.Body.Messages {
			roles = append(roles, m.Role)
		}
		out = append(out, strings.Join(roles, " "))
	}
	return out
}
