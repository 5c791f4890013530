package workspace

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Limits bound what tools read and write (workspace spec §12). A field that is zero
// takes its default.
type Limits struct {
	FileBytes   int           // of one file for text tools; 16 MiB
	Files       int           // in a run workspace; 20,000
	TotalBytes  int64         // in a run workspace; 1 GiB
	CallBytes   int           // written by one call; 64 MiB
	RunBytes    int64         // written by a run; 4 GiB
	InlineChars int           // of a result that a model is shown whole; 50,000
	ListEntries int           // of a listing; 200
	SearchDepth int           // below the start of a search; 8
	SearchFiles int           // looked into by a search; 1,000
	SearchTime  time.Duration // of a search; 10 s
}

// Bounds of one window of a reading tool (tools spec §3).
const (
	WindowLines = 1200
	WindowChars = 40_000
	LineChars   = 3000 // a longer line is shown cut
)

// windowRoom is what a window leaves of the inline limit for the words around it.
const windowRoom = 1000

func (l Limits) orDefault() Limits {
	set(&l.FileBytes, 16<<20)
	set(&l.Files, 20_000)
	set(&l.TotalBytes, 1<<30)
	set(&l.CallBytes, 64<<20)
	set(&l.RunBytes, 4<<30)
	set(&l.InlineChars, 50_000)
	set(&l.ListEntries, 200)
	set(&l.SearchDepth, 8)
	set(&l.SearchFiles, 1000)
	set(&l.SearchTime, 10*time.Second)
	return l
}

func set[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// window gives the characters of text that one window shows.
func (l Limits) window() int { return max(1, min(WindowChars, l.InlineChars-windowRoom)) }

func overLimit(subject, what string, value, limit int64, unit, setting string) error {
	return fault.New("workspace.quota_exceeded", "%s: %s would be %s %s, the limit is %s (setting workspace.limits.%s); nothing was written",
		subject, what, Grouped(value), unit, Grouped(limit), setting)
}
