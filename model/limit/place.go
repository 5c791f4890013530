package limit

import "time"

const (
	// few who wait are told each change of their places; with more of them all are told at
	// most once in tellEvery, as each telling is a message to every one.
	few       = 16
	tellEvery = time.Second
	// meanOf is of how many attempts the running mean of their time is, about.
	meanOf = 4
)

// lasted takes in how long an attempt took.
func (s *state) lasted(d time.Duration) {
	if s.took == 0 {
		s.took = d
		return
	}
	s.took += (d - s.took) / meanOf
}

// expected gives about how long it takes until the attempt at a place goes, by what it and
// those before it use in tokens; 0: nobody knows. What limits most counts.
func (s *state) expected(w why, place int, tokens int64, now time.Time) time.Duration {
	longest := s.requests.until(float64(place), now)
	longest = max(longest, s.tokens.until(float64(tokens), now))
	if free := s.most() - len(s.running); place > free {
		if s.took == 0 && w.reason == ByConcurrency {
			return 0
		}
		longest = max(longest, s.took*time.Duration(place-free)/time.Duration(s.most()))
	}
	if d := s.paused.Sub(now); d > 0 {
		longest += d
	}
	return longest
}

// until gives how long it takes until so many have gone; it changes nothing.
func (b *bucket) until(n float64, now time.Time) time.Duration {
	if b.rate == 0 {
		return 0
	}
	level := min(b.level+b.rate*max(now.Sub(b.at), 0).Seconds(), b.most)
	if n <= level {
		return 0
	}
	return time.Duration((n - level) / b.rate * float64(time.Second))
}
