package config

import (
	_ "embed" // the script of the embedded model
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// embedded is the script of the model that a team without a default model has.
//
//go:embed embedded.script.yaml
var embedded string

const embeddedName = "embedded.script.yaml"

// providers are the words of models.<name>.provider; those behind the bar are not in
// this version.
var providers = []string{OpenAI, Scripted, "|", "anthropic", "gemini", "replay", "openai-responses"}

// models reads the models of the team file.
func (l *loader) models(n *yaml.Node) {
	l.top.pairs(n, "models", func(k, v *yaml.Node) {
		path := "models." + k.Value
		if !validModelName(k.Value) {
			l.top.fault(k, "config.model_name", fmt.Sprintf("the name %q of a model is not %s", k.Value, idGrammar), "")
			return
		}
		l.team.Models[k.Value] = l.model(v, path)
	})
}

func validModelName(s string) bool {
	return validID(strings.ToLower(strings.ReplaceAll(s, ".", "-")))
}

func (l *loader) model(n *yaml.Node, path string) Model {
	in := l.top
	var m Model
	var script, keyFile string
	at := func(name string) string { return join(path, name) }
	in.mapping(n, path, []key{
		{"provider", in.choice(&m.Provider, at("provider"), providers...)},
		{"model", in.reference(&m.Model, at("model"))},
		{"base_url", in.reference(&m.BaseURL, at("base_url"))},
		{"api_key", in.secret(&m.APIKey, at("api_key"))},
		{"api_key_file", in.line(&keyFile, at("api_key_file"))},
		{"auth", func(v *yaml.Node) {
			if s, ok := in.text(v, at("auth")); ok {
				name, isHeader := strings.CutPrefix(s, "header:")
				if s != "bearer" && s != "none" && (!isHeader || !validHeader(name)) {
					in.value(v, at("auth"), "bearer, header:<name> or none")
				}
				m.Auth = s
			}
		}},
		{"headers", func(v *yaml.Node) { m.Headers = in.headers(v, at("headers")) }},
		{"script", in.line(&script, at("script"))},
		{"stream", in.optional(&m.Stream, at("stream"))},
		{"max_output", in.count(&m.MaxOutput, at("max_output"))},
		{"temperature", in.number(&m.Temperature, at("temperature"), maxTemperature)},
		{"top_p", in.number(&m.TopP, at("top_p"), 1)},
		{"stop", in.list(&m.Stop, at("stop"))},
		{"quirks", func(v *yaml.Node) {
			q := &m.Quirks
			in.mapping(v, at("quirks"), []key{
				{"max_tokens_field", in.choice(&q.MaxTokensField, at("quirks.max_tokens_field"), "max_tokens", "max_completion_tokens")},
				{"system_role", in.choice(&q.SystemRole, at("quirks.system_role"), "system", "developer", "user")},
				{"stream_usage", in.optional(&q.StreamUsage, at("quirks.stream_usage"))},
				{"parallel_field", in.optional(&q.ParallelField, at("quirks.parallel_field"))},
				{"reasoning_field", in.choice(&q.ReasoningField, at("quirks.reasoning_field"), "think")},
				{"replay_reasoning", nil}, {"grammar_schema", nil}, {"call_id", nil}, {"single_system", nil},
			})
		}},
		{"retry", func(v *yaml.Node) {
			r := &m.Retry
			in.mapping(v, at("retry"), []key{
				{"attempts", in.integer(&r.Attempts, at("retry.attempts"), 1, 100)},
				{"base", in.duration(&r.Base, at("retry.base"))},
				{"cap", in.duration(&r.Cap, at("retry.cap"))},
				{"max_wait", in.duration(&r.MaxWait, at("retry.max_wait"))},
				{"total", nil},
			})
		}},
		{"timeouts", func(v *yaml.Node) {
			t := &m.Timeouts
			in.mapping(v, at("timeouts"), []key{
				{"connect", in.duration(&t.Connect, at("timeouts.connect"))},
				{"first_token", in.duration(&t.FirstToken, at("timeouts.first_token"))},
				{"between", in.duration(&t.Between, at("timeouts.between"))},
				{"content", in.duration(&t.Content, at("timeouts.content"))},
				{"total", in.duration(&t.Total, at("timeouts.total"))},
			})
		}},
		{"limits", nil}, {"fallback", nil}, {"fallback_on", nil}, {"window", nil}, {"reasoning", nil}, {"cache", nil},
		{"price", nil}, {"strict", nil}, {"proxy", nil}, {"record", nil}, {"cassette", nil}, {"normalise", nil},
		{"on_miss", nil}, {"exact", nil}, {"speed", nil},
	})
	if n.Kind != yaml.MappingNode {
		return m
	}
	if keyFile != "" {
		m.APIKeyFile = l.absolute(keyFile)
	}
	l.completeModel(n, path, &m, script)
	return m
}

const maxTemperature = 2

// completeModel checks what a provider needs and what makes no sense for it.
func (l *loader) completeModel(n *yaml.Node, path string, m *Model, script string) {
	in := l.top
	given := func(name string) (pair, bool) { p, ok := in.seen[join(path, name)]; return p, ok }
	if _, ok := given("provider"); !ok {
		in.fault(n, "config.missing", path+" has no provider", "it is openai or scripted")
		return
	}
	switch m.Provider {
	case OpenAI:
		if _, ok := given("model"); !ok {
			in.fault(n, "config.missing", path+" has no model", "name one of the server's models")
		}
		if p, ok := given("script"); ok {
			in.fault(p.key, "config.conflict", path+".script is for provider scripted only", "remove it")
		}
		if p, ok := given("base_url"); ok && m.BaseURL != "" && !strings.Contains(m.BaseURL, "${") {
			if u, err := url.Parse(m.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
				in.value(p.value, path+".base_url", "an http or https URL with the version part, without credentials")
			} else if base, ok := strings.CutSuffix(strings.TrimSuffix(u.Path, "/"), "/chat/completions"); ok {
				u.Path, u.RawPath, u.RawQuery = base, "", ""
				in.fault(p.value, "config.value", path+".base_url ends in /chat/completions, which is added by itself", "write "+u.String())
			}
		}
		if p, ok := given("api_key"); ok && m.APIKeyFile != "" {
			in.fault(p.key, "config.conflict", path+" has both api_key and api_key_file", "keep one")
		}
		if m.APIKey == "" && m.APIKeyFile == "" && m.Auth != "none" {
			m.APIKey = "${OPENAI_API_KEY}"
		}
	case Scripted:
		for _, name := range []string{"base_url", "api_key", "api_key_file", "auth", "headers", "quirks", "timeouts", "stream"} {
			if p, ok := given(name); ok {
				in.fault(p.key, "config.conflict", fmt.Sprintf("%s.%s means nothing for provider scripted", path, name), "remove it")
			}
		}
		p, ok := given("script")
		if !ok {
			in.fault(n, "config.missing", path+" has no script", "name the file of its answers")
			return
		}
		if script != "" {
			l.script(p.value, m, script)
		}
	}
}

// script reads and checks the script of a model.
func (l *loader) script(at *yaml.Node, m *Model, name string) {
	file := l.path(name)
	data, err := l.read(file)
	if err != nil {
		f := unreadable(file, err)
		l.top.fault(at, f.Code, fmt.Sprintf("script %s: %s", file, f.Text), "")
		return
	}
	m.Script, m.ScriptFile = string(data), file
	if !l.readable(file, data) {
		return
	}
	if _, err := scripted.Load(data, file); err != nil {
		l.scriptFaults(file, err)
	}
}

// scriptFaults tells the faults of a script, which stand one a line with their places.
func (l *loader) scriptFaults(file string, err error) {
	for line := range strings.SplitSeq(plainText(err), "\n") {
		f := Fault{File: file, Code: "config.script_invalid", Text: line}
		if rest, ok := strings.CutPrefix(line, file+":"); ok {
			f.Text = strings.TrimSpace(rest)
			parts := strings.SplitN(rest, ":", 3)
			if len(parts) == 3 {
				row, err1 := strconv.Atoi(parts[0])
				column, err2 := strconv.Atoi(parts[1])
				if err1 == nil && err2 == nil {
					f.Line, f.Column, f.Text = row, column, strings.TrimSpace(parts[2])
				}
			}
		}
		l.add(f)
	}
}

// reference reads a text that may hold references to the environment.
func (in *input) reference(to *string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		in.line(to, path)(n)
		if _, ok := references(*to); !ok {
			in.fault(n, "config.value", path+": "+badReference, "")
		}
	}
}

// secret reads a reference; a text without one would put a key into the file.
func (in *input) secret(to *string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		names, ok := references(s)
		switch {
		case !ok:
			in.fault(n, "config.value", path+": "+badReference, "")
		case len(names) == 0:
			in.fault(n, "config.literal_secret", path+" holds a key itself", "write ${NAME} and set NAME in the environment, or use api_key_file")
		default:
			*to = s
		}
	}
}

// secretHeaders are headers whose value is a key.
var secretHeaders = []string{"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"}

func (in *input) headers(n *yaml.Node, path string) map[string]string {
	out := make(map[string]string)
	in.pairs(n, path, func(k, v *yaml.Node) {
		at, value := join(path, k.Value), ""
		if !validHeader(k.Value) {
			in.fault(k, "config.value", fmt.Sprintf("%q is no name of a header", k.Value), "")
			return
		}
		if slices.Contains(secretHeaders, strings.ToLower(k.Value)) {
			in.secret(&value, at)(v)
		} else {
			in.reference(&value, at)(v)
		}
		out[k.Value] = value
	})
	return out
}

func validHeader(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// shorthand makes the model of a name such as openai/gpt-5-mini.
func shorthand(name string) (Model, bool) {
	provider, model, found := strings.Cut(name, "/")
	if !found || provider != OpenAI || model == "" {
		return Model{}, false
	}
	return Model{Provider: OpenAI, Model: model, APIKey: "${OPENAI_API_KEY}"}, true
}

// defaultModel makes the default model what the flag says.
func (l *loader) defaultModel() {
	name, t := l.options.Model, l.team
	if name == "" {
		return
	}
	m, ok := t.Models[name]
	if !ok {
		m, ok = shorthand(name)
	}
	if !ok {
		l.add(Fault{File: "--model " + name, Code: "config.model_unknown", Text: fmt.Sprintf("there is no model %q; there are %s", name, listed(slices.Sorted(maps.Keys(t.Models)))),
			Mend: "name one of these, or openai/MODEL"})
		return
	}
	t.Models[DefaultModel] = m
}

// finishModels adds the models that profiles name by provider, and the embedded one when
// there is no default. It says whether that one answers for somebody.
func (l *loader) finishModels(ids []string) bool {
	t := l.team
	used := false
	for _, id := range ids {
		name := l.agents[id].profile.Model
		if m, ok := shorthand(name); ok && t.Models[name].Provider == "" {
			t.Models[name] = m
		}
		used = used || name == "" || name == DefaultModel
	}
	if _, ok := t.Models[DefaultModel]; ok {
		return false
	}
	t.Models[DefaultModel] = Model{Provider: Scripted, Script: embedded, ScriptFile: embeddedName}
	return used
}
