package swarm_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// A team may leave out what follows from the rest, and its run can be resumed.
func TestTeamDefaults(t *testing.T) {
	t.Parallel()
	mem := memory()
	open := func(store swarm.Store) *swarm.Runtime {
		rt, err := swarm.Open(t.Context(), swarm.Options{Store: store, Providers: map[string]swarm.Provider{
			swarm.DefaultModel: swarmtest.Script{"only": {swarmtest.Do(finish)}}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rt.Close(context.Background()) })
		return rt
	}
	crash := swarmtest.NewCrash(mem, 2, false)
	team := &swarm.Team{Agents: map[string]*swarm.Profile{"only": {Prompt: "You end."}}}
	r, err := open(crash).Start(t.Context(), team, swarm.Input{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context()); swarm.Code(err) != "journal.append_failed" {
		t.Fatal(err)
	}
	if team.Version != 0 || team.Entry != "" || team.Agents["only"].ID != "" {
		t.Errorf("the team of the caller was changed: %+v", team)
	}
	r, err = open(reborn(mem)).Resume(t.Context(), r.ID(), swarm.ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := r.Wait(t.Context()); err != nil || res.Outcome != swarm.Completed {
		t.Errorf("%+v, %v", res, err)
	}
}

// All faults of a team are told at once, and each names what it is about.
func TestTeamFaults(t *testing.T) {
	t.Parallel()
	team := swarm.NewTeam("A B",
		swarm.Profile{ID: "lead", Delegation: swarm.Delegation{CanDelegate: true, Targets: []string{"nobody"}}},
		swarm.Profile{ID: "twin", Prompt: "One."}, swarm.Profile{ID: "twin", Prompt: "Two."}, swarm.Profile{ID: "twin", Prompt: "Three."})
	team.Models["x"] = swarm.Model{Provider: "acme"}
	err := team.Validate()
	var faults swarm.Faults
	if swarm.Code(err) != "config.invalid" || !errors.As(err, &faults) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{`"A B"`, "the prompt is empty", `"nobody"`, `"acme"`, "is not its key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	if good := swarm.NewTeam("shop", swarm.Profile{ID: "clerk", Prompt: "You sell."}); good.Validate() != nil || good.Entry != "clerk" {
		t.Errorf("%v, %+v", good.Validate(), good)
	}
}

// A team that is not there has one fault, and no panic.
func TestValidateOfNoTeam(t *testing.T) {
	t.Parallel()
	var none *swarm.Team
	var faults swarm.Faults
	if err := none.Validate(); swarm.Code(err) != "config.invalid" || !errors.As(err, &faults) || len(faults) != 1 || faults[0].Code != "config.missing" {
		t.Errorf("got %v", err)
	}
}

// A team that no run could begin with is refused and no panic, also when nobody has
// validated it.
func TestStartRefusesTeams(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	b := setup(t, setupOptions{script: swarmtest.Script{}})
	type row struct {
		name string
		team *swarm.Team
		code string
		want string
	}
	rows := []row{
		{"nil", nil, "config.missing", "no team"},
		{"zero", &swarm.Team{}, "config.invalid", "no agents"},
		{"nil agent", &swarm.Team{Agents: map[string]*swarm.Profile{"a": nil}}, "config.invalid", `"a" is nil`},
		{"id twice", swarm.NewTeam("t", swarm.Profile{ID: "a"}, swarm.Profile{ID: "a"}), "config.invalid", "each id is there once"},
		{"temperature", swarm.NewTeam("t", swarm.Profile{ID: "a", Temperature: &nan}), "config.invalid", "no number"},
		{"temperature of a model", &swarm.Team{Agents: map[string]*swarm.Profile{"a": {}}, Models: map[string]swarm.Model{"default": {Provider: "scripted", TopP: &nan}}}, "config.invalid", "no number"},
	}
	for _, id := range []string{"a/b", "..", "self", "human", "a\nb", "Ä", strings.Repeat("a", 65)} {
		rows = append(rows, row{"id " + id, swarm.NewTeam("t", swarm.Profile{ID: id, Prompt: "x"}), "config.invalid", "give the agent another one"})
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, err := b.rt.Start(t.Context(), row.team, swarm.Input{Text: "go"}); swarm.Code(err) != row.code || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The words of the API are those of the records.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for word, of := range map[string]journal.Outcome{swarm.Completed: journal.Completed, swarm.Failed: journal.Failed, swarm.Cancelled: journal.Cancelled,
		swarm.Partial: journal.Partial, swarm.Unknown: journal.Unknown, swarm.Transferred: journal.Transferred} {
		if word != string(of) {
			t.Errorf("%q is %q in records", word, of)
		}
	}
}
