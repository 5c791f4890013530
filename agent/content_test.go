package agent

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// A change names a content that the journal has already instead of holding it.
func TestContentOfAChange(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", journal.MaxInline)
	for name, row := range map[string]struct {
		c    workspace.Change
		want journal.Content
	}{
		"text":   {workspace.Change{New: "h", Size: 4, Chars: 4, Content: "text"}, journal.Content{Text: "text"}},
		"long":   {workspace.Change{New: "h", Size: len(long), Content: long}, journal.Content{Text: long}},
		"empty":  {workspace.Change{New: "h"}, journal.Content{}},
		"delete": {workspace.Change{Old: "h"}, journal.Content{}},
		"stored": {workspace.Change{New: "h", Size: len(long), Chars: journal.MaxInline}, journal.Content{Hash: "h", Size: len(long), Chars: journal.MaxInline}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := contentOf(&row.c); got != row.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}
