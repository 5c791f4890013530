package swarmtest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// What the conformance test of providers finds.
func TestAnswerFaults(t *testing.T) {
	t.Parallel()
	minus := int64(-1)
	spent := &model.Answer{Finish: model.FinishStop}
	spent.Usage.Output = &minus
	for _, row := range []struct {
		name string
		a    *model.Answer
		err  error
		want string // "": nothing
	}{
		{"text", &model.Answer{Text: "hello", Finish: model.FinishStop}, nil, ""},
		{"word of the server", &model.Answer{Text: "hello", Finish: "unknown:tired"}, nil, ""},
		{"calls", &model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{{Name: "a"}, {Name: "b", Args: json.RawMessage(`"{\"a\":"`)}}}, nil, ""},
		{"error", nil, &model.Error{Class: model.ClassAuth, Code: "model.http_401"}, ""},
		{"nothing", nil, nil, "neither an answer nor an error"},
		{"both", &model.Answer{}, &model.Error{Class: model.ClassAuth, Code: "model.http_401"}, "an answer and an error"},
		{"no finish", &model.Answer{Text: "hello"}, nil, `ended for ""`},
		{"calls without calls", &model.Answer{Finish: model.FinishCalls}, nil, "has none"},
		{"call without a name", &model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{{}}}, nil, "call 0 has no name"},
		{"arguments in pieces", &model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{{Name: "a", Args: json.RawMessage(`{"a":`)}}}, nil, "one JSON value"},
		{"native", &model.Answer{Finish: model.FinishStop, Native: []json.RawMessage{json.RawMessage("x")}}, nil, "native part 0"},
		{"usage", spent, nil, "-1 tokens"},
		{"plain error", nil, errors.New("down"), "no *model.Error"},
		{"class", nil, &model.Error{Class: "sad", Code: "model.failed"}, `the class "sad"`},
		{"code", nil, &model.Error{Class: model.ClassAuth, Code: "401"}, `the code "401"`},
		{"wait", nil, &model.Error{Class: model.ClassRate, Code: "model.http_429", RetryAfter: -1}, "asks to wait"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(answerFaults(row.a, row.err), "; ")
			if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	for i, req := range samples("m") {
		if faults := model.Validate(req); len(faults) > 0 {
			t.Errorf("sample %d is not valid: %v", i, faults)
		}
	}
}
