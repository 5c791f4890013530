package agent

import "github.com/seed-cf6d8d1b/swarm/model"

// counted keeps the estimate of a history that only grows.
type counted struct {
	n      int // messages
	tokens int64
}

// estimate gives about how many tokens the next request reads and writes: its history,
// and as much answer as the answers so far had on average.
func (p *Part) estimate() (in, out int64) {
	c := &p.counted
	if c.n > len(p.History) { // it was shortened
		*c = counted{}
	}
	if c.n == 0 {
		c.tokens = model.HeadTokens(p.System, p.Snap.Defs())
	}
	for ; c.n < len(p.History); c.n++ {
		c.tokens += model.MessageTokens(&p.History[c.n])
	}
	if n := p.Usage.Output; n != nil && p.Rounds > 0 {
		out = *n / int64(p.Rounds)
	}
	return c.tokens, out
}
