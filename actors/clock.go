package actors

import (
	"container/heap"
	"sync"
	"time"
)

// Clock is the time of a [System]. AfterFunc calls f once after d, never on the calling
// goroutine before it returns; stop reports whether it kept f from being called.
// Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// RealClock is the clock of the machine.
func RealClock() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

// ManualClock is a [Clock] that moves only when it is told to. Make one with
// [NewManualClock]; it is safe for concurrent use.
type ManualClock struct {
	mu      sync.Mutex
	now     time.Time
	seq     uint64
	timers  manualTimers
	changed chan struct{} // closed and dropped when a timer is added; nil when nobody waits
}

// NewManualClock gives a clock that stands at t0.
func NewManualClock(t0 time.Time) *ManualClock { return &ManualClock{now: t0} }

// Now is t0 and all that the clock was advanced by.
func (m *ManualClock) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// AfterFunc has f called by the [ManualClock.Advance] that reaches now + d; a d of zero
// or less waits for the next call of Advance, be it of zero.
func (m *ManualClock) AfterFunc(d time.Duration, f func()) func() bool {
	m.mu.Lock()
	t := &manualTimer{due: m.now.Add(max(d, 0)), seq: m.seq, f: f}
	m.seq++
	heap.Push(&m.timers, t)
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
	m.mu.Unlock()
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		if t.at < 0 {
			return false
		}
		heap.Remove(&m.timers, t.at)
		return true
	}
}

// Advance moves the clock by d and calls what is due on the calling goroutine, in order
// of due time and then of setting, also what is set meanwhile and becomes due. At each
// call Now is the due time of the timer.
func (m *ManualClock) Advance(d time.Duration) {
	m.mu.Lock()
	end := m.now.Add(max(d, 0))
	for len(m.timers) > 0 && !m.timers[0].due.After(end) {
		t := heap.Pop(&m.timers).(*manualTimer)
		if t.due.After(m.now) {
			m.now = t.due
		}
		m.mu.Unlock()
		t.f()
		m.mu.Lock()
	}
	if end.After(m.now) {
		m.now = end
	}
	m.mu.Unlock()
}

// Waiters is the number of timers that are set and not due yet.
func (m *ManualClock) Waiters() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.timers)
}

// BlockUntil returns when at least n timers are set.
func (m *ManualClock) BlockUntil(n int) {
	for {
		m.mu.Lock()
		if len(m.timers) >= n {
			m.mu.Unlock()
			return
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		<-changed
	}
}

type manualTimer struct {
	due time.Time
	seq uint64
	f   func()
	at  int // place in the heap; -1 when it has left it
}

// manualTimers is a heap by due time and order of setting.
type manualTimers []*manualTimer

func (h manualTimers) Len() int { return len(h) }

func (h manualTimers) Less(i, j int) bool {
	if c := h[i].due.Compare(h[j].due); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}

func (h manualTimers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

func (h *manualTimers) Push(x any) {
	t := x.(*manualTimer)
	t.at = len(*h)
	*h = append(*h, t)
}

func (h *manualTimers) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.at = -1
	return t
}

var (
	_ Clock = realClock{}
	_ Clock = (*ManualClock)(nil)
)
