package builtin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func TestAgentArguments(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	rows := []struct {
		name, id, args, fault string // fault: "reason place"
	}{
		{"delegate", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":"read","context":{"a":[1]},"expectedOutput":{"schema":{"type":"object"}},"isolation":"fork","tone":"kind"}}`, ""},
		{"delegate without a task", tooling.IDDelegate, `{"agentId":"critic"}`, "missing_key task"},
		{"delegate, objective blank", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":" "}}`, "missing_key task.objective"},
		{"delegate, objective too long", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":"` + long(8001) + `"}}`, "out_of_range task.objective"},
		{"delegate, isolation", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":"x","isolation":"none"}}`, "wrong_value task.isolation"},
		{"delegate, no budget can be set", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":"x"},"maxRounds":3}`, "unknown_key maxRounds"},
		{"delegate, no task can be resumed", tooling.IDDelegate, `{"agentId":"critic","task":{"objective":"x"},"taskId":"task_1"}`, "unknown_key taskId"},
		{"delegate, snake case", tooling.IDDelegate, `{"agent_id":"critic","task":{"objective":"x"}}`, "unknown_key agent_id"},
		{"await without arguments", tooling.IDAwait, `null`, ""},
		{"await", tooling.IDAwait, `{"taskIds":["task_1"],"mode":"allCompleted","timeoutMs":0}`, ""},
		{"await too long", tooling.IDAwait, `{"timeoutMs":300001}`, "out_of_range timeoutMs"},
		{"await mode", tooling.IDAwait, `{"mode":"all"}`, "wrong_value mode"},
		{"await none", tooling.IDAwait, `{"taskIds":[]}`, "out_of_range taskIds"},
		{"await a blank id", tooling.IDAwait, `{"taskIds":[" "]}`, "out_of_range taskIds[0]"},
		{"await too many", tooling.IDAwait, `{"taskIds":` + list(65, `"t"`) + `}`, "out_of_range taskIds"},
		{"read_result", tooling.IDReadResult, `{"taskId":"task_1","offset":0,"limit":20000}`, ""},
		{"read_result limit", tooling.IDReadResult, `{"taskId":"task_1","limit":0}`, "out_of_range limit"},
		{"read_result offset", tooling.IDReadResult, `{"taskId":"task_1","offset":-1}`, "out_of_range offset"},
		{"cancel", tooling.IDCancel, `{"taskIds":["task_1","task_2"],"reason":"late"}`, ""},
		{"cancel what", tooling.IDCancel, `{}`, "missing_key taskIds"},
		{"cancel, reason too long", tooling.IDCancel, `{"taskIds":["a"],"reason":"` + long(501) + `"}`, "out_of_range reason"},
		{"list", tooling.IDList, `{}`, ""},
		{"list purpose", tooling.IDList, `{"purpose":"all"}`, "wrong_value purpose"},
		{"list limit", tooling.IDList, `{"limit":101}`, "out_of_range limit"},
		{"handoff", tooling.IDHandoff, `{"agentId":"b","handoff":{"objective":"go on","mustPreserve":["x"],"more":1},"pendingTaskPolicy":"cancelPending"}`, ""},
		{"handoff list too long", tooling.IDHandoff, `{"agentId":"b","handoff":{"objective":"x","workspaceRefs":` + list(51, `"a"`) + `}}`, "out_of_range handoff.workspaceRefs"},
		{"handoff policy", tooling.IDHandoff, `{"agentId":"b","handoff":{"objective":"x"},"pendingTaskPolicy":"wait"}`, "wrong_value pendingTaskPolicy"},
		{"return", tooling.IDReturn, `{"summary":"done","status":"failed","confidence":"low","result":{"a":{"b":1}},"artifacts":[{"path":"a.md","kind":"report","role":"result"}],"findings":[{"x":1}],"warnings":["w"],"suggestedNextActions":[],"questionsForCaller":["q"]}`, ""},
		{"return without a summary", tooling.IDReturn, `{}`, "missing_key summary"},
		{"return, artifact without a kind", tooling.IDReturn, `{"summary":"x","artifacts":[{"path":"a","role":"b"}]}`, "missing_key artifacts[0].kind"},
		{"return, artifact with more", tooling.IDReturn, `{"summary":"x","artifacts":[{"path":"a","kind":"k","role":"b","size":1}]}`, "unknown_key artifacts[0].size"},
		{"return, finding is text", tooling.IDReturn, `{"summary":"x","findings":["f"]}`, "wrong_type findings[0]"},
		{"return, warning too long", tooling.IDReturn, `{"summary":"x","warnings":["` + long(2001) + `"]}`, "out_of_range warnings[0]"},
		{"return, result is text", tooling.IDReturn, `{"summary":"x","result":"r"}`, "wrong_type result"},
		{"finish without arguments", tooling.IDFinish, `""`, ""},
		{"finish", tooling.IDFinish, `{"reason":"done"}`, ""},
		{"finish, reason too long", tooling.IDFinish, `{"reason":"` + long(501) + `"}`, "out_of_range reason"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			_, invalid := checked(t, core(t, r.id), r.args)
			got := ""
			if invalid != nil {
				got = invalid.Reason + " " + invalid.Place
			}
			if got != r.fault {
				t.Errorf("fault %q, want %q", got, r.fault)
			}
		})
	}
}

func TestAgentToolsAreDecidedByTheRun(t *testing.T) {
	t.Parallel()
	for _, tool := range agents() {
		if tool.Handle != nil || tool.Prepare != nil || tool.Effect.Class == tooling.Write {
			t.Errorf("%s has a handler or writes", tool.ID)
		}
		if tool.Description == "" || strings.Contains(tool.Description, "runtime") {
			t.Errorf("%s: description %q", tool.ID, tool.Description)
		}
	}
}

func TestTaskIDs(t *testing.T) {
	t.Parallel()
	if got, invalid := TaskIDs(object(t, `{"taskIds":["a","b"]}`)); invalid != nil || fmt.Sprint(got) != "[a b]" {
		t.Errorf("%v %v", got, invalid)
	}
	if got, invalid := TaskIDs(object(t, `{}`)); invalid != nil || got != nil {
		t.Errorf("%v %v", got, invalid)
	}
	_, invalid := TaskIDs(object(t, `{"taskIds":["a","b","a"]}`))
	if invalid == nil || invalid.Reason != tooling.ReasonWrongValue || invalid.Place != "taskIds[2]" {
		t.Errorf("%+v", invalid)
	}
}
