package swarm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// aimockTeam are the answers of [wireScript] for a server that others wrote. It finds them by
// the model, which names the agent, and by how many answers stand in the conversation.
func aimockTeam() string {
	type call struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
	}
	type fixture struct {
		Match struct {
			Model string `json:"model"`
			Turn  int    `json:"turnIndex"`
		} `json:"match"`
		Response struct {
			Content string `json:"content,omitempty"`
			Calls   []call `json:"toolCalls,omitempty"`
		} `json:"response"`
	}
	var all struct {
		Fixtures []fixture `json:"fixtures"`
	}
	turns := map[string]int{}
	add := func(agent, text string, calls ...call) {
		f := fixture{}
		f.Match.Model, f.Match.Turn = agent, turns[agent]
		f.Response.Content, f.Response.Calls = text, calls
		turns[agent]++
		all.Fixtures = append(all.Fixtures, f)
	}
	add("lead", "I give it away.", call{"agent_delegate", `{"agentId":"helper","task":{"objective":"Look at the files"}}`}, call{"workspace_list_files", `{}`})
	add("lead", "", call{"agent_await", `{"mode":"allCompleted"}`})
	add("lead", "", call{"nonsense", `{}`}, call{"workspace_write_file", `{"path":"output/main.md","content":"done: 汉字 😀"}`})
	add("lead", "Now I think aloud.")
	add("lead", "", call{"workspace_commit", `{}`}, call{"workspace_finish", `{"reason":"published"}`})
	add("helper", "", call{"workspace_list_files", `{}`}, call{"workspace_search_files", `{"query":"x"}`})
	add("helper", "", call{"task_return", `{"summary":"nothing there"}`})
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts and numbers encode
	}
	return string(b)
}

// The same whole team against a mock server that others wrote, on each wire form that it
// serves, streamed or not: delegation, parallel calls, a call of no tool, a text turn, a
// write, a commit. The facts are the same, and those of our own server.
func TestOneTeamAgainstAimock(t *testing.T) {
	t.Parallel()
	base := strings.TrimSuffix(modeltest.StartAimock(t, aimockTeam()), "/v1")
	ours := newWireServer(t, "openai")
	want := wireRun(t, wireTeam("openai", ours.URL, true), nil)
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/stream=%t", provider, stream), func(t *testing.T) {
				team := wireTeam(provider, base, stream)
				if provider == "gemini" {
					for name, m := range team.Models {
						m.BaseURL = base + "/v1beta"
						team.Models[name] = m
					}
				}
				got := wireRun(t, team, nil)
				for i, fact := range got { // the mock's own word for the end of an answer with calls, or without
					got[i] = strings.ReplaceAll(fact, "unknown:FUNCTION_CALL", "calls")
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("facts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
	seen := modeltest.AimockJournal(t, base+"/v1")
	if len(seen) != 4*7 { // those of gemini stand elsewhere
		t.Errorf("%d requests in the journal", len(seen))
	}
	for i, body := range seen {
		if faults := modeltest.ValidateChat(body); faults != nil {
			t.Errorf("request %d as the server read it: %v\n%s", i+1, faults, body)
		}
	}
}
