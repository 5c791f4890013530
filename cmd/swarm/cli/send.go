package cli

import (
	"context"
	"errors"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// commandWait is how long a command waits for the owner of its run (command line spec §4).
const commandWait = 10 * time.Second

// stored is the state of a command that waits for an owner or for its answer.
const stored = "stored"

// sent is what a command to a run has come to.
type sent struct {
	Run       string   `json:"run"`
	Command   string   `json:"command"`
	ID        int64    `json:"id,omitempty"` // in the command table
	State     string   `json:"state"`
	Answer    string   `json:"answer,omitempty"` // of the owner
	Survivors []string `json:"survivors,omitempty"`

	text string // for a reader
}

// errand is a command on its way to the owner of a run.
type errand struct {
	a    *app
	name string // of the command on the command line
	what string // for a reader, e.g. "the cancel"
	wait bool
	// later says what becomes of it when the run is resumed, e.g. "it is cancelled".
	later string
	// settled gives the state and the text of a command that was answered. It may wait on.
	settled func(ctx context.Context, rt *swarm.Runtime, s *sent) error
}

// send stores the command and waits for its answer.
func (e *errand) send(ctx context.Context, rt *swarm.Runtime, sum journal.Summary, c swarm.Command) (s *sent, err error) {
	c.Run = sum.Run
	s = &sent{Run: sum.Run, Command: e.name, State: stored}
	if c, err = rt.Send(ctx, c); err != nil {
		return s, refusedUsage(err)
	}
	s.ID, s.Answer = c.ID, c.Answer
	if !e.wait && c.Answer == "" {
		s.text = e.what + " is stored"
		return s, nil
	}
	ctx, stop := context.WithTimeout(ctx, commandWait)
	defer stop()
	c, err = rt.Answered(ctx, c)
	switch s.Answer = c.Answer; {
	case fault.Code(err) == "command.no_owner":
		if now, err := rt.Store().Summary(ctx, sum.Run); err == nil {
			sum = now
		}
		s.text = e.unowned(sum)
		return s, nil
	case err == nil:
		err = e.settled(ctx, rt, s)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		s.text = e.what + " is stored; the owner has not finished with it within " + commandWait.String()
		return s, nil
	}
	return s, err
}

// unowned says that nobody works on the run, and what resumes it.
func (e *errand) unowned(sum journal.Summary) string {
	return "the run has no owner now (" + sum.State + "); " + e.later + " as soon as it is resumed, by: " + e.a.resumeLine(sum.Run)
}

func (a *app) resumeLine(run string) string {
	return "swarm resume " + run + a.dataHint(a.dataDir(nil))
}

// refusedUsage gives the exit code of a wrong use to what can never be sent.
func refusedUsage(err error) error {
	switch fault.Code(err) {
	case "guidance.empty", "guidance.too_long":
		return &exit{exitUsage, err}
	}
	return err
}

// command opens the data directory of a run, sends a command, and prints what it came to.
func (a *app) command(ctx context.Context, id string, send func(rt *swarm.Runtime, sum journal.Summary) (*sent, error)) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	s, err := send(rt, sum)
	switch {
	case err != nil && a.json && journal.Refusal(s.Answer) != nil:
		s.State = "refused"
		return errors.Join(err, a.value(s))
	case err != nil:
		return err
	case a.json:
		return a.value(s)
	}
	return a.printf("%s: %s\n", s.Run, s.text)
}
