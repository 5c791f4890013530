package swarm_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/price"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// A call that the server could not read is asked for once more, and is then a turn that is
// corrected, whether text came with it or not.
func TestMalformedCall(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "I write it."} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("text %q, stream %t", text, stream), func(t *testing.T) {
				t.Parallel()
				s, err := scripted.Load([]byte(fmt.Sprintf(`
version: 1
agents:
  root:
    - {when: {match: "could not be read"}, calls: [{workspace_finish: {reason: ready}}]}
    - {when: {turn: 1}, times: any, text: %q, finish: malformed_call, usage: {input: 30, output: 4}}
`, text)), "script.yaml")
				if err != nil {
					t.Fatal(err)
				}
				server := modeltest.Generate(s, scripted.Options{})
				at := httptest.NewServer(server)
				t.Cleanup(at.Close)
				b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Providers = nil }})
				b.team.Models["default"] = config.Model{Provider: "gemini", BaseURL: at.URL + "/v1", Auth: "none", Model: "root", Stream: &stream,
					Retry: config.Retry{Base: time.Nanosecond}, Price: price.Free()}
				res := b.run("go")
				b.outcome(res, "completed", "")
				recs := b.records(res.Run)
				failed, answered, corrected := payloads[*journal.ModelAttemptFailed](recs), payloads[*journal.ModelAnswered](recs), payloads[*journal.TurnCorrected](recs)
				if len(failed) != 1 || failed[0].Code != "model.malformed_call" || failed[0].Usage.Input == nil || *failed[0].Usage.Input != 30 {
					t.Errorf("failed attempts: %+v", failed)
				}
				if len(answered) != 2 || answered[0].Attempt != 2 || answered[0].Stop != "malformed_call" || answered[0].Text.Text != text {
					t.Errorf("answers: %+v", answered)
				}
				if len(corrected) != 1 || corrected[0].Rule != "malformed_call" || corrected[0].Count != 1 {
					t.Errorf("corrections: %+v", corrected)
				}
				if u := res.Usage; u.Requests != 3 || u.Input == nil || *u.Input < 60 {
					t.Errorf("the run has used %+v", u)
				}
				for i, body := range server.Requests() {
					if faults := modeltest.ValidateGenerate(body); len(faults) > 0 {
						t.Errorf("request %d: %v\n%s", i+1, faults, body)
					}
				}
			})
		}
	}
}

// What a server has reported for attempts that failed is in the records, in what the run has
// used, in its budget and in the series.
func TestUsageOfFailedAttempts(t *testing.T) {
	t.Parallel()
	events := func(finish string) string {
		return "data: {\"choices\":[{\"delta\":{\"content\":\"so\"}" + finish + "}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100,\"cost\":0.002}}\n\n"
	}
	for _, row := range []struct {
		name, body string
		team       func(m *config.Model)
		outcome    string
		code       string // of the attempt
		requests   int
	}{
		{"a stream that is cut", events(""), nil, "completed", "model.stream_incomplete", 2},
		{"limits-8 filtered", events(`,"finish_reason":"content_filter"`) + "data: [DONE]\n\n", nil, "failed", "model.content_filter", 1},
		{"limits-8 filtered, and another model stands in", events(`,"finish_reason":"content_filter"`) + "data: [DONE]\n\n", func(m *config.Model) {
			m.Fallback, m.FallbackOn = []string{"spare"}, []string{"content_filter"}
		}, "completed", "model.content_filter", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, alone, func(n int, w http.ResponseWriter, _ *http.Request) bool {
				if n > 1 {
					return false
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, row.body)
				return true
			})
			b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Providers = nil }})
			m := s.model("root")
			rate := price.Rate(swarm.Dollar)
			m.Retry.Base, m.Price = time.Nanosecond, &price.Price{Input: &rate, Output: &rate} // a dollar for a million tokens
			b.team.Models["spare"] = m
			if row.team != nil {
				row.team(&m)
			}
			b.team.Models["default"] = m
			res := b.run("go")
			b.outcome(res, row.outcome, "")
			recs := b.records(res.Run)
			var used journal.Usage
			code := ""
			if row.outcome == "failed" {
				f := payloads[*journal.ModelFailed](recs)[0]
				used, code = f.Usage, f.Code
			} else {
				f := payloads[*journal.ModelAttemptFailed](recs)[0]
				used, code = f.Usage, f.Code
			}
			if code != row.code || used.Input == nil || *used.Input != 1000 || *used.Output != 100 || *used.Cost != 1100*1000 || used.CostReported == nil || *used.CostReported != 2_000_000 {
				t.Errorf("recorded %s %+v", code, used)
			}
			if u := res.Usage; u.Requests != row.requests || *u.Input < 1000 || *u.Cost < 1100*1000 || *u.CostReported != 2_000_000 {
				t.Errorf("the run has used %+v", u)
			}
			if ended := payloads[*journal.InvocationEnded](recs); *ended[0].Usage.Input != *res.Usage.Input {
				t.Errorf("the agent has used %+v", ended[0].Usage)
			}
		})
	}

	t.Run("budgets-8 they count", func(t *testing.T) {
		t.Parallel()
		n := int64(4000)
		tries := 0
		provider := model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
			if tries++; tries == 1 {
				return nil, &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Usage: journal.Usage{Requests: 1, Input: &n, Output: new(int64)}}
			}
			return &model.Answer{Text: "that far", Finish: model.FinishStop, Usage: journal.Usage{Requests: 1, Input: &n, Output: new(int64)}}, nil
		})
		b := setup(t, setupOptions{script: provider})
		b.team.Budgets.Tokens = 8000
		m := b.team.Models["default"]
		m.Retry.Base = time.Nanosecond
		b.team.Models["default"] = m
		res := b.run("go")
		b.outcome(res, "partial", "budget.tokens")
		if used := payloads[*journal.BudgetExhausted](b.records(res.Run)); len(used) != 1 || used[0].Used < 8000 {
			t.Errorf("exhausted: %+v", used)
		}
	})
}

// A key file that has changed is read again after a 401. Its new key is a secret too.
func TestKeyFileIsReadAgain(t *testing.T) {
	t.Parallel()
	const first, second = "first-key-of-the-file", "second-key-of-the-file"
	for _, row := range []struct {
		name, now string // what the file holds by now
		outcome   string
		asked     []string
	}{
		{"limits-8 another key", second, "completed", []string{first, second, second}},
		{"limits-8 the same key", first, "failed", []string{first}},
		{"limits-8 a wrong key again", "third-key-of-the-file", "failed", []string{first, "third-key-of-the-file"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "key")
			write := func(key string) {
				if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
					t.Error(err)
				}
			}
			write(first)
			var mu sync.Mutex
			var asked []string
			s := serve(t, `
version: 1
agents:
  root:
    - {text: "The key is `+second+`.", calls: [{workspace_list_files: {}}]}
    - calls: [{workspace_finish: {reason: ready}}]
`, func(_ int, w http.ResponseWriter, r *http.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				asked = append(asked, key)
				write(row.now)
				return key != second && refusal(w, 401)
			})
			b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Providers = nil }})
			m := s.model("root")
			m.Auth, m.APIKeyFile = "", file
			b.team.Models["default"] = m
			res := b.run("go")
			b.outcome(res, row.outcome, "")
			if !slices.Equal(asked, row.asked) {
				t.Errorf("asked with %q\n%s", asked, b.dump(res.Run))
			}
			if text := b.dump(res.Run); strings.Contains(text, second) || strings.Contains(text, first) {
				t.Errorf("a key stands in the records:\n%s", text)
			}
			if row.outcome == "failed" && (res.Code != "model.auth" || !strings.Contains(res.Text, "key file")) {
				t.Errorf("%s: %q", res.Code, res.Text)
			}
		})
	}
}

// A team whose models are recorded by the key record, and played by provider replay, gives
// the same facts, with the server gone and without a key.
func TestReplayByKeys(t *testing.T) {
	t.Parallel()
	warm, most := 0.7, 0.9
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/stream=%t", provider, stream), func(t *testing.T) {
				t.Parallel()
				s := newWireServer(t, provider)
				team, file := wireTeam(provider, s.URL, stream), filepath.Join(t.TempDir(), "cassette.jsonl")
				for name, m := range team.Models {
					m.Record, m.MaxOutput, m.Temperature, m.TopP, m.Stop, m.Window = file, 3000, &warm, &most, []string{"STOP"}, 90_000
					switch provider {
					case "openai":
						m.Quirks.CallID, m.Quirks.GrammarSchema = "alnum9", true
					case "anthropic":
						m.Cache = "1h"
					case "gemini":
						m.Reasoning, m.Quirks.OpenAPISchema = "low", true
					}
					team.Models[name] = m
				}
				want := wireRun(t, team, nil)
				for i, body := range s.handler.Requests() {
					if faults := s.judge(body); len(faults) > 0 {
						t.Errorf("request %d: %v\n%s", i+1, faults, body)
					}
				}
				s.Close()
				if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte(wireKey)) {
					t.Fatalf("the key stands in the recording, or %v", err)
				}
				for name := range team.Models {
					team.Models[name] = swarm.Model{Provider: "replay", Cassette: file, Exact: true, Normalise: []string{`\d{4}-\d\d-\d\d`}}
				}
				got := wireRun(t, team, func(o *swarm.Options) { o.Env = nil })
				if !slices.Equal(got, want) {
					t.Errorf("replayed:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// Which of several models of a cassette is meant, and what cannot be played.
func TestReplayedModels(t *testing.T) {
	t.Parallel()
	s := newWireServer(t, "openai")
	dir := t.TempDir()
	file := filepath.Join(dir, "cassette.jsonl")
	team := wireTeam("openai", s.URL, true)
	for name, m := range team.Models {
		m.Record = file
		team.Models[name] = m
	}
	wireRun(t, team, nil)
	damaged := filepath.Join(dir, "damaged.jsonl")
	if err := os.WriteFile(damaged, []byte("{\"cassette\":1,\"name\":\"lead\",\"settings\":{\"stop\":1}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, as, model, file string
		fault                 string // "": it is opened
	}{
		{"its own name", "lead", "", file, ""},
		{"another name", "default", "helper", file, ""},
		{"several, and none is named", "default", "", file, `there is no model "default" in it; set model to one of `},
		{"none of that name", "lead", "nobody", file, `there is no model "nobody" in it; set model to one of `},
		{"no such file", "lead", "", filepath.Join(dir, "gone.jsonl"), "no such file"},
		{"settings that are none", "lead", "", damaged, "the settings of model lead cannot be read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			rt, err := swarm.Open(t.Context(), swarm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			one := &swarm.Team{Version: 1, Name: "one", Entry: "a", Agents: map[string]*swarm.Profile{"a": {Model: row.as, Prompt: "A."}},
				Models: map[string]swarm.Model{row.as: {Provider: "replay", Cassette: row.file, Model: row.model}}}
			_, err = rt.Start(t.Context(), one, swarm.Input{Text: "x"})
			if row.fault == "" && err != nil || row.fault != "" && (swarm.Code(err) != "config.cassette" || !strings.Contains(err.Error(), row.fault)) {
				t.Errorf("got %v, want %q", err, row.fault)
			}
			if err := rt.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("exact", func(t *testing.T) {
		rt, err := swarm.Open(t.Context(), swarm.Options{Providers: map[string]swarm.Provider{"other": swarmtest.Script{"a": {swarmtest.Do(finish)}}}})
		if err != nil {
			t.Fatal(err)
		}
		one := &swarm.Team{Version: 1, Name: "one", Entry: "a", Agents: map[string]*swarm.Profile{"a": {Model: "other", Prompt: "A."}},
			Models: map[string]swarm.Model{"lead": {Provider: "replay", Cassette: file, Exact: true}}}
		run, err := rt.Start(t.Context(), one, swarm.Input{Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if res, err := run.Wait(ctx); err != nil || res.Outcome != "completed" {
			t.Errorf("%+v, %v", res, err)
		}
		if err := rt.Close(ctx); swarm.Code(err) != "replay.unused" || !strings.Contains(err.Error(), "7 of 7 interactions were not asked for") {
			t.Errorf("got %v", err)
		}
	})
}
