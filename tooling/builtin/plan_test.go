package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	step := func(status string) string { return `{"step":"do it","status":"` + status + `"}` }
	rows := []struct {
		name, args, code, content, structured string
	}{
		{"open and done", `{"plan":[` + step("completed") + `,` + step("in_progress") + `,` + step("pending") + `,` + step("pending") + `]}`, "", "Plan recorded: 1 completed, 1 in progress, 2 pending.", `{"revision":3,"open":3,"done":1}`},
		{"cleared", `{"plan":[],"explanation":"done"}`, "", "The plan is cleared.", `{"revision":3,"open":0,"done":0}`},
		{"two in progress", `{"plan":[` + step("in_progress") + `,` + step("in_progress") + `]}`, "plan.multiple_in_progress", "", ""},
		{"no plan", `{}`, tooling.CodeInvalidArguments, "plan: required", ""},
		{"status", `{"plan":[` + step("done") + `]}`, tooling.CodeInvalidArguments, "plan[0].status", ""},
		{"priority", `{"plan":[{"step":"x","status":"pending","priority":"urgent"}]}`, tooling.CodeInvalidArguments, "one of low, medium, high", ""},
		{"blank step", `{"plan":[{"step":" ","status":"pending"}]}`, tooling.CodeInvalidArguments, "plan[0].step", ""},
		{"long step", `{"plan":[{"step":"` + strings.Repeat("x", 301) + `","status":"pending"}]}`, tooling.CodeInvalidArguments, "301 characters", ""},
		{"too many steps", `{"plan":[` + strings.TrimSuffix(strings.Repeat(step("pending")+",", 13), ",") + `]}`, tooling.CodeInvalidArguments, "at most 12 items", ""},
		{"other spelling", `{"plan":[{"step":"x","state":"pending"}]}`, tooling.CodeInvalidArguments, "plan[0].state", ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			var got tooling.Result
			if o, invalid := checked(t, core(t, tooling.IDPlan), r.args); invalid != nil {
				got = invalid.Result()
			} else {
				got = Plan(o, 3)
			}
			if got.Code != r.code || !strings.Contains(got.Content, r.content) {
				t.Fatalf("code %q, %q", got.Code, got.Content)
			}
			if r.structured == "" {
				return
			}
			b, err := json.Marshal(got.Structured)
			if err != nil || string(b) != r.structured {
				t.Errorf("structured %s %v", b, err)
			}
		})
	}
}
