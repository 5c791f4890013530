package supervision

import (
	"context"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Runs is the supervisor of the runs of one runtime.
type Runs struct {
	sys   *actors.System
	ref   actors.Ref
	store journal.Store
	write actors.Ref
}

const askTime = 10 * time.Second

// Open starts the supervisor and, for a store that does not append at once, its writer.
func Open(sys *actors.System, store journal.Store) (*Runs, error) {
	return OpenWatched(sys, store, nil)
}

// OpenWatched is [Open] with somebody who hears of the writer's flushes; nil: nobody.
func OpenWatched(sys *actors.System, store journal.Store, flushes journal.FlushWatch) (*Runs, error) {
	s := &Runs{sys: sys, store: store}
	var err error
	if _, at := store.(journal.Immediate); !at {
		if s.write, err = sys.Spawn(journal.WatchedWriterSpec(store, flushes)); err != nil {
			return nil, err
		}
	}
	s.ref, err = sys.Spawn(actors.Spec{Name: "runs", Kind: "runs", Life: actors.Permanent, StopWithin: time.Minute, New: func() actors.Actor { return &runs{sys: sys, store: store} }})
	return s, err
}

// Launch starts or resumes a run, see [Config]. With an error nothing was begun; else the
// run's OnClose will be called.
func (s *Runs) Launch(ctx context.Context, cfg Config) error {
	cfg.Store, cfg.Writer = s.store, s.write
	_, err := s.sys.Ask(context.WithoutCancel(ctx), s.ref, startRun{cfg}, askTime)
	return err
}

// Start is [Runs.Launch], and returns when the run's first records are durable.
func (s *Runs) Start(ctx context.Context, cfg Config) error {
	if err := s.Launch(ctx, cfg); err != nil {
		return err
	}
	return cfg.Handle.Started(ctx)
}

// Begin is [Runs.Start] without waiting for anything.
func (s *Runs) Begin(cfg Config) {
	cfg.Store, cfg.Writer = s.store, s.write
	s.sys.Tell(s.ref, startRun{cfg})
}

// Signal is [Runs.Cancel] without waiting for anything.
func (s *Runs) Signal(id, by, reason string) { s.sys.Tell(s.ref, toRun{id, cancelRun{by, reason}}) }

// Apply tells the actor of a run of a command that stands in its store, without waiting
// for anything: what comes of it is told through [Handle.Expect]. A run that is not here
// finds the command at its resume.
func (s *Runs) Apply(cmd journal.Command) { s.sys.Tell(s.ref, toRun{cmd.Run, command{cmd}}) }

// Refuse has every later start answered by "runtime.closed".
func (s *Runs) Refuse() { s.sys.Tell(s.ref, refuseRuns{}) }

// PauseAll brings every run to rest.
func (s *Runs) PauseAll(ctx context.Context, reason string) error {
	_, err := s.sys.Ask(context.WithoutCancel(ctx), s.ref, pauseRun{reason}, askTime)
	return err
}

type (
	startRun   struct{ cfg Config }
	refuseRuns struct{}
	toRun      struct {
		id  string
		msg any
	}
)

// runs is the actor of the supervisor. It also looks for commands that other processes
// have left for the runs of this one.
type runs struct {
	sys   *actors.System
	store journal.Store
	live  map[string]entry // by run id
	token int64
	after int64 // id of the newest command that was seen
	busy  bool

	refuses bool // no run is begun any more
}

type entry struct {
	ref actors.Ref
	cfg Config
}

const looking = "commands" // key of the effect

const commandsEvery = 250 * time.Millisecond // protocol spec §5

// Receive implements [actors.Actor].
func (s *runs) Receive(c *actors.Context, msg any) {
	switch m := msg.(type) {
	case actors.Started:
		s.live = map[string]entry{}
	case actors.Request:
		v, err := s.request(c, m.Msg)
		if err != nil {
			m.Reply.Fail(err)
			return
		}
		m.Reply.Ok(v)
	case startRun, toRun:
		_, _ = s.request(c, m)
	case refuseRuns:
		s.refuses = true
	case actors.Terminated:
		s.ended(m)
	case actors.Stopping:
		for _, e := range s.live { // each is told: its own actor may not come to it
			e.cfg.Handle.finish(Result{Outcome: "interrupted", Reason: "the runtime was closed before the run had come to rest"})
			if e.cfg.OnClose != nil {
				e.cfg.OnClose()
			}
		}
	case actors.Tick:
		s.look(c)
	case actors.Done:
		if m.Key != any(looking) {
			return // an answer was written
		}
		s.busy = false
		if f, ok := m.Value.(found); ok {
			s.apply(c, f)
		}
		if len(s.live) > 0 {
			c.After("commands", commandsEvery)
		}
	}
}

func (s *runs) request(c *actors.Context, msg any) (any, error) {
	switch m := msg.(type) {
	case startRun:
		return s.start(c, m.cfg)
	case toRun:
		if e, ok := s.live[m.id]; ok {
			c.Tell(e.ref, m.msg)
		}
	case pauseRun:
		for _, e := range s.live {
			c.Tell(e.ref, m)
		}
	}
	return nil, nil
}

func (s *runs) start(c *actors.Context, cfg Config) (any, error) {
	if s.refuses {
		return nil, fault.New("runtime.closed", "the runtime is closed").With("begin run", cfg.ID)
	}
	if _, ok := s.live[cfg.ID]; ok {
		return nil, fault.New("journal.run_held", "run %s is running in this process already", cfg.ID)
	}
	ref, err := c.Spawn(actors.Spec{Name: cfg.ID, Kind: "run guard", StopWithin: 30*time.Second + actors.DefaultStopWithin, New: func() actors.Actor { return &guard{cfg: cfg} }})
	if err != nil {
		return nil, err
	}
	s.live[cfg.ID] = entry{ref, cfg}
	if _, at := s.store.(journal.Immediate); !at && !s.busy && len(s.live) == 1 {
		c.After("commands", commandsEvery)
	}
	return cfg.ID, nil
}

// guard stands between the supervisor and the actor of one run: one that fails too often
// fails its guard and nobody else.
type guard struct {
	cfg Config
	run actors.Ref
}

// Receive implements [actors.Actor].
func (g *guard) Receive(c *actors.Context, msg any) {
	switch msg.(type) {
	case actors.Started:
		var err error
		if g.run, err = c.Spawn(actors.Spec{Name: "run", Kind: "run", Life: actors.Transient, StopWithin: 30 * time.Second, New: func() actors.Actor { return &run{cfg: g.cfg} }}); err != nil {
			panic(err)
		}
	case actors.Stopping:
	case actors.Terminated:
		c.StopSelf()
	default:
		c.Tell(g.run, msg)
	}
}

// ended hears of a run actor's end. One that failed too often leaves its run parked.
func (s *runs) ended(m actors.Terminated) {
	e, ok := s.live[m.Name]
	if !ok {
		return
	}
	delete(s.live, m.Name)
	res := Result{Outcome: "parked", Code: "journal.poison", Reason: "the actor of the run ended"}
	if m.Failure != nil {
		res.Reason = e.cfg.Env.Secrets.Mask(m.Failure.Reason)
		res.Err = e.cfg.Env.Secrets.Error(m.Failure)
	}
	e.cfg.Handle.finish(res)
	if e.cfg.OnClose != nil {
		e.cfg.OnClose()
	}
}

type found struct {
	token, after int64
	cmds         []journal.Command
}

// look reads what is new in the command table, for all runs at once, when something was
// written. A run that is not here reads what was said to it at its resume.
func (s *runs) look(c *actors.Context) {
	store, f := s.store, found{token: s.token, after: s.after}
	s.busy = true
	c.Effect(looking, func(ctx context.Context) (any, error) {
		if ch, ok := store.(journal.Changes); ok {
			t, err := ch.ChangeToken(ctx)
			if err != nil || (t == f.token && t != 0) {
				return f, err
			}
			f.token = t
		}
		var err error
		f.cmds, err = store.Commands(ctx, "", f.after)
		if err != nil {
			return nil, err // looked for again
		}
		if n := len(f.cmds); n > 0 {
			f.after = f.cmds[n-1].ID
		}
		return f, nil
	})
}

func (s *runs) apply(c *actors.Context, f found) {
	s.token, s.after = f.token, f.after
	for _, cmd := range f.cmds {
		switch e, ok := s.live[cmd.Run]; {
		case !ok || cmd.Answer != "":
		case cmd.Kind == journal.CommandTree:
			s.tree(c, cmd)
		default:
			c.Tell(e.ref, command{cmd})
		}
	}
}
