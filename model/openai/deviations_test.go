package openai_test

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

const (
	paris = `"{\"city\":\"Paris\"}"`
	rome  = `"{\"city\":\"Rome\"}"`
	oslo  = `"{\"city\":\"Oslo\"}"`
)

// deviations has a row for every byte file.
var deviations = map[string]modeltest.Outcome{
	"good_text":  {Text: "Hello, wörld 🐝", Finish: model.FinishStop, Usage: "12/4"},
	"good_calls": {Text: "I look.", Calls: []string{"weather call_a " + paris, "time call_b " + rome}, Finish: model.FinishCalls, Usage: "10/5"},

	"D01_no_index":           {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D01_no_index_no_id":     {Calls: []string{"weather  " + paris, "weather  " + rome}, Finish: model.FinishCalls},
	"D01_no_index_one_chunk": {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D02_index_0_for_two":    {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D02_index_0_in_pieces":  {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D03_index_from_1":       {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D03_index_with_holes":   {Calls: []string{"weather call_a " + paris, "weather call_b " + rome}, Finish: model.FinishCalls},
	"D04_id_empty_later":     {Calls: []string{"weather call_a " + paris, "weather  " + rome}, Finish: model.FinishCalls},
	"D04_no_ids":             {Calls: []string{"weather  " + paris, "weather  " + rome}, Finish: model.FinishCalls},
	"D05_same_id":            {Calls: []string{"weather call_1 " + paris, "weather call_1 " + rome, "weather call_1 " + oslo}, Finish: model.FinishCalls, ID: "pairing-6"},
	"D05_same_id_no_index":   {Calls: []string{"weather call_1 " + paris, "weather call_1 " + rome}, Finish: model.FinishCalls},
	"D06_name_repeated":      {Calls: []string{"weather call_a " + paris}, Finish: model.FinishCalls},
	"D06_name_empty_later":   {Calls: []string{"weather call_a " + paris}, Finish: model.FinishCalls},
	"D07_name_in_pieces":     {Calls: []string{"get_weather call_a " + paris}, Finish: model.FinishCalls},
	"D08_object":             {Calls: []string{`weather call_a {"city":"Paris","n":1.5}`}, Finish: model.FinishCalls},
	"D08_null_absent_empty":  {Calls: []string{"weather a ", "weather b ", `weather c ""`, `weather d "null"`}, Finish: model.FinishCalls},
	"D09_two_objects":        {Calls: []string{`weather call_a "{}{\"city\":\"x\"}"`}, Finish: model.FinishCalls},
	"D09_two_values":         {Calls: []string{`weather call_a "{}{\"city\":\"x\"}!"`}, Finish: model.FinishCalls},
	"D10_interleaved":        {Calls: []string{"weather call_a " + paris, "time call_b " + rome, "weather call_c " + oslo}, Finish: model.FinishCalls, ID: "pairing-7"},

	"D11_no_finish_done": {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_no_finish":      {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_finish_no_done": {Text: "Hello", Finish: model.FinishStop},
	"D12_cut_in_call":    {Class: model.ClassTransient, Code: "model.stream_incomplete", ID: "pairing-5"},
	"D12_cut_in_event":   {Class: model.ClassTransient, Code: "model.stream_incomplete"},

	"D13_error_in_data":      {Class: model.ClassOverload, Code: "model.overloaded", Detail: "The server is overloaded"},
	"D13_error_event":        {Class: model.ClassRate, Code: "model.rate_limited", Detail: "slow down"},
	"D13_error_text":         {Class: model.ClassTransient, Code: "model.upstream_error", Detail: "upstream reset"},
	"D13_error_after_finish": {Class: model.ClassTransient, Code: "model.http_502", Detail: "lost"},
	"D13_error_body":         {Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "8 tokens"},

	"D14_stop_with_calls":   {Calls: []string{"weather call_a " + paris}, Finish: model.FinishCalls},
	"D14_calls_without_any": {Text: "Hello", Finish: model.FinishStop},
	"D15_length_with_calls": {Calls: []string{`weather call_a "{\"city\":\"Pa"`}, Finish: model.FinishLength},
	"D15_cut_arguments":     {Calls: []string{`weather call_a "{\"city\":\"Pa"`}, Finish: model.FinishCalls},
	"D16_malformed":         {Calls: []string{`weather call_a "{\"city\":Paris}"`}, Finish: model.FinishCalls},
	"D17_usage_twice":       {Text: "Hello", Finish: model.FinishStop, Usage: "7/3"},
	"D17_usage_never":       {Text: "Hello", Finish: model.FinishStop},
	"D18_noise":             {Text: "ö🐝🐝", Finish: model.FinishStop},

	"D19_html":              {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "hotel network"},
	"D19_text":              {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "upstream connect error"},
	"D19_empty":             {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D19_other_json":        {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_broken_json":       {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_not_json_event":    {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "not json"},
	"D19_whole":             {Calls: []string{"weather call_a " + paris, `weather call_a "{}"`}, Finish: model.FinishCalls, Usage: "9/2"},
	"D19_events_unlabelled": {Text: "Hello", Finish: model.FinishStop},

	"D20_unknown_event":     {Text: "Hello", Finish: model.FinishStop, Native: "2"},
	"D20_unknown_call_kind": {Text: "Hello", Finish: model.FinishStop, Native: "1"},
	"D20_unknown_finish":    {Text: "Hello", Finish: "unknown:eos"},
	"D21_text_after_call":   {Text: "ab", Calls: []string{"weather call_a " + paris}, Finish: model.FinishCalls},
	"D22_function_call":     {Calls: []string{"weather  " + paris}, Finish: model.FinishCalls},
	"D23_reasoning_content": {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop},
	"D23_reasoning":         {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop},
	"D23_think_tag":         {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop},
	"D24_129_calls":         {Class: model.ClassPermanent, Code: "model.answer_too_large"},

	"D25_empty":               {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_blank":               {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_length_without_text": {Finish: model.FinishLength},
	"D26_filter":              {Class: model.ClassFilter, Code: "model.content_filter"},
	"D27_refusal":             {Text: "I cannot.", Finish: model.FinishStop},
	"D28_second_choice":       {Text: "Hello", Finish: model.FinishStop},
	"D29_call_without_name":   {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D30_message_in_stream":   {Text: "Hello", Finish: model.FinishStop},
	"D31_no_end_blank":        {Text: "Hello", Finish: model.FinishStop},
}

func label(name string) string {
	switch {
	case name == "D19_html":
		return "text/html"
	case name == "D19_events_unlabelled", strings.HasPrefix(name, "D19_") && name != "D19_not_json_event":
		return "text/plain"
	}
	return "text/event-stream; charset=utf-8"
}

func quirksOf(name string) (q openai.Quirks) {
	if name == "D23_think_tag" {
		q.ReasoningField = "think"
	}
	return q
}

// played is what plays the byte files.
var played = modeltest.Deviations{Rows: deviations, Path: "/v1", Question: question, Label: label, Ends: `"finish_reason":"`, Late: true,
	New: func(t testing.TB, base, name string) model.Provider {
		return provider(t, openai.Options{BaseURL: base, Quirks: quirksOf(name)})
	}}

func TestDeviations(t *testing.T) {
	t.Parallel()
	played.Play(t)
}

func TestCutAfterEachByte(t *testing.T) {
	t.Parallel()
	played.Cut(t, "good_text", "good_calls", "D19_whole")
}

func TestPreviewIsTheAnswer(t *testing.T) {
	t.Parallel()
	played.Preview(t, "good_text", "good_calls", "D10_interleaved", "D23_reasoning_content", "D08_object")
}
