package gemini_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
)

const (
	paris = `{"city":"Paris"}`
	rome  = `{"city":"Rome"}`
	oslo  = `{"city":"Oslo"}`
)

// outcome is what a byte file must lead to: an answer, or an error.
type outcome struct {
	text      string
	calls     []string // "name id arguments as they arrived"
	finish    model.Finish
	reasoning string
	native    string // kinds
	usage     string // "input/output", "" unknown

	class  model.Class
	code   string
	detail string // is in the error's text

	id string // of a case, when there is one
}

// deviations has a row for every byte file.
var deviations = map[string]outcome{
	"good_text":       {text: "Hello, wörld 🐝", finish: model.FinishStop, usage: "12/4"},
	"good_calls":      {text: "I look.", calls: []string{"weather  " + paris, "time  " + rome}, finish: model.FinishCalls, reasoning: "I think", native: "call", usage: "12/12"},
	"good_signatures": {text: "Well, so it is.", calls: []string{"weather  " + paris, "weather  " + rome}, finish: model.FinishCalls, native: "text call call text", usage: "12/4"},

	"D01_no_index":          {calls: []string{"weather  " + paris, "weather  " + rome, "time  " + oslo}, finish: model.FinishCalls},
	"D04_no_ids":            {calls: []string{"weather  " + paris, "weather  " + rome}, finish: model.FinishCalls},
	"D04_id_empty_null":     {calls: []string{"weather a " + paris, "weather  " + rome, "weather  " + oslo}, finish: model.FinishCalls},
	"D05_same_id":           {calls: []string{"weather a " + paris, "weather a " + rome, "weather a " + oslo}, finish: model.FinishCalls, id: "pairing-6"},
	"D08_object":            {calls: []string{`weather  {"city":"Paris","n":1.5}`}, finish: model.FinishCalls},
	"D08_null_absent_empty": {calls: []string{"weather a ", "weather b ", `weather c ""`, `weather d "null"`}, finish: model.FinishCalls},
	"D08_text":              {calls: []string{`weather  "{\"city\":\"Paris\"}"`}, finish: model.FinishCalls},
	"D08_big_number":        {calls: []string{`weather  {"n":9007199254740993}`}, finish: model.FinishCalls},
	"D09_two_objects":       {calls: []string{`weather  "{}{\"city\":\"x\"}"`}, finish: model.FinishCalls},

	"D11_no_finish":      {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D11_no_finish_done": {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D11_finish_done":    {text: "Hello", finish: model.FinishStop},
	"D12_cut_in_call":    {class: model.ClassTransient, code: "model.stream_incomplete", id: "pairing-5"},
	"D12_cut_in_event":   {class: model.ClassTransient, code: "model.stream_incomplete"},

	"D13_error_in_data":      {class: model.ClassOverload, code: "model.overloaded", detail: "The model is overloaded"},
	"D13_error_event":        {class: model.ClassRate, code: "model.rate_limited", detail: "slow, please"},
	"D13_error_text":         {class: model.ClassTransient, code: "model.upstream_error", detail: "upstream reset"},
	"D13_error_after_finish": {class: model.ClassTransient, code: "model.http_502", detail: "lost"},
	"D13_error_body":         {class: model.ClassOverflow, code: "model.context_overflow", detail: "exceeds the maximum"},
	"D13_error_list":         {class: model.ClassOverload, code: "model.overloaded", detail: "unavailable"},

	"D14_stop_with_calls":   {calls: []string{"weather  " + paris}, finish: model.FinishCalls},
	"D14_function_call":     {calls: []string{"weather  " + paris}, finish: "unknown:FUNCTION_CALL"},
	"D14_calls_without_any": {text: "Hello", finish: "unknown:FUNCTION_CALL"},
	"D14_every_piece":       {text: "Hello", finish: model.FinishStop},
	"D15_length_with_calls": {calls: []string{"weather  " + paris}, finish: model.FinishLength},
	"D15_cut_arguments":     {calls: []string{`weather  "{\"city\":\"Pa"`}, finish: model.FinishCalls},
	"D16_malformed":         {calls: []string{`weather  "{\"city\":Paris}"`}, finish: model.FinishCalls},
	"D16_malformed_call":    {finish: model.FinishBadCall},
	"D16_unexpected_call":   {text: "I try.", finish: model.FinishBadCall},
	"D16_too_many_calls":    {finish: model.FinishBadCall},
	"D17_usage_alone":       {text: "Hello", finish: model.FinishStop, usage: "7/3"},
	"D17_usage_twice":       {text: "Hello", finish: model.FinishStop, usage: "7/3"},
	"D17_usage_never":       {text: "Hello", finish: model.FinishStop},
	"D17_thoughts_only":     {finish: model.FinishLength, usage: "7/9"},
	"D18_noise":             {text: "ö🐝🐝", finish: model.FinishStop},

	"D19_html":              {class: model.ClassTransient, code: "model.invalid_upstream", detail: "hotel network"},
	"D19_text":              {class: model.ClassTransient, code: "model.invalid_upstream", detail: "upstream connect error"},
	"D19_empty":             {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D19_other_json":        {class: model.ClassTransient, code: "model.invalid_upstream", detail: "no candidate"},
	"D19_broken_json":       {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_list_of_others":    {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_list_empty":        {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D19_not_json_event":    {class: model.ClassTransient, code: "model.invalid_upstream", detail: "not json"},
	"D19_parts_no_list":     {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_part_no_object":    {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_whole":             {calls: []string{"weather a " + paris, `weather b {}`}, finish: model.FinishCalls, usage: "9/2"},
	"D19_whole_no_finish":   {text: "Hello", finish: model.FinishStop},
	"D19_list":              {text: "Hello", finish: model.FinishStop, usage: "9/2"},
	"D19_list_cut":          {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D19_events_unlabelled": {text: "Hello", finish: model.FinishStop},

	"D20_unknown_event":   {text: "Hello", finish: model.FinishStop, native: "event"},
	"D20_unknown_part":    {text: "Hello", finish: model.FinishStop, native: "opaque opaque"},
	"D20_unknown_finish":  {text: "Hello", finish: "unknown:OTHER"},
	"D21_text_after_call": {text: "ab", calls: []string{"weather  " + paris}, finish: model.FinishCalls, native: "call"},
	"D23_thoughts":        {text: "Hello", reasoning: "I think", finish: model.FinishStop},
	"D23_signed_thought":  {text: "Hello", reasoning: "I think", finish: model.FinishStop, native: "opaque"},
	"D24_129_calls":       {class: model.ClassPermanent, code: "model.answer_too_large"},

	"D25_empty":               {class: model.ClassTransient, code: "model.empty_answer", id: "limits-10"},
	"D25_blank":               {class: model.ClassTransient, code: "model.empty_answer", id: "limits-10"},
	"D25_signature_only":      {class: model.ClassTransient, code: "model.empty_answer"},
	"D25_thought_only":        {class: model.ClassTransient, code: "model.empty_answer"},
	"D25_length_without_text": {finish: model.FinishLength},
	"D26_filter":              {class: model.ClassFilter, code: "model.content_filter", detail: "SAFETY"},
	"D26_recitation":          {class: model.ClassFilter, code: "model.content_filter", detail: "RECITATION"},
	"D26_image":               {class: model.ClassFilter, code: "model.content_filter", detail: "IMAGE_SAFETY"},
	"D26_prompt":              {class: model.ClassFilter, code: "model.content_filter", detail: "PROHIBITED_CONTENT: not this"},
	"D26_prompt_body":         {class: model.ClassFilter, code: "model.content_filter", detail: "OTHER"},
	"D27_missing_signature":   {class: model.ClassPermanent, code: "model.native_metadata_lost", detail: "content position 2"},
	"D28_second_candidate":    {text: "Hello", finish: model.FinishStop},
	"D29_call_without_name":   {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D31_no_end_blank":        {text: "Hello", finish: model.FinishStop},
	"D33_pieces":              {class: model.ClassTransient, code: "model.invalid_upstream", detail: "in pieces"},
	"D34_metadata":            {text: "Hello", finish: model.FinishStop, usage: "12/4"},
}

// check compares an answer with what is wanted and gives the difference, "" for none.
func (o outcome) check(a *model.Answer, err error) string {
	if o.code != "" {
		var e *model.Error
		if !errors.As(err, &e) || e.Class != o.class || e.Code != o.code || !strings.Contains(e.Detail, o.detail) || a != nil {
			return fmt.Sprintf("answer %+v, error %+v; want %s %s %q", a, err, o.class, o.code, o.detail)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	var calls []string
	for _, c := range a.Calls {
		if len(c.Args) > 0 && !json.Valid(c.Args) {
			return fmt.Sprintf("arguments are no JSON: %s", c.Args)
		}
		calls = append(calls, c.Name+" "+c.ProviderID+" "+string(c.Args))
	}
	got := outcome{text: a.Text, finish: a.Finish, reasoning: a.Reasoning, native: kinds(a)}
	if a.Usage.Requests != 1 {
		return fmt.Sprintf("usage %+v", a.Usage)
	}
	if u := a.Usage; u.Input != nil && u.Output != nil {
		got.usage = fmt.Sprintf("%d/%d", *u.Input, *u.Output)
	}
	if got, want := strings.Join(calls, "\n"), strings.Join(o.calls, "\n"); got != want {
		return fmt.Sprintf("calls\n%s\nwant\n%s", got, want)
	}
	want := o
	want.calls, want.id = nil, ""
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Sprintf("%+v, want %+v", got, want)
	}
	return ""
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

// replayer is a server that sends byte files, whole or cut, in one write or several.
type replayer struct {
	bytes []byte
	label string          // content type
	sizes func(n int) int // of the next piece of n bytes; nil: all at once
}

func (r replayer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	drop(req)
	if r.label != "" {
		w.Header().Set("Content-Type", r.label)
	}
	for rest := r.bytes; len(rest) > 0; {
		n := len(rest)
		if r.sizes != nil {
			n = r.sizes(n)
		}
		_, _ = w.Write(rest[:n])
		w.(http.Flusher).Flush()
		rest = rest[n:]
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "deviations", name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return b
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

func TestDeviations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "deviations", "*.sse"))
	if err != nil || len(files) != len(deviations) {
		t.Fatalf("%d files for %d rows: %v", len(files), len(deviations), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		want, ok := deviations[name]
		if !ok {
			t.Fatalf("%s has no row", name)
		}
		t.Run(strings.TrimSpace(want.id+" "+name), func(t *testing.T) {
			t.Parallel()
			content := read(t, name)
			random := rand.New(rand.NewPCG(1, uint64(len(content))))
			for way, sizes := range map[string]func(int) int{
				"whole":        nil,
				"byte by byte": func(int) int { return 1 },
				"at random":    func(n int) int { return min(n, 1+random.IntN(40)) },
			} {
				base := serve(t, replayer{content, label(name), sizes}.ServeHTTP)
				p := provider(t, gemini.Options{BaseURL: base})
				if diff := want.check(p.Answer(t.Context(), question(), nil)); diff != "" {
					t.Errorf("%s: %s", way, diff)
				}
			}
		})
	}
}

// TestArgumentsArriveAsTheyAre holds that the value of a call's arguments is handed on as
// the server sent it, whatever it is: one place judges it (arguments spec §1, §2).
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, w := range []string{`""`, `"null"`, `"{}"`, `{}`, `"   "`, `{"a":1}`, `"{\"a\":1}"`, `"{\"a\":1,}"`, `"{\"a\":1"`, `"hello"`, `[]`, `[{"a":1}]`, `"[]"`, `5`, `-0.5`, `true`,
		`"\"{}\""`, `"nul"`, `"{}\u0000"`, `"\ufeff{}"`, `{"a":1,"a":2}`, `{"n":9007199254740993}`, `{"n":123456789012345678901234567890}`, `{"n":1e400}`, `{"s":"\ud83d"}`} {
		body := `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":` + w + `}}]},"finishReason":"STOP"}]}`
		for _, content := range []string{body, "data: " + body + "\n\n"} {
			base := serve(t, replayer{bytes: []byte(content), label: "text/event-stream"}.ServeHTTP)
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
	base := serve(t, replayer{[]byte(strings.Repeat(piece, 4)), label(""), nil}.ServeHTTP)
	_, err := provider(t, gemini.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Code != "model.answer_too_large" {
		t.Errorf("error %v", err)
	}
}

// TestCutAfterEachByte wants the right answer or none: a stream that breaks off anywhere
// never gives another answer.
func TestCutAfterEachByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"good_text", "good_calls", "good_signatures", "D19_whole", "D19_list"} {
		t.Run("pairing-5 "+name, func(t *testing.T) {
			t.Parallel()
			content := read(t, name)
			want := deviations[name]
			isBody := strings.HasPrefix(name, "D19_")
			at := 0
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				drop(r)
				w.Header().Set("Content-Type", label(name))
				if at%2 == 0 { // every other time the connection breaks, else it ends
					w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				}
				_, _ = w.Write(content[:at])
			})
			p := provider(t, gemini.Options{BaseURL: base})
			answers := 0
			for ; at < len(content); at++ {
				a, err := p.Answer(t.Context(), question(), nil)
				var e *model.Error
				switch {
				case err == nil && want.check(a, nil) == "":
					answers++
				case err == nil:
					t.Fatalf("cut after %d bytes: wrong answer %+v", at, a)
				case !errors.As(err, &e) || !e.Retried() || e.Code != "model.stream_incomplete" && (!isBody || e.Code != "model.invalid_upstream"):
					t.Fatalf("cut after %d bytes: %v", at, err)
				}
			}
			tail := len(content) - bytes.LastIndex(content, []byte(`"finishReason":"`))
			if !isBody && (answers == 0 || answers > tail) {
				t.Errorf("%d cut streams gave an answer; the finish reason stands %d bytes before the end", answers, tail)
			}
		})
	}
}

// TestPreviewIsTheAnswer joins the previews of good streams.
func TestPreviewIsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"good_text", "good_calls", "good_signatures", "D23_thoughts", "D08_object", "D08_text", "D19_list"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, replayer{bytes: read(t, name), label: label(name)}.ServeHTTP)
			var text, thought strings.Builder
			args := make(map[int]string)
			a, err := provider(t, gemini.Options{BaseURL: base}).Answer(t.Context(), question(), func(d model.Delta) {
				text.WriteString(d.Text)
				thought.WriteString(d.Reasoning)
				args[d.Call] += d.Args
			})
			if err != nil {
				t.Fatal(err)
			}
			if text.String() != a.Text || thought.String() != a.Reasoning {
				t.Errorf("shown %q %q", text.String(), thought.String())
			}
			for i, c := range a.Calls {
				whole := string(c.Args)
				var s string
				if json.Unmarshal(c.Args, &s) == nil {
					whole = s
				}
				if args[i] != whole {
					t.Errorf("call %d: shown %q, is %q", i, args[i], whole)
				}
			}
		})
	}
}
