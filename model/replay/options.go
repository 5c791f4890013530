package replay

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Values of options.
const (
	OnMissError   = "error"    // a request that is not recorded fails
	OnMissRecord  = "record"   // it is asked for real, and added to the cassette
	SpeedAtOnce   = "at_once"  // answers come without waiting
	SpeedRecorded = "recorded" // answers come as slowly as they were recorded
)

// Clock is the time of recordings, and what [SpeedRecorded] waits by. AfterFunc calls f
// once after d; stop says whether it prevented that. It is safe for concurrent use.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Options of a recorder and of a player. The zero value works.
type Options struct {
	Binary  string                    // version of the program, for the header
	Secrets func() secret.Set         // the values to mask, asked for each interaction; nil: none
	Warn    func(kind, detail string) // kinds cut_line and not_recorded; may be nil; concurrently
	Clock   Clock                     // nil: real time
	MaxBody int                       // bytes of a request, and of a response, that are recorded; 0: one more than a provider reads

	// Of a player only.
	Normalise []string // patterns (RE2) of what may change in strings of requests, such as dates
	OnMiss    string   // "": OnMissError
	Exact     bool     // an interaction that was not asked for is an error at the end
	Speed     string   // "": SpeedAtOnce
}

// complete checks options and fills in defaults. Errors have code "replay.config_invalid".
func (o *Options) complete(file string) error {
	bad := func(format string, args ...any) error {
		return fault.New("replay.config_invalid", format, args...).With("open cassette", file)
	}
	if o.OnMiss == "" {
		o.OnMiss = OnMissError
	}
	if o.Speed == "" {
		o.Speed = SpeedAtOnce
	}
	switch {
	case o.OnMiss != OnMissError && o.OnMiss != OnMissRecord:
		return bad("on_miss is %s or %s, not %q", OnMissError, OnMissRecord, o.OnMiss)
	case o.Speed != SpeedAtOnce && o.Speed != SpeedRecorded:
		return bad("speed is %s or %s, not %q", SpeedAtOnce, SpeedRecorded, o.Speed)
	case o.MaxBody < 0:
		return bad("a body of at most %d bytes is none", o.MaxBody)
	}
	if o.MaxBody == 0 {
		o.MaxBody = model.MaxBody + 1 // with one byte too many, a replay fails as the recording did
	}
	if o.Secrets == nil {
		o.Secrets = func() secret.Set { return secret.Set{} }
	}
	if o.Warn == nil {
		o.Warn = func(string, string) {}
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	return nil
}

// maxLine bounds a line of a cassette in bytes: two bodies, each with every byte escaped.
func (o *Options) maxLine() int { return 12*o.MaxBody + 1<<20 }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
