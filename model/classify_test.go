package model_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := func(pairs ...string) http.Header {
		out := make(http.Header)
		for i := 0; i < len(pairs); i += 2 {
			out.Set(pairs[i], pairs[i+1])
		}
		return out
	}
	for _, row := range []struct {
		name   string
		status int
		header http.Header
		body   string
		class  model.Class
		code   string
		wait   time.Duration
		detail string // is in the text
	}{
		{"limits-8 bad request", 400, nil, `{"error":{"message":"Invalid value","type":"invalid_request_error","param":"messages","code":null}}`,
			model.ClassPermanent, "model.http_400", 0, "Invalid value"},
		{"limits-8 no key", 401, nil, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`,
			model.ClassAuth, "model.auth", 0, "Incorrect API key"},
		{"limits-8 forbidden", 403, nil, `forbidden`, model.ClassAuth, "model.auth", 0, "forbidden"},
		{"limits-8 no such model", 404, nil, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`,
			model.ClassPermanent, "model.unknown_model", 0, "does not exist"},
		{"limits-8 no such path", 404, nil, ``, model.ClassPermanent, "model.http_404", 0, "status 404"},
		{"limits-8 request time-out", 408, nil, `{}`, model.ClassTransient, "model.http_408", 0, ""},
		{"limits-8 conflict", 409, nil, `{}`, model.ClassPermanent, "model.http_409", 0, ""},
		{"limits-8 unprocessable", 422, nil, `{"detail":"field required"}`, model.ClassPermanent, "model.http_422", 0, "field required"},
		{"limits-8 too many requests", 429, h("Retry-After", "20"), `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`,
			model.ClassRate, "model.rate_limited", 20 * time.Second, "Rate limit reached"},
		{"limits-8 server error", 500, nil, `{"error":{"message":"The server had an error"}}`, model.ClassTransient, "model.http_500", 0, "had an error"},
		{"limits-8 unavailable", 503, nil, `no healthy upstream`, model.ClassOverload, "model.overloaded", 0, "no healthy upstream"},
		{"limits-8 overloaded", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ClassOverload, "model.overloaded", 0, "Overloaded"},
		{"bad gateway with a page", 502, nil, "<html><body>\n502 Bad Gateway</body></html>", model.ClassTransient, "model.http_502", 0, "502 Bad Gateway"},
		{"gateway time-out", 504, nil, ``, model.ClassTransient, "model.http_504", 0, "status 504"},
		{"too large", 413, nil, ``, model.ClassPermanent, "model.http_413", 0, ""},
		{"quota under 429", 429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`,
			model.ClassPermanent, "model.insufficient_quota", 0, "quota"},
		{"overflow by code", 400, nil, `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			model.ClassOverflow, "model.context_overflow", 0, ""},
		{"overflow by text", 400, nil, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000"}}`,
			model.ClassOverflow, "model.context_overflow", 0, "8192"},
		{"overflow of a local server", 400, nil, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`,
			model.ClassOverflow, "model.context_overflow", 0, ""},
		{"overflow by count", 400, nil, `{"error":{"message":"The input token count (9) exceeds the maximum (8)","status":"INVALID_ARGUMENT"}}`,
			model.ClassOverflow, "model.context_overflow", 0, ""},
		{"policy", 400, nil, `{"error":{"message":"The response was filtered due to content management policy","code":"content_filter"}}`,
			model.ClassFilter, "model.content_filter", 0, ""},
		{"a 400 that speaks of rates", 400, nil, `{"error":{"message":"set rate limit tier first"}}`, model.ClassPermanent, "model.http_400", 0, ""},
		{"in a stream, overloaded", 0, nil, `{"error":{"message":"Overloaded","type":"overloaded_error"}}`, model.ClassOverload, "model.overloaded", 0, ""},
		{"in a stream, a rate", 0, nil, `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"in a stream, a number", 0, nil, `{"error":{"code":502,"message":"Provider returned error"}}`, model.ClassTransient, "model.http_502", 0, "Provider returned error"},
		{"in a stream, a text", 0, nil, `{"error":"upstream reset"}`, model.ClassTransient, "model.upstream_error", 0, "upstream reset"},
		{"in a list", 429, nil, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"slow"}}]`, model.ClassRate, "model.rate_limited", 0, "slow"},
		{"limits-8 a rate that is called a quota, with its wait in the details", 429, nil, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details.",
			"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"PerMinute"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"13.5s"}]}}`,
			model.ClassRate, "model.rate_limited", 13500 * time.Millisecond, "status 429, RESOURCE_EXHAUSTED: You exceeded"},
		{"the header is before the details", 429, h("Retry-After", "2"), `{"error":{"details":[{"retryDelay":"13s"}]}}`, model.ClassRate, "model.rate_limited", 2 * time.Second, ""},
		{"details that are none", 429, nil, `{"error":{"details":[{"retryDelay":{"seconds":3}},"x"]}}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"a wait below nothing in the details", 503, nil, `{"error":{"status":"UNAVAILABLE","details":[{"retryDelay":"-3s"}]}}`, model.ClassOverload, "model.overloaded", 0, "UNAVAILABLE"},
		{"in a stream, a status with its name", 0, nil, `{"error":{"code":503,"status":"UNAVAILABLE","message":"The model is overloaded."}}`, model.ClassOverload, "model.overloaded", 0, "status 503, UNAVAILABLE"},
		{"a key that is none, under 400", 400, nil, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid. Please pass a valid API key."}}`, model.ClassAuth, "model.auth", 0, "not valid"},
		{"a key that is over, under 400", 400, nil, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key expired. Please renew the API key."}}`, model.ClassAuth, "model.auth", 0, "renew"},
		{"a model that this version has not", 404, nil, `{"error":{"code":404,"status":"NOT_FOUND","message":"models/x is not found for API version v1beta"}}`, model.ClassPermanent, "model.unknown_model", 0, "models/x"},
		{"a signature is missing", 400, nil, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Function call is missing a thought_signature in functionCall parts."}}`,
			model.ClassPermanent, "model.native_metadata_lost", 0, "thought_signature"},
		{"must not be tried again", 500, h("X-Should-Retry", "false"), `{}`, model.ClassPermanent, "model.http_500", 0, ""},
		{"should be tried again", 409, h("X-Should-Retry", "true"), `{}`, model.ClassTransient, "model.http_409", 0, ""},
		{"wait in milliseconds", 429, h("Retry-After-Ms", "250", "Retry-After", "9"), `{}`, model.ClassRate, "model.rate_limited", 250 * time.Millisecond, ""},
		{"wait until a date", 503, h("Retry-After", now.Add(7*time.Second).Format(http.TimeFormat)), `{}`, model.ClassOverload, "model.overloaded", 7 * time.Second, ""},
		{"wait until a date that is past", 503, h("Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), `{}`, model.ClassOverload, "model.overloaded", 0, ""},
		{"wait below nothing", 429, h("Retry-After", "-3"), `{}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"wait of nonsense", 429, h("Retry-After", "soon"), `{}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"wait of NaN", 429, h("Retry-After", "NaN"), `{}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"wait without end", 429, h("Retry-After", "1e300"), `{}`, model.ClassRate, "model.rate_limited", 365 * 24 * time.Hour, ""},
		{"limits-9 wait beyond the cap is told as it is", 429, h("Retry-After", "4000"), `{}`, model.ClassRate, "model.rate_limited", 4000 * time.Second, ""},
		{"wait for what has run out", 429, h("X-Ratelimit-Remaining-Requests", "5", "X-Ratelimit-Reset-Requests", "1s",
			"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"), `{}`, model.ClassRate, "model.rate_limited", 6 * time.Minute, ""},
		{"wait until what has run out is full again", 429, h("Anthropic-Ratelimit-Requests-Remaining", "49", "Anthropic-Ratelimit-Requests-Reset", "2026-01-02T04:04:05Z",
			"Anthropic-Ratelimit-Input-Tokens-Remaining", "0", "Anthropic-Ratelimit-Input-Tokens-Reset", "2026-01-02T03:04:35Z",
			"Anthropic-Ratelimit-Output-Tokens-Reset", "2026-01-02T03:04:25Z"), `{}`, model.ClassRate, "model.rate_limited", 30 * time.Second, ""},
		{"a limit that was full again before", 429, h("Anthropic-Ratelimit-Tokens-Reset", "2026-01-02T03:00:00Z"), `{}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"a reset that is no date", 429, h("Anthropic-Ratelimit-Tokens-Reset", "soon"), `{}`, model.ClassRate, "model.rate_limited", 0, ""},
		{"the server's wish goes before resets", 429, h("Retry-After", "3", "Anthropic-Ratelimit-Requests-Reset", "2026-01-02T04:04:05Z"), `{}`, model.ClassRate, "model.rate_limited", 3 * time.Second, ""},
		{"too large by type", 413, nil, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
			model.ClassOverflow, "model.context_overflow", 0, "maximum size"},
		{"overflow of input and output together", 400, nil, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000\"}}",
			model.ClassOverflow, "model.context_overflow", 0, "200000"},
		{"overflow of a long prompt", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}}`,
			model.ClassOverflow, "model.context_overflow", 0, "215000"},
		{"no such model by its message", 404, nil, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-none"}}`,
			model.ClassPermanent, "model.unknown_model", 0, "claude-none"},
		{"thinking that is missing", 400, nil, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0.type: Expected `thinking`, but found `tool_use`. A final `assistant` message must start with a thinking block\"}}",
			model.ClassPermanent, "model.native_metadata_lost", 0, "tool_use"},
		{"no credit", 400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`,
			model.ClassPermanent, "model.insufficient_quota", 0, "credit"},
		{"permission", 403, nil, `{"type":"error","error":{"type":"permission_error","message":"no access"}}`, model.ClassAuth, "model.auth", 0, "no access"},
		{"in a stream, its own form", 0, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ClassOverload, "model.overloaded", 0, "Overloaded"},
		{"in a stream, a fault of the server", 0, nil, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, model.ClassTransient, "model.upstream_error", 0, "Internal"},
		{"resets say nothing of a server error", 500, h("X-Ratelimit-Reset-Tokens", "6m0s"), `{}`, model.ClassTransient, "model.http_500", 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			e := model.Classify(model.Reply{Status: row.status, Header: row.header, Body: []byte(row.body), Now: now})
			if e.Class != row.class || e.Code != row.code || e.RetryAfter != row.wait {
				t.Errorf("%s %s after %s, want %s %s after %s", e.Class, e.Code, e.RetryAfter, row.class, row.code, row.wait)
			}
			if !strings.Contains(e.Detail, row.detail) {
				t.Errorf("detail %q lacks %q", e.Detail, row.detail)
			}
		})
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"", "{", `{"error":{}}`, `{"error":"x"}`, `[{"error":{"code":429}}]`, `[]`, `null`, "\xff\xfe", strings.Repeat("ä", 5000)} {
		f.Add(429, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := model.Classify(model.Reply{Status: status, Body: body})
		if e.Class == "" || e.Code == "" || len(e.Detail) > 3000 || !utf8.ValidString(e.Detail) {
			t.Fatalf("%+v", e)
		}
	})
}
