package supervision

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Config is what a run actor is made of.
type Config struct {
	ID      string
	Env     *agent.Env
	Store   journal.Store
	Writer  actors.Ref // of the store; unused when the store appends at once
	Epoch   int64
	Created *journal.RunCreated // of a new run; nil: resume
	Started *journal.RunStarted
	Input   string // first message of a new run
	Expect  int64  // of a resume: refuse when the run has moved on; 0: any
	Limits  workspace.Limits
	Rand    func(n int) int
	Probe   agent.Probe
	Preview func(path string, d model.Delta)
	Drain   time.Duration // how long a pause waits for effects; default 20 s
	Handle  *Handle
	// OnClose may be nil; it is called once when the actor of the run has ended.
	OnClose func()
}

// run is the one decider and the only writer of a run.
type run struct {
	cfg   Config
	now   journal.Immediate // nil: appends go through the writer actor
	st    *delegate.State
	sh    *agent.Shared
	files *files

	invs    map[string]actors.Ref // actors of live invocations, by path
	names   map[string]string     // path by actor name
	queue   []pending             // appended, not durable yet
	tag     uint64
	rejoin  []agent.Rejoin         // wait until what was appended is durable
	away    map[string][]any       // mail for invocations whose actor is being made anew
	fails   map[string][]time.Time // recent failures of actors, by path
	drain   string                 // reason of a pause that is under way
	muted   map[string]bool        // invocations that asked for something new since: they are answered after the resume
	cmds    map[int64]bool         // commands of other processes that were applied
	owed    []int64                // commands that are answered with the pause
	replies int                    // answers to commands that are being written
	result  *Result                // the run has come to rest
	early   []any                  // came while the records were read
	over    bool
	failed  bool

	loading bool // the records are being read
}

// pending is a decision whose records are on their way to the disk.
type pending struct {
	tag   uint64
	d     *delegate.Decision
	files *workspace.Manifest
}

// Messages to a run from outside its tree.
type (
	cancelRun  struct{ by, reason string }
	cancelTask struct{ id, by, reason string }
	pauseRun   struct{ reason string }
	command    struct{ journal.Command }
	replied    struct{} // key of the effect that answers a command
)

type loaded struct {
	records []journal.Record
	cmds    []journal.Command
}

// Receive implements [actors.Actor].
func (r *run) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started:
		r.begin(c, m)
	case *agent.Proposal:
		r.propose(c, m)
	case journal.Appended:
		r.appended(c, m)
	case journal.Synced:
		r.load(c)
	case agent.Rejoin:
		if r.invs[m.Path] == m.From {
			r.rejoin = append(r.rejoin, m)
			r.rejoins(c)
		}
	case actors.Terminated:
		r.terminated(c, m)
	case actors.Tick:
		r.tick(c, m.Name)
	case actors.Done:
		r.done(c, m)
	case actors.Stopping:
		// It is stopped from above: whoever waits is told, and the run can be resumed.
		r.cfg.Handle.finish(Result{Outcome: "interrupted", Reason: "the runtime was closed before the run had come to rest"})
	case cancelRun, cancelTask, command:
		if r.loading {
			r.early = append(r.early, m)
			return
		}
		r.cancel(c, m)
	case pauseRun:
		r.pause(c, m.reason)
	}
}

func (r *run) cancel(c *actors.Context, msg any) {
	if r.st == nil || r.failed || r.over {
		return
	}
	switch m := msg.(type) {
	case command:
		r.command(c, m.Command)
	case cancelRun:
		r.commit(c, r.st.CancelRun(m.by, m.reason, c.Now()))
	case cancelTask:
		if d, ok := r.st.CancelTask(m.id, m.by, m.reason, c.Now()); ok {
			r.commit(c, d)
		}
	}
}

// command applies a command of another process once. It is answered when what it led to
// is durable, so that a lost owner answers nothing.
func (r *run) command(c *actors.Context, m journal.Command) {
	if r.cmds[m.ID] {
		return
	}
	r.cmds[m.ID] = true
	switch m.Kind {
	case "cancel":
		d := r.st.CancelRun(m.By, m.Payload, c.Now())
		d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Reply, Tag: uint64(m.ID)})
		r.commit(c, d)
	case "pause":
		r.owed = append(r.owed, m.ID)
		r.pause(c, "user")
	default:
		r.reply(c, m.ID, "refused: this version knows no command "+m.Kind)
	}
}

func (r *run) begin(c *actors.Context, m actors.Started) {
	r.now, _ = r.cfg.Store.(journal.Immediate)
	r.invs, r.names = map[string]actors.Ref{}, map[string]string{}
	r.away, r.fails = map[string][]any{}, map[string][]time.Time{}
	r.muted, r.cmds = map[string]bool{}, map[int64]bool{}
	r.tag = uint64(m.Incarnation) << 40
	if m.Incarnation > 1 || r.cfg.Created == nil {
		r.loading = true
		if r.now == nil && m.Incarnation > 1 {
			// What the incarnation before has sent to the writer is read too.
			c.Tell(r.cfg.Writer, journal.Sync{From: c.Self(), Tag: r.tag})
			return
		}
		r.load(c)
		return
	}
	r.create(c)
}

// create makes the first records of a new run.
func (r *run) create(c *actors.Context) {
	r.make(c)
	d, err := r.st.Start(r.cfg.Created, r.cfg.Started, r.cfg.Input, c.Now())
	if err != nil {
		r.fail(c, Result{Outcome: string(journal.Failed), Reason: err.Error(), Code: fault.Code(err), Err: err})
		return
	}
	r.commit(c, d)
}

// make builds what the invocations share.
func (r *run) make(c *actors.Context) {
	r.st = delegate.NewState(r.cfg.Env, r.cfg.ID)
	r.st.Epoch = r.cfg.Epoch
	r.files = &files{store: r.cfg.Store, keep: r.now != nil}
	gates := map[string]actors.Ref{}
	for i, key := range r.cfg.Env.GateKeys() {
		ref, err := c.Spawn(actors.GateSpec(fmt.Sprintf("gate-%d", i)))
		if err != nil {
			panic(err)
		}
		gates[key] = ref
	}
	r.sh = &agent.Shared{Env: r.cfg.Env, Run: r.cfg.ID, Gates: gates, Files: r.files.manifest, Blobs: r.files, Limits: r.cfg.Limits,
		Rand: r.cfg.Rand, Probe: r.cfg.Probe, Preview: r.cfg.Preview}
}

func (r *run) load(c *actors.Context) {
	store, id := r.cfg.Store, r.cfg.ID
	c.Effect("load", func(ctx context.Context) (any, error) {
		recs, err := store.Read(ctx, id, journal.Query{})
		if err != nil {
			return nil, err
		}
		cmds, err := store.Commands(ctx, id, 0)
		return loaded{recs, cmds}, err
	})
}

func (r *run) done(c *actors.Context, m actors.Done) {
	switch key := m.Key.(type) {
	case *Result:
		if text, ok := m.Value.(string); ok && m.Err == nil {
			key.Text = text
		}
		r.rested(c, *key)
	case replied:
		r.replies--
		if r.result != nil {
			r.rested(c, *r.result)
		}
	case string:
		if m.Err != nil {
			r.damaged(c, m.Err, 0)
			return
		}
		l := m.Value.(loaded)
		r.resume(c, l)
		for _, cmd := range l.cmds { // what was said while nobody owned the run comes first
			if cmd.Answer == "" {
				r.cancel(c, command{cmd})
			}
		}
		for _, m := range r.early {
			r.cancel(c, m)
		}
		r.early = nil
	case agent.Rejoin:
		recs, _ := m.Value.([]journal.Record)
		r.rejoined(c, key, recs, m.Err)
	}
}

// resume folds a journal, says what was found open, and starts what had not ended.
func (r *run) resume(c *actors.Context, l loaded) {
	r.loading = false
	if len(l.records) == 0 && r.cfg.Created != nil { // the first append never came through
		r.create(c)
		return
	}
	r.make(c)
	parts := map[string][]journal.Record{}
	for i := range l.records {
		rec := &l.records[i]
		if err := r.st.Fold(rec); err != nil {
			r.damaged(c, err, rec.Seq)
			return
		}
		if p := rec.Scope.Invocation; p != "" {
			parts[p] = append(parts[p], *rec)
		}
		if m, ok := rec.Payload.(*journal.FileChanged); ok {
			r.files.note(m)
		}
	}
	if r.cfg.Expect != 0 && r.st.Seq != r.cfg.Expect {
		r.fail(c, Result{Outcome: string(journal.Failed), Code: "journal.seq_conflict", Reason: fmt.Sprintf("the run is at record %d, not at %d", r.st.Seq, r.cfg.Expect)})
		return
	}
	from := "crash"
	switch r.st.Status {
	case "ended":
		r.fail(c, Result{Outcome: string(r.st.Ended.Outcome), Code: "journal.ended", Reason: "the run has ended"})
		return
	case "paused", "parked":
		from = r.st.Status
	}
	var open []journal.ClassifiedCall
	live := r.st.Live()
	for _, path := range live {
		p := agent.NewPart(r.cfg.Env, r.cfg.ID)
		if err := p.FoldAll(parts[path]); err != nil {
			r.damaged(c, err, 0)
			return
		}
		for i := range p.Calls {
			if cl := &p.Calls[i]; cl.State != agent.Settled && p.Phase == agent.Settling {
				open = append(open, p.Class(cl))
			}
		}
	}
	d := r.st.Resume(r.cfg.Started, from, open, c.Now())
	starts := make([]delegate.Out, 0, len(live)+len(d.Outs))
	for _, path := range live {
		starts = append(starts, delegate.Out{Kind: delegate.Revive, Path: path, Records: parts[path]})
	}
	d.Outs = append(starts, d.Outs...)
	r.commit(c, d)
}

// damaged parks a run whose journal cannot be folded.
func (r *run) damaged(c *actors.Context, err error, seq int64) {
	code := fault.Code(err)
	if code == "" {
		code = "journal.damaged"
	}
	reason := err.Error()
	if seq > 0 {
		reason = fmt.Sprintf("record %d: %s", seq, reason)
	}
	r.fail(c, Result{Outcome: "parked", Code: code, Reason: reason, Err: err})
}

func (r *run) propose(c *actors.Context, p *agent.Proposal) {
	if r.failed || r.over || r.invs[p.Path] != p.From {
		return
	}
	if r.drain != "" && r.st.Facts(p) {
		r.muted[p.Path] = true
	}
	if len(p.Records) > 0 || len(p.Ops) > 0 {
		r.commit(c, r.st.Propose(p, c.Now()))
	}
	r.drained(c)
}

// commit hands a decision's records to the store. What the decision asks for is carried
// out when they are durable, in the order of the decisions.
func (r *run) commit(c *actors.Context, d *delegate.Decision) {
	for i := range d.Records {
		if m, ok := d.Records[i].Payload.(*journal.FileChanged); ok {
			r.files.note(m)
		}
	}
	for i := range d.Outs {
		r.over = r.over || d.Outs[i].Kind == delegate.Over // nothing is decided after the end
	}
	if len(d.Records) == 0 && len(r.queue) == 0 {
		r.carry(c, pending{d: d, files: r.st.Files})
		return
	}
	r.tag++
	p := pending{tag: r.tag, d: d, files: r.st.Files}
	if len(d.Records) == 0 {
		r.queue = append(r.queue, p)
		return
	}
	b := journal.Batch{Run: r.cfg.ID, Epoch: r.cfg.Epoch, After: d.Records[0].Seq - 1, Records: d.Records}
	if r.now != nil {
		if err := r.now.AppendNow(&b); err != nil {
			r.broken(c, err)
			return
		}
		r.carry(c, p)
		return
	}
	r.queue = append(r.queue, p)
	c.Tell(r.cfg.Writer, journal.Append{Batch: b, From: c.Self(), Tag: r.tag})
}

func (r *run) appended(c *actors.Context, m journal.Appended) {
	if r.st == nil || r.failed || len(r.queue) == 0 || m.Tag < r.queue[0].tag {
		return
	}
	if m.Err != nil {
		r.broken(c, m.Err)
		return
	}
	for len(r.queue) > 0 && (r.queue[0].tag <= m.Tag || len(r.queue[0].d.Records) == 0) {
		p := r.queue[0]
		r.queue = r.queue[1:]
		r.carry(c, p)
	}
	r.rejoins(c)
}

// broken stops a run whose append failed: nobody goes on with a record that is not stored.
func (r *run) broken(c *actors.Context, err error) {
	code := fault.Code(err)
	out := string(journal.Failed)
	r.fail(c, Result{Outcome: out, Code: code, Reason: "the journal could not be written: " + err.Error(), Err: err})
}

// fail ends the actor and everything below it without a further record.
func (r *run) fail(c *actors.Context, res Result) {
	if r.failed {
		return
	}
	r.failed = true
	r.cfg.Handle.finish(res)
	c.StopSelf()
}

// carry carries out a durable decision.
func (r *run) carry(c *actors.Context, p pending) {
	r.files.now.Store(p.files)
	r.cfg.Handle.start()
	for i := range p.d.Outs {
		o := &p.d.Outs[i]
		switch o.Kind {
		case delegate.Accept:
			if !r.muted[o.Path] {
				r.tell(c, o.Path, agent.Accepted{Tag: o.Tag, Extra: o.Records})
			}
		case delegate.Lose:
			if !r.muted[o.Path] {
				r.tell(c, o.Path, agent.Lost{Tag: o.Tag})
			}
		case delegate.Tell:
			r.tell(c, o.Path, agent.Recorded{Records: o.Records})
		case delegate.Spawn:
			r.spawn(c, o.Path, o.Records, false)
		case delegate.Revive:
			r.spawn(c, o.Path, o.Records, true)
		case delegate.Halt:
			r.tell(c, o.Path, agent.HaltWork{Halt: o.Halt})
		case delegate.Kill:
			if ref, ok := r.invs[o.Path]; ok {
				c.Stop(ref)
			}
		case delegate.Timer:
			c.After(o.Name, o.After)
		case delegate.Untimer:
			c.Cancel(o.Name)
		case delegate.Reply:
			r.reply(c, int64(o.Tag), "recorded")
		case delegate.Over:
			r.end(c, o.Name == paused)
		}
	}
	r.drained(c)
}

func (r *run) reply(c *actors.Context, id int64, answer string) {
	store := r.cfg.Store
	r.replies++
	c.Effect(replied{}, func(ctx context.Context) (any, error) {
		return nil, store.Reply(context.WithoutCancel(ctx), id, "recorded")
	})
}

func (r *run) tell(c *actors.Context, path string, msg any) {
	if ref, ok := r.invs[path]; ok {
		c.Tell(ref, msg)
		return
	}
	mail, ok := r.away[path]
	if !ok {
		return
	}
	switch msg.(type) {
	case agent.Accepted, agent.Lost: // of what the actor before has proposed: the next one reads it
	default:
		r.away[path] = append(mail, msg)
	}
}

func (r *run) spawn(c *actors.Context, path string, recs []journal.Record, revived bool) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	spec := agent.Spec(r.sh, c.Self(), path, recs, revived)
	spec.Name = name
	ref, err := c.Spawn(spec)
	if err != nil {
		r.commit(c, r.st.ActorEnded(agent.Crash{Path: path, Reason: err.Error()}, c.Now()))
		return
	}
	r.invs[path], r.names[name] = ref, path
}

// terminated hears of an actor's end: an invocation's, or a gate's.
func (r *run) terminated(c *actors.Context, m actors.Terminated) {
	path, ok := r.names[m.Name]
	if !ok || r.failed || r.over {
		return
	}
	delete(r.names, m.Name)
	delete(r.invs, path)
	f := agent.Crash{Path: path}
	if m.Failure != nil {
		f.Reason, f.Stack, f.Incarnation = m.Failure.Reason, m.Failure.Stack, m.Failure.Incarnation
	}
	if m.Failure != nil && r.restarts(path, c.Now()) {
		if d := r.st.ActorFailed(f, c.Now()); d != nil {
			r.away[path] = nil
			r.commit(c, d)
			r.rejoin = append(r.rejoin, agent.Rejoin{Path: path})
			r.rejoins(c)
			return
		}
	}
	r.commit(c, r.st.ActorEnded(f, c.Now()))
}

// Restart intensity of an invocation (actors spec §3).
const (
	maxRestarts   = 3
	restartWindow = 30 * time.Second
)

// restarts says whether an invocation whose actor has failed is made anew.
func (r *run) restarts(path string, now time.Time) bool {
	var recent []time.Time
	for _, t := range r.fails[path] {
		if now.Sub(t) < restartWindow {
			recent = append(recent, t)
		}
	}
	r.fails[path] = append(recent, now)
	return len(recent) < maxRestarts
}

// rejoined gives an invocation its records: to its actor, or to a new one in its place.
func (r *run) rejoined(c *actors.Context, j agent.Rejoin, recs []journal.Record, err error) {
	if ref, ok := r.invs[j.Path]; ok {
		c.Tell(ref, agent.Rejoined{Records: recs, Err: err})
		return
	}
	mail, ok := r.away[j.Path]
	if !ok || r.failed || r.over {
		return
	}
	delete(r.away, j.Path)
	if err != nil {
		r.commit(c, r.st.ActorEnded(agent.Crash{Path: j.Path, Reason: err.Error()}, c.Now()))
		return
	}
	r.spawn(c, j.Path, recs, true)
	for _, msg := range mail {
		r.tell(c, j.Path, msg)
	}
}

func (r *run) tick(c *actors.Context, name string) {
	if r.failed || r.over || r.st == nil {
		return
	}
	if name == "drain" {
		r.rest(c)
		return
	}
	r.commit(c, r.st.Fired(name, c.Now()))
}

// rejoins answers invocations that ask for their records, once all of them are durable.
func (r *run) rejoins(c *actors.Context) {
	if len(r.queue) > 0 {
		return
	}
	store, id := r.cfg.Store, r.cfg.ID
	for _, j := range r.rejoin {
		c.Effect(j, func(ctx context.Context) (any, error) {
			return readAll(ctx, store, id, j.Path)
		})
	}
	r.rejoin = nil
}

// pause brings the run to rest: nothing new begins, effects may end, then the run says
// that it is paused.
func (r *run) pause(c *actors.Context, reason string) {
	if r.failed || r.over || r.drain != "" {
		return
	}
	if r.st == nil {
		r.fail(c, Result{Outcome: "paused", Reason: reason})
		return
	}
	r.drain = reason
	d := r.cfg.Drain
	if d == 0 {
		d = 20 * time.Second
	}
	c.After("drain", d)
	r.drained(c)
}

func (r *run) drained(c *actors.Context) {
	if r.drain != "" && !r.failed && !r.over && len(r.queue) == 0 && !r.st.Effects() {
		r.rest(c)
	}
}

const paused = "paused"

// rest writes that the run is paused and ends the actor when that is durable.
func (r *run) rest(c *actors.Context) {
	if r.over || r.st.Status == "ended" {
		return
	}
	d := r.st.Pause(r.drain, c.Now())
	for _, id := range r.owed {
		d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Reply, Tag: uint64(id)})
	}
	d.Outs = append(d.Outs, delegate.Out{Kind: delegate.Over, Name: paused})
	r.commit(c, d)
}

// end tells the world outside how the run came to rest.
func (r *run) end(c *actors.Context, rests bool) {
	res := Result{Run: r.cfg.ID, Usage: r.st.Usage}
	for path := range r.st.Files.All() {
		res.Files = append(res.Files, path)
	}
	if rests {
		res.Outcome, res.Reason = paused, r.drain
	} else {
		e := r.st.Ended
		res.Outcome, res.Reason, res.Code, res.Text = string(e.Outcome), e.Reason, e.Code, e.Result.Text
		if cm := r.st.Committed(); cm != nil {
			files := r.files
			c.Effect(&res, func(ctx context.Context) (any, error) {
				b, err := files.GetBlob(ctx, cm.Hash)
				return string(b), err
			})
			return
		}
	}
	r.rested(c, res)
}

// rested finishes when the commands that led here have been answered.
func (r *run) rested(c *actors.Context, res Result) {
	r.result = &res
	if r.replies == 0 {
		r.cfg.Handle.finish(res)
		c.StopSelf()
	}
}

// readAll reads every record of one invocation, page by page.
func readAll(ctx context.Context, store journal.Store, run, path string) ([]journal.Record, error) {
	const page = 10_000
	var out []journal.Record
	for from := int64(1); ; {
		recs, err := store.Read(ctx, run, journal.Query{From: from, Invocation: path, Limit: page})
		out = append(out, recs...)
		if err != nil || len(recs) < page {
			return out, err
		}
		from = recs[len(recs)-1].Seq + 1
	}
}
