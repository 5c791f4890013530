package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Links and empty directories are listed as such; written out, a link becomes a copy of the
// file that it leads to, never a link that leads somewhere on the host.
func TestFilesWithLinks(t *testing.T) {
	t.Parallel()
	store := journal.NewMemory(journal.MemoryOptions{})
	const run = "run_links"
	epoch, err := store.Acquire(t.Context(), run, false)
	if err != nil {
		t.Fatal(err)
	}
	payloads := []journal.Payload{&journal.RunCreated{Name: "test"}}
	for _, f := range [][3]string{
		{"output/real", "", "text\n"}, {"output/l", workspace.KindLink, "real"}, {"output/host", workspace.KindLink, "/etc/passwd"}, {"output/e", workspace.KindDir, ""},
	} {
		payloads = append(payloads, &journal.FileChanged{Path: f[0], Kind: f[1], Op: "write", New: workspace.HashOf([]byte(f[2])), Size: len(f[2]), Content: journal.Text(f[2])})
	}
	b := journal.Batch{Run: run, Epoch: epoch}
	for i, p := range payloads {
		b.Records = append(b.Records, journal.Record{V: 1, Run: run, Epoch: epoch, Seq: int64(i + 1), At: time.Unix(1_700_000_000, 0), Payload: p})
	}
	if err := store.Append(t.Context(), []journal.Batch{b})[0]; err != nil {
		t.Fatal(err)
	}
	rt, err := swarm.Open(t.Context(), swarm.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	list, err := rt.Files(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	v := &filesView{Run: run, Out: filepath.Join(t.TempDir(), "out")}
	for _, f := range list {
		v.Files = append(v.Files, fileContent{WorkspaceFile: f})
	}
	var out, said bytes.Buffer
	a := &app{out: &out, err: &said, env: func(string) (string, bool) { return "", false }}
	if err := a.fileList(v); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"output/e/ ", "output/host -> /etc/passwd ", "output/l -> real "} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the list has no %q:\n%s", part, out.String())
		}
	}
	if err := a.export(t.Context(), rt, v); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "output/host was left out: ") {
		t.Errorf("said %q", said.String())
	}
	for name, want := range map[string]string{"real": "text\n", "l": "text\n"} {
		at := filepath.Join(v.Out, "output", name)
		info, err := os.Lstat(at)
		if err != nil || !info.Mode().IsRegular() {
			t.Fatalf("%s: %v, %v", name, info, err)
		}
		if got, err := os.ReadFile(at); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(v.Out, "output", "e")); err != nil || !info.IsDir() {
		t.Errorf("the empty directory: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(v.Out, "output", "host")); err == nil {
		t.Error("a link to the host was made")
	}
}
