package shell

import "time"

// Clock is the time of a runner: of deadlines and of workers that nobody uses. AfterFunc
// calls f once after d, on another goroutine or when the clock is moved; stop says whether
// it kept f from being called.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// Grace is how long a call that was told to end may take before its worker is killed
// (shell spec §1, §3).
const Grace = 500 * time.Millisecond
