package config

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// modelDraft is a model that is being read.
type modelDraft struct {
	Model
	script string // name of the file
}

const (
	maxTemperature = 2
	leastWindow    = 256 // tokens; in less nothing of use fits
)

// modelKeys is the table of the keys of a model (models spec §3).
func modelKeys(l *loader, m *modelDraft) []key {
	q, r, t := &m.Quirks, &m.Retry, &m.Timeouts
	return []key{
		{"provider", choice(&m.Provider, OpenAI, Anthropic, Gemini, Scripted, Replay, "|", "openai-responses"), required,
			"`openai` is the service and every server of chat completions"},
		{"model", reference(&m.Model.Model), says("required, but for `scripted` and `replay`"), "its name at the server; of `replay` which model of the cassette it is, by its name in the team that was recorded"},
		{"base_url", address(&m.BaseURL), says("the service"), "with the version part, without the path of one request"},
		{"api_key", secret(&m.APIKey), says("`${OPENAI_API_KEY}`, `${ANTHROPIC_API_KEY}`, `${GEMINI_API_KEY}`"), "where the key is; never the key itself"},
		{"api_key_file", l.place(&m.APIKeyFile), nil, "file that holds the key"},
		{"auth", auth(&m.Auth), says("the provider's"), "`bearer`, `header:NAME`, or `none` for a server without keys"},
		{"headers", named(patternHeader, reference(new(string)).form, headers(&m.Headers)), nil, "headers of each request; one that holds a key is a reference `${NAME}`"},
		{"script", line(&m.script), says("required for `scripted`"), "file of the answers"},
		{"stream", optional(&m.Stream), true, "whether answers are streamed"},
		{"max_output", count(&m.MaxOutput), says("the server's"), "longest answer in tokens"},
		{"temperature", number(&m.Temperature, maxTemperature), says("the server's"), "sent as it is"},
		{"top_p", number(&m.TopP, 1), says("the server's"), "sent as it is"},
		{"stop", list(&m.Stop), nil, "texts that end an answer"},
		{"quirks", mapping(
			key{"max_tokens_field", choice(&q.MaxTokensField, "max_tokens", "max_completion_tokens"), says("by server"), "the field of `max_output`"},
			key{"system_role", choice(&q.SystemRole, "system", "developer", "user"), "system", "the role of the system prompt"},
			key{"stream_usage", optional(&q.StreamUsage), says("by server"), "whether a stream is asked for usage"},
			key{"parallel_field", optional(&q.ParallelField), says("by server"), "whether parallel calls are asked for"},
			key{"reasoning_field", choice(&q.ReasoningField, "think"), nil, "the field that asks for reasoning"},
			key{"openapi_schema", boolean(&q.OpenAPISchema), false, "of `gemini`: send the schemas of tools in the older form"},
			key{"grammar_schema", boolean(&q.GrammarSchema), false, "leave out of the schemas of tools what the grammars of llama.cpp and vLLM cannot express"},
			key{"call_id", choice(&q.CallID, "alnum9"), nil, "for servers that insist on ids of calls with nine letters and digits"},
			key{"single_system", only(true), true, "there is always one system message"},
			key{"replay_reasoning", boolean(&q.ReplayReasoning), false, "send reasoning back as `reasoning_content`, with the answer that it came with"},
		), nil, "how a server differs"},
		{"retry", mapping(
			key{"attempts", integer(&r.Attempts, 1, 100), 5, "attempts of one request in all"},
			key{"base", duration(&r.Base), "1s", "wait before the second attempt; doubled each time"},
			key{"cap", duration(&r.Cap), "60s", "longest wait between attempts"},
			key{"max_wait", duration(&r.MaxWait), "5m", "longest wait that a server may ask for"},
			key{"total", duration(&r.Total), says("15m, or `max_wait` when that is more"), "longest time in which rate limits are waited for"},
		), nil, "attempts of one request"},
		{"timeouts", mapping(
			key{"connect", duration(&t.Connect), "10s", "until the server is reached"},
			key{"first_token", duration(&t.FirstToken), "2m", "until the answer begins"},
			key{"between", duration(&t.Between), "1m", "between two parts of an answer"},
			key{"content", duration(&t.Content), "5m", "between two parts that say something"},
			key{"total", duration(&t.Total), "10m", "until the answer is complete"},
		), nil, "of one attempt"},
		{"limits", mapping(
			key{"concurrency", count(&m.Limits.Concurrency), 8, "requests at the same time"},
			key{"requests_per_minute", count(&m.Limits.Requests), nil, "requests that begin in a minute"},
			key{"tokens_per_minute", count64(&m.Limits.Tokens), nil, "tokens read and written in a minute, about"},
		), nil, "of the key: all models with the same key share them, and the lowest of each number counts"},
		{"fallback", listOf(&m.Fallback, form{typ: "string", is: "name in models", pattern: patternModel}, nil), nil,
			"models that stand in for this one, in this order; who has fallen back stays there"},
		{"fallback_on", listOf(&m.FallbackOn, form{typ: "string", is: "failure", words: failures}, failure), says("all but `content_filter`"),
			"failures after which a fallback is asked: " + strings.Join(failures, ", ")},
		{"window", integer(&m.Window, leastWindow, math.MaxInt), says("of known models; else learned from the server"), "tokens that a request and its answer may have together"},
		{"vision", optional(&m.Vision), says("of known models; else false"), "whether it takes images"},
		{"reasoning", reasoning(&m.Reasoning), says("off"), "how much the model thinks: `off`, `low`, `medium`, `high`, or `tokens:N` (not for `openai`)"},
		{"cache", choice(&m.Cache, "on", "off", "1h"), "on", "of `anthropic`: whether and how long the server keeps what requests have in common"},
		{"price", priceKind(&m.Price), says("of the program's table, for the services themselves"), "what it costs"},
		{"strict", later, nil, "remove it"},
		{"proxy", proxy(&m.Proxy), nil, "http, https or socks5 URL that requests go through"},
		{"record", l.place(&m.Record), nil, "file that all traffic with the model is added to; `swarm run --record` names one for all models instead"},
		{"cassette", l.place(&m.Cassette), says("required for `replay`"), "file of a recording that answers"},
		{"normalise", listOf(&m.Normalise, form{typ: "string", is: "pattern (RE2)", pattern: patternBlock}, changing), nil, "of `replay`: what may change in the texts of requests, such as dates"},
		{"on_miss", only("error"), "error", "of `replay`: what becomes of a request that is not recorded"},
		{"exact", boolean(&m.Exact), false, "of `replay`: whether an answer that nobody has asked for is an error at the end"},
		{"speed", choice(&m.Speed, "at_once", "recorded"), "at_once", "of `replay`: how fast answers come"},
	}
}

// model reads a member of models.
func (l *loader) model(in *input, k, v *yaml.Node, path string) {
	if !validModelName(k.Value) {
		in.fault(k, "config.model_name", fmt.Sprintf("the name %q of a model is not %s", k.Value, idGrammar), mendID(k.Value))
		return
	}
	var d modelDraft
	if v.Kind == yaml.ScalarNode {
		in.fault(v, "config.type", path+" is a mapping of keys and values", mendModel(v.Value))
	} else {
		mapping(modelKeys(l, &d)...).read(in, v, path)
	}
	if v.Kind == yaml.MappingNode {
		l.completeModel(in, v, path, &d)
	}
	l.team.Models[k.Value] = d.Model
}

// mendModel says what to write in place of the name of a model or provider.
func mendModel(name string) string {
	provider, id, found := strings.Cut(name, "/")
	switch {
	case found && networks[provider].env != "":
		return fmt.Sprintf("write {provider: %s, model: %s}", provider, quoted(id))
	case name == Scripted:
		return "write {provider: scripted, script: …}"
	case name == "" || networks[name].env != "":
		return "write {provider: " + cmp.Or(name, OpenAI) + ", model: …}"
	}
	return fmt.Sprintf("write {provider: openai, model: %s}", quoted(name))
}

// failures are the classes of failures that may have a fallback asked.
var failures = []string{"overloaded", "transient", "rate_limited", "auth", "context_overflow", "content_filter"}

func failure(in *input, v *yaml.Node, path string) bool {
	if slices.Contains(failures, v.Value) {
		return true
	}
	in.value(v, "an entry of "+path, strings.Join(failures, " or "), mendWord(v.Value, failures))
	return false
}

func validModelName(s string) bool {
	return validID(strings.ToLower(strings.ReplaceAll(s, ".", "-")))
}

// auth is the kind of how a key is sent. Its faults do not show the value, which may be a
// key that was written to the wrong place.
func auth(to *string) kind {
	return scalar(form{typ: "string", is: "a word", pattern: patternAuth}, func(in *input, v *yaml.Node, path, s string) {
		name, isHeader := strings.CutPrefix(s, "header:")
		if s != "bearer" && s != "none" && (!isHeader || !validHeader(name)) {
			mend := "the key itself stands in api_key, as ${NAME}"
			if near := alike(strings.ToLower(s), []string{"bearer", "none"}); near != "" {
				mend = "write " + near
			}
			in.fault(v, "config.value", path+" is bearer, header:NAME or none", mend)
		}
		*to = s
	})
}

// secretHeaders are headers whose value is a key.
var secretHeaders = []string{"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"}

func isSecretHeader(name string) bool { return slices.Contains(secretHeaders, strings.ToLower(name)) }

// headers reads one header.
func headers(to *map[string]string) func(in *input, k, v *yaml.Node, path string) {
	return func(in *input, k, v *yaml.Node, path string) {
		if !validHeader(k.Value) {
			in.fault(k, "config.value", fmt.Sprintf("%q is no name of a header", k.Value), "such a name has letters, digits and -")
			return
		}
		value := ""
		one := reference(&value)
		if isSecretHeader(k.Value) {
			one = secret(&value)
		}
		one.read(in, v, path)
		if *to == nil {
			*to = make(map[string]string)
		}
		(*to)[k.Value] = value
	}
}

func validHeader(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// reasoning is the kind of how much a model thinks.
func reasoning(to *string) kind {
	return scalar(form{typ: "string", is: "off, low, medium, high or tokens:N", pattern: patternReasoning}, func(in *input, v *yaml.Node, path, s string) {
		if !validReasoning.MatchString(s) {
			in.value(v, path, "off, low, medium, high, or tokens:N with a whole number", "")
			return
		}
		*to = s
	})
}

const patternReasoning = `^(off|low|medium|high|tokens:[1-9][0-9]{0,8})$`

var validReasoning = regexp.MustCompile(patternReasoning)
