package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// following starts or resumes a run, shows what happens until it rests, and ends the
// runtime. Records up to before are known already and not shown.
func (a *app) following(rt *swarm.Runtime, dir string, before int64, start func(context.Context) (*swarm.Run, error)) error {
	signals := make(chan os.Signal, 4)
	// They stay caught to the end of the program: what comes late changes no exit code.
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if a.tree != nil && continued != nil {
		signal.Notify(signals, continued)
	}
	run, cancelled, err := a.starting(signals, start)
	if err == errAtOnce { // it waits for nothing, also not for the end of the runtime
		return err
	}
	if err != nil {
		return errors.Join(err, shut(rt))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := &follower{a: a, rt: rt, run: run, before: before, signals: signals, cancel: cancel, tree: a.tree, asked: cancelled}
	if cancelled {
		if err := unlessEnded(run.Cancel(ctx, "interrupted")); err != nil {
			return errors.Join(err, shut(rt))
		}
	}
	res, err := f.follow(ctx)
	if err != nil && fault.Code(err) == codeAbandoned {
		// The process ends now; the next one to resume finds its lease without a process.
		a.errf("stopped at once; the cancel is carried out by: swarm resume %s%s", run.ID(), a.dataHint(dir))
		return &exit{code: exitCancelled}
	}
	var notes []string
	if err == nil && !a.quiet && !a.json && res.Outcome == string(journal.Partial) {
		notes = a.closing(context.WithoutCancel(ctx), rt, &res)
	}
	cancel()
	if closed := shut(rt); err == nil && closed != nil {
		a.errf("swarm: %v", closed)
	}
	if err != nil && res.Outcome != "parked" { // a parked run is a result, also when its journal is damaged
		return err
	}
	for _, line := range notes {
		a.errf("%s", line)
	}
	if err := a.result(&res); err != nil && !a.unread(err) { // it is in the journal too
		return err
	}
	if !a.quiet {
		switch {
		case res.Outcome == "parked" && mends[res.Code] != "":
			a.errf("%s", mends[res.Code])
		case res.Outcome == "paused" || res.Outcome == "parked":
			a.errf("go on with: swarm resume %s%s", res.Run, a.dataHint(dir))
		}
		a.errf("look further: swarm show %s%s", res.Run, a.dataHint(dir))
		if a.parting != "" {
			a.errf("%s", a.parting)
		}
	}
	if code := outcomeCode(res.Outcome); code != exitDone {
		return &exit{code: code}
	}
	return nil
}

// codeAbandoned is the code of the error of a run whose user does not want to wait.
const codeAbandoned = "cli.abandoned"

func outcomeCode(outcome string) int {
	switch outcome {
	case "completed":
		return exitDone
	case "paused":
		return exitPaused
	case "partial":
		return exitPartial
	case "parked", "unknown":
		return exitParked
	case "cancelled":
		return exitCancelled
	}
	return exitFailed
}

// follower shows one run. Everything is printed by the goroutine of follow.
type follower struct {
	a       *app
	rt      *swarm.Runtime
	run     *swarm.Run
	before  int64
	signals <-chan os.Signal
	cancel  context.CancelFunc

	mute  bool      // nobody reads standard output any more
	asked bool      // a cancel
	rests bool      // a pause was asked
	seen  int64     // newest record that was shown
	tree  *liveTree // nil: only lines
}

type rested struct {
	res swarm.Result
	err error
}

func (f *follower) follow(ctx context.Context) (swarm.Result, error) {
	records, ended := make(chan journal.Record), make(chan rested, 1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer close(records)
		for r, err := range f.run.Events(ctx, 0) {
			if err != nil {
				return // a journal that cannot be read also ends the run, with the reason
			}
			select {
			case records <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		res, err := f.run.Wait(ctx)
		ended <- rested{res, err}
	}()
	defer func() {
		f.cancel()
		<-gone
	}()
	return f.loop(ctx, records, ended)
}

func (f *follower) loop(ctx context.Context, records <-chan journal.Record, ended <-chan rested) (swarm.Result, error) {
	var end *rested
	last := int64(0) // newest record of the run, once it rests
	show := newProgress(f.a)
	var frames <-chan time.Time
	if f.tree != nil {
		ticker := time.NewTicker(frameEvery)
		defer ticker.Stop()
		defer f.tree.end()
		frames = ticker.C
	}
	for end == nil || records != nil && f.seen < last {
		select {
		case r, ok := <-records:
			if !ok {
				records = nil
				continue
			}
			f.seen = r.Seq
			if err := f.show(show, &r); err != nil {
				return swarm.Result{}, err
			}
		case e := <-ended:
			end = &e
			if sum, err := f.rt.Store().Summary(ctx, f.run.ID()); err == nil {
				last = sum.LastSeq
			}
		case <-frames:
			f.tree.state.limited(time.Now(), func() map[string]string { return limiterWaits(f.rt.Tree(), f.run.ID()) })
			f.tree.paint()
		case s := <-f.signals:
			if s == continued {
				f.tree.screen.leave()
				continue
			}
			if end != nil {
				continue // it rests; only its last records are still to be shown
			}
			if err := f.signal(ctx, s); err != nil {
				return swarm.Result{}, err
			}
		}
	}
	return end.res, end.err
}

func (f *follower) show(p *progress, r *journal.Record) error {
	old := r.Seq <= f.before
	if f.a.json && !old {
		if f.mute {
			return nil
		}
		err := f.a.record(r)
		if f.mute = f.a.unread(err); !f.mute {
			return err
		}
		if !f.a.quiet {
			f.a.errf("nobody reads standard output any more; the run goes on")
		}
		return nil
	}
	p.record(r, f.tree.fold(r), old || f.a.quiet)
	return nil
}

// signal acts on Ctrl-C, once and twice, and on a request to end.
func (f *follower) signal(ctx context.Context, s os.Signal) error {
	if s == syscall.SIGTERM {
		if f.asked || f.rests {
			return nil
		}
		f.rests = true
		if !f.tree.asked(askedPause) {
			f.a.errf("pausing: what has begun may settle")
		}
		_, err := f.rt.Send(ctx, swarm.Command{Run: f.run.ID(), Kind: journal.CommandPause, Text: "shutdown"})
		return unlessEnded(err)
	}
	if f.asked {
		f.tree.asked(askedStop)
		return fault.New(codeAbandoned, "stopped at once")
	}
	f.asked = true
	if !f.tree.asked(askedCancel) {
		f.a.errf("cancelling: waiting until every agent has stopped; Ctrl-C again ends at once")
	}
	return unlessEnded(f.run.Cancel(ctx, "interrupted"))
}

// unlessEnded leaves out the error of a request that came after the end: the result says it.
func unlessEnded(err error) error {
	if fault.Code(err) == "journal.ended" {
		return nil
	}
	return err
}

// ending says why a run did not come to a result.
func ending(res *swarm.Result) string {
	said, cause := res.Outcome, ""
	if res.Err != nil {
		cause = res.Err.Error()
	}
	for _, part := range []string{res.Reason, res.Text, cause} {
		if part = plain(part, lineFail); part != "" && !strings.Contains(said, part) {
			said += ": " + part
		}
	}
	if res.Code != "" && !strings.HasSuffix(said, "["+res.Code+"]") {
		said += " [" + res.Code + "]"
	}
	return said
}

// result prints what a run brought.
func (a *app) result(res *swarm.Result) error {
	if a.json {
		return a.value(struct {
			Type         string        `json:"type"`
			Run          string        `json:"run"`
			Outcome      string        `json:"outcome"`
			Reason       string        `json:"reason,omitempty"`
			Code         string        `json:"code,omitempty"`
			Text         string        `json:"text"`
			Files        []string      `json:"files"`
			Usage        journal.Usage `json:"usage"`
			CostUSD      *json.Number  `json:"cost_usd"`
			CostComplete bool          `json:"cost_complete"`
			Open         []string      `json:"open,omitempty"`
		}{"result", res.Run, res.Outcome, res.Reason, res.Code, res.Text, append([]string{}, res.Files...), res.Usage, costUSD(res.Usage), res.Usage.CostComplete(), res.Open})
	}
	text := res.Text
	switch res.Outcome {
	case "completed", "partial":
	case "paused", "cancelled":
		return nil // nothing went wrong that has not been said
	default:
		a.errf("%s: %s", res.Run, ending(res))
		return nil
	}
	if text == "" {
		return nil
	}
	if text[len(text)-1] != '\n' {
		text += "\n"
	}
	return a.printf("%s", text)
}
