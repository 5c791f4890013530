package gemini_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	modeltest.Misconfigured(t, func(o gemini.Options) error { _, err := gemini.New(o); return err }, []modeltest.Misconfiguration[gemini.Options]{
		{Name: "no URL", Options: gemini.Options{BaseURL: "localhost:1"}, Says: "no http"},
		{Name: "the address of the models", Options: gemini.Options{BaseURL: "https://a/v1beta/models/"}, Says: "leave that out"},
		{Name: "auth of nobody", Options: gemini.Options{Auth: "basic"}, Says: "bearer, header:<name> or none"},
		{Name: "line break in the key", Options: gemini.Options{APIKey: "a\nb"}, Says: "line break"},
		{Name: "output limit below nothing", Options: gemini.Options{MaxOutput: -1}, Says: "max_output"},
		{Name: "reasoning of nobody", Options: gemini.Options{Reasoning: "much"}, Says: "off, low, medium, high or tokens:<n>"},
		{Name: "reasoning of a number", Options: gemini.Options{Reasoning: "500"}, Says: "tokens:<n>"},
		{Name: "reasoning below nothing", Options: gemini.Options{Reasoning: "tokens:-1"}, Says: "tokens:<n>"},
	})
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
	modeltest.Refusals(t, "/v1beta", func(t testing.TB, base string) model.Provider {
		return provider(t, gemini.Options{BaseURL: base, APIKey: modeltest.SecretKey})
	}, question, []modeltest.Refusal{
		{Name: "limits-8 400", Status: 400, Body: said("400", "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn", ""), Class: model.ClassPermanent, Code: "model.http_400", Detail: "INVALID_ARGUMENT"},
		{Name: "limits-8 400 for a field", Status: 400, Body: said("400", "INVALID_ARGUMENT", `Invalid JSON payload received. Unknown name \"id\"`, ""), Class: model.ClassPermanent, Code: "model.http_400", Detail: "Unknown name"},
		{Name: "limits-8 400 for the key", Status: 400, Body: said("400", "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", reason), Class: model.ClassAuth, Code: "model.auth", Detail: "not valid"},
		{Name: "limits-8 401 does not tell the key", Status: 401, Body: said("401", "UNAUTHENTICATED", "the key sk-secret-1 is wrong", ""), Class: model.ClassAuth, Code: "model.auth", Detail: "the key «key» is"},
		{Name: "limits-8 403", Status: 403, Body: said("403", "PERMISSION_DENIED", "Permission denied", ""), Class: model.ClassAuth, Code: "model.auth", Detail: "PERMISSION_DENIED"},
		{Name: "limits-8 404 of a model", Status: 404, Body: said("404", "NOT_FOUND", "models/gemini-x is not found for API version v1beta, or is not supported for generateContent.", ""), Class: model.ClassPermanent, Code: "model.unknown_model", Detail: "asked http://127.0.0.1:"},
		{Name: "limits-8 404 of a path", Status: 404, Body: `<html>Not Found</html>`, Class: model.ClassPermanent, Code: "model.http_404", Detail: "/v1beta/models/gemini-x:streamGenerateContent; base_url is the address with its version part"},
		{Name: "limits-8 429", Status: 429, Body: said("429", "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.", retry), Class: model.ClassRate, Code: "model.rate_limited", Wait: 37500 * time.Millisecond, Detail: "quota"},
		{Name: "limits-8 429 in a list", Status: 429, Body: "[" + said("429", "RESOURCE_EXHAUSTED", "slow", retry) + "]", Class: model.ClassRate, Code: "model.rate_limited", Wait: 37500 * time.Millisecond, Detail: "slow"},
		{Name: "limits-8 429 with a header", Status: 429, Header: "Retry-After: 3", Body: said("429", "RESOURCE_EXHAUSTED", "slow", retry), Class: model.ClassRate, Code: "model.rate_limited", Wait: 3 * time.Second, Detail: "slow"},
		{Name: "limits-8 500", Status: 500, Body: said("500", "INTERNAL", "An internal error has occurred.", ""), Class: model.ClassTransient, Code: "model.http_500", Detail: "INTERNAL"},
		{Name: "limits-8 503", Status: 503, Body: said("503", "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), Class: model.ClassOverload, Code: "model.overloaded", Detail: "UNAVAILABLE"},
		{Name: "limits-8 504", Status: 504, Body: said("504", "DEADLINE_EXCEEDED", "Deadline expired", ""), Class: model.ClassTransient, Code: "model.http_504", Detail: "DEADLINE_EXCEEDED"},
		{Name: "an overflow", Status: 400, Body: said("400", "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""), Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "1048576"},
		{Name: "a signature that is missing", Status: 400, Body: said("400", "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.", ""), Class: model.ClassPermanent, Code: "model.native_metadata_lost", Detail: "thought_signature"},
		{Name: "redirect", Status: 307, Header: "Location: https://elsewhere.example/v1", Class: model.ClassPermanent, Code: "model.redirect_refused", Detail: "elsewhere.example"},
	})
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	modeltest.Refused(t, "/v1beta", unlocked, question, "/models/gemini-x:streamGenerateContent")
}

// TestCancel ends an attempt in the middle of a stream, and one before anything is asked.
func TestCancel(t *testing.T) {
	t.Parallel()
	modeltest.CancelInStream(t, "/v1beta", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n", unlocked, question)
}
