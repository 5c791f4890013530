package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// published is the journal of a run that publishes to a file.
type published struct {
	t     *testing.T
	store *journal.Memory
	file  string
	seq   int64
}

func publishing(t *testing.T) *published {
	t.Helper()
	p := &published{t: t, store: journal.NewMemory(journal.MemoryOptions{Clock: time.Now, RoundTrip: true}), file: filepath.Join(t.TempDir(), "out.md")}
	t.Cleanup(func() { _ = p.store.Close() })
	if _, err := p.store.Acquire(t.Context(), "run_a", false); err != nil {
		t.Fatal(err)
	}
	p.record(&journal.RunCreated{Name: "t"})
	return p
}

func (p *published) record(payload journal.Payload) {
	p.t.Helper()
	r := journal.Record{V: 1, Run: "run_a", Epoch: 1, Seq: p.seq + 1, Prev: p.seq, At: time.Unix(0, 0).UTC(), Payload: payload}
	if errs := p.store.Append(p.t.Context(), []journal.Batch{{Run: "run_a", Epoch: 1, After: p.seq, Records: []journal.Record{r}}}); errs[0] != nil {
		p.t.Fatal(errs[0])
	}
	p.seq++
}

// request records a file and that it is to be published.
func (p *published) request(id, mode, content string) swarm.Commit {
	p.t.Helper()
	c := swarm.Commit{ID: id, Run: "run_a", Mode: mode, Content: []byte(content), Hash: workspace.HashOf([]byte(content))}
	p.record(&journal.FileChanged{Path: "output/main.md", Op: "write", New: c.Hash, Content: journal.Text(content)})
	p.record(&journal.CommitRequested{Commit: id, Path: "output/main.md", Mode: mode, Hash: c.Hash})
	return c
}

func (p *published) settle(id string, outcome journal.Outcome) {
	p.t.Helper()
	p.record(&journal.CommitSettled{Commit: id, Outcome: outcome})
}

// send publishes as a new process does, and compares the file.
func (p *published) send(c swarm.Commit, want string) {
	p.t.Helper()
	to, err := newPublisher(p.file, io.Discard)
	if err != nil {
		p.t.Fatal(err)
	}
	to.store = p.store
	if _, err := to.commit(p.t.Context(), c); err != nil {
		p.t.Fatal(err)
	}
	if got, err := os.ReadFile(p.file); err != nil || string(got) != want {
		p.t.Errorf("commit %s: the file holds %.200q, %v, want %.200q", c.ID, got, err, want)
	}
}

func TestPublishIsAFunctionOfTheJournal(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	if err := os.WriteFile(p.file, []byte("of another run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("many ", 40_000) // a blob
	a := p.request("a", "append", "one\n")
	p.send(a, "one\n")
	p.send(a, "one\n") // killed before it was settled, and sent again
	p.settle("a", journal.Completed)
	b := p.request("b", "append", big)
	p.send(b, "one\n"+big)
	p.send(b, "one\n"+big)
	p.settle("b", journal.Completed)
	p.send(p.request("c", "append", "not taken\n"), "one\n"+big+"not taken\n")
	p.settle("c", journal.Failed)
	d := p.request("d", "append", "four\n")
	p.send(d, "one\n"+big+"four\n")
	p.settle("d", journal.Completed)
	e := p.request("e", "replace", "anew\n")
	p.send(e, "anew\n")
	p.send(e, "anew\n")
	p.settle("e", journal.Completed)
	f := p.request("f", "append", "and on\n")
	p.send(f, "anew\nand on\n")
	p.send(f, "anew\nand on\n")
	if info, err := os.Stat(p.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestPublishToALink(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	dir := filepath.Dir(p.file)
	real := filepath.Join(dir, "real.md")
	for link, target := range map[string]string{p.file: "mid.md", filepath.Join(dir, "mid.md"): real} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	c := p.request("a", "append", "one\n")
	p.send(c, "one\n") // the target is made
	p.send(c, "one\n")
	for _, link := range []string{p.file, filepath.Join(dir, "mid.md")} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link %s is gone: %v", link, err)
		}
	}
	if got, err := os.ReadFile(real); err != nil || string(got) != "one\n" {
		t.Errorf("the target has %q, %v", got, err)
	}
}

func TestPublishThroughAPipe(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	if err := syscall.Mkfifo(p.file, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(p.file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	to, err := newPublisher(p.file, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	to.store = p.store
	if _, err := to.commit(t.Context(), p.request("a", "append", "one\n")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "one\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if info, err := os.Lstat(p.file); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v", err)
	}
}

func TestPublishToTheOutputItself(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	out, err := os.Create(p.file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	info, err := out.Stat()
	if err != nil {
		t.Fatal(err)
	}
	to := &publisher{file: p.file, out: out}
	if err := to.through(info, []byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.WriteString("result\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(p.file); err != nil || !bytes.Equal(got, []byte("one\nresult\n")) {
		t.Errorf("got %q, %v", got, err)
	}
	for name, want := range map[string]bool{"/dev/stdout": true, "/proc/self/fd/1": true, p.file: false} {
		if got := device(name); got != want {
			t.Errorf("device(%s) is %v", name, got)
		}
	}
}

func TestPublishRefusesEarly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, row := range map[string]struct{ file, says string }{
		"no directory": {filepath.Join(dir, "no", "out.md"), "there is no directory"},
		"a directory":  {dir, "is a directory; name a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newPublisher(row.file, io.Discard)
			var e *exit
			if !errors.As(err, &e) || e.code != exitUsage || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}
