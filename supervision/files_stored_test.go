package supervision

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// A change that only names a content does not hide the content that is known.
func TestStoredContentIsKept(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", journal.MaxInline+1)
	f := &files{keep: true}
	f.note(&journal.FileChanged{Path: "output/a", New: "h", Size: len(text), Content: journal.Text(text)})
	f.note(&journal.FileChanged{Path: "output/b", New: "h", Size: len(text), Content: journal.Content{Hash: "h", Size: len(text)}})
	if got, err := f.GetBlob(t.Context(), "h"); err != nil || string(got) != text {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}
