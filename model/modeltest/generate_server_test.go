package modeltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// generateBundle is a run of the script over the generateContent form.
type generateBundle struct {
	server *modeltest.GenerateServer
	base   string
	p      *gemini.Provider
	req    *model.Request
}

func setupGenerate(t *testing.T, opt gemini.Options) *generateBundle {
	t.Helper()
	s, err := scripted.Load([]byte(script), "s")
	if err != nil {
		t.Fatal(err)
	}
	b := &generateBundle{server: modeltest.Generate(s, scripted.Options{})}
	web := httptest.NewServer(b.server)
	t.Cleanup(web.Close)
	b.base = web.URL + "/v1beta"
	opt.BaseURL = b.base
	if b.p, err = gemini.New(opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.p.Close)
	b.req = &model.Request{Model: "lead", System: "You lead.", ToolsHash: "h", Messages: []model.Message{{Role: model.User, Text: "it"}},
		Tools: []model.ToolDef{{ID: "grep", Name: "grep", Schema: json.RawMessage(`{"type":"object","properties":{"q":{"type":["string","null"]}}}`)}}}
	return b
}

// ask tries until the answer comes, adds it to the history, and gives it with the codes of
// the failures before.
func (b *generateBundle) ask(t *testing.T) (*model.Answer, string) {
	t.Helper()
	var codes []string
	for range 5 {
		a, err := b.p.Answer(t.Context(), b.req, nil)
		if err == nil {
			b.add(a)
			return a, fmt.Sprint(codes)
		}
		var e *model.Error
		if !errors.As(err, &e) || !e.Retried() {
			t.Fatal(err)
		}
		codes = append(codes, fmt.Sprint(e.Code, " ", e.RetryAfter))
	}
	t.Fatalf("no answer after %v", codes)
	return nil, ""
}

// add puts an answer into the history, with results for its calls or a word of the host.
func (b *generateBundle) add(a *model.Answer) {
	m, res := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native}, model.Message{Role: model.Tool}
	for i, c := range a.Calls {
		key := fmt.Sprintf("%012d%012d", len(b.req.Messages), i)
		m.Calls = append(m.Calls, model.Call{Key: key, Name: c.Name, Args: "{}"})
		res.Results = append(res.Results, model.Result{Key: key, Name: c.Name, Text: `{"n":4,"a":"hit","b":"hit"}`, IsError: i == 2})
	}
	b.req.Messages = append(b.req.Messages, m)
	if res.Results != nil {
		b.req.Messages = append(b.req.Messages, res)
	}
	b.req.Messages = append(b.req.Messages, model.Message{Role: model.Host, Text: "go on"})
}

// TestGenerateServerDrivesTheAdapter plays a script over the wire, streamed and not.
func TestGenerateServerDrivesTheAdapter(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		for _, subset := range []bool{false, true} {
			t.Run(fmt.Sprintf("stream %v, subset of schemas %v", stream, subset), func(t *testing.T) {
				t.Parallel()
				b := setupGenerate(t, gemini.Options{Stream: &stream, Reasoning: "low", Quirks: gemini.Quirks{OpenAPISchema: subset}})
				a, codes := b.ask(t)
				want := []string{`{"q":"ä \"b\""}`, `{"n":3}`, `"{\"cut\":"`}
				if a.Text != "I look for it." || a.Reasoning != "where may it be" || len(a.Calls) != 3 || a.Finish != model.FinishCalls || len(a.Native) != 1 || codes != "[]" {
					t.Fatalf("%+v %v", a, codes)
				}
				for i, c := range a.Calls {
					if c.Name != "grep" || string(c.Args) != want[i] {
						t.Errorf("call %d: %s", i, c.Args)
					}
				}
				for _, turn := range []struct {
					text   string
					codes  string
					finish model.Finish
				}{
					{"2 and 4", "[model.rate_limited 2s model.rate_limited 2s]", model.FinishStop},
					{"this is cut at first", "[model.stream_incomplete 0s]", model.FinishStop},
					{"broken in the stream", "[model.overloaded 0s]", model.FinishStop},
					{"too much", "[]", model.FinishLength},
				} {
					a, codes := b.ask(t)
					if !stream { // without a stream there is no half of one
						codes = strings.Replace(codes, "model.connection", "model.stream_incomplete", 1)
					}
					if a.Text != turn.text || codes != turn.codes || a.Finish != turn.finish || len(a.Native) != 1 {
						t.Fatalf("%+v %v, want %+v", a, codes, turn)
					}
					if turn.text == "broken in the stream" && (*a.Usage.Input != 5 || *a.Usage.Output != 6) {
						t.Errorf("usage %+v", a.Usage)
					}
				}
				_, err := b.p.Answer(t.Context(), b.req, nil)
				var e *model.Error
				if !errors.As(err, &e) || e.Class != model.ClassPermanent || !strings.Contains(e.Detail, "script_unmatched") {
					t.Errorf("after the end: %v", err)
				}
				for i, body := range b.server.Requests() {
					if faults := modeltest.ValidateGenerate(body); faults != nil {
						t.Errorf("request %d: %v", i, faults)
					}
				}
			})
		}
	}
}

func TestGenerateServerRefuses(t *testing.T) {
	t.Parallel()
	b := setupGenerate(t, gemini.Options{})
	client := &http.Client{Transport: new(http.Transport), Timeout: time.Minute}
	t.Cleanup(client.CloseIdleConnections)
	const call = `{"contents":[{"role":"user","parts":[{"text":"it"}]},{"role":"model","parts":[{"functionCall":{"name":"grep","args":{}},"thoughtSignature":"SIGNATURE"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":"{\"n\":4}"}}}]}]}`
	for _, row := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"another path", "/models/lead:countTokens", `{}`, 404, "generateContent"},
		{"a stream of another form", "/models/lead:streamGenerateContent", `{}`, 404, "alt=sse"},
		{"a bad request", "/models/lead:generateContent", `{"contents":[]}`, 400, "order.empty at contents"},
		{"a signature of nobody", "/models/lead:generateContent", strings.Replace(call, "SIGNATURE", "YWJj", 1), 400, "is not of this answer"},
		{"the placeholder", "/models/lead:generateContent", strings.Replace(call, "SIGNATURE", "skip_thought_signature_validator", 1), 429, "RESOURCE_EXHAUSTED"},
	} {
		t.Run(row.name, func(t *testing.T) {
			resp, err := client.Post(b.base+row.path, "application/json", strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != row.status || !strings.Contains(string(text), row.says) {
				t.Errorf("%d %s", resp.StatusCode, text)
			}
		})
	}
}
