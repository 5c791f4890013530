package swarm

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"os"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/supervision"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Input is what a run is given: a text, and what there may be beside it: a conversation,
// lore entries, files, labels. It is frozen at the start.
type Input = input.Input

// What an [Input] consists of.
type (
	ChatMessage = input.Message // an entry of a conversation
	LoreEntry   = input.Entry   // background that is shown when it matters
	InputFile   = input.File    // put below input/ of the workspace of the run
)

// ParseChat and ParseLore read conversation and lore files; see package input. name is
// that of the file in messages. Error: "input.invalid" with every fault of the file.
func ParseChat(name string, data []byte) ([]ChatMessage, error) { return input.ParseChat(name, data) }

// ParseLore reads a file of lore entries, see [ParseChat].
func ParseLore(name string, data []byte) ([]LoreEntry, error) { return input.ParseLore(name, data) }

// Result is how a run came to rest.
type Result = supervision.Result

// Run is a run of this runtime. Its life does not depend on the contexts that wait for it.
type Run struct {
	rt *Runtime
	h  *supervision.Handle
}

// Start begins a run. It returns when the run is durable and its id can be relied on.
// Errors: "input.empty", "input.invalid", "input.labels" and "input.too_large" (see
// [input.Freeze]), "input.secret_name" when the name of a file or label holds a secret of the
// team, "config.invalid" and load errors of the team, "runtime.closed" after Close, errors
// of the store.
func (rt *Runtime) Start(ctx context.Context, team *Team, in Input) (*Run, error) {
	if err := rt.usable("start run", ""); err != nil {
		return nil, err
	}
	if team == nil {
		return nil, fault.New("config.missing", "there is no team to run").With("start run", "")
	}
	p, err := rt.prepare(team)
	if err != nil {
		return nil, err
	}
	if s := p.env.Secrets; !s.Empty() {
		if err := named(s, in); err != nil {
			p.release()
			return nil, err
		}
		in = in.Map(s.Mask)
	}
	given, files, err := input.Freeze(in, p.team.LoreScan, workspace.Limits{})
	if err != nil {
		p.release()
		return nil, err
	}
	first := given.First(p.env.Profiles[p.env.Entry].Messages)
	id := newRunID(rt.o.Clock.Now())
	durability := ""
	if rt.o.Durability == "relaxed" {
		durability = "relaxed"
	}
	return rt.launch(ctx, p, supervision.Config{
		ID: id, Input: first[len(first)-1].Text, Files: files,
		Created: &journal.RunCreated{TeamHash: p.hash, Team: journal.Text(p.canonical), Input: journal.Text(given.Encode()), Name: team.Name,
			Durability: durability, Labels: given.Labels},
	}, false)
}

// ResumeOptions narrow a resume.
type ResumeOptions struct {
	TakeOver bool  // also from a holder that may still live
	Expect   int64 // refuse when the run is not at this record; 0: any
}

// Resume goes on with a run that was paused, interrupted or parked. Errors:
// "journal.run_not_found", "journal.run_held" with the holder, "journal.ended".
func (rt *Runtime) Resume(ctx context.Context, id string, o ResumeOptions) (*Run, error) {
	if err := rt.usable("resume", id); err != nil {
		return nil, err
	}
	sum, err := rt.store.Summary(ctx, id)
	if err != nil {
		return nil, err
	}
	if ended(sum.State) {
		return nil, fault.New("journal.ended", "the run has ended (%s) and is not reopened; going on from an ended run is not in this version, start a new one", sum.State).With("resume", id)
	}
	team, _, err := rt.created(ctx, id)
	if fault.Code(err) == "journal.damaged" {
		return &Run{rt, supervision.Resting(id, Result{Outcome: "parked", Code: "journal.damaged", Reason: err.Error(), Err: err})}, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := rt.prepare(team)
	if err != nil {
		return nil, err
	}
	return rt.launch(ctx, p, supervision.Config{ID: id, Expect: o.Expect}, o.TakeOver)
}

// created reads what a run was created with.
func (rt *Runtime) created(ctx context.Context, id string) (*Team, *journal.RunCreated, error) {
	m, err := rt.first(ctx, id, journal.Query{To: 1})
	if err != nil {
		return nil, nil, err
	}
	team, err := config.Decode([]byte(m.Team.Text))
	return team, m, err
}

// first reads the first record of a run. A run that is listed has one, or is damaged.
func (rt *Runtime) first(ctx context.Context, id string, q journal.Query) (*journal.RunCreated, error) {
	recs, err := rt.store.Read(ctx, id, q)
	if err != nil {
		return nil, err
	}
	if len(recs) == 0 {
		if _, err := rt.store.Summary(ctx, id); err != nil {
			return nil, err
		}
		return nil, fault.New("journal.damaged", "the first record is missing").With("read run", id)
	}
	m, ok := recs[0].Payload.(*journal.RunCreated)
	if !ok {
		return nil, fault.New("journal.damaged", "the first record is %s", recs[0].Type()).With("read run", id)
	}
	return m, nil
}

func (rt *Runtime) launch(ctx context.Context, p *prepared, cfg supervision.Config, takeOver bool) (*Run, error) {
	if err := ctx.Err(); err != nil {
		p.release()
		return nil, err
	}
	h := supervision.NewHandle(cfg.ID)
	mine, err := rt.claim(ctx, h)
	if err != nil {
		p.release()
		return nil, err
	}
	if err := rt.usable("begin run", cfg.ID); err != nil { // after the claim, which Close waits for
		rt.drop(mine)
		p.release()
		return nil, err
	}
	epoch, err := rt.store.Acquire(ctx, cfg.ID, takeOver)
	if err != nil {
		rt.drop(mine)
		p.release()
		return nil, err
	}
	host, _ := os.Hostname()
	cfg.Env, cfg.Epoch, cfg.Handle = p.env, epoch, h
	cfg.Started = &journal.RunStarted{Host: host, Version: rt.o.Version, Process: os.Getpid()}
	cfg.Rand, cfg.Probe, cfg.Preview, cfg.Drain, cfg.Log = uniform, rt.o.Probe, rt.o.Preview, rt.o.Drain, rt.o.Logger
	release := sync.OnceFunc(func() {
		p.release()
		_ = rt.store.Release(context.WithoutCancel(ctx), cfg.ID, epoch)
		rt.drop(mine)
	})
	if rt.observe != nil {
		cfg.Observer = rt.observe(cfg.ID, p.team)
	}
	cfg.OnClose = sync.OnceFunc(func() {
		if cfg.Observer != nil {
			r := h.Result() // it rests
			cfg.Observer.Closed(r.Outcome, r.Code)
		}
		go release()
	})
	if err := rt.runs.Launch(ctx, cfg); err != nil {
		release()
		return nil, err
	}
	if err := h.Started(ctx); err != nil {
		return nil, err // the run goes on; it is found by its id
	}
	if !h.Began() {
		switch r := h.Result(); {
		case r.Outcome == "parked" || r.Outcome == "paused":
		case r.Err != nil:
			return nil, r.Err
		default:
			return nil, fault.New(r.Code, "%s", r.Reason).With("run", cfg.ID)
		}
	}
	return &Run{rt, h}, nil
}

// claim is a run that this runtime has.
type claim struct {
	h    *supervision.Handle
	gone chan struct{} // closed when its actor has gone and the store knows it
}

// claim sees to it that a runtime has a run at most once. One that rests already is
// waited for until it has gone.
func (rt *Runtime) claim(ctx context.Context, h *supervision.Handle) (*claim, error) {
	mine := &claim{h, make(chan struct{})}
	for {
		v, taken := rt.live.LoadOrStore(h.ID, mine)
		if !taken {
			return mine, nil
		}
		other := v.(*claim)
		if !other.rests() {
			return nil, fault.New("journal.run_held", "it is running in this process already, held by %s", rt.store.Holder()).With("resume", h.ID)
		}
		select {
		case <-other.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (rt *Runtime) drop(c *claim) {
	rt.forgetShell(c.h.ID)
	rt.live.Delete(c.h.ID)
	close(c.gone)
}

func (c *claim) rests() bool {
	select {
	case <-c.h.Done():
		return true
	default:
		return false
	}
}

// ended says whether a state of a run is an outcome.
func ended(state string) bool {
	switch journal.Outcome(state) {
	case journal.Completed, journal.Failed, journal.Cancelled, journal.Partial, journal.Unknown:
		return true
	}
	return false
}

// ID names the run for ever. Ids sort by creation.
func (r *Run) ID() string { return r.h.ID }

// Wait returns when the run rests: ended, paused or parked; or interrupted, when the runtime
// was closed before that. The error is of ctx, or of a journal that could not be written.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	select {
	case <-r.h.Done():
		res := r.h.Result()
		return res, res.Err
	case <-r.rt.gone: // it came to rest before, if it ever does
		select {
		case <-r.h.Done():
			res := r.h.Result()
			return res, res.Err
		default:
			return Result{}, r.rt.usable("wait for run", r.h.ID)
		}
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// Events gives the run's records from a sequence number on, stored ones first, then live
// ones, without a gap. It ends after the run's end, or with an error: see [Runtime.Events].
func (r *Run) Events(ctx context.Context, from int64) Events {
	return r.rt.Events(ctx, r.h.ID, from)
}

// Cancel asks for the end of the run. It returns when that is on its way; [Run.Wait]
// returns when every agent has stopped.
func (r *Run) Cancel(ctx context.Context, reason string) error {
	return r.rt.Cancel(ctx, r.h.ID, reason)
}

// Runs lists the runs of the store, newest first. Errors: "runtime.closed", codes of the store.
func (rt *Runtime) Runs(ctx context.Context) ([]Summary, error) {
	if err := rt.usable("list runs", ""); err != nil {
		return nil, err
	}
	return rt.store.Runs(ctx)
}

// Inspect folds a run's journal, for readers. The state belongs to the caller.
func (rt *Runtime) Inspect(ctx context.Context, id string) (*State, error) {
	if err := rt.usable("inspect run", id); err != nil {
		return nil, err
	}
	team, _, err := rt.created(ctx, id)
	if err != nil {
		return nil, err
	}
	st := delegate.NewState(profilesOnly(team), id)
	recs, err := rt.store.Read(ctx, id, journal.Query{})
	if err != nil {
		return nil, err
	}
	for i := range recs {
		if err := st.Fold(&recs[i]); err != nil {
			return st, err
		}
	}
	return st, nil
}

var idText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRunID makes an id that sorts by its millisecond and is unique by 40 random bits.
func newRunID(now time.Time) string {
	var b [15]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	_, _ = rand.Read(b[6:11])
	return "run_" + idText.EncodeToString(b[:10])
}
