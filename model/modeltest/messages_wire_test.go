package modeltest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const (
	messagesResults = `{"type":"tool_result","tool_use_id":"call_1","content":"r"},{"type":"tool_result","tool_use_id":"call_2","content":"r \ud83d\udc1d","is_error":true}`
	messagesThought = `{"type":"thinking","thinking":"","signature":"sig"},`
	goodMessages    = `{"model":"m","max_tokens":4096,"stream":true,"tools":[{"name":"grep","description":"Finds.","input_schema":{"type":"object"}}],` +
		`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"u"}]},` +
		`{"role":"assistant","content":[` + messagesThought + `{"type":"text","text":"t"},{"type":"tool_use","id":"call_1","name":"grep","input":{}},{"type":"tool_use","id":"call_2","name":"grep","input":{"a":1}}]},` +
		`{"role":"user","content":[` + messagesResults + `,{"type":"text","text":"h","cache_control":{"type":"ephemeral"}}]}]}`
)

func TestValidateMessages(t *testing.T) {
	t.Parallel()
	const (
		think = `"stream":true,"thinking":{"type":"enabled","budget_tokens":1024}`
		mark  = `,"cache_control":{"type":"ephemeral"}`
		end   = `{"type":"text","text":"h"` + mark + `}]}`
	)
	for _, row := range []struct{ name, old, new, rule string }{
		{"good", "", "", ""},
		{"no JSON", goodMessages, "{", "wire.json"},
		{"no object", goodMessages, "[]", "wire.object"},
		{"unknown key", `"stream":true`, `"stream":true,"n":2`, "wire.unknown_key"},
		{"key twice", `"stream":true`, `"stream":true,"stream":true`, "wire.key_twice"},
		{"no model", `"model":"m"`, `"model":""`, "text.empty"},
		{"no limit", `"max_tokens":4096,`, ``, "wire.missing"},
		{"limit of nothing", `4096`, `0`, "wire.range"},
		{"stream is a text", `"stream":true`, `"stream":"yes"`, "wire.boolean"},
		{"hot", `"stream":true`, `"temperature":1.5`, "wire.range"},
		{"blank stop", `"stream":true`, `"stop_sequences":[" "]`, "text.blank"},
		{"effort of nobody", `"stream":true`, `"output_config":{"effort":"some"}`, "wire.range"},
		{"thinking", `"stream":true`, think, ""},
		{"adaptive thinking", `"stream":true`, `"thinking":{"type":"adaptive"},"output_config":{"effort":"low"}`, ""},
		{"thinking without a budget", `"stream":true`, `"thinking":{"type":"enabled"}`, "wire.option"},
		{"small budget", `"stream":true`, `"thinking":{"type":"enabled","budget_tokens":1023}`, "wire.range"},
		{"budget of the whole limit", `"stream":true`, `"thinking":{"type":"enabled","budget_tokens":4096}`, "wire.range"},
		{"thinking and temperature", `"stream":true`, think + `,"temperature":1`, "thinking.temperature"},
		{"thinking and top_p", `"stream":true`, think + `,"top_p":0.5`, "thinking.top_p"},
		{"thinking and a forced call", `"stream":true`, think + `,"tool_choice":{"type":"any"}`, "thinking.choice"},
		{"thinking lost", messagesThought, ``, ""},
		{"no tools but a choice", `"tools":[{"name":"grep","description":"Finds.","input_schema":{"type":"object"}}]`, `"tool_choice":{"type":"none"}`, "wire.option"},
		{"choice of nobody", `"stream":true`, `"tool_choice":{"type":"tool","name":"x"}`, "choice.unknown_tool"},
		{"choice of another form", `"stream":true`, `"tool_choice":{"type":"required"}`, "wire.choice"},
		{"dotted name of a tool", `"name":"grep","description"`, `"name":"a.b","description"`, "name.illegal"},
		{"schema of a list", `"input_schema":{"type":"object"}`, `"input_schema":{"type":"array"}`, "schema.root"},
		{"system as a text", `[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]`, `"s"`, "wire.array"},
		{"blank system", `"text":"s"`, `"text":" \n"`, "text.blank"},
		{"empty user", `"text":"u"`, `"text":""`, "text.empty"},
		{"blank user", `"text":"u"`, `"text":" "`, "text.blank"},
		{"NUL", `"text":"u"`, `"text":"\u0000"`, "text.nul"},
		{"half a pair", `"text":"u"`, `"text":"\ud83d"`, "text.surrogate"},
		{"not UTF-8", `"text":"u"`, "\"text\":\"\xff\"", "text.utf8"},
		{"content as a text", `"content":[{"type":"text","text":"u"}]`, `"content":"u"`, "wire.array"},
		{"no content", `{"type":"text","text":"u"}`, ``, "text.empty"},
		{"no user", `{"role":"user","content":[{"type":"text","text":"u"}]},`, ``, "order.first"},
		{"role of nobody", `"role":"user"`, `"role":"system"`, "order.role"},
		{"two of the user", `{"role":"assistant"`, `{"role":"user","content":[{"type":"text","text":"u"}]},{"role":"assistant"`, "order.alternate"},
		{"result missing", `{"type":"tool_result","tool_use_id":"call_1","content":"r"},`, ``, "pairing.order"},
		{"results missing", messagesResults + `,`, ``, "pairing.missing_result"},
		{"result late", messagesResults, `{"type":"text","text":"h"},` + messagesResults, "order.results_first"},
		{"orphan", messagesResults, messagesResults + `,{"type":"tool_result","tool_use_id":"call_2","content":"r"}`, "pairing.no_call"},
		{"empty result", `"call_1","content":"r"`, `"call_1","content":""`, "text.empty"},
		{"error as a text", `"is_error":true`, `"is_error":"yes"`, "wire.boolean"},
		{"id twice", `"id":"call_2"`, `"id":"call_1"`, "pairing.key_twice"},
		{"illegal id", `"id":"call_2"`, `"id":"call.2"`, "pairing.key"},
		{"input is a text", `"input":{}`, `"input":"{}"`, "wire.object"},
		{"text after a call", `{"type":"text","text":"t"},{"type":"tool_use","id":"call_1","name":"grep","input":{}},`,
			`{"type":"tool_use","id":"call_1","name":"grep","input":{}},{"type":"text","text":"t"},`, "order.calls_last"},
		{"thinking without its signature", `"signature":"sig"`, `"signature":""`, "text.empty"},
		{"block of nobody", messagesThought, `{"type":"image"},`, "wire.block"},
		{"call of the user", `[{"type":"text","text":"u"}]`, `[{"type":"tool_use"}]`, "wire.block"},
		{"last is the model's", `"cache_control":{"type":"ephemeral"}}]}]}`, `"cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`, "order.last"},
		{"last is thinking", end, end + `,{"role":"assistant","content":[` + strings.TrimSuffix(messagesThought, ",") + `]}`, "order.thinking_last"},
		{"last is a paused turn", end, end + `,{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}`, ""},
		{"five marks", `{"type":"text","text":"u"}`, strings.Repeat(`{"type":"text","text":"u"`+mark+`},`, 2) + `{"type":"text","text":"u"` + mark + `}`, "cache.marks"},
		{"an hour after five minutes", `"text":"h","cache_control":{"type":"ephemeral"`, `"text":"h","cache_control":{"type":"ephemeral","ttl":"1h"`, "cache.order"},
		{"a mark for ever", `"text":"h","cache_control":{"type":"ephemeral"`, `"text":"h","cache_control":{"type":"ephemeral","ttl":"9h"`, "cache.ttl"},
		{"a mark of another kind", `"text":"h","cache_control":{"type":"ephemeral"`, `"text":"h","cache_control":{"type":"x"`, "cache.type"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			faults := modeltest.ValidateMessages([]byte(strings.Replace(goodMessages, row.old, row.new, 1)))
			if row.rule == "" && faults != nil || row.rule != "" && !slices.ContainsFunc(faults, func(f model.Fault) bool { return f.Rule == row.rule }) {
				t.Fatalf("faults %v, want %q", faults, row.rule)
			}
		})
	}
	lost := strings.Replace(strings.Replace(goodMessages, `"stream":true`, think, 1), messagesThought, "", 1)
	if faults := modeltest.ValidateMessages([]byte(lost)); len(faults) != 1 || faults[0].Rule != "native.missing" {
		t.Errorf("thinking lost with a budget: %v", faults)
	}
}

func FuzzValidateMessages(f *testing.F) {
	f.Add([]byte(goodMessages))
	f.Add([]byte(`{"messages":[{"role":"user","content":[null,1]},{"role":"assistant","content":[{}]},null,1]}`))
	f.Add([]byte(`{"tools":[{}],"tool_choice":"","thinking":{},"stop_sequences":[null],"system":[{"cache_control":[]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, fault := range modeltest.ValidateMessages(body) {
			if fault.Rule == "" || fault.Place == "" {
				t.Fatalf("%+v", fault)
			}
		}
	})
}
