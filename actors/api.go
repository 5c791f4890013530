package actors

import "time"

// Actor handles messages. One message is handled at a time; Receive must not block.
// The first message of every incarnation is [Started], the last one [Stopping].
// A panic in Receive ends the incarnation: see [Life].
type Actor interface {
	Receive(c *Context, msg any)
}

// Func is an Actor without state of its own.
type Func func(c *Context, msg any)

// Receive calls f.
func (f Func) Receive(c *Context, msg any) { f(c, msg) }

// Life says what happens when an actor panics.
type Life uint8

const (
	// Temporary actors are never restarted: a panic ends them and their watchers get
	// [Terminated] with the [Failure].
	Temporary Life = iota
	// Transient actors are restarted on a panic only, within the intensity of their parent.
	Transient
	// Permanent actors are restarted on a panic, and also when they stop without having been asked to.
	Permanent
)

// Spec describes an actor to spawn.
type Spec struct {
	Name       string        // path segment, unique below its parent; "" makes one up
	Kind       string        // bounded label of counters and the tree view, e.g. "run"; required
	New        func() Actor  // called once per incarnation; no side effects; required
	Life       Life          // default Temporary
	StopWithin time.Duration // how long the parent waits for it at a stop; default 5 s
	Intensity  Intensity     // of this actor as a supervisor of its children; zero: 3 in 30 s
}

// Intensity bounds restarts: more than Max within Window fails the supervisor upward.
type Intensity struct {
	Max    int
	Window time.Duration
}

// Started is the first message of an incarnation.
type Started struct {
	Incarnation int      // 1 for the first
	Last        *Failure // why the incarnation before ended; nil for the first
}

// Stopping is the last message of an incarnation that is stopped (not of one that panicked).
type Stopping struct{}

// Terminated tells a parent or a watcher that an actor has ended for good, or was given up
// because it did not stop in time, which its Failure says. It is delivered exactly once per
// watch, after all that the actor told the receiver; a watch of an actor that is gone
// delivers it at once. The children of an actor have ended, or were given up, before.
type Terminated struct {
	Ref     Ref
	Name    string   // path segment it was spawned under
	Failure *Failure // nil when it stopped without a failure; not to be changed
}

// Failure is why an incarnation ended. It is shared by all that hear of it and must not be
// changed.
type Failure struct {
	Path        string
	Kind        string
	Incarnation int
	Reason      string   // first line of the panic
	Stack       string   // never shown to a model or a user; for the journal and the log
	Restarts    int      // within the window
	Escalated   bool     // restart intensity was exceeded
	Child       *Failure // what failed too often, in the failure of its supervisor; else nil
}

// Error makes a Failure an error.
func (f *Failure) Error() string { return f.Kind + " " + f.Path + " failed: " + f.Reason }

// Done is the outcome of one effect, delivered exactly once to the incarnation that
// started it. Err is a [*Failure] when the effect panicked or called Goexit.
type Done struct {
	Key   any // as given to Effect
	Value any
	Err   error
}

// Tick is a timer that fired and has not been set again or cancelled since.
type Tick struct{ Name string }

// Settled is the outcome of an ask of an actor. Err codes: "ask.deadline",
// "ask.stopped" (the callee ended or is stopping), "actor.failed" (it panicked while it held
// the request; the [*Failure] is the cause), "ask.cancelled", or what the callee failed it with.
type Settled struct {
	Key   any // as given to Ask
	Value any
	Err   error
}

// Request is what the callee of an ask receives. It must be answered once, at any
// time: a Reply that was not used when the callee ends answers "ask.stopped". A request that
// was settled before the callee came to it, by its deadline or the end of the asker, is not
// delivered. One that is told on to another actor stays bound to the first callee's life.
type Request struct {
	Msg   any
	From  Ref // the asking actor; zero for an ask from outside the tree
	Reply *Reply
}
