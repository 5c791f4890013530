package cli

import (
	"context"
	"errors"
	"os"

	"github.com/seed-cf6d8d1b/swarm"
)

// starting calls start and acts on signals while it works: the first one cancels it, and
// Ctrl-C after that gives up waiting for it, which ends the program. What start gave before
// it heard of the first signal is given all the same, with cancelled set: it may be a run.
func (a *app) starting(signals <-chan os.Signal, start func(context.Context) (*swarm.Run, error)) (run *swarm.Run, cancelled bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type outcome struct {
		run *swarm.Run
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := start(ctx)
		done <- outcome{r, err}
	}()
	for {
		select {
		case o := <-done:
			if cancelled && errors.Is(o.err, context.Canceled) {
				a.errf("interrupted at the start; if the run has begun, swarm runs lists it")
				o.err = &exit{code: exitCancelled}
			}
			return o.run, cancelled, o.err
		case s := <-signals:
			switch {
			case s == continued:
			case !cancelled:
				cancelled = true
				cancel()
				a.errf("cancelling the start; Ctrl-C again ends at once")
			case s == os.Interrupt:
				return nil, true, errAtOnce
			}
		}
	}
}

// errAtOnce ends the program without a wait for anything.
var errAtOnce = &exit{code: exitCancelled}
