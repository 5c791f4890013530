package gemini_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		opt  gemini.Options
		says string
	}{
		{"no URL", gemini.Options{BaseURL: "localhost:1"}, "no http"},
		{"the address of the models", gemini.Options{BaseURL: "https://a/v1beta/models/"}, "leave that out"},
		{"auth of nobody", gemini.Options{Auth: "basic"}, "bearer, header:<name> or none"},
		{"line break in the key", gemini.Options{APIKey: "a\nb"}, "line break"},
		{"output limit below nothing", gemini.Options{MaxOutput: -1}, "max_output"},
		{"reasoning of nobody", gemini.Options{Reasoning: "much"}, "off, low, medium, high or tokens:<n>"},
		{"reasoning of a number", gemini.Options{Reasoning: "500"}, "tokens:<n>"},
		{"reasoning below nothing", gemini.Options{Reasoning: "tokens:-1"}, "tokens:<n>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := gemini.New(row.opt)
			if fault.Code(err) != "model.config_invalid" || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
	if c := provider(t, gemini.Options{}).Capabilities("x"); c.Provider != "gemini" || c.Window != 0 {
		t.Errorf("%+v", c)
	}
}

// TestRefusedBeforeSent asks what must not be asked: no request goes out.
func TestRefusedBeforeSent(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, gemini.Options{BaseURL: base})
	for _, row := range []struct {
		name   string
		change func(*model.Request)
		says   string
	}{
		{"no model", func(r *model.Request) { r.Model = "" }, `model's name ""`},
		{"a model with a query", func(r *model.Request) { r.Model = "a?b" }, "cannot stand in an address"},
		{"a model above the others", func(r *model.Request) { r.Model = "../a" }, "cannot stand in an address"},
		{"a tool whose name begins with a digit", func(r *model.Request) { tools("")(r); r.ToolsHash = ""; r.Tools[0].Name = "3d" }, "name.illegal at tools[0]"},
		{"a tool with a dot in its name", func(r *model.Request) { tools("")(r); r.ToolsHash = ""; r.Tools[1].Name = "workspace.finish" }, "name.illegal at tools[1]"},
		{"no messages", func(r *model.Request) { r.Messages = nil }, "order.empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := question()
			row.change(req)
			_, err := p.Answer(t.Context(), req, nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassPermanent || e.Code != "model.request_invalid" || !strings.Contains(e.Detail, row.says) || len(got) != 0 {
				t.Errorf("%d requests, error %v", len(got), err)
			}
		})
	}
}

// TestFaults asks servers that refuse: one request each, the class and the wait.
func TestFaults(t *testing.T) {
	t.Parallel()
	said := func(code, status, message, details string) string {
		if details != "" {
			details = `,"details":[` + details + `]`
		}
		return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `"` + details + `}}`
	}
	const (
		retry  = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37.5s"}`
		reason = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`
	)
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
		{"limits-8 400", 400, "", said("400", "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn", ""), model.ClassPermanent, "model.http_400", 0, "INVALID_ARGUMENT"},
		{"limits-8 400 for a field", 400, "", said("400", "INVALID_ARGUMENT", `Invalid JSON payload received. Unknown name \"id\"`, ""), model.ClassPermanent, "model.http_400", 0, "Unknown name"},
		{"limits-8 400 for the key", 400, "", said("400", "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", reason), model.ClassAuth, "model.auth", 0, "not valid"},
		{"limits-8 401 does not tell the key", 401, "", said("401", "UNAUTHENTICATED", "the key sk-secret-1 is wrong", ""), model.ClassAuth, "model.auth", 0, "the key «key» is"},
		{"limits-8 403", 403, "", said("403", "PERMISSION_DENIED", "Permission denied", ""), model.ClassAuth, "model.auth", 0, "PERMISSION_DENIED"},
		{"limits-8 404 of a model", 404, "", said("404", "NOT_FOUND", "models/gemini-x is not found for API version v1beta, or is not supported for generateContent.", ""), model.ClassPermanent, "model.unknown_model", 0, "asked http://127.0.0.1:"},
		{"limits-8 404 of a path", 404, "", `<html>Not Found</html>`, model.ClassPermanent, "model.http_404", 0, "/v1beta/models/gemini-x:streamGenerateContent; base_url is the address with its version part"},
		{"limits-8 429", 429, "", said("429", "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", retry), model.ClassRate, "model.rate_limited", 37500 * time.Millisecond, "quota"},
		{"limits-8 429 in a list", 429, "", "[" + said("429", "RESOURCE_EXHAUSTED", "slow", retry) + "]", model.ClassRate, "model.rate_limited", 37500 * time.Millisecond, "slow"},
		{"limits-8 429 with a header", 429, "Retry-After: 3", said("429", "RESOURCE_EXHAUSTED", "slow", retry), model.ClassRate, "model.rate_limited", 3 * time.Second, "slow"},
		{"limits-8 500", 500, "", said("500", "INTERNAL", "An internal error has occurred.", ""), model.ClassTransient, "model.http_500", 0, "INTERNAL"},
		{"limits-8 503", 503, "", said("503", "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), model.ClassOverload, "model.overloaded", 0, "UNAVAILABLE"},
		{"limits-8 504", 504, "", said("504", "DEADLINE_EXCEEDED", "Deadline expired", ""), model.ClassTransient, "model.http_504", 0, "DEADLINE_EXCEEDED"},
		{"an overflow", 400, "", said("400", "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""), model.ClassOverflow, "model.context_overflow", 0, "1048576"},
		{"a signature that is missing", 400, "", said("400", "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.", ""), model.ClassPermanent, "model.native_metadata_lost", 0, "thought_signature"},
		{"redirect", 307, "Location: https://elsewhere.example/v1", ``, model.ClassPermanent, "model.redirect_refused", 0, "elsewhere.example"},
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
			p := provider(t, gemini.Options{BaseURL: base + "?key=private", APIKey: "sk-secret-1"})
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
	_, err = provider(t, gemini.Options{BaseURL: "http://" + addr + "/v1beta"}).Answer(t.Context(), question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassTransient || e.Code != "model.connection" || !strings.Contains(e.Detail, "http://"+addr+"/v1beta/models/gemini-x:streamGenerateContent") {
		t.Errorf("limits-8 connection refused: %v", err)
	}
}

// TestCancel ends an attempt in the middle of a stream.
func TestCancel(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{}, 1)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		drop(r)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n")
		w.(http.Flusher).Flush()
		hang <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	shown := make(chan string, 10)
	ended := make(chan error, 1)
	go func() {
		_, err := provider(t, gemini.Options{BaseURL: base}).Answer(ctx, question(), func(d model.Delta) { shown <- d.Text })
		ended <- err
	}()
	<-hang
	if text := <-shown; text != "a" {
		t.Errorf("shown %q", text)
	}
	cancel()
	err := <-ended
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassCancelled || !errors.Is(err, context.Canceled) || len(shown) != 0 {
		t.Errorf("limits-8 cancelled in the stream: %v", err)
	}
}
