package anthropic_test

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
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
)

const (
	paris = `"{\"city\":\"Paris\"}"`
	rome  = `"{\"city\":\"Rome\"}"`
	oslo  = `"{\"city\":\"Oslo\"}"`
)

// outcome is what a byte file must lead to: an answer, or an error.
type outcome struct {
	text      string
	calls     []string // "name id arguments as they arrived"
	finish    model.Finish
	reasoning string
	native    int
	usage     string // "input/output", "" unknown

	class  model.Class
	code   string
	detail string // is in the error's text

	id string // of a case, when there is one
}

// deviations has a row for every byte file.
var deviations = map[string]outcome{
	"good_text":     {text: "Hello, wörld 🐝", finish: model.FinishStop, usage: "12/4"},
	"good_calls":    {text: "I look.", calls: []string{"weather toolu_a " + paris, "time toolu_b " + rome}, finish: model.FinishCalls, usage: "10/5"},
	"good_thinking": {text: "I look.", calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls, reasoning: "I think\nAgain", native: 3, usage: "10/9"},

	"D01_no_index":                  {calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D01_no_index_no_stop":          {calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D02_index_0_for_two":           {calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D02_index_0_for_text_and_call": {text: "I look.", calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls},
	"D03_index_from_1":              {calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D03_index_with_holes":          {calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D04_no_ids":                    {calls: []string{"weather  " + paris, "weather  " + rome}, finish: model.FinishCalls},
	"D05_same_id":                   {calls: []string{"weather toolu_1 " + paris, "weather toolu_1 " + rome, "weather toolu_1 " + oslo}, finish: model.FinishCalls, id: "pairing-6"},
	"D08_object":                    {calls: []string{`weather toolu_a {"city":"Paris","n":1.5}`}, finish: model.FinishCalls},
	"D08_object_in_delta":           {calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls},
	"D08_null_absent_empty":         {calls: []string{"weather a ", "weather b ", `weather c ""`, `weather d "null"`, "weather e {}", `weather f ""`}, finish: model.FinishCalls},
	"D08_text":                      {calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls},
	"D09_two_objects":               {calls: []string{`weather toolu_a "{}{\"city\":\"x\"}"`}, finish: model.FinishCalls},
	"D09_two_values":                {calls: []string{`weather toolu_a "{\"a\":1}{\"city\":\"x\"}"`}, finish: model.FinishCalls},
	"D10_interleaved":               {calls: []string{"weather toolu_a " + paris, "time toolu_b " + rome, "weather toolu_c " + oslo}, finish: model.FinishCalls, id: "pairing-7"},

	"D11_no_stop_reason":      {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D11_stop_without_reason": {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D11_no_reason_done":      {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D11_reason_no_stop":      {text: "Hello", finish: model.FinishStop},
	"D11_done_for_stop":       {text: "Hello", finish: model.FinishStop},
	"D12_cut_in_call":         {class: model.ClassTransient, code: "model.stream_incomplete", id: "pairing-5"},
	"D12_cut_in_event":        {class: model.ClassTransient, code: "model.stream_incomplete"},

	"D13_error_event":        {class: model.ClassOverload, code: "model.overloaded", detail: "Overloaded"},
	"D13_error_unnamed":      {class: model.ClassRate, code: "model.rate_limited", detail: "slow down a little"},
	"D13_error_in_data":      {class: model.ClassOverflow, code: "model.context_overflow", detail: "8 maximum"},
	"D13_error_text":         {class: model.ClassTransient, code: "model.upstream_error", detail: "upstream reset"},
	"D13_error_after_reason": {class: model.ClassTransient, code: "model.upstream_error", detail: "lost"},
	"D13_error_body":         {class: model.ClassOverload, code: "model.overloaded", detail: "Overloaded"},

	"D14_stop_with_calls":   {calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls},
	"D14_calls_without_any": {text: "Hello", finish: model.FinishStop},
	"D14_stop_sequence":     {text: "Hello", finish: model.FinishStop},
	"D15_length_with_calls": {calls: []string{`weather toolu_a "{\"city\":\"Pa"`}, finish: model.FinishLength},
	"D15_cut_arguments":     {calls: []string{`weather toolu_a "{\"city\":\"Pa"`}, finish: model.FinishCalls},
	"D16_malformed":         {calls: []string{`weather toolu_a "{\"city\":Paris}"`}, finish: model.FinishCalls},
	"D17_usage_twice":       {text: "Hello", finish: model.FinishStop, usage: "7/3"},
	"D17_usage_late":        {text: "Hello", finish: model.FinishStop, usage: "12/3"},
	"D17_usage_never":       {text: "Hello", finish: model.FinishStop},
	"D18_noise":             {text: "ö🐝🐝", finish: model.FinishStop},

	"D19_html":                   {class: model.ClassTransient, code: "model.invalid_upstream", detail: "hotel network"},
	"D19_text":                   {class: model.ClassTransient, code: "model.invalid_upstream", detail: "upstream connect error"},
	"D19_empty":                  {class: model.ClassTransient, code: "model.stream_incomplete"},
	"D19_other_json":             {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_broken_json":            {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D19_not_json_event":         {class: model.ClassTransient, code: "model.invalid_upstream", detail: "not json"},
	"D19_block_without_type":     {class: model.ClassTransient, code: "model.invalid_upstream", detail: "no type"},
	"D19_whole":                  {text: "I look.", reasoning: "I think", native: 1, calls: []string{`weather toolu_a {"city": "Paris", "n": 12345678901234567890}`, "weather toolu_a {}"}, finish: model.FinishCalls, usage: "9/2"},
	"D19_whole_paused_with_call": {calls: []string{"weather toolu_a {}"}, finish: model.FinishCalls},
	"D19_events_unlabelled":      {text: "Hello", finish: model.FinishStop},

	"D20_unknown_event":           {text: "Hello", finish: model.FinishStop, native: 3},
	"D20_unknown_delta":           {text: "Hello", finish: model.FinishStop, native: 1},
	"D20_unknown_block":           {text: "Hello", finish: model.FinishStop, native: 2},
	"D20_unknown_block_and_delta": {text: "Hello", finish: model.FinishStop, native: 2},
	"D20_block_broken_input":      {text: "Hello", finish: model.FinishStop, native: 1},
	"D20_citations":               {text: "Hello", finish: model.FinishStop, native: 1},
	"D20_unknown_finish":          {text: "Hello", finish: "unknown:eos"},
	"D21_text_after_call":         {text: "ab", calls: []string{"weather toolu_a " + paris}, finish: model.FinishCalls},
	"D21_thinking_after_call":     {text: "ab", reasoning: "I think", native: 1, calls: []string{"weather toolu_a " + paris, "weather toolu_b " + rome}, finish: model.FinishCalls},
	"D23_thinking":                {text: "Hello", reasoning: "I think", native: 1, finish: model.FinishStop},
	"D23_thinking_unsigned":       {text: "Hello", reasoning: "I think", finish: model.FinishStop},
	"D24_129_calls":               {class: model.ClassPermanent, code: "model.answer_too_large"},

	"D25_empty":                  {class: model.ClassTransient, code: "model.empty_answer", id: "limits-10"},
	"D25_blank":                  {class: model.ClassTransient, code: "model.empty_answer", id: "limits-10"},
	"D25_thinking_only":          {class: model.ClassTransient, code: "model.empty_answer", id: "limits-10"},
	"D25_length_without_text":    {reasoning: "I think", finish: model.FinishLength},
	"D26_refusal":                {class: model.ClassFilter, code: "model.content_filter"},
	"D27_window_full":            {class: model.ClassOverflow, code: "model.context_overflow", id: "limits-11"},
	"D28_delta_without_start":    {text: "Hello", finish: model.FinishStop},
	"D28_thinking_without_start": {text: "Hello", reasoning: "I think", native: 1, finish: model.FinishStop},
	"D28_input_without_start":    {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D29_call_without_name":      {class: model.ClassTransient, code: "model.invalid_upstream"},
	"D31_no_end_blank":           {text: "Hello", finish: model.FinishStop},
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
	got := outcome{text: a.Text, finish: a.Finish, reasoning: a.Reasoning, native: len(a.Native)}
	if a.Usage.Requests != 1 {
		return fmt.Sprintf("usage %+v", a.Usage)
	}
	if u := a.Usage; u.Input != nil || u.Output != nil {
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

// replayer is a server that sends byte files, in one write or several.
type replayer struct {
	bytes []byte
	label string          // content type
	sizes func(n int) int // of the next piece of n bytes; nil: all at once
}

func (r replayer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	drop(req)
	w.Header().Set("Content-Type", r.label)
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
	case name == "D19_events_unlabelled", name == "D19_text", name == "D19_empty":
		return "text/plain"
	case strings.Contains(name, "json") && name != "D19_not_json_event", strings.Contains(name, "whole"):
		return "application/json"
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
				p := provider(t, anthropic.Options{BaseURL: base})
				if diff := want.check(p.Answer(t.Context(), question(), nil)); diff != "" {
					t.Errorf("%s: %s", way, diff)
				}
			}
		})
	}
}

// TestCutAfterEachByte wants the right answer or none: a stream that breaks off anywhere
// never gives another answer.
func TestCutAfterEachByte(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"good_text", "good_calls", "D19_whole"} {
		t.Run("pairing-5 "+name, func(t *testing.T) {
			t.Parallel()
			content := read(t, name)
			want := deviations[name]
			at := 0
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				drop(r)
				w.Header().Set("Content-Type", label(name))
				if at%2 == 0 { // every other time the connection breaks, else it ends
					w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				}
				_, _ = w.Write(content[:at])
			})
			p := provider(t, anthropic.Options{BaseURL: base})
			answers := 0
			for ; at < len(content); at++ {
				a, err := p.Answer(t.Context(), question(), nil)
				var e *model.Error
				switch {
				case err == nil && want.check(a, nil) == "":
					answers++
				case err == nil:
					t.Fatalf("cut after %d bytes: wrong answer %+v", at, a)
				case !errors.As(err, &e) || !e.Retried() || e.Code != "model.stream_incomplete" && (name != "D19_whole" || e.Code != "model.invalid_upstream"):
					t.Fatalf("cut after %d bytes: %v", at, err)
				}
			}
			tail := len(content) - bytes.LastIndex(content, []byte(`"stop_reason":"`))
			if name != "D19_whole" && (answers == 0 || answers > tail) {
				t.Errorf("%d cut streams gave an answer; the stop reason stands %d bytes before the end", answers, tail)
			}
		})
	}
}

// TestPreviewIsTheAnswer joins the previews of good streams.
func TestPreviewIsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"good_text", "good_calls", "good_thinking", "D10_interleaved", "D08_object", "D08_object_in_delta", "D19_whole_paused_with_call"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, replayer{bytes: read(t, name), label: label(name)}.ServeHTTP)
			var text, thought strings.Builder
			args := make(map[int]string)
			a, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), func(d model.Delta) {
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
				if whole != "{}" && args[i] != whole {
					t.Errorf("call %d: shown %q, is %q", i, args[i], whole)
				}
			}
		})
	}
}
