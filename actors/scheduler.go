package actors

import (
	"math/rand/v2"
	"sync"
)

// Scheduler runs mailboxes. Schedule is called when an actor that was idle has mail; f
// handles all of it and must be called exactly once, on any goroutine. No lock of the
// engine is held during the call.
type Scheduler interface {
	Schedule(f func())
}

// SyncScheduler handles mail on the goroutine that sends it, before the send returns,
// unless the receiver is already at work further up that goroutine. With it, a
// single-threaded test has one trace only.
func SyncScheduler() Scheduler { return syncScheduler{} }

type syncScheduler struct{}

func (syncScheduler) Schedule(f func()) { f() }

// SeededScheduler keeps what is scheduled until [SeededScheduler.Run] handles it in an
// order that follows from the seed, so that a test explores interleavings and can repeat
// one of them. Make one with [NewSeededScheduler].
type SeededScheduler struct {
	mu   sync.Mutex
	rand *rand.Rand
	due  []func()
}

// NewSeededScheduler gives a scheduler with an order of its own for each seed.
func NewSeededScheduler(seed uint64) *SeededScheduler {
	return &SeededScheduler{rand: rand.New(rand.NewPCG(seed, seed))}
}

// Schedule keeps f for Run.
func (s *SeededScheduler) Schedule(f func()) {
	s.mu.Lock()
	s.due = append(s.due, f)
	s.mu.Unlock()
}

// Run handles what is due, and what becomes due by that, on the calling goroutine until
// nothing is left. It returns how many times a mailbox was run.
func (s *SeededScheduler) Run() int {
	n := 0
	for {
		s.mu.Lock()
		if len(s.due) == 0 {
			s.mu.Unlock()
			return n
		}
		i := s.rand.IntN(len(s.due))
		f, last := s.due[i], len(s.due)-1
		s.due[i], s.due[last] = s.due[last], nil
		s.due = s.due[:last]
		s.mu.Unlock()
		f()
		n++
	}
}

var (
	_ Scheduler = syncScheduler{}
	_ Scheduler = (*SeededScheduler)(nil)
)
