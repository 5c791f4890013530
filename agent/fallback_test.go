package agent

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// few is a provider whose models take few tools.
type few struct{ swarmtest.Script }

func (few) Capabilities(string) model.Capabilities { return model.Capabilities{MaxTools: 2} }

// asked gives a driver whose request is under way, with models a (the profile's own), b
// and c beside it.
func asked(t testing.TB, own Model, others map[string]Model) *driver {
	t.Helper()
	d := rootDriver(t, nil)
	own.Provider, own.Kind, own.Name = swarmtest.Script{}, "script", "own"
	d.env.Models = map[string]Model{"default": own}
	for name, m := range others {
		m.Name = name
		if m.Provider == nil {
			m.Provider = swarmtest.Script{}
		}
		d.env.Models[name] = m
	}
	d.ask()
	return d
}

// gaveUp has the request under way fail with a class.
func (d *driver) gaveUp(n int, c model.Class) {
	d.t.Helper()
	d.live.Asking = false
	d.append(d.part.GaveUp(n, &model.Error{Class: c, Code: "model.test", Detail: "it fails"})...)
}

// Which model is asked after which failure, and why others are not.
func TestFallbacks(t *testing.T) {
	t.Parallel()
	two := []string{"b", "c"}
	for _, row := range []struct {
		name    string
		own     Model
		others  map[string]Model
		class   model.Class
		next    string // "": the request has failed
		skipped string // parts of the reasons, with commas
	}{
		{"overloaded", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassOverload, "b", ""},
		{"transient", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassTransient, "b", ""},
		{"rate limited", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassRate, "b", ""},
		{"auth", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassAuth, "b", ""},
		{"permanent", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassPermanent, "", ""},
		{"cancelled", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassCancelled, "", ""},
		{"filtered", Model{Fallback: two}, map[string]Model{"b": {}, "c": {}}, model.ClassFilter, "", ""},
		{"filtered, as the team wants it", Model{Fallback: two, FallOn: []model.Class{model.ClassFilter}}, map[string]Model{"b": {}, "c": {}}, model.ClassFilter, "b", ""},
		{"overloaded, as the team does not want it", Model{Fallback: two, FallOn: []model.Class{model.ClassFilter}}, map[string]Model{"b": {}, "c": {}}, model.ClassOverload, "", ""},
		{"there is none", Model{}, nil, model.ClassOverload, "", ""},
		{"too long, and a larger window", Model{Fallback: two, Window: 100_000}, map[string]Model{"b": {Window: 100_000}, "c": {Window: 200_000}}, model.ClassOverflow, "c", "b: its window is not known to be larger"},
		{"too long, and no larger window", Model{Fallback: two}, map[string]Model{"b": {Window: 50}, "c": {}}, model.ClassOverflow, "", "b: its window has 50 tokens, c: its window is not known"},
		{"a window that is too small", Model{Fallback: two}, map[string]Model{"b": {Window: 100}, "c": {}}, model.ClassOverload, "c", "b: its window has 100 tokens"},
		{"too many tools", Model{Fallback: two}, map[string]Model{"b": {Provider: few{}}, "c": {}}, model.ClassOverload, "c", "b: it takes 2 tools"},
		{"one that is not there", Model{Fallback: two}, map[string]Model{"c": {}}, model.ClassOverload, "c", "b: it is not there"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := asked(t, row.own, row.others)
			d.gaveUp(5, row.class)
			last := d.log[len(d.log)-1]
			m, again := last.Payload.(*journal.ModelRequested)
			said := ""
			switch {
			case row.next == "" && row.class == model.ClassOverflow: // the history is made shorter, and the turn is asked again
				f, ok := last.Payload.(*journal.ModelAttemptFailed)
				if !ok || d.part.Fatal != "" {
					t.Fatalf("the last record is %+v", last.Payload)
				}
				said = f.Detail
			case row.next == "":
				f, ok := last.Payload.(*journal.ModelFailed)
				if !ok || d.part.Fatal != "model.test" {
					t.Fatalf("the last record is %+v", last.Payload)
				}
				said = f.Detail
			case !again || m.Fallback != row.next || m.Model != row.next || last.Scope.Turn != 1:
				t.Fatalf("the last record is %+v", last.Payload)
			default:
				said = strings.Join(m.Skipped, "; ")
				if f, ok := d.log[len(d.log)-2].Payload.(*journal.ModelAttemptFailed); !ok || f.Attempt != 5 || f.Class != string(row.class) {
					t.Errorf("the failure is recorded as %+v", d.log[len(d.log)-2].Payload)
				}
			}
			for part := range strings.SplitSeq(row.skipped, ", ") {
				if !strings.Contains(said, part) {
					t.Errorf("%q does not say %q", said, part)
				}
			}
			if row.skipped == "" && (strings.Contains(said, ":") || strings.Contains(said, "fallback")) {
				t.Errorf("somebody was passed over: %q", said)
			}
		})
	}
}

// Who has fallen back stays there, goes on down the list, and comes back as it was from its
// records; what is opaque in the history goes with the model that wrote it.
func TestFallbackStays(t *testing.T) {
	t.Parallel()
	d := asked(t, Model{Fallback: []string{"b", "c"}}, map[string]Model{"b": {}, "c": {}})
	a := &model.Answer{Calls: []model.AnswerCall{peeking}, Finish: model.FinishCalls, Native: []json.RawMessage{json.RawMessage(`{"secret":1}`)}}
	d.live.Asking = false
	d.append(d.part.Answered(a, 1)...)
	d.run("fine")
	sent := d.part.History
	d.gaveUp(5, model.ClassOverload)
	if d.part.model().Name != "b" || d.part.Attempts != 5 || d.part.Turn != 2 {
		t.Fatalf("asks %s, attempt %d of turn %d", d.part.model().Name, d.part.Attempts+1, d.part.Turn)
	}
	native := func(h []model.Message) (n int) {
		for i := range h {
			n += len(h[i].Native)
		}
		return n
	}
	if native(d.part.History) != 0 || native(sent) != 1 {
		t.Errorf("%d opaque parts are left, and %d of what was sent", native(d.part.History), native(sent))
	}
	d.ask()
	d.answer(swarmtest.Do(peeking))
	d.run("fine")
	last := d.log[len(d.log)-1].Payload.(*journal.ModelRequested)
	if last.Fallback != "b" || d.part.Turn != 3 || d.part.Attempts != 0 {
		t.Errorf("turn 3 is asked of %q", last.Fallback)
	}
	again := NewPart(d.env, testRun)
	if err := again.FoldAll(d.log); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(viewOf(again), viewOf(d.part)) || again.model().Name != "b" {
		t.Errorf("from its records it asks %s", again.model().Name)
	}
	d.gaveUp(1, model.ClassTransient)
	if d.part.model().Name != "c" {
		t.Errorf("then asks %s", d.part.model().Name)
	}
	d.ask()
	d.gaveUp(1, model.ClassTransient)
	if d.part.Fatal == "" {
		t.Error("there is no model behind the last one")
	}
}
