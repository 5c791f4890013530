package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// conversation plays a script against results that a test gives.
type conversation struct {
	t   *testing.T
	p   *scripted.Provider
	req *model.Request
}

func setup(t *testing.T, script string, opt scripted.Options) *conversation {
	t.Helper()
	s, err := scripted.Load([]byte(script), "team.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tool := func(id, name string) model.ToolDef {
		return model.ToolDef{ID: id, Name: name, Schema: json.RawMessage(`{"type":"object"}`)}
	}
	return &conversation{t: t, p: scripted.New(s, opt), req: &model.Request{
		Model: "m", Agent: "lead", Run: "run-1", Path: "root", Input: "find the cause", Turn: 1, Attempt: 1, ToolsHash: "h",
		Tools: []model.ToolDef{tool("grep", "grep"), tool("workspace.list_files", "workspace_list_files"), tool("agent.await", "agent_await"),
			tool("workspace.finish", "workspace_finish"), tool("mcp/docs:catalog.query", "mcp__docs__catalog_query")},
		Messages: []model.Message{{Role: model.User, Text: "find the cause"}},
	}}
}

func (c *conversation) ask() (*model.Answer, error) {
	return c.p.Answer(c.t.Context(), c.req, nil)
}

// turn asks, and answers every call with the result of its position.
func (c *conversation) turn(results ...model.Result) *model.Answer {
	c.t.Helper()
	a, err := c.ask()
	if err != nil {
		c.t.Fatalf("turn %d: %v", c.req.Turn, err)
	}
	c.put(a, results...)
	return a
}

// put makes an answer and its results part of the history.
func (c *conversation) put(a *model.Answer, results ...model.Result) {
	m := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native, Turn: c.req.Turn}
	res := model.Message{Role: model.Tool, Turn: c.req.Turn}
	for i, call := range a.Calls {
		key := fmt.Sprintf("%012d%012d%040d", c.req.Turn, i, 0)
		id := ""
		for _, t := range c.req.Tools {
			if t.Name == call.Name {
				id = t.ID
			}
		}
		args := "{}"
		if len(call.Args) > 0 && call.Args[0] == '{' {
			args = string(call.Args)
		}
		m.Calls = append(m.Calls, model.Call{Key: key, ToolID: id, Name: call.Name, Args: args})
		r := model.Result{Text: "ok"}
		if i < len(results) {
			r = results[i]
		}
		r.Key, r.ToolID, r.Name = key, id, call.Name
		res.Results = append(res.Results, r)
	}
	c.req.Messages = append(c.req.Messages, m)
	if len(m.Calls) > 0 {
		c.req.Messages = append(c.req.Messages, res)
	} else {
		c.req.Messages = append(c.req.Messages, model.Message{Role: model.Host, Text: "go on"})
	}
	c.req.Turn++
}

const investigation = `
version: 1
agents:
  lead:
    - when: {turn: 1}
      text: I search for {{ input }}.
      calls:
        - grep: {pattern: "panic", limit: 20, deep: true, nothing: null}
        - workspace.list_files: {}
    - when: {after: grep}
      text: |-
        {{ len (json "grep" "hits") }} hits in {{ json "workspace.list_files" "entries.#" }} files:
        {{ range json "grep" "hits" }}{{ .path }}:{{ .startLine }} {{ end }}
      calls:
        - catalog.query:
            files: '{{ json "grep" "hits" | each "path" | join ", " }}'
            first: '{{ json "grep" "hits[0].startLine" | jsonval }}'
            list: ['{{ json "workspace.list_files" "entries" | each "path" | jsonval }}', "{{ arg \"grep\" \"pattern\" }}"]
    - when: {match: 'cause: (\w+)', after: mcp/docs:catalog.query, error: false}
      calls: [{workspace_finish: {reason: "It is {{ match 1 }}, line {{ json \"grep\" \"hits[-1].startLine\" }}."}}]
`

func TestInvestigationDependsOnResults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, grep, files, cause string
		text, query, finish      string
	}{
		{"two hits", `{"hits":[{"path":"a.go","startLine":3},{"path":"b.go","startLine":40}]}`, `{"entries":[{"path":"a.go"},{"path":"b.go"},{"path":"c.go"}]}`, "cause: nilmap",
			"2 hits in 3 files:\na.go:3 b.go:40 ", `{"files":"a.go, b.go","first":3,"list":[["a.go","b.go","c.go"],"panic"]}`, `{"reason":"It is nilmap, line 40."}`},
		{"one hit", `{"hits":[{"path":"x \"y\".go","startLine":7}]}`, `{"entries":[{"path":"x"}]}`, "the cause: race.",
			"1 hits in 1 files:\nx \"y\".go:7 ", `{"files":"x \"y\".go","first":7,"list":[["x"],"panic"]}`, `{"reason":"It is race, line 7."}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, investigation, scripted.Options{})
			a := c.turn(model.Result{Text: "hits", Data: json.RawMessage(row.grep)}, model.Result{Text: row.files}) // JSON as text counts too
			if a.Text != "I search for find the cause." || a.Finish != model.FinishCalls || len(a.Calls) != 2 || a.Calls[0].Name != "grep" ||
				string(a.Calls[0].Args) != `{"pattern":"panic","limit":20,"deep":true,"nothing":null}` || string(a.Calls[1].Args) != "{}" {
				t.Fatalf("first answer %+v %s", a, a.Calls)
			}
			a = c.turn(model.Result{Text: row.cause})
			if a.Text != row.text || a.Calls[0].Name != "mcp__docs__catalog_query" || string(a.Calls[0].Args) != row.query {
				t.Fatalf("second answer %q %s", a.Text, a.Calls[0].Args)
			}
			if a = c.turn(); string(a.Calls[0].Args) != row.finish || a.Calls[0].Name != "workspace_finish" {
				t.Fatalf("third answer %s", a.Calls[0].Args)
			}
			if u := a.Usage; u.Requests != 1 || u.Input == nil || *u.Input < 10 || u.Output == nil || *u.Output < 5 {
				t.Errorf("usage %+v", u)
			}
			if err := c.p.Done(); err != nil || c.p.Unused() != nil {
				t.Errorf("%v, unused %v", err, c.p.Unused())
			}
		})
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	const head = "version: 1\nagents:\n  lead:\n"
	fail := model.Result{Text: "error tool.x: no", IsError: true}
	for _, row := range []struct {
		name, script string
		results      []model.Result
		want         []string // texts by turn; "!code" an error that ends it
	}{
		{"times", `
    - {text: a}
    - {text: b, times: 2}
    - {text: c, times: any}`, nil, []string{"a", "b", "b", "c", "c"}},
		{"turns", `
    - {when: {turn: "3-"}, text: late, times: any}
    - {when: {turn: [1]}, text: first}
    - {when: {turn: "2-2"}, text: second}`, nil, []string{"first", "second", "late", "late"}},
		{"match of the last group only", `
    - {when: {match: cause}, text: "has it", times: any}
    - {when: {not_match: "cause"}, text: "has it not", times: any}`, nil, []string{"has it", "has it not", "has it not"}},
		{"errors", `
    - {when: {turn: 1}, text: a, calls: [grep]}
    - {when: {error: true, after: grep}, text: failed}
    - {when: {error: false}, text: fine}`, []model.Result{fail}, []string{"a", "failed", "fine"}},
		{"has_tool and path", `
    - {when: {has_tool: nothing}, text: no}
    - {when: {path: "root/*"}, text: no}
    - {when: {path: "ro?t", has_tool: agent.await}, text: yes it is}`, nil, []string{"yes it is", "!model.script_unmatched"}},
		{"nothing left", `
    - {text: a}`, nil, []string{"a", "!model.script_unmatched"}},
		{"missing result", `
    - {text: '{{ result "grep" }}'}`, nil, []string{"!model.script_failed"}},
		{"missing path", `
    - {calls: [{grep: {}}]}
    - {text: '{{ json "grep" "hits[3].x" }}'}`, []model.Result{{Text: `{"hits":[]}`}}, []string{"", "!model.script_failed"}},
		{"missing member", `
    - {calls: [{grep: {}}]}
    - {text: '{{ (json "grep" "").nope }}'}`, []model.Result{{Text: `{"a":1}`}}, []string{"", "!model.script_failed"}},
		{"empty text", `
    - {text: '{{ range lines "" }}x{{ end }}'}`, nil, []string{"!model.script_failed"}},
		{"tool that is not there", `
    - {calls: [{read: {}}]}`, nil, []string{"!model.script_failed"}},
		{"texts", `
    - {calls: [{grep: {q: 1}}]}
    - {text: '{{ result "grep" | count "(?m)^a" }} {{ find "b(.)" (result "grep") }} {{ lines (result "grep") | join "+" }} {{ turn }} {{ agent }} {{ arg "q" }} {{ len (findall "a." (result "grep")) }}'}
    - {text: '{{ results "grep" }}|{{ jsonval (json "[1, 2.5]") }}'}`, []model.Result{{Text: "a1\n\nb2\na3\n"}},
			[]string{"", "2 2 a1+b2+a3 2 lead 1 2", "a1\n\nb2\na3\n|[1,2.5]"}},
		{"input of the history", `
    - {text: '{{ input }} {{ match 0 }}', when: {match: the}}`, nil, []string{"find the cause the"}},
		{"group that match has not", `
    - {text: '{{ match 2 }}', when: {match: the}}`, nil, []string{"!model.script_failed"}},
		{"argument of a call that never was", `
    - {text: '{{ arg "grep" "q" }}'}`, nil, []string{"!model.script_failed"}},
		{"result that is no JSON", `
    - {calls: [{grep: {}}]}
    - {text: '{{ json "grep" "" }}'}`, []model.Result{{Text: "{} trailing"}}, []string{"", "!model.script_failed"}},
		{"find without a match", `
    - {text: '{{ find "x" "abc" }}'}`, nil, []string{"!model.script_failed"}},
		{"bad pattern", `
    - {text: '{{ count "(" "abc" }}'}`, nil, []string{"!model.script_failed"}},
		{"each of what is no list", `
    - {text: '{{ each "a" 3 }}'}`, nil, []string{"!model.script_failed"}},
		{"each without the member", `
    - {text: '{{ each "a" (json "[{\"b\":1}]") }}'}`, nil, []string{"!model.script_failed"}},
		{"values of each kind", `
    - {text: '{{ join "," (json "[1,2.5,true,null,{\"a\":[]}]") }} {{ json "{\"a\":{\"b\":[1,[7]]}}" | jsonval }} {{ join "-" (lines "a\n\nb\r\n") }}'}`, nil,
			[]string{`1,2.5,true,null,{"a":[]} {"a":{"b":[1,[7]]}} a-b`}},
		{"random of nothing", `
    - {text: '{{ rand 0 }}'}`, nil, []string{"!model.script_failed"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, head+row.script, scripted.Options{})
			for i, want := range row.want {
				a, err := c.ask()
				var e *model.Error
				switch code, failed := strings.CutPrefix(want, "!"); {
				case failed:
					if !errors.As(err, &e) || e.Code != code || e.Class != model.ClassPermanent {
						t.Fatalf("turn %d: %v, want %s", i+1, err, code)
					}
					return
				case err != nil:
					t.Fatalf("turn %d: %v", i+1, err)
				case a.Text != want:
					t.Fatalf("turn %d: %q, want %q", i+1, a.Text, want)
				}
				c.put(a, row.results...)
			}
		})
	}
}

func TestCallsAsWritten(t *testing.T) {
	t.Parallel()
	c := setup(t, `
version: 1
defaults: {usage: none}
agents:
  "*":
    - calls: [{=no.such.tool: {a: 1}}, {grep: }, {grep: [1, 0x10, "t"]}, {grep: {}}, grep]
      raw_arguments: [null, null, null, '{"path": "cut', null]
      finish: length
      usage: {input: 10, output: 3, reasoning: 1}
      reasoning: thinking
`, scripted.Options{})
	a, err := c.ask()
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ name, args string }{{"no.such.tool", `{"a":1}`}, {"grep", ""}, {"grep", `[1,16,"t"]`}, {"grep", `"{\"path\": \"cut"`}, {"grep", ""}}
	for i, w := range want {
		if a.Calls[i].Name != w.name || string(a.Calls[i].Args) != w.args {
			t.Errorf("call %d: %s %s, want %v", i, a.Calls[i].Name, a.Calls[i].Args, w)
		}
	}
	if a.Finish != model.FinishLength || *a.Usage.Input != 10 || *a.Usage.Reasoning != 1 || a.Usage.CacheRead != nil || a.Reasoning != "thinking" {
		t.Errorf("%+v", a)
	}
}

func TestUnmatchedFinishes(t *testing.T) {
	t.Parallel()
	c := setup(t, "version: 1\nagents: {lead: []}\non_unmatched: finish\n", scripted.Options{})
	if a := c.turn(); len(a.Calls) != 1 || a.Calls[0].Name != "workspace_finish" || !strings.Contains(string(a.Calls[0].Args), "reason") {
		t.Errorf("%+v", a)
	}
	c.req.Tools[0] = model.ToolDef{ID: "task.return", Name: "task_return", Schema: json.RawMessage(`{}`)}
	c.req.ToolsHash = ""
	if a := c.turn(); a.Calls[0].Name != "task_return" || !strings.Contains(string(a.Calls[0].Args), "summary") {
		t.Errorf("%+v", a)
	}
	c.req.Tools, c.req.ToolsHash = nil, ""
	if a := c.turn(); a.Text == "" || len(a.Calls) != 0 {
		t.Errorf("%+v", a)
	}
}

// TestStepsAreAFoldOfTheHistory asks a second provider in the middle of a conversation,
// as a resume does, and the first one twice, as a retry does.
func TestStepsAreAFoldOfTheHistory(t *testing.T) {
	t.Parallel()
	const script = "version: 1\nagents:\n  lead:\n    - {text: 'a {{ rand 1000000 }}', times: 2}\n    - {text: 'b {{ rand 1000000 }} {{ rand 1000000 }}', times: 2}\nrequire_all: true\n"
	c := setup(t, script, scripted.Options{Seed: 7})
	if err := c.p.Done(); fault.Code(err) != "model.script_unused" || !strings.Contains(err.Error(), "lead step 2 (line 5)") {
		t.Errorf("error %v", err)
	}
	var texts []string
	for range 4 {
		again, err := setup(t, script, scripted.Options{Seed: 7}).p.Answer(t.Context(), c.req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ask(); err != nil { // a retry of the same request uses nothing up
			t.Fatal(err)
		}
		a := c.turn()
		if a.Text != again.Text {
			t.Errorf("%q, after a resume %q", a.Text, again.Text)
		}
		texts = append(texts, a.Text)
	}
	if !strings.HasPrefix(texts[1], "a ") || !strings.HasPrefix(texts[2], "b ") || texts[0] == texts[1] {
		t.Errorf("texts %q", texts)
	}
	if parts := strings.Fields(texts[2]); parts[1] == parts[2] {
		t.Errorf("two draws are equal: %q", texts[2])
	}
	if err := c.p.Done(); err != nil {
		t.Error(err)
	}
	// A compaction that took answers away takes their uses with it.
	c.req.Messages = c.req.Messages[:1]
	if a := c.turn(); !strings.HasPrefix(a.Text, "a ") {
		t.Errorf("after a compaction %q", a.Text)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, fault string
		class       model.Class
		code        string
		wait        time.Duration
		fails       int // attempts
	}{
		{"limits-8 a server error once", "{status: 500}", model.ClassTransient, "model.http_500", 0, 1},
		{"limits-8 a rate twice", "{status: 429, retry_after: 20s, times: 2}", model.ClassRate, "model.rate_limited", 20 * time.Second, 2},
		{"limits-8 a bad request", "{status: 400, times: any}", model.ClassPermanent, "model.http_400", 0, 9},
		{"limits-11 overflow by code", "{status: 400, code: context_length_exceeded}", model.ClassOverflow, "model.context_overflow", 0, 1},
		{"pairing-5 cut", "{cut_after: 4}", model.ClassTransient, "model.stream_incomplete", 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, "version: 1\nagents:\n  lead:\n    - {text: in the end, fault: "+row.fault+"}\n", scripted.Options{})
			for c.req.Attempt = 1; c.req.Attempt <= row.fails; c.req.Attempt++ {
				shown := ""
				_, err := c.p.Answer(t.Context(), c.req, func(d model.Delta) { shown += d.Text })
				var e *model.Error
				if !errors.As(err, &e) || e.Class != row.class || e.Code != row.code || e.RetryAfter != row.wait {
					t.Fatalf("attempt %d: %+v", c.req.Attempt, err)
				}
				if e.Code == "model.stream_incomplete" && shown != "in t" {
					t.Errorf("shown %q", shown)
				}
			}
			if row.fails < 9 {
				if a := c.turn(); a.Text != "in the end" {
					t.Errorf("%+v", a)
				}
			}
		})
	}
}

func TestBadRequestIsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, "version: 1\nagents: {lead: [{text: a}]}\n", scripted.Options{})
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.Assistant, Text: "x", Calls: []model.Call{{Key: "k", Name: "grep", Args: "{}"}}})
	_, err := c.ask()
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassPermanent || e.Code != "model.request_invalid" || !strings.Contains(e.Detail, "pairing.missing_result at messages[1]") {
		t.Errorf("error %v", err)
	}
}

// clock lets a test say when time is over.
type clock struct {
	mu    sync.Mutex
	asked chan time.Duration
	fire  func()
}

func (c *clock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	c.fire = f
	c.mu.Unlock()
	c.asked <- d
	return func() bool { return true }
}

func TestLatency(t *testing.T) {
	t.Parallel()
	const script = "version: 1\ndefaults: {latency: 200ms}\nagents:\n  lead:\n    - {text: a}\n    - {text: b, latency: 0s}\n    - {text: c, latency: 1h}\n"
	cl := &clock{asked: make(chan time.Duration, 1)}
	c := setup(t, script, scripted.Options{Clock: cl})
	got := make(chan *model.Answer, 1)
	go func() {
		a, _ := c.ask()
		got <- a
	}()
	if d := <-cl.asked; d != 200*time.Millisecond {
		t.Errorf("waits %s", d)
	}
	cl.fire()
	c.put(<-got)
	if a := c.turn(); a.Text != "b" {
		t.Errorf("%+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := c.p.Answer(ctx, c.req, nil)
		errs <- err
	}()
	<-cl.asked
	cancel()
	var e *model.Error
	if err := <-errs; !errors.As(err, &e) || e.Class != model.ClassCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	c := setup(t, "version: 1\nagents: {lead: [{text: hi, calls: [{grep: {a: 1}}, {grep: {b: 2}}]}]}\n", scripted.Options{})
	var got []model.Delta
	if _, err := c.p.Answer(t.Context(), c.req, func(d model.Delta) { got = append(got, d) }); err != nil {
		t.Fatal(err)
	}
	want := []model.Delta{{Text: "hi"}, {Call: 0, Args: `{"a":1}`}, {Call: 1, Args: `{"b":2}`}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
}

func BenchmarkAnswer(b *testing.B) {
	s, err := scripted.Load([]byte("version: 1\nagents: {lead: [{times: any, calls: [{grep: {a: 1}}]}]}\n"), "b")
	if err != nil {
		b.Fatal(err)
	}
	for _, turns := range []int{100, 4000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			p := scripted.New(s, scripted.Options{})
			req := &model.Request{Agent: "lead", Run: "r", Path: "root", ToolsHash: "h", Tools: []model.ToolDef{{ID: "grep", Name: "grep", Schema: json.RawMessage("{}")}},
				Messages: []model.Message{{Role: model.User, Text: "x"}}}
			for i := range turns {
				k := fmt.Sprintf("%024d", i)
				req.Messages = append(req.Messages,
					model.Message{Role: model.Assistant, Calls: []model.Call{{Key: k, Name: "grep", Args: "{}"}}},
					model.Message{Role: model.Tool, Results: []model.Result{{Key: k, Name: "grep", Text: "x"}}})
			}
			req.Checked = len(req.Messages) - 2
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Answer(b.Context(), req, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
