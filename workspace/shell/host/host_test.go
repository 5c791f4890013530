package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/host"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a run whose manifest the test keeps as the journal would.
type bench struct {
	t      *testing.T
	host   *host.Host
	runner shell.Runner
	files  *workspace.Manifest
	blobs  sync.Map // contents by hash
}

func setup(t *testing.T, dir string) *bench {
	t.Helper()
	b := &bench{t: t, host: host.New(host.Options{Dir: dir}), runner: shell.NewInProcess(eval.New(), userland.Registry(), shell.InProcessOptions{})}
	t.Cleanup(func() {
		if err := b.runner.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := b.host.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// GetBlob implements workspace.Blobs.
func (b *bench) GetBlob(_ context.Context, hash string) ([]byte, error) {
	v, ok := b.blobs.Load(hash)
	if !ok {
		return nil, fault.New("workspace.content_expired", "the content %s is gone", hash)
	}
	return v.([]byte), nil
}

func (b *bench) call(run, command string, readOnly bool) (shell.Outcome, []workspace.Change, error) {
	return b.host.Run(b.t.Context(), host.Call{Run: run, Command: command, Dir: "/", ReadOnly: readOnly, Runner: b.runner,
		View: workspace.NewView(workspace.ViewOptions{Manifest: b.files, Blobs: b})})
}

// sh runs a command, records its changes, and gives its output.
func (b *bench) sh(command string) string {
	b.t.Helper()
	out, changes, err := b.call("run", command, false)
	if err != nil || out.Kind != shell.Exited {
		b.t.Fatalf("%s: %s %s: %v", command, out.Kind, out.Reason, err)
	}
	b.record(changes)
	return string(out.Stdout.Head) + string(out.Stderr.Head)
}

func (b *bench) record(changes []workspace.Change) {
	for _, c := range changes {
		if c.New != "" {
			b.blobs.Store(c.New, []byte(c.Content))
		}
	}
	b.files = b.files.With("root", changes)
}

func TestFilesFollowTheManifest(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir())
	b.sh("echo one > /output/a; mkdir -p /scratch/d/e; echo two > /scratch/d/e/f")
	if got := b.sh("cat /output/a /scratch/d/e/f"); got != "one\ntwo\n" {
		t.Fatalf("got %q", got)
	}
	t.Run("a change whose record was lost is undone", func(t *testing.T) {
		if _, changes, err := b.call("run", "echo lost > /output/a; echo lost > /output/b", false); err != nil || len(changes) != 2 {
			t.Fatal(changes, err)
		}
		if got := b.sh("cat /output/a; ls /output"); got != "one\na\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a change of a file tool is seen", func(t *testing.T) {
		b.record([]workspace.Change{{Path: "output/a", Op: "write", New: workspace.HashOf([]byte("tool")), Size: 4, Chars: 4, Content: "tool"}, {Path: "scratch/d/e/f"}})
		if got := b.sh("cat /output/a; ls -R /scratch"); strings.Contains(got, "f\n") || !strings.HasPrefix(got, "tool") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a projection that is forgotten is made anew", func(t *testing.T) {
		b.host.Forget("run")
		if got := b.sh("cat /output/a"); got != "tool" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a content that is gone is said", func(t *testing.T) {
		b.blobs.Delete(workspace.HashOf([]byte("tool")))
		b.host.Forget("run")
		if _, _, err := b.call("run", "cat /output/a", false); fault.Code(err) != "workspace.content_expired" {
			t.Errorf("got %v", err)
		}
	})
}

// Calls that read run at the same time, and none of them changes a file.
func TestReaders(t *testing.T) {
	t.Parallel()
	b := setup(t, "")
	b.sh("seq 100 > /output/n")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			out, changes, err := b.call("run", "sort -n /output/n | tail -1; echo x > /output/x", true)
			if err != nil || string(out.Stdout.Head) != "100\n" || len(changes) > 0 || !strings.Contains(string(out.Stderr.Head), "Read-only file system") {
				t.Errorf("%q %q %v %v", out.Stdout.Head, out.Stderr.Head, changes, err)
			}
		})
	}
	group.Wait()
}

// checklist-20: two runs at once have nothing in common.
func TestChecklist20RunsAreApart(t *testing.T) {
	t.Parallel()
	b := setup(t, t.TempDir())
	var group sync.WaitGroup
	for _, run := range []string{"a", "b", "c"} {
		group.Go(func() {
			out, changes, err := b.call(run, "echo "+run+" > /output/"+run+"; echo t > /tmp/"+run+"; ls /output /tmp; x="+run, false)
			if got := string(out.Stdout.Head); err != nil || got != "/output:\n"+run+"\n\n/tmp:\n"+run+"\n" || len(changes) != 1 {
				t.Errorf("%s sees %q: %v %v", run, got, changes, err)
			}
		})
	}
	group.Wait()
}

// What a process left that was killed is removed by the next one; what is in use stays.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	die := func() {
		t.Helper()
		dead := filepath.Join(dir, "p123")
		if err := os.MkdirAll(filepath.Join(dead, "run", "output"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dead+".lock", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	die()
	host.Sweep(dir)
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("left: %v, %v", entries, err)
	}
	host.Sweep(filepath.Join(dir, "none"))
	die()
	one, two := setup(t, dir), setup(t, dir)
	one.sh("echo one > /output/a")
	two.sh("echo two > /output/a")
	if got := one.sh("cat /output/a"); got != "one\n" {
		t.Errorf("got %q", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 4 || slices.Contains(names, "p123") {
		t.Errorf("left: %v", names)
	}
	if err := one.host.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := one.call("run", "true", false); fault.Code(err) != "workspace.storage_failed" {
		t.Errorf("a closed host gives %v", err)
	}
}
