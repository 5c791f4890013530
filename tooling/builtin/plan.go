package builtin

import (
	"encoding/json"
	"fmt"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func updatePlan() tooling.Tool {
	return tooling.Tool{Descriptor: tooling.Descriptor{
		ID: tooling.IDPlan,
		Description: "Writes down your plan for work of several steps, and keeps it up to date. Give the whole plan each time: it replaces the one before. " +
			"At most one step is in_progress; mark a step completed as soon as it is. An empty list clears the plan.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["plan"],"properties":{
			"plan":{"type":"array","maxItems":12,"description":"All steps in order.","items":{
				"type":"object","additionalProperties":false,"required":["step","status"],"properties":{
					"step":{"type":"string","minLength":1,"maxLength":300,"description":"What is done in this step."},
					"status":{"type":"string","enum":["pending","in_progress","completed"]},
					"priority":{"type":"string","enum":["low","medium","high"]}}}},
			"explanation":{"type":"string","maxLength":500,"description":"Why the plan changed."}}}`),
		Effect:   tooling.Effect{Class: tooling.None},
		Exposure: tooling.UserTool,
		New:      true,
	}}
}

// planned is the structured result of update_plan.
type planned struct {
	Revision int `json:"revision"`
	Open     int `json:"open"`
	Done     int `json:"done"`
}

// Plan decides a call of update_plan with checked arguments. Revision is the number that
// this plan gets, 1 for the first of an invocation. A pure function.
func Plan(o *tooling.Object, revision int) tooling.Result {
	steps, _ := o.Objects("plan")
	var pending, active, done int
	for _, s := range steps {
		switch status, _ := s.String("status"); status {
		case "completed":
			done++
		case "in_progress":
			active++
		default:
			pending++
		}
	}
	if active > 1 {
		return tooling.Fail("plan.multiple_in_progress", fmt.Sprintf(
			"%d steps are in_progress and at most one may be. The plan was not changed; set the others to pending or completed.", active))
	}
	r := tooling.Result{Structured: planned{Revision: revision, Open: pending + active, Done: done}}
	if len(steps) == 0 {
		r.Content = "The plan is cleared."
		return r
	}
	r.Content = fmt.Sprintf("Plan recorded: %d completed, %d in progress, %d pending.", done, active, pending)
	return r
}
