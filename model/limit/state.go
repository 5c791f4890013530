package limit

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Limits of one key. A zero number is no limit, but for Concurrency.
type Limits struct {
	Concurrency int   // attempts at once; default 8
	Requests    int   // a minute
	Tokens      int64 // a minute, input and output
}

const (
	defaultConcurrency = 8
	// burst is the part of a minute's requests or tokens that may go at once: 5 seconds of
	// them. What is larger by itself goes when as much as a burst has come together.
	burst = time.Minute / 12
	// A key that is refused without a wish of the server pauses for pauseBase, twice as
	// long each time in a row, up to pauseCap.
	pauseBase, pauseCap = time.Second, time.Minute
)

// Reasons for waiting.
const (
	ByConcurrency = "concurrency"
	ByRequests    = "requests"
	ByTokens      = "tokens"
	ByRetryAfter  = "retry_after"
)

// ticket is an attempt that waits or runs.
type ticket struct {
	Acquire
	since  time.Time
	begun  time.Time // when it was let go
	reason string    // why it waits, as it was told
	place  int       // that it was told; 0: none
}

type ticketKey struct {
	from actors.Ref
	tag  uint64
}

func (t *ticket) key() ticketKey { return ticketKey{t.From, t.Tag} }

// bucket is a token bucket.
type bucket struct {
	rate  float64 // a second
	most  float64
	level float64
	at    time.Time
}

func newBucket(perMinute float64, now time.Time) bucket {
	most := max(perMinute*burst.Minutes(), 1)
	return bucket{rate: perMinute / 60, most: most, level: most, at: now}
}

// wait says how long it takes until n may go; 0: now.
func (b *bucket) wait(n float64, now time.Time) time.Duration {
	if b.rate == 0 {
		return 0
	}
	if d := now.Sub(b.at); d > 0 {
		b.level = min(b.level+b.rate*d.Seconds(), b.most)
		b.at = now
	}
	missing := min(n, b.most) - b.level
	if missing <= 1e-9 {
		return 0
	}
	return max(time.Duration(missing/b.rate*float64(time.Second)), time.Millisecond)
}

// state is everything that a limiter knows. It is pure: time comes in.
type state struct {
	limits   Limits
	requests bucket
	tokens   bucket
	queue    queue
	running  map[ticketKey]*ticket
	paused   time.Time     // nothing goes before
	refused  int           // rate limits in a row
	took     time.Duration // running mean of an attempt; 0: none has ended
	breakers map[string]*breaker
}

func newState(l Limits, now time.Time) *state {
	s := &state{running: make(map[ticketKey]*ticket)}
	s.lower(l, now)
	return s
}

// lower takes the lower of each number that is set.
func (s *state) lower(l Limits, now time.Time) {
	if n := l.Concurrency; n > 0 && (s.limits.Concurrency <= 0 || n < s.limits.Concurrency) {
		s.limits.Concurrency = n
	}
	if n := l.Requests; n > 0 && (s.limits.Requests <= 0 || n < s.limits.Requests) {
		s.limits.Requests = n
		s.requests = newBucket(float64(n), now)
	}
	if n := l.Tokens; n > 0 && (s.limits.Tokens <= 0 || n < s.limits.Tokens) {
		s.limits.Tokens = n
		s.tokens = newBucket(float64(n), now)
	}
}

// most gives how many attempts may run at once.
func (s *state) most() int {
	if n := s.limits.Concurrency; n > 0 {
		return n
	}
	return defaultConcurrency
}

// next gives the attempt that may go now; nil: nobody may, for the reason, and after wait
// it is worth to look again (0: when something is given back).
func (s *state) next(now time.Time) (t *ticket, reason string, wait time.Duration) {
	t = s.queue.first()
	if t == nil {
		return nil, "", 0
	}
	if d := s.paused.Sub(now); d > 0 {
		return nil, ByRetryAfter, d
	}
	if len(s.running) >= s.most() {
		return nil, ByConcurrency, 0
	}
	if d := s.requests.wait(1, now); d > 0 {
		return nil, ByRequests, d
	}
	if d := s.tokens.wait(float64(t.Tokens), now); d > 0 {
		return nil, ByTokens, d
	}
	s.queue.pop()
	s.requests.level--
	s.tokens.level -= float64(t.Tokens)
	t.begun = now
	s.running[t.key()] = t
	return t, "", 0
}

// done takes back a permit, or takes a waiting one out of the queue.
func (s *state) done(r Release, now time.Time) {
	k := ticketKey{r.From, r.Tag}
	t, ok := s.running[k]
	if !ok {
		s.unprobe(k)
		s.queue.remove(func(t *ticket) bool { return t.key() == k })
		return
	}
	delete(s.running, k)
	s.lasted(now.Sub(t.begun))
	s.judge(t, r.Class, now)
	if r.Used > 0 { // what was reserved beyond the real use comes back, and the other way
		s.tokens.level = min(s.tokens.level+float64(t.Tokens-r.Used), s.tokens.most)
	}
	switch r.Class {
	case model.ClassRate:
		d := r.RetryAfter
		if d <= 0 {
			d = min(pauseBase<<min(s.refused, 16), pauseCap)
		}
		s.refused++
		if until := now.Add(d); until.After(s.paused) {
			s.paused = until
		}
	case "":
		s.refused = 0
	}
}

// gone drops everything of an actor that has ended.
func (s *state) gone(ref actors.Ref) {
	for k := range s.running { // a set
		if k.from == ref {
			delete(s.running, k)
		}
	}
	for _, b := range s.breakers { // each for itself
		if b.probe.from == ref {
			b.probe = ticketKey{}
		}
	}
	s.queue.remove(func(t *ticket) bool { return t.From == ref })
}
