package agent

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

const (
	value  = "sk-0123456789abcdef"
	hidden = "{{secret:KEY}}"
)

func keeping() *Env { return &Env{Secrets: secret.New(map[string]string{"KEY": value})} }

func TestMaskAnswer(t *testing.T) {
	t.Parallel()
	given := func(v string) *model.Answer {
		return &model.Answer{Text: "a " + v, Reasoning: v, Model: v, ID: v, Finish: model.Finish("unknown:" + v),
			Calls:  []model.AnswerCall{{Name: v, ProviderID: v, Args: json.RawMessage(`{"a":"` + v + `"}`)}, {Name: "plain"}},
			Native: []json.RawMessage{json.RawMessage(`"` + v + `"`)}}
	}
	in := given(value)
	if got := keeping().maskAnswer(in); !reflect.DeepEqual(got, given(hidden)) {
		t.Errorf("got %+v", got)
	}
	if !reflect.DeepEqual(in, given(value)) {
		t.Errorf("the provider's answer was changed: %+v", in)
	}
	if (&Env{}).maskAnswer(in) != in || keeping().maskAnswer(nil) != nil {
		t.Error("an answer without secrets was copied")
	}
}

func TestMaskErrors(t *testing.T) {
	t.Parallel()
	in := &model.Error{Class: model.ClassAuth, Code: "x." + value, Detail: "no " + value, Status: 401, Cause: model.ErrTooLarge}
	got := keeping().maskError(in)
	if want := (&model.Error{Class: model.ClassAuth, Code: "x." + hidden, Detail: "no " + hidden, Status: 401}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	f := &actors.Failure{Path: "p", Reason: "broke: " + value, Stack: "at " + value, Incarnation: 2}
	if got := keeping().maskFailure(f); *got != (actors.Failure{Path: "p", Reason: "broke: " + hidden, Stack: "at " + hidden, Incarnation: 2}) {
		t.Errorf("got %+v", got)
	}
	if in.Detail != "no "+value || f.Stack != "at "+value || keeping().maskFailure(nil) != nil {
		t.Error("what was given was changed")
	}
}

func TestMaskResult(t *testing.T) {
	t.Parallel()
	hash := func(s string) string { return workspace.HashOf([]byte(s)) }
	given := func(v string) tooling.Result {
		first, second := "é"+v, v+"!"
		return tooling.Result{Content: v, Code: "x." + v, Stack: v, Data: json.RawMessage(`{"` + v + `":1}`),
			Changes: []workspace.Change{
				{Path: "a/" + v, Op: "write", Old: "0", New: hash(first), Size: len(first), Chars: len(first) - 1, Content: first},
				{Path: "plain", Op: "write", New: hash("plain"), Size: 5, Chars: 5, Content: "plain"},
				{Path: "a/" + v, Op: "append", Old: hash(first), New: hash(second), Size: len(second), Chars: len(second), Content: second},
			},
			Observed: []journal.Observed{{Path: v, Hash: "1"}}, Commit: &journal.CommitSettled{Commit: "c", Ref: v, Reason: v}}
	}
	in := given(value)
	if got := keeping().maskResult(in); !reflect.DeepEqual(got, given(hidden)) {
		t.Errorf("got  %+v\nwant %+v", got, given(hidden))
	}
	if !reflect.DeepEqual(in, given(value)) {
		t.Errorf("the tool's result was changed: %+v", in)
	}
}

// TestMaskedPieces holds that every text of an answer is masked for itself, and that a new
// attempt begins anew.
func TestMaskedPieces(t *testing.T) {
	t.Parallel()
	var got []model.Delta
	piece, end := keeping().masked(func(d model.Delta) { got = append(got, d) })
	for _, d := range []model.Delta{
		{Text: "lost " + value[:8]}, {Reset: true},
		{Text: "It is " + value[:5]}, {Reasoning: value[:9]}, {Call: 1, Args: `{"k":"` + value[:4]}, {Text: value[5:]}, {Call: 1, Args: value[4:]},
		{Reasoning: "?"}, {Call: 0, Args: value[:3]}, {Call: -1, Args: "x"}, {Call: model.MaxCalls, Args: "x"},
	} {
		piece(d)
	}
	end()
	want := []model.Delta{{Text: "lost "}, {Reset: true}, {Text: "It is "}, {Call: 1, Args: `{"k":"`}, {Text: hidden}, {Call: 1, Args: hidden},
		{Reasoning: value[:9] + "?"}, {Call: 0, Args: value[:3]}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
