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
		{"a recording", "{default: {provider: replay, cassette: run.jsonl, model: lead, normalise: ['\\d{4}-\\d\\d'], on_miss: error, exact: true, speed: recorded, retry: {attempts: 2}, price: free}}", ""},
		{"a recording of a server", "{default: {provider: replay, cassette: run.jsonl, base_url: 'http://x/v1', reasoning: low}}",
			"team.yaml:2:59: models.default.base_url means nothing for provider replay; remove it; the recording says it [config.conflict]\n" +
				"team.yaml:2:84: models.default.reasoning means nothing for provider replay; remove it; the recording says it [config.conflict]"},
		{"no recording", "{default: {provider: replay}}",
			"team.yaml:2:19: models.default has no cassette; name the file of a recording, which record: FILE or swarm run --record makes [config.missing]"},
		{"recorded in passing", "{default: {provider: replay, cassette: run.jsonl, on_miss: record}}",
			"team.yaml:2:68: models.default.on_miss: record is not in this version; use error [config.not_in_this_version]"},
		{"patterns that are none", "{default: {provider: replay, cassette: run.jsonl, normalise: ['(', 'a*']}}",
			"team.yaml:2:71: an entry of models.default.normalise is no pattern: missing closing ): `(` [config.value]\n" +
				`team.yaml:2:76: the pattern "a*" of models.default.normalise fits an empty text; have it name what may change, such as \d{4}-\d\d-\d\d [config.value]`},
		{"a server with a recording's keys", "{default: {provider: openai, model: a, cassette: run.jsonl, record: r.jsonl}}",
			"team.yaml:2:48: models.default.cassette is for provider replay only; remove it; record: FILE records the traffic [config.conflict]"},
		{"a script is not recorded", "{default: {provider: scripted, script: s.yaml, record: r.jsonl}}",
			"team.yaml:2:56: models.default.record means nothing for provider scripted; remove it [config.conflict]"},
		{"quirks of openai", "{default: {provider: openai, model: a, quirks: {call_id: alnum9, grammar_schema: true, single_system: true}}}", ""},
		{"quirks that others have not", "{default: {provider: gemini, model: a, quirks: {call_id: alnum9}}}",
			"team.yaml:2:57: models.default.quirks.call_id means nothing for provider gemini; remove it [config.conflict]"},
		{"several systems", "{default: {provider: openai, model: a, quirks: {single_system: false}}}",
			"team.yaml:2:72: models.default.quirks.single_system: false is not in this version; use true [config.not_in_this_version]"},
		{"a proxy", "{default: {provider: openai, model: a, proxy: 'socks5://127.0.0.1:1080'}, b: {provider: openai, model: b, proxy: '${PROXY}'}}", ""},
		{"a proxy of another kind", "{default: {provider: openai, model: a, proxy: 'ftp://127.0.0.1'}}",
			"team.yaml:2:55: models.default.proxy is an http, https or socks5 URL, which may hold ${NAME}; for example http://127.0.0.1:3128 [config.value]"},
		{"a proxy with a password", "{default: {provider: openai, model: a, proxy: 'http://me:secret@127.0.0.1:1'}}",
			"team.yaml:2:55: models.default.proxy holds credentials; write all of it as ${NAME} [config.literal_secret]"},
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
