package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		opt  anthropic.Options
		says string
	}{
		{"no URL", anthropic.Options{BaseURL: "localhost:1"}, "no http"},
		{"the whole address", anthropic.Options{BaseURL: "https://a/v1/messages"}, "leave that out"},
		{"credentials in the URL", anthropic.Options{BaseURL: "https://u:p@a/v1"}, "credentials"},
		{"auth of nobody", anthropic.Options{Auth: "basic"}, "bearer, header:<name> or none"},
		{"line break in the key", anthropic.Options{APIKey: "a\nb"}, "line break"},
		{"header that is none", anthropic.Options{Headers: map[string]string{"a b": "c"}}, "not legal"},
		{"cache of nobody", anthropic.Options{Cache: "5m"}, "cache is on, off or 1h"},
		{"reasoning of nobody", anthropic.Options{Reasoning: "deep"}, "off, low, medium, high or tokens:n"},
		{"reasoning of no tokens", anthropic.Options{Reasoning: "tokens:"}, "at least 1024"},
		{"reasoning of few tokens", anthropic.Options{Reasoning: "tokens:1023"}, "at least 1024"},
		{"reasoning of the whole output", anthropic.Options{Reasoning: "tokens:2000", MaxOutput: 2000}, "raise max_output"},
		{"output below nothing", anthropic.Options{MaxOutput: -1}, "number of tokens"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := anthropic.New(row.opt)
			if fault.Code(err) != "model.config_invalid" || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
	if c := provider(t, anthropic.Options{}).Capabilities("x"); c != (model.Capabilities{Provider: "anthropic"}) {
		t.Errorf("%+v", c)
	}
}

// TestFaults asks servers that refuse: one request each, the class and the wait.
func TestFaults(t *testing.T) {
	t.Parallel()
	said := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)
	}
	const lost = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block"
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
		{"limits-8 400", 400, "", said("invalid_request_error", "max_tokens: required"), model.ClassPermanent, "model.http_400", 0, "max_tokens: required"},
		{"limits-8 401 does not tell the key", 401, "", said("authentication_error", "invalid x-api-key sk-secret-1"), model.ClassAuth, "model.auth", 0, "«key»"},
		{"limits-8 403", 403, "", said("permission_error", "no"), model.ClassAuth, "model.auth", 0, ""},
		{"limits-8 404", 404, "", `page not found`, model.ClassPermanent, "model.http_404", 0, "/v1/messages; base_url is the address with its version part, such as /v1"},
		{"a model that is not there", 404, "", said("not_found_error", "model: claude-none"), model.ClassPermanent, "model.unknown_model", 0, "claude-none"},
		{"limits-8 408", 408, "", ``, model.ClassTransient, "model.http_408", 0, ""},
		{"limits-8 409", 409, "", ``, model.ClassPermanent, "model.http_409", 0, ""},
		{"limits-11 too large", 413, "", said("request_too_large", "Request exceeds the maximum size"), model.ClassOverflow, "model.context_overflow", 0, "maximum size"},
		{"limits-11 too large for a proxy", 413, "", `<html>413 Request Entity Too Large</html>`, model.ClassOverflow, "model.context_overflow", 0, "Too Large"},
		{"limits-11 prompt too long", 400, "", said("invalid_request_error", "prompt is too long: 205001 tokens > 200000 maximum"), model.ClassOverflow, "model.context_overflow", 0, "205001"},
		{"limits-11 with the output too long", 400, "", said("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"), model.ClassOverflow, "model.context_overflow", 0, "199000"},
		{"limits-8 422", 422, "", ``, model.ClassPermanent, "model.http_422", 0, ""},
		{"limits-8 429", 429, "Retry-After: 20", said("rate_limit_error", "slower"), model.ClassRate, "model.rate_limited", 20 * time.Second, "slower"},
		{"limits-8 429 until a reset", 429, "Anthropic-Ratelimit-Input-Tokens-Reset: 2026-01-02T03:04:35Z", said("rate_limit_error", "slower"), model.ClassRate, "model.rate_limited", 30 * time.Second, ""},
		{"limits-8 500", 500, "", said("api_error", "Internal server error"), model.ClassTransient, "model.http_500", 0, "Internal"},
		{"limits-8 503", 503, "Retry-After: 1", ``, model.ClassOverload, "model.overloaded", time.Second, ""},
		{"504", 504, "", said("timeout_error", "late"), model.ClassTransient, "model.http_504", 0, ""},
		{"limits-8 529", 529, "", said("overloaded_error", "Overloaded"), model.ClassOverload, "model.overloaded", 0, ""},
		{"must not be tried again", 529, "X-Should-Retry: false", said("overloaded_error", "Overloaded"), model.ClassPermanent, "model.overloaded", 0, ""},
		{"no credit", 400, "", said("invalid_request_error", "Your credit balance is too low to access the API"), model.ClassPermanent, "model.insufficient_quota", 0, ""},
		{"billing", 402, "", said("billing_error", "pay"), model.ClassPermanent, "model.insufficient_quota", 0, ""},
		{"thinking that is missing", 400, "", said("invalid_request_error", lost), model.ClassPermanent, "model.native_metadata_lost", 0, "the thinking of turn 3"},
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
			p := provider(t, anthropic.Options{BaseURL: base + "?key=private", APIKey: "sk-secret-1", Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
			_, err := p.Answer(t.Context(), history(), nil)
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

// TestCancel ends the context while a stream hangs, and before anything is asked.
func TestCancel(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		drop(r)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(read(t, "D11_no_stop_reason"))
		w.(http.Flusher).Flush()
		close(hang)
		<-r.Context().Done()
	})
	p := provider(t, anthropic.Options{BaseURL: base})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := p.Answer(ctx, question(), nil)
		ended <- err
	}()
	<-hang
	cancel()
	first := <-ended
	_, second := p.Answer(ctx, question(), nil)
	for i, err := range []error{first, second} {
		var e *model.Error
		if !errors.As(err, &e) || e.Class != model.ClassCancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("limits-8 cancelled, %d: %v", i, err)
		}
	}
}

// TestPingsAreNoContent lets a server send pings and nothing else.
func TestPingsAreNoContent(t *testing.T) {
	t.Parallel()
	const short, long = 30 * time.Millisecond, time.Hour
	for _, row := range []struct {
		name, first string
		limits      anthropic.Timeouts
		says        string
	}{
		{"before the first token", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n", anthropic.Timeouts{FirstToken: short, Between: long, Content: long, Total: long}, "first_token"},
		{"after it", "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n", anthropic.Timeouts{FirstToken: long, Between: long, Content: short, Total: long}, "content"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				drop(r)
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, row.first)
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-r.Context().Done():
						return
					case <-tick.C:
						_, _ = io.WriteString(w, "event: ping\ndata: {\"type\": \"ping\"}\n\n")
						w.(http.Flusher).Flush()
					}
				}
			})
			_, err := provider(t, anthropic.Options{BaseURL: base, Timeouts: row.limits}).Answer(t.Context(), question(), nil)
			if err == nil || !strings.Contains(err.Error(), "limit "+row.says+" of 30ms") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestLargeAnswers stand at the bounds of an answer.
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	const begin = `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}` + "\n\n"
	const end = `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	piece := fmt.Sprintf(`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"%s"}}`+"\n\n", strings.Repeat("a", 1<<16))
	blocks := `data: {"type":"content_block_start","content_block":{"type":"text","text":""}}` + "\n\n"
	for _, row := range []struct {
		name string
		body string
		code string
	}{
		{"arguments below", begin + strings.Repeat(piece, 48) + end, ""},
		{"arguments above", begin + strings.Repeat(piece, 65) + end, "model.answer_too_large"},
		{"blocks below", begin + strings.Repeat(blocks, 1023) + end, ""},
		{"blocks above", begin + strings.Repeat(blocks, 1024) + end, "model.answer_too_large"},
		{"blocks without a beginning above", begin + strings.Repeat(blocks, 1023) + `data: {"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"a"}}` + "\n\n" + end, "model.answer_too_large"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, replayer{bytes: []byte(row.body), label: "text/event-stream"}.ServeHTTP)
			a, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			var e *model.Error
			switch {
			case row.code == "" && (err != nil || len(a.Calls) != 1):
				t.Errorf("%v", err)
			case row.code != "" && (!errors.As(err, &e) || e.Code != row.code || e.Retried()):
				t.Errorf("error %v", err)
			}
		})
	}
}
