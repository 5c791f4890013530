package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
)

func TestSignalsAtTheStart(t *testing.T) {
	t.Parallel()
	failed := errors.New("it fails")
	for _, row := range []struct {
		name  string
		send  []os.Signal
		deaf  bool // the start does not hear of its context
		after error
		code  int // 0: the error of the start
	}{
		{"the first cancels", []os.Signal{os.Interrupt}, false, nil, exitCancelled},
		{"a request to end too", []os.Signal{syscall.SIGTERM}, false, nil, exitCancelled},
		{"the second gives up", []os.Signal{os.Interrupt, os.Interrupt}, true, nil, exitCancelled},
		{"after a request to end", []os.Signal{syscall.SIGTERM, syscall.SIGTERM, os.Interrupt}, true, nil, exitCancelled},
		{"another error stays", []os.Signal{os.Interrupt}, false, failed, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			a := &app{err: &said}
			signals, free := make(chan os.Signal, len(row.send)), make(chan struct{})
			defer close(free)
			for _, s := range row.send {
				signals <- s
			}
			run, cancelled, err := a.starting(signals, func(ctx context.Context) (*swarm.Run, error) {
				if row.deaf {
					<-free
					return nil, nil
				}
				<-ctx.Done()
				if row.after != nil {
					return nil, row.after
				}
				return nil, fmt.Errorf("start: %w", ctx.Err())
			})
			if run != nil || !cancelled {
				t.Errorf("got run %v, cancelled %t", run, cancelled)
			}
			var e *exit
			if row.code == 0 {
				if !errors.Is(err, row.after) {
					t.Errorf("got %v", err)
				}
			} else if !errors.As(err, &e) || e.code != row.code {
				t.Errorf("got %v, want exit code %d", err, row.code)
			}
			if (err == errAtOnce) != row.deaf {
				t.Errorf("at once: %t", err == errAtOnce)
			}
			if !strings.Contains(said.String(), "cancelling the start") {
				t.Errorf("said %q", said.String())
			}
		})
	}
	begun := new(swarm.Run)
	if run, cancelled, err := (&app{}).starting(nil, func(context.Context) (*swarm.Run, error) { return begun, nil }); run != begun || cancelled || err != nil {
		t.Errorf("without a signal: %v, %t, %v", run, cancelled, err)
	}
}
