package examples

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestHandoff(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ input, to, want string }{
		"to billing": {"Is invoice 4711 paid?", "billing", "Billing: 4711 is paid.\n"},
		"to support": {"It does not start.", "support", "Support: turn it off and on.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			res, records := b.run(b.team("handoff", config.Options{}), row.input)
			if !strings.HasSuffix(res.Text, row.want) {
				t.Errorf("got %q, want %q", res.Text, row.want)
			}
			owner := ""
			for i := range records {
				if m, ok := records[i].Payload.(*journal.InvocationEnded); ok && m.Outcome == journal.Completed {
					owner = records[i].Scope.Invocation
				}
			}
			if !strings.Contains(owner, row.to) {
				t.Errorf("the run was ended by %q, not by %s", owner, row.to)
			}
		})
	}
}
