package supervision

import (
	"fmt"
	"log/slog"
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
	Input   string             // what the first agent of a new run is asked
	Files   []workspace.Change // put what a new run was given into its workspace
	Expect  int64              // of a resume: refuse when the run has moved on; 0: any
	Limits  workspace.Limits
	Rand    func(n int) int
	Probe   agent.Probe
	Preview func(path string, d model.Delta)
	Log     *slog.Logger  // of what an operator should know; nil: nobody does
	Drain   time.Duration // how long a pause waits for effects; default 20 s
	Handle  *Handle
	// Observer may be nil; it sees what happens in the run.
	Observer Observer
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
	cmds    map[int64]string       // answers to commands that were applied; "": not answered yet
	masked  map[int64]string       // payloads of commands that came with a secret, until they are answered
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
	cancelRun struct{ by, reason string }
	pauseRun  struct{ reason string }
	command   struct{ journal.Command }
	replied   struct { // key of the effect that answers a command
		id     int64
		answer string
	}
)

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
	case cancelRun, command:
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
	if r.st == nil || r.failed {
		return
	}
	switch m := msg.(type) {
	case command:
		r.command(c, m.Command)
	case cancelRun:
		if r.over {
			return
		}
		r.commit(c, r.st.CancelRun(delegate.Said{By: m.by, Text: m.reason}, c.Now()))
	}
}

func (r *run) begin(c *actors.Context, m actors.Started) {
	r.now, _ = r.cfg.Store.(journal.Immediate)
	r.invs, r.names = map[string]actors.Ref{}, map[string]string{}
	r.away, r.fails = map[string][]any{}, map[string][]time.Time{}
	r.muted, r.cmds, r.masked = map[string]bool{}, map[int64]string{}, map[int64]string{}
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
	d, err := r.st.Start(r.cfg.Created, r.cfg.Started, r.cfg.Input, c.Now(), r.cfg.Files...)
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
		ref, err := c.Spawn(r.gateSpec(fmt.Sprintf("gate-%d", i), key))
		if err != nil {
			panic(err)
		}
		gates[key] = ref
	}
	r.sh = &agent.Shared{Env: r.cfg.Env, Run: r.cfg.ID, Gates: gates, Files: r.files.manifest, Input: r.st.Given, Blobs: r.files, Limits: r.cfg.Limits,
		Rand: r.cfg.Rand, Probe: r.cfg.Probe, Log: r.cfg.Log, Preview: r.cfg.Preview}
	if r.cfg.Observer != nil {
		r.sh.Limited = r.cfg.Observer.Limited
	}
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
	if r.cfg.Observer != nil && len(p.d.Records) > 0 {
		r.cfg.Observer.Recorded(p.d.Records)
	}
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
			r.reply(c, int64(o.Tag), o.Name)
		case delegate.Over:
			r.end(c, o.Name == paused)
		}
	}
	r.drained(c)
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
