//go:build linux

package shell_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestMemoryOfACall(t *testing.T) {
	t.Parallel()
	b := setup(t, shell.PoolOptions{})
	for name, script := range map[string]string{"that ends itself": "grow politely", "that does not": "open /a\ngrow", "that crashes beyond half of it": "near\ncrash"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := b.job(script)
			j.Limits = small
			o := b.pool.Run(t.Context(), j)
			want(t, o, shell.Failed, "The limit memory was reached: 33554432 bytes in use.")
			if o.Limit == nil || o.Limit.Name != "memory" || !strings.Contains(string(o.Stderr.Head), "bash: the limit memory") {
				t.Errorf("%+v", o)
			}
			if script == "open /a\ngrow" && !slices.Equal(o.OpenForWriting, []string{"a"}) {
				t.Errorf("open for writing: %q", o.OpenForWriting)
			}
		})
	}
	t.Run("in process", func(t *testing.T) {
		j := b.job("grow politely")
		j.Limits.Memory = 64 << 20
		want(t, inProcess(t).Run(t.Context(), j), shell.Failed, "The limit memory was reached")
		kept = nil
	})
}

func TestWatch(t *testing.T) {
	t.Parallel()
	const limit = 1000
	for name, row := range map[string]struct {
		used             func(look int64, hit bool) int64
		hit, near, fatal bool
	}{
		"within half": {func(int64, bool) int64 { return limit / 2 }, false, false, false},
		"within":      {func(int64, bool) int64 { return limit }, false, true, false},
		"over until it was collected": {func(look int64, _ bool) int64 {
			if look == 1 {
				return limit + 1
			}
			return limit
		}, false, true, false},
		"over after a collection, and the call ends": {func(_ int64, hit bool) int64 {
			if hit {
				return 0
			}
			return limit + 1
		}, true, true, false},
		"over after a collection, and it goes on": {func(int64, bool) int64 { return limit + 1 }, true, true, true},
		"far over": {func(int64, bool) int64 { return limit * 2 }, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, call, stop := limits.NewBudget(t.Context(), limits.Limits{Memory: limit})
			defer stop()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if !row.fatal {
				context.AfterFunc(call, cancel) // the call ends itself
			}
			var looks atomic.Int64
			near, fatal := false, false
			shell.WatchUsing(ctx, b, func() int64 {
				look := looks.Add(1)
				if look == 20 && !row.hit {
					cancel()
				}
				return row.used(look, b.Hit() != nil)
			}, func() { near = true }, func(h *limits.Hit) { fatal = h.Name == "memory" })
			if (b.Hit() != nil) != row.hit || near != row.near || fatal != row.fatal {
				t.Errorf("hit: %v, near: %v, fatal: %v", b.Hit(), near, fatal)
			}
		})
	}
}
