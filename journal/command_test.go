package journal_test

import (
	"errors"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// What is refused in one process is the same typed error in another.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, answer, code, text string
	}{
		{"recorded", journal.Recorded, "", ""},
		{"duplicate", journal.Duplicate, "", ""},
		{"not answered", "", "", ""},
		{"a typed error", journal.Refuse(fault.New("guidance.full", "%d wait [already]", 8)), "guidance.full", "8 wait [already] [guidance.full]"},
		{"where it was tried is not said twice", journal.Refuse(fault.New("guidance.full", "8 wait").With("say", "run_a")), "guidance.full", "8 wait [guidance.full]"},
		{"any other error", journal.Refuse(errors.New("no")), "command.refused", "no [command.refused]"},
		{"of an older program", "refused: there is no such task", "command.refused", "there is no such task [command.refused]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := journal.Refusal(row.answer)
			if row.code == "" {
				if err != nil {
					t.Errorf("%q is the error %v", row.answer, err)
				}
				return
			}
			if fault.Code(err) != row.code || err.Error() != row.text {
				t.Errorf("%q is the error %v, want %s", row.answer, err, row.text)
			}
		})
	}
}
