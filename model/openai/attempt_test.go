package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	modeltest.Misconfigured(t, func(o openai.Options) error { _, err := openai.New(o); return err }, []modeltest.Misconfiguration[openai.Options]{
		{Name: "no URL", Options: openai.Options{BaseURL: "localhost:1"}, Says: "no http"},
		{Name: "another scheme", Options: openai.Options{BaseURL: "ftp://a/v1"}, Says: "no http"},
		{Name: "the whole address", Options: openai.Options{BaseURL: "https://a/v1/chat/completions/"}, Says: "leave that out"},
		{Name: "credentials in the URL", Options: openai.Options{BaseURL: "https://u:p@a/v1"}, Says: "credentials"},
		{Name: "auth of nobody", Options: openai.Options{Auth: "basic"}, Says: "bearer, header:<name> or none"},
		{Name: "auth without a name", Options: openai.Options{Auth: "header:"}, Says: "bearer, header:<name> or none"},
		{Name: "line break in the key", Options: openai.Options{APIKey: "a\nb"}, Says: "line break"},
		{Name: "header that is none", Options: openai.Options{Headers: map[string]string{"a b": "c"}}, Says: "not legal"},
		{Name: "header with a line break", Options: openai.Options{Headers: map[string]string{"a": "c\r\nd"}}, Says: "not legal"},
		{Name: "tokens field", Options: openai.Options{Quirks: openai.Quirks{MaxTokensField: "n"}}, Says: "max_tokens_field"},
		{Name: "system role", Options: openai.Options{Quirks: openai.Quirks{SystemRole: "n"}}, Says: "system_role"},
		{Name: "reasoning field", Options: openai.Options{Quirks: openai.Quirks{ReasoningField: "n"}}, Says: "reasoning_field"},
	})
	if c := provider(t, openai.Options{}).Capabilities("x"); c.Provider != "openai" || c.MaxTools != 128 || c.Window != 0 {
		t.Errorf("%+v", c)
	}
}

// TestFaults asks servers that refuse: one request each, the class and the wait.
func TestFaults(t *testing.T) {
	t.Parallel()
	modeltest.Refusals(t, "/v1", func(t testing.TB, base string) model.Provider {
		return provider(t, openai.Options{BaseURL: base, APIKey: modeltest.SecretKey, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
	}, question, []modeltest.Refusal{
		{Name: "limits-8 400", Status: 400, Body: `{"error":{"message":"bad history"}}`, Class: model.ClassPermanent, Code: "model.http_400", Detail: "bad history"},
		{Name: "limits-8 401 does not tell the key", Status: 401, Body: `{"error":{"message":"Incorrect API key provided: sk-secret-1"}}`, Class: model.ClassAuth, Code: "model.auth", Detail: "provided: «key»"},
		{Name: "limits-8 403", Status: 403, Class: model.ClassAuth, Code: "model.auth"},
		{Name: "limits-8 404", Status: 404, Body: `page not found`, Class: model.ClassPermanent, Code: "model.http_404", Detail: "/v1/chat/completions; base_url is the address with its version part, such as /v1"},
		{Name: "a model that is not there", Status: 404, Body: `{"error":{"message":"no such model","code":"model_not_found"}}`, Class: model.ClassPermanent, Code: "model.unknown_model", Detail: "no such model; asked http://127.0.0.1:"},
		{Name: "limits-8 408", Status: 408, Class: model.ClassTransient, Code: "model.http_408"},
		{Name: "limits-8 409", Status: 409, Class: model.ClassPermanent, Code: "model.http_409"},
		{Name: "limits-8 422", Status: 422, Class: model.ClassPermanent, Code: "model.http_422"},
		{Name: "limits-8 429", Status: 429, Header: "Retry-After: 20", Class: model.ClassRate, Code: "model.rate_limited", Wait: 20 * time.Second},
		{Name: "limits-8 429 until a date", Status: 429, Header: "Retry-After: Fri, 02 Jan 2026 03:04:35 GMT", Class: model.ClassRate, Code: "model.rate_limited", Wait: 30 * time.Second},
		{Name: "limits-8 500", Status: 500, Class: model.ClassTransient, Code: "model.http_500"},
		{Name: "limits-8 503", Status: 503, Header: "Retry-After: 1", Class: model.ClassOverload, Code: "model.overloaded", Wait: time.Second},
		{Name: "limits-8 529", Status: 529, Class: model.ClassOverload, Code: "model.overloaded"},
		{Name: "redirect", Status: 307, Header: "Location: https://elsewhere.example/v1", Class: model.ClassPermanent, Code: "model.redirect_refused", Detail: "elsewhere.example"},
		{Name: "redirect that would become a GET", Status: 302, Header: "Location: /v2", Class: model.ClassPermanent, Code: "model.redirect_refused", Detail: "127.0.0.1"},
		{Name: "success that is none", Status: 204, Class: model.ClassPermanent, Code: "model.http_204"},
	})
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	modeltest.Refused(t, "/v1", unlocked, question, "/chat/completions")
}

// stages are servers that hang: before they accept, before headers, in the stream, in an
// error body. They tell when they hang.
func stages(t *testing.T) []struct {
	name string
	base string
	hang <-chan struct{}
} {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts by its backlog, never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	now := make(chan struct{})
	close(now)
	server := func(head func(w http.ResponseWriter)) (string, <-chan struct{}) {
		hang := make(chan struct{}, 1)
		return modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
			modeltest.Drop(r)
			head(w)
			hang <- struct{}{}
			<-r.Context().Done()
		}), hang
	}
	type stage = struct {
		name string
		base string
		hang <-chan struct{}
	}
	all := []stage{{"connect and silence", "http://" + silent.Addr().String(), now}}
	base, hang := server(func(http.ResponseWriter) {})
	all = append(all, stage{"before headers", base, hang})
	base, hang = server(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		w.(http.Flusher).Flush()
	})
	all = append(all, stage{"in the stream", base, hang})
	base, hang = server(func(w http.ResponseWriter) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "half an ")
		w.(http.Flusher).Flush()
	})
	return append(all, stage{"in an error body", base, hang})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, row := range stages(t) {
		t.Run("limits-8 cancelled "+row.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, openai.Options{BaseURL: row.base})
			ctx, cancel := context.WithCancel(t.Context())
			type end struct {
				err error
				at  time.Time
			}
			ended := make(chan end, 1)
			go func() {
				_, err := p.Answer(ctx, question(), nil)
				ended <- end{err, time.Now()}
			}()
			<-row.hang
			at := time.Now()
			cancel()
			got := <-ended
			var e *model.Error
			if !errors.As(got.err, &e) || e.Class != model.ClassCancelled || !errors.Is(got.err, context.Canceled) {
				t.Errorf("error %v", got.err)
			}
			if d := got.at.Sub(at); d > 5*time.Second { // the aim is 100 ms; a busy machine gets more
				t.Errorf("took %s", d)
			}
		})
	}
}

func TestCancelledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := provider(t, openai.Options{BaseURL: "http://127.0.0.1:1"}).Answer(ctx, question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassCancelled {
		t.Errorf("error %v", err)
	}
}

func TestTimeLimits(t *testing.T) {
	t.Parallel()
	const short, long = 30 * time.Millisecond, time.Hour
	content := "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
	dripping := func(first, again string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			modeltest.Drop(r)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
			w.(http.Flusher).Flush()
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
					_, _ = io.WriteString(w, again)
					w.(http.Flusher).Flush()
				}
			}
		}
	}
	for _, row := range []struct {
		name   string
		serve  http.HandlerFunc
		limits openai.Timeouts
		says   string
	}{
		{"first token, silence", dripping("", ""), openai.Timeouts{FirstToken: short, Between: long, Content: long, Total: long}, "first_token"},
		{"first token, comments only", dripping("", ": ping\n\n"), openai.Timeouts{FirstToken: short, Between: long, Content: long, Total: long}, "first_token"},
		{"between tokens", dripping(content, ""), openai.Timeouts{FirstToken: long, Between: short, Content: long, Total: long}, "between_tokens"},
		{"no content, comments only", dripping(content, ": ping\n\n"), openai.Timeouts{FirstToken: long, Between: long, Content: short, Total: long}, "content"},
		{"total", dripping(content, content), openai.Timeouts{FirstToken: long, Between: long, Content: long, Total: short}, "total"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, openai.Options{BaseURL: modeltest.Serve(t, "/v1", row.serve), Timeouts: row.limits})
			_, err := p.Answer(t.Context(), question(), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassTransient || e.Code != "model.timeout" || !strings.Contains(e.Detail, "limit "+row.says+" of 30ms") || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("connect", func(t *testing.T) {
		t.Parallel()
		c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}}
		t.Cleanup(c.CloseIdleConnections) // ends the dial, which a transport keeps for other requests
		p := provider(t, openai.Options{BaseURL: "http://a.invalid/v1", HTTP: c, Timeouts: openai.Timeouts{Connect: short}})
		_, err := p.Answer(t.Context(), question(), nil)
		if err == nil || !strings.Contains(err.Error(), "limit connect of 30ms") {
			t.Errorf("error %v", err)
		}
	})
}

// TestLargeArguments stands at the bound of all arguments together.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		size int
		code string
	}{
		{"below", 3 << 20, ""},
		{"above", 4<<20 + 1, "model.answer_too_large"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				modeltest.Drop(r)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"a\":\""}}]}}]}`+"\n\n")
				piece := fmt.Sprintf(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%s"}}]}}]}`+"\n\n", strings.Repeat("a", 1<<16))
				for range row.size >> 16 {
					_, _ = io.WriteString(w, piece)
				}
				_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
			})
			a, err := provider(t, openai.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			var e *model.Error
			switch {
			case row.code == "" && (err != nil || len(a.Calls[0].Args) < row.size):
				t.Errorf("%v", err)
			case row.code != "" && (!errors.As(err, &e) || e.Code != row.code || e.Retried()):
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestWarnings tells each kind of deviation once.
func TestWarnings(t *testing.T) {
	t.Parallel()
	base := modeltest.Serve(t, "/v1", modeltest.Play(modeltest.ByteFile(t, "D20_unknown_finish"), "text/event-stream", nil))
	var told []string
	p := provider(t, openai.Options{BaseURL: base, Warn: func(kind, _ string) { told = append(told, kind) }})
	for range 3 {
		if _, err := p.Answer(t.Context(), question(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if fmt.Sprint(told) != "[finish:eos]" {
		t.Errorf("told %v", told)
	}
}

// TestConnectionIsUsedAgain wants one connection for many complete streams.
func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	addrs := make(map[string]bool)
	content := modeltest.ByteFile(t, "good_text")
	base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
		addrs[r.RemoteAddr] = true
		modeltest.Play(content, "text/event-stream", nil)(w, r)
	})
	p := provider(t, openai.Options{BaseURL: base})
	for range 5 {
		if _, err := p.Answer(t.Context(), question(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(addrs) != 1 {
		t.Errorf("%d connections", len(addrs))
	}
}
