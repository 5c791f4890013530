package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		opt  openai.Options
		says string
	}{
		{"no URL", openai.Options{BaseURL: "localhost:1"}, "no http"},
		{"another scheme", openai.Options{BaseURL: "ftp://a/v1"}, "no http"},
		{"the whole address", openai.Options{BaseURL: "https://a/v1/chat/completions/"}, "leave that out"},
		{"credentials in the URL", openai.Options{BaseURL: "https://u:p@a/v1"}, "credentials"},
		{"auth of nobody", openai.Options{Auth: "basic"}, "bearer, header:<name> or none"},
		{"auth without a name", openai.Options{Auth: "header:"}, "bearer, header:<name> or none"},
		{"line break in the key", openai.Options{APIKey: "a\nb"}, "line break"},
		{"header that is none", openai.Options{Headers: map[string]string{"a b": "c"}}, "not legal"},
		{"header with a line break", openai.Options{Headers: map[string]string{"a": "c\r\nd"}}, "not legal"},
		{"tokens field", openai.Options{Quirks: openai.Quirks{MaxTokensField: "n"}}, "max_tokens_field"},
		{"system role", openai.Options{Quirks: openai.Quirks{SystemRole: "n"}}, "system_role"},
		{"reasoning field", openai.Options{Quirks: openai.Quirks{ReasoningField: "n"}}, "reasoning_field"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(row.opt)
			if fault.Code(err) != "model.config_invalid" || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
	if c := provider(t, openai.Options{}).Capabilities("x"); c.Provider != "openai" || c.MaxTools != 128 || c.Window != 0 {
		t.Errorf("%+v", c)
	}
}

// TestFaults asks servers that refuse: one request each, the class and the wait.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		header string // "name: value"
		body   string
		class  model.Class
		code   string
		wait   time.Duration
		detail string
	}{
		{"limits-8 400", 400, "", `{"error":{"message":"bad history"}}`, model.ClassPermanent, "model.http_400", 0, "bad history"},
		{"limits-8 401 does not tell the key", 401, "", `{"error":{"message":"Incorrect API key provided: sk-secret-1"}}`, model.ClassAuth, "model.auth", 0, "provided: «key»"},
		{"limits-8 403", 403, "", ``, model.ClassAuth, "model.auth", 0, ""},
		{"limits-8 404", 404, "", `page not found`, model.ClassPermanent, "model.http_404", 0, "/v1/chat/completions; base_url is the address with its version part, such as /v1"},
		{"a model that is not there", 404, "", `{"error":{"message":"no such model","code":"model_not_found"}}`, model.ClassPermanent, "model.unknown_model", 0, "no such model; asked http://127.0.0.1:"},
		{"limits-8 408", 408, "", ``, model.ClassTransient, "model.http_408", 0, ""},
		{"limits-8 409", 409, "", ``, model.ClassPermanent, "model.http_409", 0, ""},
		{"limits-8 422", 422, "", ``, model.ClassPermanent, "model.http_422", 0, ""},
		{"limits-8 429", 429, "Retry-After: 20", ``, model.ClassRate, "model.rate_limited", 20 * time.Second, ""},
		{"limits-8 429 until a date", 429, "Retry-After: Fri, 02 Jan 2026 03:04:35 GMT", ``, model.ClassRate, "model.rate_limited", 30 * time.Second, ""},
		{"limits-8 500", 500, "", ``, model.ClassTransient, "model.http_500", 0, ""},
		{"limits-8 503", 503, "Retry-After: 1", ``, model.ClassOverload, "model.overloaded", time.Second, ""},
		{"limits-8 529", 529, "", ``, model.ClassOverload, "model.overloaded", 0, ""},
		{"redirect", 307, "Location: https://elsewhere.example/v1", ``, model.ClassPermanent, "model.redirect_refused", 0, "elsewhere.example"},
		{"redirect that would become a GET", 302, "Location: /v2", ``, model.ClassPermanent, "model.redirect_refused", 0, "127.0.0.1"},
		{"success that is none", 204, "", ``, model.ClassPermanent, "model.http_204", 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				drop(r)
				if name, value, ok := strings.Cut(row.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			})
			p := provider(t, openai.Options{BaseURL: base + "?key=private", APIKey: "sk-secret-1", Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
			_, err := p.Answer(t.Context(), question(), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != row.class || e.Code != row.code || e.RetryAfter != row.wait || !strings.Contains(e.Detail, row.detail) {
				t.Errorf("%+v", err)
			}
			if strings.Contains(err.Error(), "sk-secret-1") || strings.Contains(err.Error(), "private") {
				t.Errorf("the key is told: %v", err)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	p := provider(t, openai.Options{BaseURL: "http://" + addr + "/v1?key=private"})
	_, err = p.Answer(t.Context(), question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassTransient || e.Code != "model.connection" || !strings.Contains(e.Detail, "http://"+addr+"/v1/chat/completions") || !strings.Contains(e.Detail, "start the server, or check base_url") || strings.Contains(e.Detail, "private") {
		t.Errorf("limits-8 connection refused: %v", err)
	}
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
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			drop(r)
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
			drop(r)
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
			p := provider(t, openai.Options{BaseURL: serve(t, row.serve), Timeouts: row.limits})
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
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				drop(r)
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
	base := serve(t, replayer{bytes: read(t, "D20_unknown_finish"), label: "text/event-stream"}.ServeHTTP)
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
	content := read(t, "good_text")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		addrs[r.RemoteAddr] = true
		replayer{bytes: content, label: "text/event-stream"}.ServeHTTP(w, r)
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
