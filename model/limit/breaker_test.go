package limit

import (
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// asks has an attempt on a model go, or gives why it does not.
func asks(s *state, tag uint64, name string, fresh bool, now time.Time) (*ticket, *model.Error) {
	t := &ticket{Acquire: Acquire{Tag: tag, Model: name, Fresh: fresh}}
	if err := s.spare(t, now); err != nil {
		return nil, err
	}
	s.queue.push(t)
	next, _, _ := s.next(now)
	return next, nil
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	const fail, fine, limited = model.ClassOverload, model.Class(""), model.ClassRate
	type step struct {
		after time.Duration
		model string
		fresh bool
		end   model.Class
		goes  bool
	}
	one := func(c model.Class) step { return step{time.Second, "m", false, c, true} }
	five := []step{one(fail), one(fail), one(fail), one(fail), one(fail)}
	for _, row := range []struct {
		name  string
		steps []step
	}{
		{"four failures", append(five[:4:4], step{0, "m", true, fine, true})},
		{"five failures refuse fresh ones", append(five[:5:5], step{0, "m", true, fine, false}, step{59 * time.Second, "m", true, fine, false})},
		{"and nobody else", append(five[:5:5], step{0, "m", false, fail, true}, step{0, "other", true, fine, true})},
		{"a probe that succeeds closes it", append(five[:5:5], step{time.Minute, "m", true, fine, true}, step{0, "m", true, fine, true})},
		{"one that fails does not", append(five[:5:5], step{time.Minute, "m", true, fail, true}, step{time.Second, "m", true, fine, false}, step{time.Minute, "m", true, fine, true})},
		{"one that was given up leaves room for another", append(five[:5:5], step{time.Minute, "m", true, model.ClassCancelled, true}, step{0, "m", true, fine, true})},
		{"any success closes it", append(five[:5:5], one(fine), step{0, "m", true, fine, true})},
		{"five that are far apart", []step{one(fail), one(fail), {30 * time.Second, "m", false, fail, true}, {30 * time.Second, "m", false, fail, true}, one(fail), {0, "m", true, fine, true}}},
		{"rate limits are none", []step{one(limited), one(limited), one(limited), one(limited), one(limited), {5 * time.Minute, "m", true, fine, true}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, now := newState(Limits{}, t0), t0
			for i, st := range row.steps {
				now = now.Add(st.after)
				if st.end == limited {
					now = now.Add(time.Minute) // the pause of the one before
				}
				tk, err := asks(s, uint64(i+1), st.model, st.fresh, now)
				if (tk != nil) != st.goes {
					t.Fatalf("step %d goes: %t, %v", i+1, tk != nil, err)
				}
				if tk != nil {
					s.done(Release{Tag: tk.Tag, Class: st.end}, now)
				} else if err.Class != model.ClassOverload || err.Code != "model.breaker_open" {
					t.Errorf("refused with %+v", err)
				}
			}
		})
	}
	t.Run("a probe that waits when the key is refused leaves room for another", func(t *testing.T) {
		t.Parallel()
		s := newState(Limits{Concurrency: 1}, t0)
		for i := range 5 {
			tk, _ := asks(s, uint64(i+1), "m", false, t0)
			s.done(Release{Tag: tk.Tag, Class: fail}, t0)
		}
		now := t0.Add(time.Minute)
		if tk, _ := asks(s, 9, "other", false, now); tk == nil {
			t.Fatal("another model is not asked")
		}
		if tk, err := asks(s, 10, "m", true, now); tk != nil || err != nil || s.queue.n != 1 {
			t.Fatalf("the probe does not wait: %v", err)
		}
		if out := s.refuse(func(*ticket) bool { return true }); len(out) != 1 {
			t.Fatalf("%d were refused", len(out))
		}
		s.done(Release{Tag: 9}, now)
		if tk, err := asks(s, 11, "m", true, now); tk == nil {
			t.Errorf("no other probe goes: %v", err)
		}
	})
	t.Run("one probe at a time", func(t *testing.T) {
		t.Parallel()
		s := newState(Limits{}, t0)
		for i := range 5 {
			tk, _ := asks(s, uint64(i+1), "m", false, t0)
			s.done(Release{Tag: tk.Tag, Class: fail}, t0)
		}
		now := t0.Add(time.Minute)
		if tk, _ := asks(s, 10, "m", true, now); tk == nil {
			t.Fatal("no probe goes")
		}
		if tk, _ := asks(s, 11, "m", true, now); tk != nil {
			t.Error("a second one goes")
		}
	})
}
