package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

// slow is an answer in two pieces that takes 900 ms.
const slow = head + "\n" + `{` + asked + `,"response":{"status":200,"at_ms":100,"body":[` +
	`{"at_ms":300,"data":"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"},` +
	`{"at_ms":700,"data":"data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"}],"end_ms":900},"failed":{"kind":"reset","text":"it broke","at_ms":900}}` + "\n"

// TestRecordedSpeed plays on a clock that is moved by hand.
func TestRecordedSpeed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.put(slow)
	clock := actors.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	b.opt.Speed, b.opt.Clock = replay.SpeedRecorded, clock
	_, p := b.player()
	deltas, done := make(chan string, 9), make(chan error, 1)
	req := request("root", 1, "x")
	go func() {
		_, err := p.Answer(model.WithAttempt(t.Context(), req), req, func(d model.Delta) { deltas <- d.Text })
		done <- err
	}()
	at := time.Duration(0)
	for _, step := range []struct {
		until time.Duration
		delta string
	}{{100, ""}, {300, "a"}, {700, "b"}, {900, ""}} {
		step.until *= time.Millisecond
		clock.BlockUntil(1)
		clock.Advance(step.until - at - time.Millisecond)
		if clock.Waiters() != 1 || len(deltas) > 0 || len(done) > 0 {
			t.Fatalf("it did not wait until %s", step.until)
		}
		clock.Advance(time.Millisecond)
		at = step.until
		if step.delta != "" {
			if d := <-deltas; d != step.delta {
				t.Errorf("at %s came %q", at, d)
			}
		}
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "the stream broke off: it broke") {
		t.Errorf("error %v", err)
	}
}

// TestCancelWhileWaiting ends at once, and leaves no timer.
func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, after := range []int{0, 1, 2} { // waits: for the headers, for a part, for the next one
		t.Run(fmt.Sprintf("after %d waits", after), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.put(slow)
			clock := actors.NewManualClock(time.Unix(0, 0))
			b.opt.Speed, b.opt.Clock = replay.SpeedRecorded, clock
			_, p := b.player()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan outcome, 1)
			go func() { done <- ask(ctx, p, request("root", 1, "x")) }()
			for _, ms := range []int{100, 200}[:after] {
				clock.BlockUntil(1)
				clock.Advance(time.Duration(ms) * time.Millisecond)
			}
			clock.BlockUntil(1)
			cancel()
			if o := <-done; !strings.HasPrefix(o.Error, "cancelled model.cancelled") {
				t.Errorf("%+v", o)
			}
			if n := clock.Waiters(); n != 0 {
				t.Errorf("%d timers are left", n)
			}
		})
	}
}

// TestAtOnce asks no clock to wait.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.put(slow)
	clock := actors.NewManualClock(time.Unix(0, 0))
	b.opt.Clock = clock
	_, p := b.player()
	if o := ask(t.Context(), p, request("root", 1, "x")); len(o.Deltas) != 2 || clock.Waiters() != 0 {
		t.Errorf("%+v", o)
	}
}
