package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	modeltest.Misconfigured(t, func(o anthropic.Options) error { _, err := anthropic.New(o); return err }, []modeltest.Misconfiguration[anthropic.Options]{
		{Name: "no URL", Options: anthropic.Options{BaseURL: "localhost:1"}, Says: "no http"},
		{Name: "the whole address", Options: anthropic.Options{BaseURL: "https://a/v1/messages"}, Says: "leave that out"},
		{Name: "credentials in the URL", Options: anthropic.Options{BaseURL: "https://u:p@a/v1"}, Says: "credentials"},
		{Name: "auth of nobody", Options: anthropic.Options{Auth: "basic"}, Says: "bearer, header:<name> or none"},
		{Name: "line break in the key", Options: anthropic.Options{APIKey: "a\nb"}, Says: "line break"},
		{Name: "header that is none", Options: anthropic.Options{Headers: map[string]string{"a b": "c"}}, Says: "not legal"},
		{Name: "cache of nobody", Options: anthropic.Options{Cache: "5m"}, Says: "cache is on, off or 1h"},
		{Name: "reasoning of nobody", Options: anthropic.Options{Reasoning: "deep"}, Says: "off, low, medium, high or tokens:n"},
		{Name: "reasoning of no tokens", Options: anthropic.Options{Reasoning: "tokens:"}, Says: "at least 1024"},
		{Name: "reasoning of few tokens", Options: anthropic.Options{Reasoning: "tokens:1023"}, Says: "at least 1024"},
		{Name: "reasoning of the whole output", Options: anthropic.Options{Reasoning: "tokens:2000", MaxOutput: 2000}, Says: "raise max_output"},
		{Name: "output below nothing", Options: anthropic.Options{MaxOutput: -1}, Says: "number of tokens"},
	})
	if c := provider(t, anthropic.Options{}).Capabilities("x"); c != (model.Capabilities{Provider: "anthropic", Images: model.ImageLimits{Bytes: 3932160, Total: 20 << 20}}) {
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
	modeltest.Refusals(t, "/v1", func(t testing.TB, base string) model.Provider {
		return provider(t, anthropic.Options{BaseURL: base, APIKey: modeltest.SecretKey, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
	}, history, []modeltest.Refusal{
		{Name: "limits-8 400", Status: 400, Body: said("invalid_request_error", "max_tokens: required"), Class: model.ClassPermanent, Code: "model.http_400", Detail: "max_tokens: required"},
		{Name: "limits-8 401 does not tell the key", Status: 401, Body: said("authentication_error", "invalid x-api-key sk-secret-1"), Class: model.ClassAuth, Code: "model.auth", Detail: "«key»"},
		{Name: "limits-8 403", Status: 403, Body: said("permission_error", "no"), Class: model.ClassAuth, Code: "model.auth"},
		{Name: "limits-8 404", Status: 404, Body: `page not found`, Class: model.ClassPermanent, Code: "model.http_404", Detail: "/v1/messages; base_url is the address with its version part, such as /v1"},
		{Name: "a model that is not there", Status: 404, Body: said("not_found_error", "model: claude-none"), Class: model.ClassPermanent, Code: "model.unknown_model", Detail: "claude-none"},
		{Name: "limits-8 408", Status: 408, Class: model.ClassTransient, Code: "model.http_408"},
		{Name: "limits-8 409", Status: 409, Class: model.ClassPermanent, Code: "model.http_409"},
		{Name: "limits-11 too large", Status: 413, Body: said("request_too_large", "Request exceeds the maximum size"), Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "maximum size"},
		{Name: "limits-11 too large for a proxy", Status: 413, Body: `<html>413 Request Entity Too Large</html>`, Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "Too Large"},
		{Name: "limits-11 prompt too long", Status: 400, Body: said("invalid_request_error", "prompt is too long: 205001 tokens > 200000 maximum"), Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "205001"},
		{Name: "limits-11 with the output too long", Status: 400, Body: said("invalid_request_error", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"), Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "199000"},
		{Name: "limits-8 422", Status: 422, Class: model.ClassPermanent, Code: "model.http_422"},
		{Name: "limits-8 429", Status: 429, Header: "Retry-After: 20", Body: said("rate_limit_error", "slower"), Class: model.ClassRate, Code: "model.rate_limited", Wait: 20 * time.Second, Detail: "slower"},
		{Name: "limits-8 429 until a reset", Status: 429, Header: "Anthropic-Ratelimit-Input-Tokens-Reset: 2026-01-02T03:04:35Z", Body: said("rate_limit_error", "slower"), Class: model.ClassRate, Code: "model.rate_limited", Wait: 30 * time.Second},
		{Name: "limits-8 500", Status: 500, Body: said("api_error", "Internal server error"), Class: model.ClassTransient, Code: "model.http_500", Detail: "Internal"},
		{Name: "limits-8 503", Status: 503, Header: "Retry-After: 1", Class: model.ClassOverload, Code: "model.overloaded", Wait: time.Second},
		{Name: "504", Status: 504, Body: said("timeout_error", "late"), Class: model.ClassTransient, Code: "model.http_504"},
		{Name: "limits-8 529", Status: 529, Body: said("overloaded_error", "Overloaded"), Class: model.ClassOverload, Code: "model.overloaded"},
		{Name: "must not be tried again", Status: 529, Header: "X-Should-Retry: false", Body: said("overloaded_error", "Overloaded"), Class: model.ClassPermanent, Code: "model.overloaded"},
		{Name: "no credit", Status: 400, Body: said("invalid_request_error", "Your credit balance is too low to access the API"), Class: model.ClassPermanent, Code: "model.insufficient_quota"},
		{Name: "billing", Status: 402, Body: said("billing_error", "pay"), Class: model.ClassPermanent, Code: "model.insufficient_quota"},
		{Name: "thinking that is missing", Status: 400, Body: said("invalid_request_error", lost), Class: model.ClassPermanent, Code: "model.native_metadata_lost", Detail: "the thinking of turn 3"},
		{Name: "redirect", Status: 307, Header: "Location: https://elsewhere.example/v1", Class: model.ClassPermanent, Code: "model.redirect_refused", Detail: "elsewhere.example"},
	})
}

// TestCancel ends an attempt in the middle of a stream, and one before anything is asked.
func TestCancel(t *testing.T) {
	t.Parallel()
	modeltest.CancelInStream(t, "/v1", "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n", unlocked, question)
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
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				modeltest.Drop(r)
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
			base := modeltest.Serve(t, "/v1", modeltest.Play([]byte(row.body), "text/event-stream", nil))
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
