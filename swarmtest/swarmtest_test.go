package swarmtest_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a script answers, by agent and turn.
func TestScript(t *testing.T) {
	t.Parallel()
	broken := &model.Error{Class: model.ClassTransient, Code: "model.http_500"}
	s := swarmtest.Script{"root": {
		swarmtest.Say("hello"),
		swarmtest.Do(swarmtest.Call("read", `{"path":"a"}`), swarmtest.Call("list", "")),
		{Text: "cut", Finish: model.FinishLength},
		{Err: broken},
	}}
	for _, row := range []struct {
		name   string
		agent  string
		turn   int
		text   string
		calls  []string // name and arguments
		finish model.Finish
		err    error
	}{
		{"text", "root", 1, "hello", nil, model.FinishStop, nil},
		{"calls", "root", 2, "", []string{`read {"path":"a"}`, "list "}, model.FinishCalls, nil},
		{"a finish of its own", "root", 3, "cut", nil, model.FinishLength, nil},
		{"an error", "root", 4, "", nil, "", broken},
		{"beyond the script", "root", 5, "nothing more to do", nil, model.FinishStop, nil},
		{"an agent without one", "other", 1, "nothing more to do", nil, model.FinishStop, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a, err := s.Answer(t.Context(), &model.Request{Agent: row.agent, Turn: row.turn}, nil)
			if !errors.Is(err, row.err) {
				t.Fatalf("error %v", err)
			}
			if row.err != nil {
				return
			}
			var calls []string
			for _, c := range a.Calls {
				calls = append(calls, c.Name+" "+string(c.Args))
			}
			if a.Text != row.text || a.Finish != row.finish || !slices.Equal(calls, row.calls) {
				t.Errorf("answer %+v", a)
			}
		})
	}
	if got := s.Capabilities("any").Provider; got != "script" {
		t.Errorf("provider %q", got)
	}
}

// The probe keeps every request by path and says what is wrong with it.
func TestRequests(t *testing.T) {
	t.Parallel()
	var r swarmtest.Requests
	ctx := t.Context()
	good := model.Request{Path: "root", Turn: 1, Messages: []model.Message{{Role: model.User, Text: "go"}}}
	bad := model.Request{Path: "root/a", Turn: 2, Messages: []model.Message{{Role: model.Assistant, Text: "me first"}}}
	r.Request(ctx, &good)
	r.Request(ctx, &bad)
	good.Turn = 3
	r.Request(ctx, &good)
	if r.Count() != 3 || len(r.Of("root")) != 2 || r.Of("root")[0].Turn != 1 || len(r.Of("nobody")) != 0 {
		t.Errorf("%d requests, %d of root", r.Count(), len(r.Of("root")))
	}
	if f := r.Faults(); len(f) == 0 || f[0][:len("root/a turn 2: ")] != "root/a turn 2: " {
		t.Errorf("faults %q", f)
	}
	if len(swarmtest.Validate(&bad)) == 0 || len(swarmtest.Validate(&good)) != 0 {
		t.Error("Validate")
	}
}

// A crash stores what it says, and nothing after it.
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		at     int
		stored bool
		want   []string // codes of three appends
		kept   int
	}{
		{"never", 0, false, []string{"", "", ""}, 3},
		{"at the first", 1, false, []string{"journal.append_failed", "journal.append_failed", "journal.append_failed"}, 0},
		{"at the second, stored", 2, true, []string{"", "journal.append_failed", "journal.append_failed"}, 2},
		{"at the second, lost", 2, false, []string{"", "journal.append_failed", "journal.append_failed"}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			mem := journal.NewMemory(journal.MemoryOptions{})
			c := swarmtest.NewCrash(mem, row.at, row.stored)
			if _, ok := any(c).(journal.Immediate); ok {
				t.Error("it appends at once")
			}
			if got := appends(t, c); !slices.Equal(got, row.want) {
				t.Errorf("got %q", got)
			}
			select {
			case <-c.Crashed():
				if row.at == 0 {
					t.Error("it crashed")
				}
			default:
				if row.at > 0 {
					t.Error("it did not crash")
				}
			}
			recs, _ := mem.Read(t.Context(), "run_a", journal.Query{})
			if len(recs) != row.kept {
				t.Errorf("%d records are kept", len(recs))
			}
		})
	}
	t.Run("now", func(t *testing.T) {
		t.Parallel()
		c := swarmtest.NewCrash(journal.NewMemory(journal.MemoryOptions{}), 0, false)
		c.Now()
		c.Now()
		if got := appends(t, c); got[0] != "journal.append_failed" || c.Appends() != 0 {
			t.Errorf("%q, %d appends", got, c.Appends())
		}
	})
}

// appends gives the codes of three appends of one record each.
func appends(t *testing.T, s journal.Store) []string {
	t.Helper()
	ctx := t.Context()
	epoch, err := s.Acquire(ctx, "run_a", false)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for seq := int64(1); seq <= 3; seq++ {
		r := journal.Record{V: 1, Run: "run_a", Epoch: epoch, Seq: seq, Prev: seq - 1, At: time.Unix(0, 0), Payload: &journal.RunPaused{}}
		errs := s.Append(ctx, []journal.Batch{{Run: "run_a", Epoch: epoch, After: seq - 1, Records: []journal.Record{r}}})
		codes = append(codes, fault.Code(errs[0]))
	}
	return codes
}

func TestClock(t *testing.T) {
	t.Parallel()
	c := swarmtest.NewClock()
	start, fired := c.Now(), false
	c.AfterFunc(time.Hour, func() { fired = true })
	c.Advance(time.Hour - 1)
	if fired || !c.Now().Equal(start.Add(time.Hour-1)) {
		t.Error("too early")
	}
	c.Advance(1)
	if !fired {
		t.Error("not fired")
	}
}
