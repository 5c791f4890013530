package agent

import "hash/maphash"

// stall notices a turn that asks the same calls and gets the same results as the turn
// before it. It is part of the fold; its hashes mean nothing outside one process.
type stall struct {
	seed  maphash.Seed
	last  uint64
	times int  // turns in a row with the fingerprint; 1 for the first
	noted bool // the model was told
}

func (s *stall) turn(calls []Call) {
	if s.times == 0 {
		s.seed = maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	waiting := len(calls) > 0
	for i := range calls {
		c := &calls[i]
		waiting = waiting && c.Tool == AwaitTool
		for _, t := range [...]string{c.Tool, c.Name, c.ArgsText, c.Result.Text} {
			_, _ = h.WriteString(t)
			_ = h.WriteByte(0)
		}
	}
	if waiting {
		return // waiting is not stalling
	}
	sum := h.Sum64()
	if s.times > 0 && sum == s.last {
		s.times++
		return
	}
	s.last, s.times, s.noted = sum, 1, false
}
