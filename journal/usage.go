package journal

// CostComplete says whether Cost is that of all requests: nothing was asked, or the cost of
// each request is known.
func (u *Usage) CostComplete() bool {
	return u.CostMissing == 0 && (u.Cost != nil || u.Requests == 0)
}
