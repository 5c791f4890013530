package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// openings gives what a runtime may keep its records in, and how another process opens it.
func openings(t *testing.T) map[string]func(t *testing.T) (first, second swarm.Store) {
	t.Helper()
	return map[string]func(t *testing.T) (swarm.Store, swarm.Store){
		"memory": func(*testing.T) (swarm.Store, swarm.Store) {
			m := swarm.NewMemoryStore()
			return m, m.Reopen()
		},
		"directory": func(t *testing.T) (swarm.Store, swarm.Store) {
			dir := t.TempDir()
			open := func() swarm.Store {
				s, err := swarm.OpenStore(t.Context(), dir)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			return open(), open()
		},
	}
}

// onlooker is a runtime on a store that another one works on.
func onlooker(t *testing.T, store swarm.Store) *swarm.Runtime {
	t.Helper()
	rt, err := swarm.Open(t.Context(), swarm.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := rt.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return rt
}

// seqs collects the numbers of a stream and the error that ended it.
func seqs(events swarm.Events) (list []int64, err error) {
	for r, e := range events {
		if e != nil {
			return list, e
		}
		list = append(list, r.Seq)
	}
	return list, nil
}

// dense checks that numbers are those from first to last.
func dense(t *testing.T, list []int64, first, last int64) {
	t.Helper()
	for i, n := range list {
		if n != first+int64(i) {
			t.Fatalf("number %d stands at %d of a stream from %d", n, i, first)
		}
	}
	if int64(len(list)) != last-first+1 {
		t.Errorf("%d records from %d on, want up to %d", len(list), first, last)
	}
}

// A stream goes on from any number, in this process and in another one, without a gap or
// a repetition, and ends after the end of the run.
func TestEventsResume(t *testing.T) {
	t.Parallel()
	for name, open := range openings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := open(t)
			hold := newHolder(t, "hold", false)
			b := setup(t, setupOptions{store: first, tools: []swarm.Tool{hold.tool},
				script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}})
			r := b.start("go")
			recv(t, hold.begun)
			other := onlooker(t, second)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()

			// It is followed while it runs, by a reader that stops again and again.
			var list []int64
			next := int64(0)
			released := false
			for done := false; !done; {
				done = true
				for rec, err := range other.Events(ctx, r.ID(), next) {
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, rec.Seq)
					next = rec.Seq + 1
					if _, ok := rec.Payload.(*swarm.CallDispatched); ok && !released {
						released = true
						close(hold.let)
					}
					if _, ended := rec.Payload.(*swarm.RunEnded); !ended {
						done = false
						break
					}
				}
			}
			b.outcome(b.wait(r), swarm.Completed, "")
			last := next - 1
			dense(t, list, 1, last)
			for from := range last + 2 { // 0 is the first, like 1; beyond the end there is none
				for _, rt := range []*swarm.Runtime{b.rt, other} {
					list, err := seqs(rt.Events(ctx, r.ID(), from))
					if err != nil {
						t.Fatal(err)
					}
					dense(t, list, max(from, 1), last)
				}
			}
		})
	}
}

// A reader that does not come back holds up nobody, and misses nothing.
func TestEventsOfASlowReader(t *testing.T) {
	t.Parallel()
	for name, open := range openings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := open(t)
			const turns = 40
			script := swarmtest.Script{"root": {}}
			for i := range turns {
				script["root"] = append(script["root"], swarmtest.Do(write(fmt.Sprintf("scratch/%d", i), "x")))
			}
			script["root"] = append(script["root"], swarmtest.Do(finish))
			b := setup(t, setupOptions{store: store, script: script})
			r := b.start("go")
			next, stop := iter.Pull2(r.Events(t.Context(), 0))
			defer stop()
			if rec, err, ok := next(); !ok || err != nil || rec.Seq != 1 {
				t.Fatal(rec.Seq, err, ok)
			}
			b.outcome(b.wait(r), swarm.Completed, "") // while the reader keeps its second record waiting
			list := []int64{1}
			for {
				rec, err, ok := next()
				if !ok {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, rec.Seq)
			}
			dense(t, list, 1, int64(len(b.records(r.ID()))))
		})
	}
}

// How a stream ends that the run does not end.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	for name, open := range openings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, second := open(t)
			hold := newHolder(t, "hold", false, tooling.ReadOnly())
			b := setup(t, setupOptions{store: store, tools: []swarm.Tool{hold.tool},
				script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}})
			r := b.start("go")
			recv(t, hold.begun)
			other := onlooker(t, second)

			cancelled, cancel := context.WithCancel(t.Context())
			defer cancel()
			for rec, err := range other.Events(cancelled, r.ID(), 0) {
				if err != nil {
					if swarm.Code(err) != "journal.cancelled" || !errors.Is(err, context.Canceled) || rec.Payload != nil {
						t.Errorf("got %v", err)
					}
					continue // it ends after its error
				}
				if _, ok := rec.Payload.(*swarm.CallRequested); ok {
					cancel()
				}
			}
			if cancelled.Err() == nil {
				t.Error("the stream ended before its context")
			}
			late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
			defer stop()
			if _, err := seqs(other.Events(late, r.ID(), 0)); swarm.Code(err) != "journal.timeout" || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if _, err := seqs(other.Events(t.Context(), "run_none", 0)); swarm.Code(err) != "journal.run_not_found" {
				t.Errorf("got %v", err)
			}

			// At the end of the runtime, although its store stays open.
			closing := make(chan error, 1)
			var seen []int64
			for rec, err := range other.Events(t.Context(), r.ID(), 0) {
				if err != nil {
					if swarm.Code(err) != "runtime.closed" {
						t.Errorf("got %v", err)
					}
					break
				}
				seen = append(seen, rec.Seq)
				if _, ok := rec.Payload.(*swarm.CallRequested); ok {
					go func() { closing <- other.Close(context.Background()) }()
				}
			}
			if err := recv(t, closing); err != nil {
				t.Error(err)
			}
			dense(t, seen, 1, int64(len(seen)))
			if _, err := seqs(other.Events(t.Context(), r.ID(), 0)); swarm.Code(err) != "runtime.closed" {
				t.Errorf("got %v", err)
			}
			close(hold.let)
			b.outcome(b.wait(r), swarm.Completed, "")
		})
	}
}

// A stream stays over a pause and a resume.
func TestEventsOverAPause(t *testing.T) {
	t.Parallel()
	hold := newHolder(t, "hold", false)
	b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{hold.tool},
		script: swarmtest.Script{"root": {swarmtest.Do(use("hold", "")), swarmtest.Do(finish)}}})
	r := b.start("go")
	recv(t, hold.begun)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all := make(chan []int64, 1)
	go func() {
		list, _ := seqs(r.Events(ctx, 0))
		all <- list
	}()
	if err := b.rt.Pause(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	close(hold.let)
	b.outcome(b.wait(r), swarm.Paused, "")
	b.outcome(b.wait(b.resume(r.ID())), swarm.Completed, "")
	recs := b.records(r.ID())
	dense(t, recv(t, all), 1, int64(len(recs)))
	if place(recs, ofType(journal.TRunPaused, 1)) < 0 {
		t.Errorf("no pause\n%s", b.dump(r.ID()))
	}
}
