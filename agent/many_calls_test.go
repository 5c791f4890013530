package agent

import (
	"slices"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// TestAnswerWithManyCalls holds that an answer above the bound is refused, whatever gives
// it, and not asked for again.
func TestAnswerWithManyCalls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		calls int
		want  []string
	}{
		"D24 at the bound":    {model.MaxCalls, []string{`answer 1 "ok"`}},
		"D24 above the bound": {model.MaxCalls + 1, []string{"failed 1 model.answer_too_large"}},
		"D24 far above it":    {20_000, []string{"failed 1 model.answer_too_large"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, Retry{Attempts: 3}, func(int) (*model.Answer, error) {
				return &model.Answer{Text: "ok", Calls: make([]model.AnswerCall, row.calls)}, nil
			}, most)
			if got := a.words(); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
