package swarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// edit is a change of a file by an agent; "" is the host.
type edit struct {
	by, path, content string
	kind              string
	exec              bool
	gone              bool
}

// filesRun stores a run that consists of changes of files.
func filesRun(t *testing.T, store journal.Store, edits ...edit) (rt *swarm.Runtime, run string) {
	t.Helper()
	run = "run_files"
	epoch, err := store.Acquire(t.Context(), run, false)
	if err != nil {
		t.Fatal(err)
	}
	payloads := []journal.Record{{Payload: &journal.RunCreated{Name: "test", Labels: map[string]string{"ticket": "17"}}}}
	for _, e := range edits {
		m := &journal.FileChanged{Path: e.path, Kind: e.kind, Exec: e.exec, Op: "write", New: workspace.HashOf([]byte(e.content)), Size: len(e.content),
			Chars: workspace.Chars(e.content), Content: journal.Text(e.content)}
		if e.gone {
			m = &journal.FileChanged{Path: e.path, Op: "delete"}
		}
		payloads = append(payloads, journal.Record{Scope: journal.Scope{Invocation: e.by}, Payload: m})
	}
	for i := range payloads {
		r := &payloads[i]
		r.V, r.Run, r.Epoch, r.Seq, r.At = 1, run, epoch, int64(i+1), time.Unix(1_700_000_000, 0)
	}
	for _, err := range store.Append(t.Context(), []journal.Batch{{Run: run, Epoch: epoch, Records: payloads}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	rt, err = swarm.Open(t.Context(), swarm.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rt, run
}

// stores opens each kind of store.
func stores(t *testing.T) map[string]journal.Store {
	t.Helper()
	sqlite, err := journal.OpenSQLite(t.Context(), t.TempDir(), journal.SQLiteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sqlite.Close() })
	return map[string]journal.Store{"memory": journal.NewMemory(journal.MemoryOptions{}), "sqlite": sqlite}
}

func TestFilesOfARun(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("汉字\n", 20_000)
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			rt, run := filesRun(t, store, edit{path: "input/a.txt", content: "given"}, edit{by: "root", path: "output/main.md", content: "one"},
				edit{by: "root/critic", path: "output/main.md", content: long}, edit{by: "root", path: "scratch/old", content: "x"},
				edit{by: "root", path: "scratch/old", gone: true}, edit{by: "root", path: "output/empty", content: ""})
			list, err := rt.Files(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range list {
				got = append(got, fmt.Sprintf("%s %d/%d by %q in %d", f.Path, f.Chars, f.Bytes, f.By, f.Seq))
			}
			want := []string{`input/a.txt 5/5 by "" in 2`, `output/empty 0/0 by "root" in 7`, fmt.Sprintf(`output/main.md %d/%d by "root/critic" in 4`, workspace.Chars(long), len(long))}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %q, want %q", got, want)
			}
			for path, want := range map[string]string{"output/main.md": long, "./input//a.txt": "given", "output/empty": ""} {
				if b, err := rt.ReadFile(t.Context(), run, path); err != nil || string(b) != want {
					t.Errorf("%s: %d bytes, %v", path, len(b), err)
				}
			}
			for path, want := range map[string]string{
				"output/mian.md": "workspace.file_not_found: the nearest file is output/main.md",
				"scratch/old":    "workspace.file_not_found: was removed by root in record 6",
				"output":         "workspace.path_is_directory: with 2 files",
				".":              "workspace.path_is_directory: the root of the workspace is a directory",
				"../x":           "workspace.invalid_path: ..",
				"/etc/passwd":    "workspace.invalid_path: relative",
				"":               "workspace.invalid_path: empty",
			} {
				_, err := rt.ReadFile(t.Context(), run, path)
				code, text, _ := strings.Cut(want, ": ")
				if fault.Code(err) != code || !strings.Contains(err.Error(), text) {
					t.Errorf("%q: %v, want %s", path, err, want)
				}
			}
			if l, err := rt.Labels(t.Context(), run); err != nil || l["ticket"] != "17" {
				t.Errorf("labels %v, %v", l, err)
			}
			for what, err := range map[string]error{"files": second(rt.Files(t.Context(), "run_x")), "read": second(rt.ReadFile(t.Context(), "run_x", "a")),
				"diff": second(rt.Diff(t.Context(), "run_x", "")), "labels": second(rt.Labels(t.Context(), "run_x"))} {
				if fault.Code(err) != "journal.run_not_found" {
					t.Errorf("%s of a run that is not there: %v", what, err)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func TestDiffOfARun(t *testing.T) {
	t.Parallel()
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			rt, run := filesRun(t, store,
				edit{path: "input/a", content: "one\ntwo\nthree\n"}, edit{path: "input/gone", content: "x\n"}, edit{path: "input/same", content: "y"}, edit{path: "input/back", content: "b"},
				edit{by: "root", path: "input/a", content: "one\n2\nthree\n"}, edit{by: "root", path: "input/gone", gone: true},
				edit{by: "root", path: "input/back", content: "c"}, edit{by: "root", path: "input/back", content: "b"},
				edit{by: "root/w", path: "output/my file", content: "a\nb"}, edit{by: "root", path: "output/pic", content: "\x89PNG\x00\xff"},
				edit{by: "root", path: "output/large", content: strings.Repeat("x", 300<<10)}, edit{by: "root", path: "output/lines", content: strings.Repeat("\n", 20_000)},
				edit{by: "root", path: "scratch/temp", content: "t"}, edit{by: "root", path: "scratch/temp", gone: true},
				edit{by: "root", path: "tool-results/calls/root/t1.txt", content: "long\n"})
			got, err := rt.Diff(t.Context(), run, "")
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, d := range got {
				lines = append(lines, fmt.Sprintf("%s %s by %s +%d -%d %s", d.Path, d.Change, d.By, d.Added, d.Removed, d.Omitted))
			}
			want := "input/a changed by root +1 -1 \ninput/gone removed by root +0 -1 \noutput/large added by root +0 -0 large\n" +
				"output/lines added by root +0 -0 large\noutput/my file added by root/w +2 -0 \noutput/pic added by root +0 -0 binary\n" +
				"tool-results/calls/root/t1.txt added by root +0 -0 result"
			if text := strings.Join(lines, "\n"); text != want {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
			if want := "--- a/input/a\n+++ b/input/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"; got[0].Diff != want {
				t.Errorf("got %q, want %q", got[0].Diff, want)
			}
			if want := "--- a/input/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"; got[1].Diff != want {
				t.Errorf("got %q, want %q", got[1].Diff, want)
			}
			if want := "--- /dev/null\n+++ b/output/my file\t\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"; got[4].Diff != want {
				t.Errorf("got %q, want %q", got[4].Diff, want)
			}
			for path, n := range map[string]int{"input": 2, "input/a": 1, "input/same": 0, "scratch/temp": 0, "output/": 4, ".": 7} {
				if got, err := rt.Diff(t.Context(), run, path); err != nil || len(got) != n {
					t.Errorf("%s: %d files, %v; want %d", path, len(got), err, n)
				}
			}
			if got, err := rt.Diff(t.Context(), run, "tool-results/calls"); err != nil || len(got) != 1 || got[0].Added != 1 {
				t.Errorf("a result that is named: %+v, %v", got, err)
			}
			for path, code := range map[string]string{"outptu": "workspace.file_not_found", "..": "workspace.invalid_path"} {
				if _, err := rt.Diff(t.Context(), run, path); fault.Code(err) != code {
					t.Errorf("%s: %v, want %s", path, err, code)
				}
			}
		})
	}
}

// The files of a run are seen while another runtime owns it.
func TestFilesOfARunningRun(t *testing.T) {
	t.Parallel()
	h := newHolder(t, "hold", false)
	store := journal.NewMemory(journal.MemoryOptions{})
	b := setup(t, setupOptions{store: store, tools: []swarm.Tool{h.tool}, script: swarmtest.Script{"root": {
		swarmtest.Do(swarmtest.Call("workspace_write_file", `{"path":"output/main.md","content":"now"}`)),
		swarmtest.Do(swarmtest.Call("hold", "{}")),
	}}})
	b.team.Agents["root"].Allow = []string{"workspace.write_file", "extension/go:hold"}
	run, err := b.rt.Start(t.Context(), b.team, swarm.Input{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	<-h.begun
	reader, err := swarm.Open(t.Context(), swarm.Options{Store: store.Reopen()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := reader.ReadFile(t.Context(), run.ID(), "output/main.md"); err != nil || string(got) != "now" {
		t.Errorf("%q, %v", got, err)
	}
	if err := reader.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if sum, err := store.Summary(t.Context(), run.ID()); err != nil || sum.State != "running" || sum.Epoch != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if err := run.Cancel(t.Context(), "enough"); err != nil {
		t.Error(err)
	}
	close(h.let)
	if _, err := run.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
