package builtin

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// hostFunc is a [Committer].
type hostFunc func(Commit) (string, error)

func (f hostFunc) Commit(_ context.Context, c Commit) (string, error) { return f(c) }

func TestCommit(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer  func(Commit) (string, error)
		code    string
		outcome journal.Outcome // of the commit
		settled journal.CommitSettled
		text    string
	}{
		"accepted": {
			answer: func(Commit) (string, error) { return "out.md", nil }, text: "published output/main.md (append): 8 characters, 2 words, out.md",
			settled: journal.CommitSettled{Commit: "key1", Outcome: journal.Completed, Ref: "out.md"},
		},
		"rejected": {
			answer: func(Commit) (string, error) { return "", fault.New("workspace.commit_rejected", "too short") },
			code:   "workspace.commit_rejected", text: "did not take output/main.md: too short",
			settled: journal.CommitSettled{Commit: "key1", Outcome: journal.Failed, Reason: "too short"},
		},
		"no answer": {
			answer: func(Commit) (string, error) { return "", context.DeadlineExceeded },
			code:   "workspace.commit_unknown", outcome: journal.Unknown, text: "may have been published or not",
			settled: journal.CommitSettled{Commit: "key1", Outcome: journal.Unknown, Reason: context.DeadlineExceeded.Error()},
		},
		"broken": {
			answer: func(Commit) (string, error) { return "", errors.New("pipe closed") },
			code:   "workspace.commit_unknown", outcome: journal.Unknown, text: "pipe closed",
			settled: journal.CommitSettled{Commit: "key1", Outcome: journal.Unknown, Reason: "pipe closed"},
		},
		"no host": {
			text:    "published output/main.md",
			settled: journal.CommitSettled{Commit: "key1", Outcome: journal.Completed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "output/main.md", "one two\n")
			var host Committer
			var got []Commit
			if row.answer != nil {
				host = hostFunc(func(c Commit) (string, error) {
					got = append(got, c)
					return row.answer(c)
				})
			}
			d.tools = []tooling.Tool{CommitTool(host)}
			tool, c := d.prepare("workspace.commit", `{"mode":"append","reason":"done"}`)
			in, refused := tool.Prepare(t.Context(), c)
			if refused != nil {
				t.Fatal(refused.Content)
			}
			want := journal.CommitRequested{
				Commit: "key1", Path: "output/main.md", Mode: "append", Reason: "done", Chars: 8,
			}
			e, _ := d.manifest.Get("output/main.md")
			want.Hash = e.Hash
			if *in.Commit != want {
				t.Errorf("intent %+v", in.Commit)
			}
			in.Commit.Number, c.State = 3, in.State
			r := tool.Handle(t.Context(), c)
			if r.Code != row.code || r.Outcome != row.outcome || r.Commit == nil || *r.Commit != row.settled {
				t.Errorf("got %q, %q, %+v", r.Code, r.Outcome, r.Commit)
			}
			wantParts(t, r.Content, row.text)
			if host != nil && (len(got) != 1 || got[0].ID != "key1" || got[0].Number != 3 || string(got[0].Content) != "one two\n" || got[0].By != "root") {
				t.Errorf("the host got %+v", got)
			}
			if rec := r.Structured; row.code == "" && record(t, tooling.Result{Structured: rec})["number"] != 3.0 {
				t.Errorf("got %+v", rec)
			}
		})
	}
}

// After a restart the bytes of the recorded request are sent, not those of the file.
func TestCommitAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "output/main.md", "first")
	var got []Commit
	d.tools = []tooling.Tool{CommitTool(hostFunc(func(c Commit) (string, error) {
		got = append(got, c)
		return "", nil
	}))}
	tool, c := d.prepare("workspace.commit", `{}`)
	in, _ := tool.Prepare(t.Context(), c)
	recorded := *in.Commit
	d.put("output/main.md", "second")
	_, c = d.prepare("workspace.commit", `{}`)
	c.State = &recorded
	tool.Handle(t.Context(), c)
	c.State = nil
	tool.Handle(t.Context(), c)
	if len(got) != 2 || string(got[0].Content) != "first" || string(got[1].Content) != "second" || got[0].ID != got[1].ID {
		t.Errorf("the host got %+v", got)
	}
	delete(d.store, recorded.Hash)
	c.State = &recorded
	if r := tool.Handle(t.Context(), c); r.Code != "workspace.storage_failed" || r.Commit == nil || r.Commit.Outcome != journal.Failed || len(got) != 2 {
		t.Errorf("got %+v", r)
	}
}
