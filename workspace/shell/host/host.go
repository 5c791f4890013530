// Package host owns the shell of the runs of one process: for each run a projection of its
// files, made when the first command needs it, on which a runner works. It turns
// what a command left on disk into changes of the run's files, and never records anything
// itself.
package host

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/project"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Options configure a [Host].
type Options struct {
	// Dir is the directory below which projections stand; it is made when it is missing.
	// Empty: a directory of the system for temporary files.
	Dir string
}

// Host runs commands on the files of runs. It is safe for concurrent use: what calls of one
// run may do at the same time is ordered by the gate of its workspace.
type Host struct {
	o Options

	mu     sync.Mutex
	home   *home // nil: no command ran yet
	runs   map[string]*files
	closed bool
}

// files is the projection of one run.
type files struct {
	// Held for writing while the directory is brought up to date, and by a call that writes;
	// for reading by one that reads.
	mu sync.RWMutex
	p  *project.Projection
}

// New makes a host. It touches no file before the first command.
func New(o Options) *Host { return &Host{o: o, runs: map[string]*files{}} }

// Call is one command on the files of a run.
type Call struct {
	Run      string
	View     *workspace.View
	Command  string
	Dir      string // absolute in the workspace
	ReadOnly bool
	Runner   shell.Runner  // that runs the command
	Clock    time.Duration // upper bound of the wall clock; 0: that of Limits
	Limits   limits.Limits
}

// Run runs a command and gives how it ended and what it changed. Codes of the error:
// "workspace.storage_failed" for a projection that cannot be made or read, with what is
// known of the outcome; "workspace.content_expired" for files whose content is gone.
func (h *Host) Run(ctx context.Context, c Call) (shell.Outcome, []workspace.Change, error) {
	f, err := h.files(c.Run)
	if err != nil {
		return shell.Outcome{}, nil, err
	}
	if c.ReadOnly {
		unlock, err := f.reading(ctx, c.View)
		if err != nil {
			return shell.Outcome{}, nil, err
		}
		defer unlock()
		return c.Runner.Run(ctx, c.job(f.p.Dir())), nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.sync(ctx, c.View); err != nil {
		return shell.Outcome{}, nil, err
	}
	out := c.Runner.Run(ctx, c.job(f.p.Dir()))
	// What was written stays, however the call ended: it is looked at even when ctx is over.
	changes, err := f.p.Changes(context.WithoutCancel(ctx), out.Announced, c.roots())
	if err != nil {
		f.p.Discard()
		return out, nil, fault.Wrap(err, "workspace.storage_failed", "what the command changed cannot be read")
	}
	f.p.Accept(changes)
	return out, changes, nil
}

// reading locks the files of a run for a call that reads, once they are up to date.
func (f *files) reading(ctx context.Context, v *workspace.View) (unlock func(), err error) {
	for {
		f.mu.RLock()
		if f.p.At(v.Manifest()) {
			return f.mu.RUnlock, nil
		}
		f.mu.RUnlock()
		f.mu.Lock()
		err := f.sync(ctx, v)
		f.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

func (f *files) sync(ctx context.Context, v *workspace.View) error {
	err := f.p.Sync(ctx, v.Manifest(), v.Content)
	if err == nil || fault.Code(err) == "workspace.content_expired" || fault.Code(err) == "tool.cancelled" {
		return err
	}
	return fault.Wrap(err, "workspace.storage_failed", "the files of the run cannot be made ready for the shell")
}

func (c *Call) job(dir string) *shell.Job {
	l := c.Limits.OrDefault()
	if c.Clock > 0 {
		l.Clock = min(l.Clock, c.Clock)
	}
	if left := c.View.Left(); left < l.Written { // of what the run may write
		l.Written = max(left, 1)
	}
	return &shell.Job{
		Command: c.Command, Dir: c.Dir, Host: dir, Roots: c.roots(),
		Used:     &view.Usage{Files: c.View.Manifest().Len(), Bytes: c.View.Manifest().Bytes()},
		ReadOnly: c.ReadOnly, Limits: l,
	}
}

func (c *Call) roots() view.Roots {
	r := c.View.Roots()
	return view.Roots{Visible: r.Visible, Writable: r.Writable}
}

// files gives the projection of a run.
func (h *Host) files(run string) (*files, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fault.New("workspace.storage_failed", "the runtime is closed")
	}
	if f := h.runs[run]; f != nil {
		return f, nil
	}
	if err := h.settle(); err != nil {
		return nil, err
	}
	dir := filepath.Join(h.home.dir, run)
	f := &files{p: project.Open(dir)}
	h.runs[run] = f
	return f, nil
}

// settle makes the home of this process; h.mu is held.
func (h *Host) settle() error {
	if h.home != nil {
		return nil
	}
	home, err := openHome(h.o.Dir)
	if err != nil {
		return fault.Wrap(err, "workspace.storage_failed", "there is no place for the files of the shell")
	}
	h.home = home
	return nil
}

// Tmp makes a directory for what runners keep for a moment, such as /tmp of a command. It is
// gone with the host, or removed after the process was killed.
func (h *Host) Tmp() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return "", fault.New("workspace.storage_failed", "the runtime is closed")
	}
	if err := h.settle(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(h.home.dir, "tmp-")
	if err != nil {
		return "", fault.Wrap(err, "workspace.storage_failed", "there is no place for the files of the shell")
	}
	return dir, nil
}

// Forget removes the projection of a run that has ended or rests. A later command makes it
// anew. It waits for a command that runs.
func (h *Host) Forget(run string) {
	h.mu.Lock()
	f := h.runs[run]
	delete(h.runs, run)
	h.mu.Unlock()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.p.Discard()
}

// Close removes all projections. The runner is closed before it.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.home == nil {
		return nil
	}
	err := os.RemoveAll(h.home.dir)
	h.home.release()
	h.home = nil
	return err
}
