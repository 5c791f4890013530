package swarm_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// wireScript is what the servers of this file answer: delegation, parallel reads, a call of
// an unknown tool, a text turn, a write, a commit. The model of a request names its agent.
const wireScript = `version: 1
agents:
  lead:
    - {when: {turn: 1}, text: I give it away., calls: [{agent_delegate: {agentId: helper, task: {objective: "Look at {{ input }}"}}}, {workspace_list_files: {}}]}
    - {when: {turn: 2}, calls: [{agent_await: {mode: allCompleted}}]}
    - {when: {turn: 3}, calls: [{=nonsense: {}}, {workspace_write_file: {path: output/main.md, content: "done: 汉字 😀"}}]}
    - {when: {turn: 4}, text: Now I think aloud.}
    - {when: {turn: 5}, calls: [{workspace_commit: {}}, {workspace_finish: {reason: published}}]}
  helper:
    - {when: {turn: 1}, calls: [{workspace_list_files: {}}, {workspace_search_files: {query: x}}]}
    - {when: {turn: 2}, calls: [{task_return: {summary: "nothing there"}}]}
`

// wireServer serves the script over one wire form and judges each request strictly.
type wireServer struct {
	*httptest.Server
	handler interface {
		http.Handler
		Requests() [][]byte
	}
	judge func([]byte) []model.Fault
}

func newWireServer(t *testing.T, provider string) *wireServer {
	t.Helper()
	script, err := scripted.Load([]byte(wireScript), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := &wireServer{}
	switch provider {
	case "openai":
		s.handler, s.judge = modeltest.Server(script, scripted.Options{}), modeltest.ValidateChat
	case "anthropic":
		s.handler, s.judge = modeltest.Messages(script, scripted.Options{}), modeltest.ValidateMessages
	case "gemini":
		s.handler, s.judge = modeltest.Generate(script, scripted.Options{}), modeltest.ValidateGenerate
	}
	s.Server = httptest.NewServer(s.handler)
	t.Cleanup(s.Close)
	return s
}

// wireTeam is a team whose agents have a model of their name at a server.
func wireTeam(provider, url string, stream bool) *swarm.Team {
	team := &swarm.Team{Version: 1, Name: "wire", Entry: "lead", Models: map[string]swarm.Model{}, Agents: map[string]*swarm.Profile{
		"lead":   {Model: "lead", Prompt: "Lead.", Delegation: swarm.Delegation{CanDelegate: true}},
		"helper": {Model: "helper", Prompt: "Help.", Delegation: swarm.Delegation{Callable: true, AsChild: true}}}}
	for id := range team.Agents {
		team.Models[id] = swarm.Model{Provider: provider, Model: id, BaseURL: url + "/v1", APIKey: "${KEY}", Stream: &stream,
			Retry: swarm.Retry{Base: time.Nanosecond}}
	}
	return team
}

const wireKey = "key-of-the-wire-0123456789"

// wireRun runs the team and gives its facts, without what differs between runs and
// providers.
func wireRun(t *testing.T, team *swarm.Team, change func(*swarm.Options)) []string {
	t.Helper()
	o := swarm.Options{Env: func(name string) (string, bool) { return wireKey, name == "KEY" }}
	if change != nil {
		change(&o)
	}
	rt, err := swarm.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), team, swarm.Input{Text: "the files"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := run.Wait(ctx)
	if err != nil || res.Outcome != "completed" || res.Text != "done: 汉字 😀" {
		t.Errorf("%+v, %v", res, err)
	}
	var facts []string
	for r, err := range run.Events(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch m := r.Payload.(type) {
		case *journal.ModelAnswered:
			facts = append(facts, fmt.Sprintf("%s %d answered %q %d %s", r.Scope.Invocation, r.Scope.Turn, m.Text.Text, m.Calls, m.Stop))
		case *journal.CallRequested:
			facts = append(facts, fmt.Sprintf("%s %d asks %s %s", r.Scope.Invocation, r.Scope.Turn, m.Name, m.Args.Text))
		case *journal.CallSettled:
			facts = append(facts, fmt.Sprintf("%s %d gets %s %q", r.Scope.Invocation, r.Scope.Turn, m.Outcome, m.Code))
		case *journal.ModelAttemptFailed:
			t.Errorf("an attempt failed: %+v", m)
		}
	}
	slices.Sort(facts) // agents work beside each other
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
	return facts
}

// The same team on every wire form, streamed or not: each request satisfies the strict
// judge of its form, and the facts are the same.
func TestOneTeamOnEveryProvider(t *testing.T) {
	t.Parallel()
	var want []string
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, stream := range []bool{true, false} {
			s := newWireServer(t, provider)
			got := wireRun(t, wireTeam(provider, s.URL, stream), nil)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, stream %t:\n%s\nwant\n%s", provider, stream, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			reqs := s.handler.Requests()
			if len(reqs) != 7 {
				t.Errorf("%s, stream %t: %d requests", provider, stream, len(reqs))
			}
			for i, body := range reqs {
				if faults := s.judge(body); len(faults) > 0 {
					t.Errorf("%s, stream %t, request %d: %v\n%s", provider, stream, i+1, faults, body)
				}
			}
		}
	}
}

// A recorded run that is replayed gives the same facts, with the server gone and without a
// key; the key is in no byte of the recording.
func TestReplayGivesTheSameFacts(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/stream=%t", provider, stream), func(t *testing.T) {
				t.Parallel()
				s := newWireServer(t, provider)
				team, file := wireTeam(provider, s.URL, stream), filepath.Join(t.TempDir(), "cassette.jsonl")
				want := wireRun(t, team, func(o *swarm.Options) { o.Record = file })
				s.Close()
				data, err := os.ReadFile(file)
				if err != nil || bytes.Contains(data, []byte(wireKey)) {
					t.Fatalf("the key stands in the recording, or %v", err)
				}
				got := wireRun(t, team, func(o *swarm.Options) { o.Replay, o.Env = file, nil })
				if !slices.Equal(got, want) {
					t.Errorf("replayed:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}
