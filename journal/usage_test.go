package journal

import "testing"

func TestCostComplete(t *testing.T) {
	t.Parallel()
	cost := int64(0)
	for _, row := range []struct {
		name string
		u    Usage
		want bool
	}{
		{"nothing was asked", Usage{}, true},
		{"free", Usage{Requests: 2, Cost: &cost}, true},
		{"unknown", Usage{Requests: 1, CostMissing: 1}, false},
		{"unknown in part", Usage{Requests: 2, Cost: &cost, CostMissing: 1}, false},
		{"of a version that counted no costs", Usage{Requests: 1}, false},
	} {
		if row.u.CostComplete() != row.want {
			t.Errorf("%s: %t", row.name, !row.want)
		}
	}
}
