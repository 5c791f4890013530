package modeltest_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const goodChat = `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"grep","description":"Finds.","parameters":{"type":"object"}}}],"messages":[` +
	`{"role":"system","content":"s"},{"role":"user","content":"u"},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"grep","arguments":"{}"}},{"id":"call_2","type":"function","function":{"name":"grep","arguments":"{\"a\":1}"}}]},` +
	`{"role":"tool","tool_call_id":"call_1","content":"r"},{"role":"tool","tool_call_id":"call_2","content":"r \ud83d\udc1d"}]}`

func TestValidateChat(t *testing.T) {
	t.Parallel()
	const results = `{"role":"tool","tool_call_id":"call_1","content":"r"},{"role":"tool","tool_call_id":"call_2","content":"r \ud83d\udc1d"}`
	for _, row := range []struct{ name, old, new, rule string }{
		{"good", "", "", ""},
		{"no JSON", goodChat, "{", "wire.json"},
		{"no object", goodChat, "[]", "wire.object"},
		{"unknown key", `"stream":true`, `"stream":true,"n":2`, "wire.unknown_key"},
		{"key twice", `"stream":true`, `"stream":true,"stream":true`, "wire.key_twice"},
		{"no model", `"model":"m"`, `"model":""`, "text.empty"},
		{"stream is a text", `"stream":true`, `"stream":"yes"`, "wire.boolean"},
		{"options without stream", `"stream":true`, `"stream":false,"stream_options":{}`, "wire.option"},
		{"two limits", `"stream":true`, `"max_tokens":1,"max_completion_tokens":1`, "wire.option"},
		{"hot", `"stream":true`, `"temperature":3`, "wire.range"},
		{"five stops", `"stream":true`, `"stop":["1","2","3","4","5"]`, "wire.range"},
		{"no tools but a choice", `"tools":[{"type":"function","function":{"name":"grep","description":"Finds.","parameters":{"type":"object"}}}]`, `"tool_choice":"none"`, "wire.option"},
		{"choice of nobody", `"stream":true`, `"tool_choice":{"type":"function","function":{"name":"x"}}`, "choice.unknown_tool"},
		{"dotted name of a tool", `"name":"grep","description"`, `"name":"a.b","description"`, "name.illegal"},
		{"schema of a list", `"parameters":{"type":"object"}`, `"parameters":{"type":"array"}`, "schema.root"},
		{"system later", `{"role":"user","content":"u"}`, `{"role":"user","content":"u"},{"role":"system","content":"s"}`, "order.system"},
		{"empty user", `"content":"u"`, `"content":""`, "text.empty"},
		{"NUL", `"content":"u"`, `"content":"\u0000"`, "text.nul"},
		{"half a pair", `"content":"u"`, `"content":"\ud83d"`, "text.surrogate"},
		{"an escaped backslash is no half", `"content":"u"`, `"content":"\\ud83d"`, ""},
		{"not UTF-8", `"content":"u"`, "\"content\":\"\xff\"", "text.utf8"},
		{"no user", `{"role":"user","content":"u"},`, ``, "order.first"},
		{"role of nobody", `"role":"user"`, `"role":"owner"`, "order.role"},
		{"result missing", `{"role":"tool","tool_call_id":"call_1","content":"r"},`, ``, "pairing.order"},
		{"all results missing", `,` + results, ``, "pairing.missing_result"},
		{"results late", results, `{"role":"user","content":"u"},` + results, "pairing.missing_result"},
		{"orphan", results, results + `,{"role":"tool","tool_call_id":"call_2","content":"r"}`, "pairing.no_call"},
		{"id twice", `"id":"call_2"`, `"id":"call_1"`, "pairing.key_twice"},
		{"illegal id", `"id":"call_2"`, `"id":"call 2"`, "pairing.key"},
		{"arguments are an object", `"arguments":"{}"`, `"arguments":{}`, "wire.string"},
		{"arguments are a list", `"arguments":"{}"`, `"arguments":"[]"`, "wire.object"},
		{"empty result", `"call_1","content":"r"`, `"call_1","content":""`, "text.empty"},
		{"no content", `"content":null,`, ``, "wire.content"},
		{"last is the model's", results, results + `,{"role":"assistant","content":"x"}`, "order.last"},
		{"two of the model", results, results + `,{"role":"assistant","content":"x"},{"role":"assistant","content":"y"}`, "order.alternate"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			faults := modeltest.ValidateChat([]byte(strings.Replace(goodChat, row.old, row.new, 1)))
			if row.rule == "" {
				if faults != nil {
					t.Fatalf("faults %v", faults)
				}
				return
			}
			for _, f := range faults {
				if f.Rule == row.rule {
					return
				}
			}
			t.Fatalf("faults %v, want %s", faults, row.rule)
		})
	}
}

func FuzzValidateChat(f *testing.F) {
	f.Add([]byte(goodChat))
	f.Add([]byte(`{"messages":[{"role":"tool"},{"role":"assistant","tool_calls":[{}]},null,1]}`))
	f.Add([]byte(`{"tools":[{"function":{}}],"tool_choice":"","stop":[null]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, fault := range modeltest.ValidateChat(body) {
			if fault.Rule == "" || fault.Place == "" {
				t.Fatalf("%+v", fault)
			}
		}
	})
}
