package swarm

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// models makes the providers that the agents of a team use.
func (rt *Runtime) models(team *Team, k *keys) (map[string]agent.Model, error) {
	out := map[string]agent.Model{}
	for name, m := range team.Models {
		id, p, err := m.Model, rt.o.Providers[name], error(nil)
		cost, _ := team.PriceOf(&m, id)
		switch {
		case p != nil:
			k.note(name, &m)
			if id, err = rt.cassette.secretOr(k.expand(m.Model)); err == nil {
				cost, _ = team.PriceOf(&m, id)
			}
		case m.Provider == config.Replay:
			var was *config.Model
			var e endpoint
			if was, e, err = rt.recorded(name, &m); err == nil {
				m, id = *was, was.Model
				p, err = rt.network(&m, e)
			}
		default:
			if id, err = rt.cassette.secretOr(k.expand(m.Model)); err == nil {
				cost, _ = team.PriceOf(&m, id)
				p, err = rt.provider(name, id, &m, k)
			}
		}
		if err != nil {
			code := fault.Code(err)
			if strings.HasPrefix(code, "replay.") { // of a file that the team names
				code = "config.cassette"
			}
			return nil, fault.Wrap(err, code, "model %s", name)
		}
		one := sized(agent.Model{Provider: p, Price: cost, LongCache: m.Cache == "1h", Fallback: m.Fallback, FallOn: classes(m.FallbackOn), Kind: m.Provider, Name: id, Retry: agent.Retry(m.Retry), MaxOutput: m.MaxOutput,
			Window: m.Window, Temperature: m.Temperature, TopP: m.TopP, Stop: m.Stop, Told: rt.cassette.used(&m)})
		if m.Vision != nil {
			one.Vision = *m.Vision
		}
		out[name] = one
	}
	for name, p := range rt.o.Providers {
		if _, ok := out[name]; !ok {
			one := sized(agent.Model{Provider: p, Kind: p.Capabilities("").Provider, Name: name})
			if one.Kind == config.Scripted {
				one.Price = price.Free()
			}
			out[name] = one
		}
	}
	return rt.metered(out, secret.New(k.values).Mask), nil
}

func classes(words []string) []model.Class {
	var out []model.Class
	for _, w := range words {
		out = append(out, model.Class(w))
	}
	return out
}

// sized fills in what is known of the sizes of a model and of what it sees: what the team says, else the table
// of known models, else what its provider says.
func sized(m agent.Model) agent.Model {
	window := 0
	if e := price.Known().Find(m.Kind, m.Name); e != nil {
		window, m.Longest, m.Vision = e.Window, e.MaxOutput, e.Vision
	}
	says := m.Provider.Capabilities(m.Name)
	m.Vision, m.Images = m.Vision || says.Vision, says.Images
	for _, n := range []int{window, says.Window} {
		if m.Window == 0 {
			m.Window = n
		}
	}
	if m.Longest == 0 {
		m.Longest = says.MaxOutput
	}
	return m
}

func (rt *Runtime) provider(name, id string, m *config.Model, k *keys) (model.Provider, error) {
	switch m.Provider {
	case config.Scripted:
		s, err := scripted.Load([]byte(m.Script), m.ScriptFile)
		if err != nil {
			return nil, err
		}
		return scripted.New(s, scripted.Options{Clock: rt.o.Clock}), nil
	}
	e, err := rt.endpoint(name, id, m, k)
	if err != nil {
		return nil, err
	}
	return rt.network(m, e)
}

// network makes the provider of a model behind a network.
func (rt *Runtime) network(m *config.Model, e endpoint) (model.Provider, error) {
	switch m.Provider {
	case config.OpenAI:
		return openai.New(openai.Options{BaseURL: e.baseURL, APIKey: e.key, Headers: e.headers, HTTP: e.http, Proxy: e.proxy, Renew: e.renew, Auth: m.Auth, Stream: m.Stream, Reasoning: m.Reasoning,
			Timeouts: openai.Timeouts(m.Timeouts), Now: rt.o.Clock.Now,
			Quirks: openai.Quirks{MaxTokensField: m.Quirks.MaxTokensField, SystemRole: m.Quirks.SystemRole, StreamUsage: m.Quirks.StreamUsage,
				ParallelField: m.Quirks.ParallelField, ReasoningField: m.Quirks.ReasoningField,
				CallID: m.Quirks.CallID, ReplayReasoning: m.Quirks.ReplayReasoning, GrammarSchema: m.Quirks.GrammarSchema}})
	case config.Anthropic:
		return anthropic.New(anthropic.Options{BaseURL: e.baseURL, APIKey: e.key, Headers: e.headers, HTTP: e.http, Proxy: e.proxy, Renew: e.renew, Auth: m.Auth, Stream: m.Stream, Reasoning: m.Reasoning,
			Timeouts: openai.Timeouts(m.Timeouts), Cache: m.Cache, MaxOutput: m.MaxOutput, Now: rt.o.Clock.Now})
	case config.Gemini:
		return gemini.New(gemini.Options{BaseURL: e.baseURL, APIKey: e.key, Headers: e.headers, HTTP: e.http, Proxy: e.proxy, Renew: e.renew, Auth: m.Auth, Stream: m.Stream, Reasoning: m.Reasoning,
			Timeouts: openai.Timeouts(m.Timeouts), Quirks: gemini.Quirks{OpenAPISchema: m.Quirks.OpenAPISchema}, MaxOutput: m.MaxOutput, Now: rt.o.Clock.Now})
	}
	return nil, fault.New("config.model_provider", "provider %q is not in this version; use openai, anthropic, gemini, scripted or replay", m.Provider)
}

// endpoint is where a model is asked, with all references filled in.
type endpoint struct {
	baseURL, key string
	headers      map[string]string
	http         *http.Client           // nil: the provider's own
	proxy        string                 // of the provider's own client
	renew        func() (string, error) // nil: the key is what it is
}

func (rt *Runtime) endpoint(name, id string, m *config.Model, k *keys) (endpoint, error) {
	e := endpoint{headers: make(map[string]string, len(m.Headers))}
	var err error
	if e.baseURL, err = rt.cassette.secretOr(k.expand(m.BaseURL)); err != nil {
		return e, err
	}
	switch {
	case m.Auth == "none":
	case m.APIKeyFile != "":
		e.key, err = rt.cassette.secretOr(k.file(name, m.APIKeyFile))
		e.renew = rt.again(k, name, m.APIKeyFile)
	default:
		e.key, err = rt.cassette.secretOr(k.expand(m.APIKey))
	}
	if err != nil {
		return e, err
	}
	secrets := []string{e.key}
	for _, h := range slices.Sorted(maps.Keys(m.Headers)) {
		v := m.Headers[h]
		if e.headers[h], err = rt.cassette.secretOr(k.expand(v)); err != nil {
			return e, err
		}
		if e.headers[h] != v {
			secrets = append(secrets, e.headers[h])
		}
	}
	if rt.cassette.player == nil { // nobody is asked: nothing to wait for
		k.servers[name] = identity(m.Provider, e.baseURL, secrets...)
	}
	if e.proxy, err = rt.cassette.secretOr(k.expand(m.Proxy)); err != nil || !rt.cassette.used(m) {
		return e, err
	}
	rt.known.add(secret.New(k.values), rt.o.Logger) // a recorder writes of the model at once
	base, err := rt.cassette.through(e.proxy)
	if err != nil {
		return e, err
	}
	e.http, err = rt.client(name, id, m, base)
	return e, err
}
