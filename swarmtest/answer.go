package swarmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// answerFaults gives what is wrong with what a provider gave.
func answerFaults(a *model.Answer, err error) []string {
	var faults []string
	bad := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if err != nil {
		if a != nil {
			bad("it gave an answer and an error; what came of an answer that failed is dropped")
		}
		return append(faults, errorFaults(err)...)
	}
	if a == nil {
		return []string{"it gave neither an answer nor an error"}
	}
	finishes := []model.Finish{model.FinishStop, model.FinishCalls, model.FinishLength, model.FinishFilter, model.FinishOverflow, model.FinishBadCall}
	if !slices.Contains(finishes, a.Finish) && !strings.HasPrefix(string(a.Finish), "unknown:") {
		bad("the answer ended for %q; there are %q, and unknown: with the word of the server", a.Finish, finishes)
	}
	if a.Finish == model.FinishCalls && len(a.Calls) == 0 {
		bad("the answer ended for calls and has none")
	}
	for i, c := range a.Calls {
		if c.Name == "" {
			bad("call %d has no name", i)
		}
		if c.Args != nil && !json.Valid(c.Args) {
			bad("call %d has the arguments %q; they are nil or one JSON value, fragments of a stream joined as a JSON string", i, c.Args)
		}
	}
	for i, n := range a.Native {
		if !json.Valid(n) {
			bad("native part %d is not JSON: %q", i, n)
		}
	}
	for _, n := range []*int64{a.Usage.Input, a.Usage.Output, a.Usage.CacheRead, a.Usage.CacheWrite, a.Usage.Reasoning} {
		if n != nil && *n < 0 {
			bad("the usage holds %d tokens; what is not known is nil", *n)
		}
	}
	return faults
}

func errorFaults(err error) []string {
	var e *model.Error
	if !errors.As(err, &e) {
		return []string{fmt.Sprintf("the error is %T and no *model.Error, so that nobody knows whether to try again: %v", err, err)}
	}
	var faults []string
	classes := []model.Class{model.ClassPermanent, model.ClassAuth, model.ClassRate, model.ClassOverload, model.ClassTransient,
		model.ClassOverflow, model.ClassFilter, model.ClassCancelled}
	if !slices.Contains(classes, e.Class) {
		faults = append(faults, fmt.Sprintf("the error has the class %q; there are %q", e.Class, classes))
	}
	if area, reason, ok := strings.Cut(e.Code, "."); !ok || area == "" || reason == "" {
		faults = append(faults, fmt.Sprintf("the error has the code %q; a code is area.reason, e.g. model.http_500", e.Code))
	}
	if e.RetryAfter < 0 {
		faults = append(faults, fmt.Sprintf("the error asks to wait %s", e.RetryAfter))
	}
	return faults
}

// Kinds of requests among samples.
const (
	withTools   = 1
	withResults = 2
)

// samples gives one request of each kind that the runtime makes: without tools, with
// tools, with results of calls, and of a closing turn.
func samples(named string) []*model.Request {
	const key = "0123456789abcdef0123456789abcdef"
	tools := []model.ToolDef{{ID: "builtin:read", Name: "read", Description: "Reads a file.", Schema: json.RawMessage(
		`{"additionalProperties":false,"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`)}}
	user := model.Message{Role: model.User, Text: "Read a.txt and tell me what it says."}
	call := model.Message{Role: model.Assistant, Text: "I read it.", Turn: 1,
		Calls: []model.Call{{Key: key, ToolID: "builtin:read", Name: "read", Args: `{"path":"a.txt"}`}}}
	result := model.Message{Role: model.Tool, Turn: 1, Results: []model.Result{{Key: key, ToolID: "builtin:read", Name: "read", Text: "hello"}}}
	over := model.Message{Role: model.Host, Text: "Your turns are used up. Say what you have."}
	request := func(turn int, messages ...model.Message) *model.Request {
		return &model.Request{Model: named, System: "You answer briefly.", Tools: tools, ToolsHash: "t1", Messages: messages,
			Run: "run_1", Path: "root", Agent: "root", Turn: turn, Attempt: 1, Input: user.Text}
	}
	plain, closing := request(1, user), request(2, user, call, result, over)
	plain.Tools, plain.ToolsHash = nil, ""
	closing.Choice.Mode = "none"
	return []*model.Request{plain, request(1, user), request(2, user, call, result), closing}
}
