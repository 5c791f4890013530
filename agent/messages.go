package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Messages between an invocation and its run. The run is the ancestor of all its
// invocations, so none of these is an ask: when the run ends, its invocations do.
type (
	// Proposal asks the run to append records and to decide operations. The run owns
	// the records from here on.
	Proposal struct {
		From        actors.Ref // one of an incarnation of the run that is gone is not heard
		Path        string
		Incarnation int
		Tag         uint64
		Records     []journal.Record
		Ops         []Op
	}
	// Accepted answers a proposal when its records are durable. Extra are further
	// records of the invocation that the run's decisions added.
	Accepted struct {
		Tag   uint64
		Extra []journal.Record
	}
	// Lost answers a proposal of which something was refused, because another record
	// came first. The invocation takes its part from the run anew.
	Lost struct {
		Tag uint64
		By  string
	}
	// Recorded tells of durable records that the run made for the invocation.
	Recorded struct{ Records []journal.Record }
	// Rejoin asks for the invocation's records; Rejoined brings them.
	Rejoin struct {
		From actors.Ref
		Path string
	}
	// Rejoined answers [Rejoin].
	Rejoined struct {
		Records []journal.Record
		Err     error
	}
	// HaltWork tells an invocation to end its work, see [Halt].
	HaltWork struct{ Halt Halt }
)

// Crash is the failure of an invocation's actor.
type Crash struct {
	Path        string
	Reason      string // empty: it stopped without a failure
	Stack       string // for the record only
	Incarnation int
}

// Messages between an invocation and its model call and tool call actors.
type (
	answered struct {
		turn    int
		attempt int
		answer  *model.Answer
	}
	attemptFailed struct {
		turn    int
		attempt int
		err     *model.Error
	}
	modelFailed struct {
		turn    int
		attempt int
		err     *model.Error
	}
	// limited says what the limiter has the model call wait for; the zero value: it waits no
	// more.
	limited struct {
		reason   string
		place    int           // in the queue; 0: not known
		expected time.Duration // until it goes; 0: not known
	}
	looked struct {
		key    string
		intent tooling.Intent
		refuse *tooling.Result
	}
	callDone struct {
		key    string
		result tooling.Result
		took   time.Duration
	}
	stopWork struct{ code string }
	askModel struct {
		m      Model
		req    model.Request
		quiet  bool  // its previews are not shown
		tokens int64 // about how many it uses, for the limiter
		fresh  bool  // it may be refused when the model fails again and again
	}
)

// Shared is what a run gives to its invocations beside their records. All of it is
// immutable or safe for concurrent use.
type Shared struct {
	Env    *Env
	Run    string
	Gates  map[string]actors.Ref      // by gate key
	Files  func() *workspace.Manifest // newest durable state of the run's files
	Input  func() *input.Frozen       // what the run was given; nil: neither conversation nor lore
	Blobs  workspace.Blobs
	Limits workspace.Limits
	Rand   func(n int) int
	Probe  Probe
	Log    *slog.Logger // of what an operator should know; nil: nobody does
	// Limited may be nil; it hears what the limiter has an invocation wait for, "" when that
	// is over. It is called concurrently and must not block.
	Limited func(path, reason string)
	// Preview may be nil; it gets pieces of answers that are still coming.
	Preview func(path string, d model.Delta)
}

// given is what the run was given.
func (s *Shared) given() *input.Frozen {
	if s.Input == nil {
		return nil
	}
	return s.Input()
}

// Probe observes an invocation. It must not block.
type Probe interface {
	// Request sees every model request right before it goes out.
	Request(ctx context.Context, req *model.Request)
}
