package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const (
	paris = `{"city":"Paris"}`
	rome  = `{"city":"Rome"}`
	oslo  = `{"city":"Oslo"}`
)

// deviations has a row for every byte file.
var deviations = map[string]modeltest.Outcome{
	"good_text":       {Text: "Hello, wörld 🐝", Finish: model.FinishStop, Usage: "12/4"},
	"good_calls":      {Text: "I look.", Calls: []string{"weather  " + paris, "time  " + rome}, Finish: model.FinishCalls, Reasoning: "I think", Native: "call", Usage: "12/12"},
	"good_signatures": {Text: "Well, so it is.", Calls: []string{"weather  " + paris, "weather  " + rome}, Finish: model.FinishCalls, Native: "text call call text", Usage: "12/4"},

	"D01_no_index":          {Calls: []string{"weather  " + paris, "weather  " + rome, "time  " + oslo}, Finish: model.FinishCalls},
	"D04_no_ids":            {Calls: []string{"weather  " + paris, "weather  " + rome}, Finish: model.FinishCalls},
	"D04_id_empty_null":     {Calls: []string{"weather a " + paris, "weather  " + rome, "weather  " + oslo}, Finish: model.FinishCalls},
	"D05_same_id":           {Calls: []string{"weather a " + paris, "weather a " + rome, "weather a " + oslo}, Finish: model.FinishCalls, ID: "pairing-6"},
	"D08_object":            {Calls: []string{`weather  {"city":"Paris","n":1.5}`}, Finish: model.FinishCalls},
	"D08_null_absent_empty": {Calls: []string{"weather a ", "weather b ", `weather c ""`, `weather d "null"`}, Finish: model.FinishCalls},
	"D08_text":              {Calls: []string{`weather  "{\"city\":\"Paris\"}"`}, Finish: model.FinishCalls},
	"D08_big_number":        {Calls: []string{`weather  {"n":9007199254740993}`}, Finish: model.FinishCalls},
	"D09_two_objects":       {Calls: []string{`weather  "{}{\"city\":\"x\"}"`}, Finish: model.FinishCalls},

	"D11_no_finish":      {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_no_finish_done": {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D11_finish_done":    {Text: "Hello", Finish: model.FinishStop},
	"D12_cut_in_call":    {Class: model.ClassTransient, Code: "model.stream_incomplete", ID: "pairing-5"},
	"D12_cut_in_event":   {Class: model.ClassTransient, Code: "model.stream_incomplete"},

	"D13_error_in_data":      {Class: model.ClassOverload, Code: "model.overloaded", Detail: "The model is overloaded"},
	"D13_error_event":        {Class: model.ClassRate, Code: "model.rate_limited", Detail: "slow, please"},
	"D13_error_text":         {Class: model.ClassTransient, Code: "model.upstream_error", Detail: "upstream reset"},
	"D13_error_after_finish": {Class: model.ClassTransient, Code: "model.http_502", Detail: "lost"},
	"D13_error_body":         {Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "exceeds the maximum"},
	"D13_error_list":         {Class: model.ClassOverload, Code: "model.overloaded", Detail: "unavailable"},

	"D14_stop_with_calls":   {Calls: []string{"weather  " + paris}, Finish: model.FinishCalls},
	"D14_function_call":     {Calls: []string{"weather  " + paris}, Finish: "unknown:FUNCTION_CALL"},
	"D14_calls_without_any": {Text: "Hello", Finish: "unknown:FUNCTION_CALL"},
	"D14_every_piece":       {Text: "Hello", Finish: model.FinishStop},
	"D15_length_with_calls": {Calls: []string{"weather  " + paris}, Finish: model.FinishLength},
	"D15_cut_arguments":     {Calls: []string{`weather  "{\"city\":\"Pa"`}, Finish: model.FinishCalls},
	"D16_malformed":         {Calls: []string{`weather  "{\"city\":Paris}"`}, Finish: model.FinishCalls},
	"D16_malformed_call":    {Finish: model.FinishBadCall},
	"D16_unexpected_call":   {Text: "I try.", Finish: model.FinishBadCall},
	"D16_too_many_calls":    {Finish: model.FinishBadCall},
	"D17_usage_alone":       {Text: "Hello", Finish: model.FinishStop, Usage: "7/3"},
	"D17_usage_twice":       {Text: "Hello", Finish: model.FinishStop, Usage: "7/3"},
	"D17_usage_never":       {Text: "Hello", Finish: model.FinishStop},
	"D17_thoughts_only":     {Finish: model.FinishLength, Usage: "7/9"},
	"D18_noise":             {Text: "ö🐝🐝", Finish: model.FinishStop},

	"D19_html":              {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "hotel network"},
	"D19_text":              {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "upstream connect error"},
	"D19_empty":             {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D19_other_json":        {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "no candidate"},
	"D19_broken_json":       {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_list_of_others":    {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_list_empty":        {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D19_not_json_event":    {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "not json"},
	"D19_parts_no_list":     {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_part_no_object":    {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D19_whole":             {Calls: []string{"weather a " + paris, `weather b {}`}, Finish: model.FinishCalls, Usage: "9/2"},
	"D19_whole_no_finish":   {Text: "Hello", Finish: model.FinishStop},
	"D19_list":              {Text: "Hello", Finish: model.FinishStop, Usage: "9/2"},
	"D19_list_cut":          {Class: model.ClassTransient, Code: "model.stream_incomplete"},
	"D19_events_unlabelled": {Text: "Hello", Finish: model.FinishStop},

	"D20_unknown_event":   {Text: "Hello", Finish: model.FinishStop, Native: "event"},
	"D20_unknown_part":    {Text: "Hello", Finish: model.FinishStop, Native: "opaque opaque"},
	"D20_unknown_finish":  {Text: "Hello", Finish: "unknown:OTHER"},
	"D21_text_after_call": {Text: "ab", Calls: []string{"weather  " + paris}, Finish: model.FinishCalls, Native: "call"},
	"D23_thoughts":        {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop},
	"D23_signed_thought":  {Text: "Hello", Reasoning: "I think", Finish: model.FinishStop, Native: "opaque"},
	"D24_129_calls":       {Class: model.ClassPermanent, Code: "model.answer_too_large"},

	"D25_empty":               {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_blank":               {Class: model.ClassTransient, Code: "model.empty_answer", ID: "limits-10"},
	"D25_signature_only":      {Class: model.ClassTransient, Code: "model.empty_answer"},
	"D25_thought_only":        {Class: model.ClassTransient, Code: "model.empty_answer"},
	"D25_length_without_text": {Finish: model.FinishLength},
	"D26_filter":              {Class: model.ClassFilter, Code: "model.content_filter", Detail: "SAFETY"},
	"D26_recitation":          {Class: model.ClassFilter, Code: "model.content_filter", Detail: "RECITATION"},
	"D26_image":               {Class: model.ClassFilter, Code: "model.content_filter", Detail: "IMAGE_SAFETY"},
	"D26_prompt":              {Class: model.ClassFilter, Code: "model.content_filter", Detail: "PROHIBITED_CONTENT: not this"},
	"D26_prompt_body":         {Class: model.ClassFilter, Code: "model.content_filter", Detail: "OTHER"},
	"D27_missing_signature":   {Class: model.ClassPermanent, Code: "model.native_metadata_lost", Detail: "content position 2"},
	"D28_second_candidate":    {Text: "Hello", Finish: model.FinishStop},
	"D29_call_without_name":   {Class: model.ClassTransient, Code: "model.invalid_upstream"},
	"D31_no_end_blank":        {Text: "Hello", Finish: model.FinishStop},
	"D33_pieces":              {Class: model.ClassTransient, Code: "model.invalid_upstream", Detail: "in pieces"},
	"D34_metadata":            {Text: "Hello", Finish: model.FinishStop, Usage: "12/4"},
}

// kinds gives the kinds of the native parts of an answer.
func kinds(a *model.Answer) string {
	var out []string
	for _, n := range a.Native {
		var in struct{ Provider, Endpoint, Kind string }
		if json.Unmarshal(n, &in) != nil || in.Provider != "gemini" || in.Endpoint == "" {
			out = append(out, "none: "+string(n))
			continue
		}
		out = append(out, in.Kind)
	}
	return strings.Join(out, " ")
}

func label(name string) string {
	switch {
	case name == "D19_html":
		return "text/html"
	case strings.HasPrefix(name, "D19_whole"), strings.HasPrefix(name, "D19_list"), strings.HasSuffix(name, "_body"), strings.HasSuffix(name, "error_list"):
		return "application/json"
	case name == "D19_events_unlabelled", name == "D19_text", name == "D19_empty", name == "D19_other_json", name == "D19_broken_json":
		return "text/plain"
	}
	return "text/event-stream; charset=utf-8"
}

// played is what plays the byte files.
var played = modeltest.Deviations{Rows: deviations, Path: "/v1beta", Question: question, Label: label, Natives: kinds, Ends: `"finishReason":"`,
	New: func(t testing.TB, base, _ string) model.Provider {
		return provider(t, gemini.Options{BaseURL: base})
	}}

func TestDeviations(t *testing.T) {
	t.Parallel()
	played.Play(t)
}

// TestArgumentsArriveAsTheyAre holds that the value of a call's arguments is handed on as
// the server sent it, whatever it is: one place judges it (arguments spec §1, §2).
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, w := range []string{`""`, `"null"`, `"{}"`, `{}`, `"   "`, `{"a":1}`, `"{\"a\":1}"`, `"{\"a\":1,}"`, `"{\"a\":1"`, `"hello"`, `[]`, `[{"a":1}]`, `"[]"`, `5`, `-0.5`, `true`,
		`"\"{}\""`, `"nul"`, `"{}\u0000"`, `"\ufeff{}"`, `{"a":1,"a":2}`, `{"n":9007199254740993}`, `{"n":123456789012345678901234567890}`, `{"n":1e400}`, `{"s":"\ud83d"}`} {
		body := `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":` + w + `}}]},"finishReason":"STOP"}]}`
		for _, content := range []string{body, "data: " + body + "\n\n"} {
			base := modeltest.Serve(t, "/v1beta", modeltest.Play([]byte(content), "text/event-stream", nil))
			a, err := provider(t, gemini.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			if err != nil || len(a.Calls) != 1 || string(a.Calls[0].Args) != w {
				t.Errorf("%s arrived as %+v, %v", w, a, err)
			}
		}
	}
}

// TestTooManyArguments is D24 for the sum of all arguments.
func TestTooManyArguments(t *testing.T) {
	t.Parallel()
	piece := fmt.Sprintf(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{"x":"%s"}}}]}}]}`+"\n\n", strings.Repeat("x", 1<<20))
	base := modeltest.Serve(t, "/v1beta", modeltest.Play([]byte(strings.Repeat(piece, 4)), label(""), nil))
	_, err := provider(t, gemini.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Code != "model.answer_too_large" {
		t.Errorf("error %v", err)
	}
}

func TestCutAfterEachByte(t *testing.T) {
	t.Parallel()
	played.Cut(t, "good_text", "good_calls", "good_signatures", "D19_whole", "D19_list")
}

func TestPreviewIsTheAnswer(t *testing.T) {
	t.Parallel()
	played.Preview(t, "good_text", "good_calls", "good_signatures", "D23_thoughts", "D08_object", "D08_text", "D19_list")
}
