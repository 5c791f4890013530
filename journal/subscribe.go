package journal

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

const (
	subscribePage = 256                    // records read at once for a subscriber
	pollEvery     = 250 * time.Millisecond // how soon the records of another process are seen, at most
)

// feed is what a subscription needs of a store.
type feed interface {
	// ended tells whether the run has ended; "journal.run_not_found".
	ended(ctx context.Context, run string) (bool, error)
	Read(ctx context.Context, run string, q Query) ([]Record, error)
	// listen marks the present.
	listen(run string) (mark, error)
	// wait returns when anything may have been stored since m.
	wait(ctx context.Context, m mark) error
}

// mark is a point in time from which a subscriber waits.
type mark struct {
	stored <-chan struct{} // closed when this opening has stored something since
	token  int64           // another one when other processes have
}

// follow is [Store.Subscribe] over a feed.
func follow(ctx context.Context, f feed, run string, from int64) Events {
	return func(yield func(Record, error) bool) {
		next := max(from, 1)
		for {
			// In this order nothing is missed: what comes after the page closes the channel,
			// and a run that had ended before the page has no more than the page.
			var (
				ended bool
				page  []Record
			)
			m, err := f.listen(run)
			if err == nil {
				ended, err = f.ended(ctx, run)
			}
			if err == nil {
				page, err = f.Read(ctx, run, Query{From: next, Limit: subscribePage})
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
				next = r.Seq + 1
			}
			switch {
			case err != nil:
			case len(page) > 0:
				continue
			case ended:
				return
			default:
				err = f.wait(ctx, m)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
		}
	}
}

// broadcast wakes all who listen. The zero value is ready.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

func (b *broadcast) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}

// interrupted makes the error of an operation whose context ended.
func interrupted(ctx context.Context, op, run string) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, "journal.timeout", "it took too long").With(op, run)
	}
	return fault.Wrap(err, "journal.cancelled", "it was cancelled").With(op, run)
}
