package agent

// estimate gives about how many tokens the next request reads and writes: its history,
// and as much answer as the answers so far had on average.
func (p *Part) estimate() (in, out int64) {
	if n := p.Usage.Output; n != nil && p.Rounds > 0 {
		out = *n / int64(p.Rounds)
	}
	return p.Estimate(), out
}
