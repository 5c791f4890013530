// Package limits owns the bounds of one call of the sandboxed shell: their defaults, the
// counters that everything in the call shares, and the one way to report that a bound was
// hit. It never stops anything itself: whoever holds the call's context does.
package limits

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Limits are the bounds of a call (shell spec §8). A field that is zero takes its default.
type Limits struct {
	Clock      time.Duration `json:"clock,omitzero"`      // wall clock; 30 s
	Command    int           `json:"command,omitzero"`    // bytes of the command; 128 KiB
	Script     int           `json:"script,omitzero"`     // bytes of a script file or a text for eval; 1 MiB
	Kept       int           `json:"kept,omitzero"`       // bytes kept of each output stream; 128 KiB
	Produced   int64         `json:"produced,omitzero"`   // bytes of both streams in all; 64 MiB
	Memory     int64         `json:"memory,omitzero"`     // live heap in bytes; 256 MiB
	File       int64         `json:"file,omitzero"`       // bytes of one file; 64 MiB
	Written    int64         `json:"written,omitzero"`    // bytes written by the call; 64 MiB
	Files      int           `json:"files,omitzero"`      // in the workspace; 20,000
	Total      int64         `json:"total,omitzero"`      // bytes in the workspace; 1 GiB
	Walk       int           `json:"walk,omitzero"`       // files visited by one walk; 100,000
	Matches    int           `json:"matches,omitzero"`    // of one glob; 100,000
	Open       int           `json:"open,omitzero"`       // open files; 200
	Commands   int64         `json:"commands,omitzero"`   // simple commands of the call; 500,000
	Loops      int64         `json:"loops,omitzero"`      // loop iterations of the call; 2,000,000
	Functions  int           `json:"functions,omitzero"`  // depth of function calls; 500
	Subshells  int           `json:"subshells,omitzero"`  // depth of subshells and substitutions; 100
	Sources    int           `json:"sources,omitzero"`    // depth of source, eval and bash; 50
	Jobs       int           `json:"jobs,omitzero"`       // jobs and pipeline stages alive; 256
	Nesting    int           `json:"nesting,omitzero"`    // of the source text; 1,000
	Braces     int           `json:"braces,omitzero"`     // words of one brace expansion; 16,384
	Variable   int           `json:"variable,omitzero"`   // bytes of one variable; 32 MiB
	Words      int           `json:"words,omitzero"`      // of one expansion; 1,000,000
	HereDoc    int           `json:"here_doc,omitzero"`   // bytes of a here-document; 16 MiB
	Regex      int           `json:"regex,omitzero"`      // bytes of a regular expression's program; 1 MiB
	Backtracks int64         `json:"backtracks,omitzero"` // steps of a match that goes back; 10,000,000
	Members    int           `json:"members,omitzero"`    // of an archive; 20,000
}

// OrDefault fills in what is zero.
func (l Limits) OrDefault() Limits {
	set(&l.Clock, 30*time.Second)
	set(&l.Command, 128<<10)
	set(&l.Script, 1<<20)
	set(&l.Kept, 128<<10)
	set(&l.Produced, 64<<20)
	set(&l.Memory, 256<<20)
	set(&l.File, 64<<20)
	set(&l.Written, 64<<20)
	set(&l.Files, 20_000)
	set(&l.Total, 1<<30)
	set(&l.Walk, 100_000)
	set(&l.Matches, 100_000)
	set(&l.Open, 200)
	set(&l.Commands, 500_000)
	set(&l.Loops, 2_000_000)
	set(&l.Functions, 500)
	set(&l.Subshells, 100)
	set(&l.Sources, 50)
	set(&l.Jobs, 256)
	set(&l.Nesting, 1000)
	set(&l.Braces, 16_384)
	set(&l.Variable, 32<<20)
	set(&l.Words, 1_000_000)
	set(&l.HereDoc, 16<<20)
	set(&l.Regex, 1<<20)
	set(&l.Backtracks, 10_000_000)
	set(&l.Members, 20_000)
	return l
}

func set[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Hit is a limit that ended the call. It is an error, and the cause of the call's context.
type Hit struct {
	Name  string // as in the settings, such as "loops"
	Value int64  // of the limit
	Unit  string // "bytes", "loop iterations" and so on
	Mend  string // what to do instead, a sentence
}

// Error says which limit, its value, and what to do.
func (h *Hit) Error() string {
	text := fmt.Sprintf("the limit %s was reached: %d %s", h.Name, h.Value, h.Unit)
	if h.Mend != "" {
		text += ". " + h.Mend
	}
	return text
}

// Budget is what a call has used of its limits. All parts of the call share one: subshells,
// nested shells, commands. It is safe for concurrent use.
type Budget struct {
	Limits
	// BeforeEnd is called at the first hit, before the context ends; nil: nothing is. It is
	// set before anything counts.
	BeforeEnd func()

	end      context.CancelCauseFunc
	hit      atomic.Pointer[Hit]
	commands atomic.Int64
	loops    atomic.Int64
	jobs     atomic.Int64
}

// NewBudget makes the budget of a call and the context that a hit ends, with the [Hit] as
// its cause. The caller calls stop when the call is over.
func NewBudget(ctx context.Context, l Limits) (b *Budget, of context.Context, stop func()) {
	of, end := context.WithCancelCause(ctx)
	b = &Budget{Limits: l.OrDefault(), end: end}
	return b, of, func() { end(context.Canceled) }
}

// Exceed ends the call with a limit; the first one counts. It gives the hit that does.
func (b *Budget) Exceed(h *Hit) *Hit {
	if b.hit.CompareAndSwap(nil, h) && b.BeforeEnd != nil {
		b.BeforeEnd()
	}
	h = b.hit.Load()
	b.end(h)
	return h
}

// Hit gives the limit that ended the call, or nil.
func (b *Budget) Hit() *Hit { return b.hit.Load() }

// Step counts one simple command. Over the limit: the hit, and the call ends.
func (b *Budget) Step() error {
	if b.commands.Add(1) > b.Commands {
		return b.Exceed(&Hit{"commands", b.Commands, "simple commands", "Let one command do the work of the loop, such as sort, grep or jq."})
	}
	return nil
}

// Loop counts one iteration of a loop. Over the limit: the hit, and the call ends.
func (b *Budget) Loop() error {
	if b.loops.Add(1) > b.Loops {
		return b.Exceed(&Hit{"loops", b.Loops, "loop iterations", "Check that the loop ends, or let one command do its work."})
	}
	return nil
}

// Job counts a job or a stage of a pipeline as alive until done is called. With too many
// alive: ok is false, and the caller says "Resource temporarily unavailable".
func (b *Budget) Job() (done func(), ok bool) {
	if b.jobs.Add(1) > int64(b.Jobs) {
		b.jobs.Add(-1)
		return nil, false
	}
	return func() { b.jobs.Add(-1) }, true
}

// HitOf gives the limit that ended a context, or nil.
func HitOf(ctx context.Context) *Hit {
	h, _ := errors.AsType[*Hit](context.Cause(ctx))
	return h
}
