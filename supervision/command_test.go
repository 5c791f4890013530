package supervision

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// talked is a run whose lead has an effect under way that the test ends with letGo.
func talked(t *testing.T, store journal.Store) (*stage, *Handle) {
	t.Helper()
	s := newStage(t, store, nil)
	script := swarmtest.Script{"lead": {swarmtest.Do(poke), swarmtest.Do(peek), swarmtest.Do(finish)}}
	s.env.Models["default"] = withProvider(s, s.holding(script, "lead", 1))
	return s, s.start("run_a")
}

// heard gives the texts of humans in the last request of the lead.
func (s *stage) heard() (out []string) {
	s.t.Helper()
	reqs := s.reqs.Of("root")
	for _, m := range reqs[len(reqs)-1].Messages[1:] {
		if m.Role == model.User {
			out = append(out, m.Text)
		}
	}
	return out
}

// Guidance is answered when its record is durable, and the next request has it.
func TestSay(t *testing.T) {
	t.Parallel()
	s, h := talked(t, nil)
	s.hold = false // answers are written at once
	for i := range 8 {
		if answer, taken := s.said(h, "say", fmt.Sprint("hint ", i)); !taken || answer != journal.Recorded {
			t.Fatalf("taken %t, answered %q", taken, answer)
		}
	}
	if answer, _ := s.said(h, "say", "one more"); fault.Code(journal.Refusal(answer)) != "guidance.full" {
		t.Errorf("the ninth is answered %q", answer)
	}
	if n := s.count("run_a", journal.TGuidanceSubmitted); n != 8 {
		t.Errorf("%d records", n)
	}
	s.letGo()
	s.want(h, "completed", "finished")
	if got := s.heard(); len(got) != 8 || got[0] != "hint 0" || got[7] != "hint 7" {
		t.Errorf("heard %q", got)
	}
	got := s.answers("run_a")
	if n := len(got); n != 9 || got[0] != journal.Recorded || got[8] == journal.Recorded {
		t.Errorf("the table says %q", got)
	}
}

// A command that reaches the run twice is carried out once, and whoever waits the second
// time is told too.
func TestSayTwice(t *testing.T) {
	t.Parallel()
	s, h := talked(t, nil)
	s.hold = false
	cmd := journal.Command{Run: "run_a", Kind: "say", Payload: "hint"}
	var err error
	if cmd.ID, err = s.store.Post(t.Context(), "run_a", cmd); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if answer, taken := s.told(h, cmd); !taken || answer != journal.Recorded {
			t.Errorf("taken %t, answered %q", taken, answer)
		}
	}
	s.letGo()
	s.want(h, "completed", "finished")
	if got := s.heard(); !slices.Equal(got, []string{"hint"}) {
		t.Errorf("heard %q", got)
	}
}

// While the run comes to rest, guidance is still taken, pauses are answered with the
// record, and the next owner goes on with what waits.
func TestCommandsOfARestingRun(t *testing.T) {
	t.Parallel()
	s, h := talked(t, nil)
	s.hold = false
	for range 2 {
		if answer, taken := s.said(h, "pause", ""); !taken || answer != "" {
			t.Errorf("taken %t, answered %q", taken, answer)
		}
	}
	if answer, _ := s.said(h, "say", "for later"); answer != journal.Recorded {
		t.Errorf("answered %q", answer)
	}
	if got := s.answers("run_a"); !slices.Equal(got, []string{"", "", journal.Recorded}) {
		t.Errorf("before it rests the table says %q", got)
	}
	s.letGo()
	s.want(h, "paused", "user")
	if got := s.answers("run_a"); !slices.Equal(got, []string{journal.Recorded, journal.Recorded, journal.Recorded}) {
		t.Errorf("when it rests the table says %q", got)
	}
	if answer, taken := s.said(h, "say", "nobody is there"); taken {
		t.Errorf("it is gone and answers %q", answer)
	}
	s.want(s.start("run_a"), "completed", "finished")
	if got := s.heard(); !slices.Equal(got, []string{"for later", "nobody is there"}) {
		t.Errorf("heard %q", got)
	}
	if n := s.count("run_a", journal.TRunPaused); n != 1 {
		t.Errorf("paused %d times: a pause that is recorded was carried out again", n)
	}
}

// A pause that is overtaken by the end of the run is refused, like what comes after it.
func TestPauseIsOvertaken(t *testing.T) {
	t.Parallel()
	s, h := talked(t, nil)
	s.hold = false
	s.said(h, "pause", "")
	if answer, _ := s.said(h, "cancel", "enough"); answer != journal.Recorded {
		t.Errorf("the cancel is answered %q", answer)
	}
	s.letGo()
	res := s.wait(h)
	got := s.answers("run_a")
	switch res.Outcome {
	case "cancelled":
		if fault.Code(journal.Refusal(got[0])) != "journal.ended" {
			t.Errorf("the pause of a run that was cancelled is answered %q", got[0])
		}
	case "paused":
		if got[0] != journal.Recorded {
			t.Errorf("the pause is answered %q", got[0])
		}
		s.want(s.start("run_a"), "cancelled", "enough")
	default:
		t.Errorf("the run came to rest as %+v", res)
	}
}

// The actor of the run fails at the append of each command, before and after it is stored:
// the next incarnation finds what is not answered, and nothing is carried out twice.
func TestCommandsOfARunThatRestarts(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("durability-3 stored %t", stored), func(t *testing.T) {
			t.Parallel()
			broke := false
			store := &odd{Memory: memory(), panic: func(_ int, b *journal.Batch) (bool, bool) {
				for i := range b.Records {
					if b.Records[i].Type() == journal.TGuidanceSubmitted && !broke {
						broke = true
						return !stored, stored
					}
				}
				return false, false
			}}
			s, h := talked(t, store)
			s.hold = false
			s.said(h, "say", "hint")
			s.clock.Advance(time.Minute) // the restart waits a moment
			s.letGo()
			s.clock.Advance(time.Minute)
			s.want(h, "completed", "")
			if got := s.answers("run_a"); !broke || !slices.Equal(got, []string{journal.Recorded}) {
				t.Errorf("broke %t, answered %q", broke, got)
			}
			if n := s.count("run_a", journal.TGuidanceSubmitted); n != 1 {
				t.Errorf("submitted %d times\n%s", n, s.dump("run_a"))
			}
			if got := s.heard(); !slices.Equal(got, []string{"hint"}) {
				t.Errorf("heard %q", got)
			}
		})
	}
}

// The actors of one run, out of a runtime that has two.
func TestViewRun(t *testing.T) {
	t.Parallel()
	s, h := talked(t, nil)
	s.start("run_ab")
	list := ViewRun(s.sys.Tree(), h.ID)
	paths := map[string]string{}
	for _, a := range list {
		paths[a.Path] = a.Kind
		if a.Incarnation != 1 || a.Restarts != 0 || a.State == "" {
			t.Errorf("%+v", a)
		}
	}
	if paths["."] != "run" || paths["root"] != "invocation" || paths["gate-0"] == "" || len(paths) != len(list) {
		t.Errorf("the actors are %v", paths)
	}
	if other := ViewRun(s.sys.Tree(), "run_a/"); len(other) != 0 {
		t.Errorf("no run has %v", other)
	}
	s.letGo()
	s.want(h, "completed", "")
}
