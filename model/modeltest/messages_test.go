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
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

type messagesBundle struct {
	server *modeltest.MessagesServer
	base   string
	p      *anthropic.Provider
	req    *model.Request
}

func setupMessages(t *testing.T, stream bool) *messagesBundle {
	t.Helper()
	s, err := scripted.Load([]byte(script), "s")
	if err != nil {
		t.Fatal(err)
	}
	b := &messagesBundle{server: modeltest.Messages(s, scripted.Options{})}
	web := httptest.NewServer(b.server)
	t.Cleanup(web.Close)
	b.base = web.URL + "/v1"
	if b.p, err = anthropic.New(anthropic.Options{BaseURL: b.base, Stream: &stream}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.p.Close)
	b.req = &model.Request{Model: "lead", Messages: []model.Message{{Role: model.User, Text: "it"}},
		Tools: []model.ToolDef{{ID: "grep", Name: "grep", Schema: json.RawMessage(`{"type":"object"}`)}}}
	return b
}

func (b *messagesBundle) ask(t *testing.T) (*model.Answer, []string) {
	t.Helper()
	var codes []string
	for range 5 {
		a, err := b.p.Answer(t.Context(), b.req, nil)
		if err == nil {
			return a, codes
		}
		var e *model.Error
		if !errors.As(err, &e) || !e.Retried() {
			t.Fatal(err)
		}
		codes = append(codes, fmt.Sprint(e.Code, " ", e.RetryAfter))
	}
	t.Fatalf("no answer after %v", codes)
	return nil, nil
}

// TestMessagesServerDrivesTheAdapter plays a script over the wire, streamed and not. The
// thinking of the first answer has to come back with every later request.
func TestMessagesServerDrivesTheAdapter(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("stream %v", stream), func(t *testing.T) {
			t.Parallel()
			b := setupMessages(t, stream)
			a, codes := b.ask(t)
			want := []string{`"{\"q\":\"ä \\\"b\\\"\"}"`, `"{\"n\":3}"`, `"{\"cut\":"`}
			if !stream {
				want[0], want[1] = `{"q":"ä \"b\""}`, `{"n":3}`
			}
			if a.Text != "I look for it." || a.Reasoning != "where may it be" || len(a.Calls) != 3 || len(a.Native) != 1 || a.Finish != model.FinishCalls || codes != nil {
				t.Fatalf("%+v %v", a, codes)
			}
			m, res := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native, Turn: 1}, model.Message{Role: model.Tool, Turn: 1}
			for i, c := range a.Calls {
				if c.Name != "grep" || string(c.Args) != want[i] {
					t.Errorf("call %d: %s", i, c.Args)
				}
				key := fmt.Sprintf("%024d", i)
				m.Calls = append(m.Calls, model.Call{Key: key, Name: c.Name, Args: "{}"})
				res.Results = append(res.Results, model.Result{Key: key, Name: c.Name, Text: `{"n":4,"a":"hit","b":"hit"}`})
			}
			b.req.Messages = append(b.req.Messages, m, res)
			for _, turn := range []struct {
				text, codes string
				finish      model.Finish
			}{
				{"2 and 4", "[model.rate_limited 2s model.rate_limited 2s]", model.FinishStop},
				{"this is cut at first", "[model.stream_incomplete 0s]", model.FinishStop},
				{"broken in the stream", "[model.overloaded 0s]", model.FinishStop},
				{"too much", "[]", model.FinishLength},
			} {
				a, codes := b.ask(t)
				got := fmt.Sprint(codes)
				if !stream { // without a stream there is no half of one
					got = strings.Replace(got, "model.connection", "model.stream_incomplete", 1)
				}
				if a.Text != turn.text || got != turn.codes || a.Finish != turn.finish {
					t.Fatalf("%+v %v, want %+v", a, codes, turn)
				}
				if turn.text == "broken in the stream" && (*a.Usage.Input != 5 || *a.Usage.Output != 6) {
					t.Errorf("usage %+v", a.Usage)
				}
				b.req.Messages = append(b.req.Messages, model.Message{Role: model.Assistant, Text: a.Text, Turn: len(b.req.Messages)}, model.Message{Role: model.Host, Text: "go on"})
			}
			_, err := b.p.Answer(t.Context(), b.req, nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassPermanent || !strings.Contains(e.Detail, "script_unmatched") {
				t.Errorf("after the end: %v", err)
			}
			for i, body := range b.server.Requests() {
				if faults := modeltest.ValidateMessages(body); faults != nil {
					t.Errorf("request %d: %v", i, faults)
				}
			}
		})
	}
}

func TestMessagesServerRefuses(t *testing.T) {
	t.Parallel()
	b := setupMessages(t, true)
	client := &http.Client{Transport: new(http.Transport), Timeout: time.Minute}
	t.Cleanup(client.CloseIdleConnections)
	changed := strings.Replace(goodMessages, `"thinking":""`, `"thinking":"other"`, 1)
	for _, row := range []struct {
		name, path, version, body string
		status                    int
		says                      string
	}{
		{"another path", "/models", anthropic.Version, `{}`, 404, "/messages is served"},
		{"no version", "/messages", "", goodMessages, 400, "anthropic-version"},
		{"a bad request", "/messages", anthropic.Version, `{"model":"lead","max_tokens":1,"messages":[]}`, 400, "order.empty at messages"},
		{"thinking that was changed", "/messages", anthropic.Version, changed, 400, "messages[1]: thinking was changed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+row.path, strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Anthropic-Version", row.version)
			resp, err := client.Do(req)
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
