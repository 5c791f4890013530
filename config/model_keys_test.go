package config

import (
	"errors"
	"testing"
)

// What can be wrong with how models stand in for each other, are limited, and cost.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, models, want string }{
		{"whole", "{default: {provider: openai, model: a, fallback: [b], fallback_on: [auth, content_filter], limits: {concurrency: 2, requests_per_minute: 60, tokens_per_minute: 90_000}, retry: {total: 20m}}, b: {provider: openai, model: b}}", ""},
		{"no such fallback", "{default: {provider: openai, model: a, fallback: [bb]}, b: {provider: openai, model: b}}",
			`team.yaml:2:59: model default falls back to "bb", which is not there; there are b, default; the nearest one is "b" [config.model_unknown]`},
		{"itself", "{default: {provider: openai, model: a, fallback: [default]}}",
			"team.yaml:2:59: model default falls back to itself; remove it, and set retry.attempts [config.value]"},
		{"no such failure", "{default: {provider: openai, model: a, fallback_on: [Rate-Limited]}}",
			`team.yaml:2:62: an entry of models.default.fallback_on is overloaded or transient or rate_limited or auth or context_overflow or content_filter, not "Rate-Limited"; write rate_limited [config.value]`},
		{"limits of a script", "{default: {provider: scripted, script: s.yaml, limits: {concurrency: 2}}}",
			"team.yaml:2:56: models.default.limits means nothing for provider scripted; remove it [config.conflict]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte("version: 1\nmodels: "+row.models+"\nagents: {lead: {prompt: Lead.}}\n"), "team.yaml", func(name string) ([]byte, error) {
				if name != "s.yaml" {
					return nil, errors.New("not asked for")
				}
				return []byte("version: 1\nagents: {lead: [{text: x}]}\n"), nil
			})
			if got := FaultsOf(err).Error(); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}
