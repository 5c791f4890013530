package anthropic_test

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const (
	paris = `"{\"city\":\"Paris\"}"`
	rome  = `"{\"city\":\"Rome\"}"`
	oslo  = `"{\"city\":\"Oslo\"}"`
)

// deviations has a row for every byte file.
var deviations = map[string]modeltest.Outcome{
	"good_text":     {Text: "Hello, wörld 🐝", Finish: model.FinishStop, Usage: "12/4"},
	"good_calls":    {Text: "I look.", Calls: []string{"weather toolu_a " + paris, "time toolu_b " + rome}, Finish: model.FinishCalls, Usage: "10/5"},
	"good_thinking": {Text: "I look.", Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls, Reasoning: "I think\nAgain", Native: "3", Usage: "10/9"},

	"D01_no_index":                  {Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D01_no_index_no_stop":          {Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D02_index_0_for_two":           {Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D02_index_0_for_text_and_call": {Text: "I look.", Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls},
	"D03_index_from_1":              {Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D03_index_with_holes":          {Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D04_no_ids":                    {Calls: []string{"weather  " + paris, "weather  " + rome}, Finish: model.FinishCalls},
	"D05_same_id":                   {Calls: []string{"weather toolu_1 " + paris, "weather toolu_1 " + rome, "weather toolu_1 " + oslo}, Finish: model.FinishCalls, ID: "pairing-6"},
	"D08_object":                    {Calls: []string{`weather toolu_a {"city":"Paris","n":1.5}`}, Finish: model.FinishCalls},
	"D08_object_in_delta":           {Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls},
	"D08_null_absent_empty":         {Calls: []string{"weather a ", "weather b ", `weather c ""`, `weather d "null"`, "weather e {}", `weather f ""`}, Finish: model.FinishCalls},
	"D08_text":                      {Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls},
	"D09_two_objects":               {Calls: []string{`weather toolu_a "{}{\"city\":\"x\"}"`}, Finish: model.FinishCalls},
	"D09_two_values":                {Calls: []string{`weather toolu_a "{\"a\":1}{\"city\":\"x\"}"`}, Finish: model.FinishCalls},
	"D10_interleaved":               {Calls: []string{"weather toolu_a " + paris, "time toolu_b " + rome, "weather toolu_c " + oslo}, Finish: model.FinishCalls, ID: "pairing-7"},

	"D11_no_stop_reason":      {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_stop_without_reason": {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_no_reason_done":      {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_reason_no_stop":      {Text: "Hello", Finish: model.FinishStop},
	"D11_done_for_stop":       {Text: "Hello", Finish: model.FinishStop},
	"D12_cut_in_call":         {Class: model.ClassTransient, Code: "model.stream_incomplete", ID: "pairing-5"},
	"D12_cut_in_event":        {Class: model.ClassTransient, Code: "model.stream_incomplete"},

	"D13_error_event":        {Class: model.ClassOverload, Code: "model.overloaded", Detail: "Overloaded"},
	"D13_error_unnamed":      {Class: model.ClassRate, Code: "model.rate_limited", Detail: "slow down a little"},
	"D13_error_in_data":      {Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "8 maximum"},
	"D13_error_text":         {Class: model.ClassTransient, Code: "model.upstream_error", Detail: "upstream reset"},
	"D13_error_after_reason": {Class: model.ClassTransient, Code: "model.upstream_error", Detail: "lost"},
	"D13_error_body":         {Class: model.ClassOverload, Code: "model.overloaded", Detail: "Overloaded"},

	"D14_stop_with_calls":   {Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls},
	"D14_calls_without_any": {Text: "Hello", Finish: model.FinishStop},
	"D14_stop_sequence":     {Text: "Hello", Finish: model.FinishStop},
	"D15_length_with_calls": {Calls: []string{`weather toolu_a "{\"city\":\"Pa"`}, Finish: model.FinishLength},
	"D15_cut_arguments":     {Calls: []string{`weather toolu_a "{\"city\":\"Pa"`}, Finish: model.FinishCalls},
	"D16_malformed":         {Calls: []string{`weather toolu_a "{\"city\":Paris}"`}, Finish: model.FinishCalls},
	"D17_usage_twice":       {Text: "Hello", Finish: model.FinishStop, Usage: "7/3"},
	"D17_usage_late":        {Text: "Hello", Finish: model.FinishStop, Usage: "12/3"},
	"D17_usage_never":       {Text: "Hello", Finish: model.FinishStop},
	"D18_noise":             {Text: "ö🐝🐝", Finish: model.FinishStop},

	"D19_html":                   {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "hotel network"},
	"D19_text":                   {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "upstream connect error"},
	"D19_empty":                  {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D19_other_json":             {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_broken_json":            {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_not_json_event":         {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "not json"},
	"D19_block_without_type":     {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "no type"},
	"D19_whole":                  {Text: "I look.", Reasoning: "I think", Native: "1", Calls: []string{`weather toolu_a {"city": "Paris", "n": 12345678901234567890}`, "weather toolu_a {}"}, Finish: model.FinishCalls, Usage: "9/2"},
	"D19_whole_paused_with_call": {Calls: []string{"weather toolu_a {}"}, Finish: model.FinishCalls},
	"D19_events_unlabelled":      {Text: "Hello", Finish: model.FinishStop},

	"D20_unknown_event":           {Text: "Hello", Finish: model.FinishStop, Native: "3"},
	"D20_unknown_delta":           {Text: "Hello", Finish: model.FinishStop, Native: "1"},
	"D20_unknown_block":           {Text: "Hello", Finish: model.FinishStop, Native: "2"},
	"D20_unknown_block_and_delta": {Text: "Hello", Finish: model.FinishStop, Native: "2"},
	"D20_block_broken_input":      {Text: "Hello", Finish: model.FinishStop, Native: "1"},
	"D20_citations":               {Text: "Hello", Finish: model.FinishStop, Native: "1"},
	"D20_unknown_finish":          {Text: "Hello", Finish: "unknown:eos"},
	"D21_text_after_call":         {Text: "ab", Calls: []string{"weather toolu_a " + paris}, Finish: model.FinishCalls},
	"D21_thinking_after_call":     {Text: "ab", Reasoning: "I think", Native: "1", Calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, Finish: model.FinishCalls},
	"D23_thinking":                {Text: "Hello", Reasoning: "I think", Native: "1", Finish: model.FinishStop},
	"D23_thinking_unsigned":       {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop},
	"D24_129_calls":               {Class: model.ClassPermanent, Code: "model.answer_too_large"},

	"D25_empty":                  {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_blank":                  {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_thinking_only":          {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_length_without_text":    {Reasoning: "I think", Finish: model.FinishLength},
	"D26_refusal":                {Class: model.ClassFilter, Code: "model.content_filter"},
	"D27_window_full":            {Class: model.ClassOverflow, Code: "model.context_overflow", ID: "limits-11"},
	"D28_delta_without_start":    {Text: "Hello", Finish: model.FinishStop},
	"D28_thinking_without_start": {Text: "Hello", Reasoning: "I think", Native: "1", Finish: model.FinishStop},
	"D28_input_without_start":    {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D29_call_without_name":      {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D31_no_end_blank":           {Text: "Hello", Finish: model.FinishStop},
}

func label(name string) string {
	switch {
	case name == "D19_html":
		return "text/html"
	case name == "D19_events_unlabelled", name == "D19_text", name == "D19_empty":
		return "text/plain"
	case strings.Contains(name, "json") && name != "D19_not_json_event", strings.Contains(name, "whole"):
		return "application/json"
	}
	return "text/event-stream; charset=utf-8"
}

// played is what plays the byte files.
var played = modeltest.Deviations{Rows: deviations, Path: "/v1", Question: question, Label: label, Ends: `"stop_reason":"`,
	New: func(t testing.TB, base, _ string) model.Provider {
		return provider(t, anthropic.Options{BaseURL: base})
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
	played.Preview(t, "good_text", "good_calls", "good_thinking", "D10_interleaved", "D08_object", "D08_object_in_delta", "D19_whole_paused_with_call")
}
