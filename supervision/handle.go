package supervision

import (
	"context"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Result is how a run came to rest.
type Result struct {
	Run     string        `json:"run"`
	Outcome string        `json:"outcome"` // completed, failed, cancelled, partial, unknown, paused, parked
	Reason  string        `json:"reason,omitempty"`
	Code    string        `json:"code,omitempty"`
	Text    string        `json:"text,omitempty"`
	Files   []string      `json:"files,omitempty"` // paths of the run workspace, sorted; not those that the run was given
	Usage   journal.Usage `json:"usage"`
	Open    []string      `json:"open,omitempty"`
	// Err is set when the run had to stop because its journal could not be written.
	Err error `json:"-"`
}

// Handle is how the world outside the tree waits for a run.
type Handle struct {
	ID      string
	started chan struct{}
	done    chan struct{}
	once    [2]sync.Once
	began   bool
	res     Result
	waits   sync.Map // chan string by number of a command
}

// NewHandle gives the handle of a run that is about to start.
func NewHandle(id string) *Handle {
	return &Handle{ID: id, started: make(chan struct{}), done: make(chan struct{})}
}

// Resting gives the handle of a run that could not even begin to be resumed.
func Resting(id string, r Result) *Handle {
	h := NewHandle(id)
	h.finish(r)
	return h
}

// Expect gives the channel on which the actor of the run says once what became of a
// command that is about to be told to it: its answer (see [journal.Recorded]), or "" when
// it is taken and answered later. [Handle.Forget] ends that.
func (h *Handle) Expect(command int64) <-chan string {
	ch := make(chan string, 1)
	h.waits.Store(command, ch)
	return ch
}

// Forget drops an expectation.
func (h *Handle) Forget(command int64) { h.waits.Delete(command) }

// expects says whether somebody of this process waits for what becomes of a command.
func (h *Handle) expects(command int64) bool {
	_, ok := h.waits.Load(command)
	return ok
}

func (h *Handle) take(command int64, answer string) {
	if v, ok := h.waits.LoadAndDelete(command); ok {
		v.(chan string) <- answer
	}
}

func (h *Handle) start() { h.once[0].Do(func() { h.began = true; close(h.started) }) }

func (h *Handle) finish(r Result) {
	h.once[1].Do(func() {
		r.Run = h.ID
		h.res = r
		close(h.done)
	})
	h.once[0].Do(func() { close(h.started) })
}

// Done is closed when the run rests.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Result gives how the run came to rest; only after Done.
func (h *Handle) Result() Result { return h.res }

// Began says whether the first records of the run became durable; only after Started.
func (h *Handle) Began() bool { return h.began }

// Started waits until the first records of the run are durable, or never will be.
func (h *Handle) Started(ctx context.Context) error {
	select {
	case <-h.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
