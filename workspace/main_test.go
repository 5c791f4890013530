package workspace

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// blobs is a store of contents in memory. It is filled before it is shared.
type blobs map[string][]byte

func (b blobs) GetBlob(_ context.Context, hash string) ([]byte, error) {
	if c, ok := b[hash]; ok {
		return c, nil
	}
	return nil, fault.New("journal.blob_not_found", "no blob %s", hash)
}

// bench is a run workspace that one agent works in, one call at a time.
type bench struct {
	t        *testing.T
	blobs    blobs
	manifest *Manifest
	reads    ReadState
	roots    Roots
	limits   Limits
}

func setup(t *testing.T, files ...string) *bench {
	t.Helper()
	b := &bench{t: t, blobs: blobs{}}
	for i := 0; i < len(files); i += 2 {
		b.put("root/other", files[i], files[i+1])
	}
	return b
}

// put changes a file as somebody else.
func (b *bench) put(by, path, content string) {
	c := Change{Path: path, New: HashOf([]byte(content)), Size: len(content), Chars: Chars(content), Content: content}
	b.blobs[c.New] = []byte(content)
	b.manifest = b.manifest.With(by, []Change{c})
}

func (b *bench) view() *View {
	return NewView(ViewOptions{Manifest: b.manifest, Reads: b.reads, Blobs: b.blobs, Agent: "root", Roots: b.roots, Limits: b.limits})
}

func (b *bench) read(path string, r Range) *Reading {
	b.t.Helper()
	got, err := b.view().Read(b.t.Context(), path, r)
	if err != nil {
		b.t.Fatalf("read %s: %v", path, err)
	}
	b.reads = b.reads.With(got.Observed)
	return got
}

func (b *bench) apply(c Change, obs []journal.Observed) {
	b.blobs[c.New] = []byte(c.Content)
	b.manifest = b.manifest.With("root", []Change{c})
	b.reads = b.reads.With(obs)
}

// write gives the code of the error, or "".
func (b *bench) write(w WriteRequest) (*Written, error) {
	got, err := b.view().Write(b.t.Context(), w)
	if err == nil {
		b.apply(got.Change, got.Observed)
	}
	return got, err
}

func (b *bench) patch(r PatchRequest) (Patched, error) {
	got, err := b.view().Patch(b.t.Context(), r)
	if err == nil {
		b.apply(got.Change, got.Observed)
	} else {
		b.reads = b.reads.With(got.Observed)
	}
	return got, err
}

func (b *bench) text(path string) string {
	b.t.Helper()
	e, ok := b.manifest.Get(path)
	if !ok {
		b.t.Fatalf("%s does not exist", path)
	}
	return string(b.blobs[e.Hash])
}

// wantCode checks the code of an error; "" wants none.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if code == "" && err != nil || fault.Code(err) != code {
		t.Fatalf("got error %v, want code %q", err, code)
	}
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not contain %q", text, p)
		}
	}
}
