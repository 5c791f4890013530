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

// Embedded says whether the model is the one that a team without a default model has. No
// file of the user's says anything of it.
func (m *Model) Embedded() bool { return m.ScriptFile == embeddedName && m.Script == embedded }

// completeModel checks what a provider needs and what makes no sense for it.
func (l *loader) completeModel(in *input, n *yaml.Node, path string, d *modelDraft) {
	m := &d.Model
	given := func(name string) (pair, bool) { p, ok := in.seen[join(path, name)]; return p, ok }
	if _, ok := given("provider"); !ok {
		in.fault(n, "config.missing", path+" has no provider", "it is openai, anthropic, gemini, scripted or replay")
		return
	}
	switch m.Provider {
	case OpenAI, Anthropic, Gemini:
		l.completeNetwork(in, n, path, m)
	case Replay:
		l.completeReplay(in, n, path)
	case Scripted:
		l.meaningless(in, path, m.Provider, append([]string{"vision", "record"}, slices.Concat(ofServers, ofReplay)...))
		p, ok := given("script")
		if !ok {
			in.fault(n, "config.missing", path+" has no script", "name the file of its answers")
			return
		}
		if d.script != "" {
			l.script(p.value, m, d.script)
		}
	}
}

// network is what a provider of the network has of its own.
type network struct {
	env      string   // variable of the key
	endpoint string   // what a base_url must not end in
	lacks    []string // keys that mean nothing for it
}

var networks = map[string]network{
	OpenAI:    {"OPENAI_API_KEY", "/chat/completions", []string{"cache", "quirks.openapi_schema"}},
	Anthropic: {"ANTHROPIC_API_KEY", "/messages", quirkKeys("openapi_schema")},
	Gemini:    {"GEMINI_API_KEY", "/models", append(quirkKeys(), "cache")},
}

// quirkKeys are the quirks of provider openai, and more.
func quirkKeys(more ...string) (out []string) {
	for _, q := range append([]string{"max_tokens_field", "system_role", "stream_usage", "parallel_field", "reasoning_field", "grammar_schema", "call_id", "single_system", "replay_reasoning"}, more...) {
		out = append(out, "quirks."+q)
	}
	return out
}

// completeNetwork checks a model behind a network.
func (l *loader) completeNetwork(in *input, n *yaml.Node, path string, m *Model) {
	given := func(name string) (pair, bool) { p, ok := in.seen[join(path, name)]; return p, ok }
	net := networks[m.Provider]
	if _, ok := given("model"); !ok {
		in.fault(n, "config.missing", path+" has no model", "name one of the server's models")
	}
	if p, ok := given("script"); ok {
		in.fault(p.key, "config.conflict", path+".script is for provider scripted only", "remove it")
	}
	l.meaningless(in, path, m.Provider, net.lacks)
	for _, name := range ofReplay {
		if p, ok := given(name); ok {
			in.fault(p.key, "config.conflict", fmt.Sprintf("%s.%s is for provider replay only", path, name), "remove it; record: FILE records the traffic")
		}
	}
	if p, ok := given("reasoning"); ok && m.Provider == OpenAI && strings.HasPrefix(m.Reasoning, "tokens:") {
		in.fault(p.value, "config.value", path+".reasoning: provider openai takes no number of tokens", "write low, medium or high")
	}
	if p, ok := given("base_url"); ok && m.BaseURL != "" && !strings.Contains(m.BaseURL, "${") {
		switch u, err := url.Parse(m.BaseURL); {
		case err == nil && u.User != nil:
			in.fault(p.value, "config.literal_secret", path+".base_url holds credentials", "remove them, and write api_key or headers with ${NAME}")
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			in.value(p.value, path+".base_url", "an http or https URL with the version part", "for example http://127.0.0.1:11434/v1")
		default:
			if base, ok := strings.CutSuffix(strings.TrimSuffix(u.Path, "/"), net.endpoint); ok {
				u.Path, u.RawPath, u.RawQuery = base, "", ""
				in.fault(p.value, "config.value", path+".base_url ends in "+net.endpoint+", which is added by itself", "write "+u.String())
			}
		}
	}
	if p, ok := given("proxy"); ok && m.Proxy != "" && !strings.Contains(m.Proxy, "${") {
		if u, err := url.Parse(m.Proxy); err == nil && u.User != nil {
			in.fault(p.value, "config.literal_secret", path+".proxy holds credentials", "write all of it as ${NAME}")
		}
	}
	if p, ok := given("api_key"); ok && m.APIKeyFile != "" {
		in.fault(p.key, "config.conflict", path+" has both api_key and api_key_file", "keep one")
	}
	if m.APIKey == "" && m.APIKeyFile == "" && m.Auth != "none" {
		m.APIKey = "${" + net.env + "}"
	}
}

// script reads and checks the script of a model.
func (l *loader) script(at *yaml.Node, m *Model, name string) {
	file := l.path(name)
	if file == l.top.file {
		l.top.fault(at, "config.value", fmt.Sprintf("script %s is the team file itself", file), "name the file of the answers")
		return
	}
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
		l.scriptFaults(file, data, err)
	}
}

// scriptFaults tells the faults of a script, which stand one a line with their places.
func (l *loader) scriptFaults(file string, data []byte, err error) {
	for line := range strings.SplitSeq(plainText(err), "\n") {
		f := Fault{File: file, Code: "config.script_invalid", Text: line}
		if rest, ok := strings.CutPrefix(line, file+":"); ok {
			f.Text = strings.TrimSpace(rest)
			if said, ok := strings.CutPrefix(f.Text, "yaml: "); ok {
				f = syntax(file, data, said)
				f.Code = "config.script_invalid"
			}
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

// fallbacks checks the models that stand in for others.
func (c *checker) fallbacks() {
	names := slices.Sorted(maps.Keys(c.t.Models))
	for _, name := range names {
		m := c.t.Models[name]
		path := "models." + name + ".fallback"
		for _, other := range m.Fallback {
			switch _, ok := c.t.Models[other]; {
			case !ok:
				c.fault("", path, other, "config.model_unknown", fmt.Sprintf("model %s falls back to %q, which is not there; there are %s", name, other, listed(names)), nearest(other, names))
			case other == name:
				c.fault("", path, other, "config.value", fmt.Sprintf("model %s falls back to itself", name), "remove it, and set retry.attempts")
			}
		}
		for _, on := range m.FallbackOn {
			if !slices.Contains(failures, on) {
				c.fault("", "models."+name+".fallback_on", on, "config.value", fmt.Sprintf("model %s: fallback_on holds %s, not %q", name, strings.Join(failures, " or "), on), "")
			}
		}
	}
}

// shorthand makes the model of a name such as openai/gpt-5-mini.
func shorthand(name string) (Model, bool) {
	provider, model, found := strings.Cut(name, "/")
	net, known := networks[provider]
	if !found || !known || model == "" {
		return Model{}, false
	}
	return Model{Provider: provider, Model: model, APIKey: "${" + net.env + "}"}, true
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
			Mend: "name one of these, or PROVIDER/MODEL with openai, anthropic or gemini"})
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
		for _, name := range []string{name, l.agents[id].profile.CompactionModel} {
			if m, ok := shorthand(name); ok && t.Models[name].Provider == "" {
				t.Models[name] = m
			}
		}
		used = used || name == "" || name == DefaultModel
	}
	if _, ok := t.Models[DefaultModel]; ok {
		return false
	}
	t.Models[DefaultModel] = Model{Provider: Scripted, Script: embedded, ScriptFile: embeddedName}
	return used
}
