package modeltest_test

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const goodGenerate = `{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[` +
	`{"name":"grep","description":"Finds.","parametersJsonSchema":{"type":"object"}},` +
	`{"name":"look","parameters":{"type":"object","required":["a"],"properties":{"a":{"type":"string","enum":["x"],"nullable":true},"b":{"anyOf":[{"type":"integer","minimum":1},{"type":"array","items":{}}]}}}}]}],` +
	`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["grep"]}},` +
	`"generationConfig":{"maxOutputTokens":9,"temperature":0.5,"topP":0.5,"stopSequences":["x"],"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}},` +
	`"contents":[{"role":"user","parts":[{"text":"u"},{"text":"v"}]},` +
	`{"role":"model","parts":[{"text":"a"},{"functionCall":{"name":"grep","args":{}},"thoughtSignature":"YQ=="},{"functionCall":{"name":"look","args":{"a":1}}},{"text":"","thoughtSignature":"YQ=="},{"executableCode":{"code":"x"}}]},` +
	`{"role":"user","parts":[{"functionResponse":{"name":"grep","response":{"output":"r \ud83d\udc1d"}}},{"functionResponse":{"name":"look","response":{"error":"no"}}},{"text":"go on"}]}]}`

func TestValidateGenerate(t *testing.T) {
	t.Parallel()
	const (
		first  = `{"functionResponse":{"name":"grep","response":{"output":"r \ud83d\udc1d"}}}`
		second = `{"functionResponse":{"name":"look","response":{"error":"no"}}}`
	)
	for _, row := range []struct{ name, old, new, rule string }{
		{"good", "", "", ""},
		{"no JSON", goodGenerate, "{", "wire.json"},
		{"no object", goodGenerate, "[]", "wire.object"},
		{"unknown key", `"contents":`, `"model":"m","contents":`, "wire.unknown_key"},
		{"key twice", `"contents":`, `"contents":[],"contents":`, "wire.key_twice"},
		{"empty system", `{"text":"s"}`, `{"text":""}`, "text.empty"},
		{"no functions", `"functionDeclarations":[`, `"functionDeclarations":[],"x":[`, "wire.range"},
		{"choice without tools", `"tools":[`, `"x":[`, "wire.option"},
		{"dotted name of a tool", `"name":"grep","description"`, `"name":"a.b","description"`, "name.illegal"},
		{"name that begins with a digit", `"name":"grep","description"`, `"name":"1a","description"`, "name.illegal"},
		{"name twice", `"name":"look","parameters"`, `"name":"Grep","parameters"`, "name.duplicate"},
		{"two schemas", `"parametersJsonSchema":`, `"parameters":{},"parametersJsonSchema":`, "wire.option"},
		{"schema of a list", `"parametersJsonSchema":{"type":"object"}`, `"parametersJsonSchema":{"type":"array"}`, "schema.root"},
		{"subset: no properties", `"parametersJsonSchema":{"type":"object"}`, `"parameters":{"type":"object"}`, "schema.root"},
		{"subset: two types", `{"type":"string","enum"`, `{"type":["string","null"],"enum"`, "schema.type"},
		{"subset: another type", `{"type":"string","enum"`, `{"type":"file","enum"`, "schema.type"},
		{"subset: keyword", `{"type":"string","enum"`, `{"type":"string","const":"x","enum"`, "schema.keyword"},
		{"subset: keyword of another type", `{"type":"integer","minimum"`, `{"type":"string","minimum"`, "schema.keyword"},
		{"subset: beside anyOf", `{"anyOf":`, `{"description":"d","anyOf":`, "schema.beside"},
		{"subset: one alternative", `{"type":"integer","minimum":1},`, ``, "schema.any_of"},
		{"subset: no items", `,"items":{}`, ``, "wire.object"},
		{"subset: required of nobody", `"required":["a"]`, `"required":["c"]`, "schema.required"},
		{"subset: empty enum", `"enum":["x"]`, `"enum":[""]`, "text.empty"},
		{"mode of nobody", `"mode":"ANY"`, `"mode":"any"`, "wire.choice"},
		{"names without ANY", `"mode":"ANY"`, `"mode":"NONE"`, "wire.option"},
		{"choice of nobody", `"allowedFunctionNames":["grep"]`, `"allowedFunctionNames":["x"]`, "choice.unknown_tool"},
		{"hot", `"temperature":0.5`, `"temperature":3`, "wire.range"},
		{"six stops", `["x"],"thinkingConfig"`, `["1","2","3","4","5","6"],"thinkingConfig"`, "wire.range"},
		{"level and budget", `"thinkingLevel":"LOW"`, `"thinkingLevel":"LOW","thinkingBudget":5`, "wire.option"},
		{"level of nobody", `"thinkingLevel":"LOW"`, `"thinkingLevel":"low"`, "wire.option"},
		{"no contents", `"contents":[`, `"contents":[],"x":[`, "order.empty"},
		{"role of nobody", `{"role":"user","parts":[{"text":"u"}`, `{"role":"assistant","parts":[{"text":"u"}`, "order.role"},
		{"the model is first", `{"role":"user","parts":[{"text":"u"},{"text":"v"}]},`, ``, "order.first"},
		{"two of the user", `{"text":"u"},{"text":"v"}]},`, `{"text":"u"}]},{"role":"user","parts":[{"text":"v"}]},`, "order.alternate"},
		{"no parts", `[{"text":"u"},{"text":"v"}]`, `[]`, "wire.range"},
		{"empty text of the user", `{"text":"u"}`, `{"text":""}`, "text.empty"},
		{"NUL", `{"text":"u"}`, `{"text":"\u0000"}`, "text.nul"},
		{"half a pair", `{"text":"u"}`, `{"text":"\ud83d"}`, "text.surrogate"},
		{"not UTF-8", `{"text":"u"}`, "{\"text\":\"\xff\"}", "text.utf8"},
		{"two in one part", `{"text":"u"}`, `{"text":"u","functionResponse":{"name":"grep","response":{"output":"x"}}}`, "wire.part"},
		{"empty text of the model", `{"text":"a"}`, `{"text":""}`, "text.empty"},
		{"part without anything", `{"text":"a"}`, `{}`, "wire.part"},
		{"arguments are a text", `"args":{}`, `"args":"{}"`, "wire.object"},
		{"call with an id", `"args":{}`, `"args":{},"id":"a"`, "wire.unknown_key"},
		{"first call without signature", `"args":{}},"thoughtSignature":"YQ=="`, `"args":{}}`, "native.no_signature"},
		{"signature that is none", `"args":{}},"thoughtSignature":"YQ=="`, `"args":{}},"thoughtSignature":"a b"`, "native.signature"},
		{"empty signature", `"args":{}},"thoughtSignature":"YQ=="`, `"args":{}},"thoughtSignature":""`, "native.signature"},
		{"last is the model's", `,{"role":"user","parts":[` + first + `,` + second + `,{"text":"go on"}]}`, ``, "order.last"},
		{"result missing", first + `,`, ``, "pairing.missing_result"},
		{"results in another order", first + `,` + second, second + `,` + first, "pairing.order"},
		{"text before results", first + `,` + second, `{"text":"x"},` + first + `,` + second, "pairing.late"},
		{"orphan", second, second + `,` + first, "pairing.no_call"},
		{"result without a call", `{"text":"v"}`, first, "pairing.no_call"},
		{"output and error", `{"error":"no"}`, `{"error":"no","output":"x"}`, "wire.response"},
		{"empty result", `{"error":"no"}`, `{"error":""}`, "text.empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(goodGenerate, row.old) {
				t.Fatalf("the row changes nothing: %s", row.old)
			}
			faults := modeltest.ValidateGenerate([]byte(strings.Replace(goodGenerate, row.old, row.new, 1)))
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

func FuzzValidateGenerate(f *testing.F) {
	f.Add([]byte(goodGenerate))
	f.Add([]byte(`{"contents":[{"role":"model","parts":[{"functionCall":{}},null]},{"parts":[{"functionResponse":{}}]},1]}`))
	f.Add([]byte(`{"tools":[{"functionDeclarations":[{"parameters":{"type":"array"}}]}],"toolConfig":"","generationConfig":{"stopSequences":[null]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, fault := range modeltest.ValidateGenerate(body) {
			if fault.Rule == "" || fault.Place == "" {
				t.Fatalf("%+v", fault)
			}
		}
	})
}
