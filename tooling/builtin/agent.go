package builtin

import (
	"encoding/json"
	"strconv"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// agents gives the tools by which agents start, watch, stop and follow one another, and
// by which they end. The run decides each of them, so none has a handler.
func agents() []tooling.Tool {
	var tools []tooling.Tool
	for _, d := range []tooling.Descriptor{
		{
			ID:          tooling.IDFinish,
			Description: "Ends the run. Call it last, and alone or as the last call of an answer, once the work is done and what should be published is committed.",
			Schema: schema(``, `
				"reason":{"type":"string","minLength":1,"maxLength":500,"description":"One or two sentences: what was done, and what was not."}`),
			Effect: tooling.Effect{Class: tooling.None}, GateKey: "ws", Exposure: tooling.SystemTool, Condition: tooling.Owner,
		},
		{
			ID:          tooling.IDList,
			Description: "Lists the agents you may give work to or hand over to, with what each is for.",
			Schema: schema(``, `
				"purpose":{"type":"string","enum":["any","delegate","handoff"],"default":"any","description":"Only agents for this use."},
				"query":{"type":"string","minLength":1,"maxLength":200,"description":"Only agents whose id or description holds these words."},
				"limit":{"type":"integer","minimum":1,"maximum":100,"default":20}`),
			Effect: tooling.Effect{Class: tooling.Read}, Again: tooling.AgainYes, Exposure: tooling.UserTool, Condition: tooling.CanReach,
		},
		{
			ID: tooling.IDDelegate,
			Description: "Gives a task to another agent and returns at once with a task id; the agent works on its own while you go on. " +
				"It does not see this conversation: put everything it needs into the task. Results arrive by themselves, or wait for them with the await tool. " +
				"For independent parts, delegate several tasks in one answer; beyond the parallel limit they queue.",
			Schema: schema(`"agentId","task"`, `
				"agentId":{"type":"string","minLength":1,"description":"Id of the agent."},
				"task":{"type":"object","required":["objective"],"description":"The task. Further members become further instructions.","properties":{
					"objective":{"type":"string","minLength":1,"maxLength":8000,"description":"What to reach, complete in itself."},
					"title":{"type":"string","maxLength":8000,"description":"A few words for lists."},
					"context":{"type":"object","description":"What the agent must know: facts, paths, decisions."},
					"expectedOutput":{"type":"object","description":"What to return.","properties":{
						"description":{"type":"string","description":"The result in words."},
						"schema":{"type":"object","description":"JSON Schema that the result must fit."}}},
					"isolation":{"type":"string","enum":["fork","shared"],"description":"fork: the agent works on its own copy of the files, to be merged later."}}}`),
			Effect: tooling.Effect{Class: tooling.None}, Exposure: tooling.UserTool, New: true, Condition: tooling.CanDelegate,
		},
		{
			ID: tooling.IDAwait,
			Description: "Waits for delegated tasks and gives their results. Time running out is no error and stops nothing: " +
				"tasks still running go on, and you can wait again. Do other work first when there is some.",
			Schema: schema(``, `
				"taskIds":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string","minLength":1},"description":"Tasks to wait for; without it all whose results you do not have yet."},
				"mode":{"type":"string","enum":["nextCompleted","allCompleted","statusOnly"],"default":"nextCompleted","description":"Until one ends, until all end, or just look."},
				"timeoutMs":{"type":"integer","minimum":0,"maximum":300000,"default":120000,"description":"Longest wait in milliseconds."}`),
			Effect: tooling.Effect{Class: tooling.Read}, Again: tooling.AgainYes, Exposure: tooling.UserTool, New: true, Condition: tooling.CanDelegate,
		},
		{
			ID:          tooling.IDReadResult,
			Description: "Reads the whole result of an ended task page by page, when what you were shown was cut.",
			Schema: schema(`"taskId"`, `
				"taskId":{"type":"string","minLength":1},
				"offset":{"type":"integer","minimum":0,"default":0,"description":"First character."},
				"limit":{"type":"integer","minimum":1,"maximum":20000,"default":8000,"description":"Characters to read."}`),
			Effect: tooling.Effect{Class: tooling.Read}, Again: tooling.AgainYes, Exposure: tooling.UserTool, New: true, Condition: tooling.CanDelegate,
		},
		{
			ID:          tooling.IDCancel,
			Description: "Stops delegated tasks with everything they started, and reports when they have stopped. A task that ended already answers with its outcome.",
			Schema: schema(`"taskIds"`, `
				"taskIds":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string","minLength":1},"description":"Tasks to stop."},
				"reason":{"type":"string","maxLength":500}`),
			Effect: tooling.Effect{Class: tooling.None, Idempotent: true}, Again: tooling.AgainYes, Exposure: tooling.UserTool, New: true, Condition: tooling.CanDelegate,
		},
		{
			ID: tooling.IDHandoff,
			Description: "Hands this conversation over to another agent for good: it goes on and ends the run, and you stop. " +
				"To get an answer back, delegate instead. Runs after all other calls of the answer.",
			Schema: schema(`"agentId","handoff"`, `
				"agentId":{"type":"string","minLength":1,"description":"Id of the agent that takes over."},
				"handoff":{"type":"object","required":["objective"],"description":"What the agent needs to go on. Further members become further instructions.","properties":{
					"objective":{"type":"string","minLength":1,"maxLength":8000,"description":"What is still to be reached."},
					"title":{"type":"string","maxLength":8000},
					"reason":{"type":"string","maxLength":8000,"description":"Why this agent."},
					"contextSummary":{"type":"string","maxLength":8000,"description":"What happened and was decided so far."},
					"workspaceRefs":{"type":"array","maxItems":50,"items":{"type":"string"},"description":"Paths that matter."},
					"mustPreserve":{"type":"array","maxItems":50,"items":{"type":"string"},"description":"What must not change."},
					"completionCriteria":{"type":"array","maxItems":50,"items":{"type":"string"},"description":"How to know that it is done."}}},
				"pendingTaskPolicy":{"type":"string","enum":["denyIfPending","cancelPending"],"default":"denyIfPending","description":"What happens when tasks of yours still run."}`),
			Effect: tooling.Effect{Class: tooling.None}, Exposure: tooling.UserTool, New: true, Condition: tooling.CanHandoff,
		},
		{
			ID: tooling.IDReturn,
			Description: "Returns your result to the agent that gave you the task, and ends your work. Call it last. " +
				"Only what stands here reaches the caller: text outside of it does not.",
			Schema: schema(`"summary"`, `
				"summary":{"type":"string","minLength":1,"maxLength":8000,"description":"What you did and found, complete in itself."},
				"status":{"type":"string","enum":["completed","failed"],"default":"completed","description":"failed when the task could not be done; say why in the summary."},
				"confidence":{"type":"string","enum":["low","medium","high"]},
				"result":{"type":"object","description":"The result as data, in the form the task asks for."},
				"artifacts":{"type":"array","maxItems":50,"description":"Files that belong to the result.","items":{
					"type":"object","additionalProperties":false,"required":["path","kind","role"],"properties":{
						"path":{"type":"string","minLength":1},
						"kind":{"type":"string","minLength":1,"description":"Such as report, code, data."},
						"role":{"type":"string","minLength":1,"description":"What the file is for."}}}},
				"findings":{"type":"array","maxItems":50,"items":{"type":"object"},"description":"Single facts, as objects."},
				"warnings":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":2000}},
				"suggestedNextActions":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":2000}},
				"questionsForCaller":{"type":"array","maxItems":50,"items":{"type":"string","maxLength":2000}}`),
			Effect: tooling.Effect{Class: tooling.None}, Exposure: tooling.SystemTool, Condition: tooling.ChildOnly,
		},
	} {
		tools = append(tools, tooling.Tool{Descriptor: d})
	}
	return tools
}

// schema closes an object schema with these required names and properties.
func schema(required, properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":[` + required + `],"properties":{` + properties + `}}`)
}

// TaskIDs reads the task ids of agent.await and agent.cancel from checked arguments: nil
// when they are absent, a refusal when one is named twice.
func TaskIDs(o *tooling.Object) ([]string, *tooling.Invalid) {
	ids, _ := o.Strings("taskIds")
	seen := make(map[string]bool, len(ids))
	for i, id := range ids {
		if seen[id] {
			return nil, &tooling.Invalid{
				Reason: tooling.ReasonWrongValue, Place: "taskIds[" + strconv.Itoa(i) + "]",
				Expected: "each task once", Got: id,
			}
		}
		seen[id] = true
	}
	return ids, nil
}
