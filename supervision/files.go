package supervision

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// files is the durable state of a run's workspace as effects see it. The run actor
// alone publishes; a published manifest is immutable.
type files struct {
	store journal.Store
	now   atomic.Pointer[workspace.Manifest]
	small sync.Map // contents by hash that the journal holds inline
	keep  bool     // the store has no blobs of its own
}

var _ workspace.Blobs = (*files)(nil)

func (f *files) manifest() *workspace.Manifest { return f.now.Load() }

// note keeps the content of a change that is not in the blob store.
func (f *files) note(m *journal.FileChanged) {
	if m.Content.Text == "" && m.Size > 0 {
		return // it names a content that is stored already
	}
	if m.New != "" && (f.keep || len(m.Content.Text) <= journal.MaxInline) {
		f.small.Store(m.New, m.Content.Text)
	}
}

// GetBlob implements [workspace.Blobs].
func (f *files) GetBlob(ctx context.Context, hash string) ([]byte, error) {
	if v, ok := f.small.Load(hash); ok {
		return []byte(v.(string)), nil
	}
	return f.store.GetBlob(ctx, hash)
}
