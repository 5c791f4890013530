package examples

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// aspect is what one researcher searches for.
type aspect struct {
	title string
	words *regexp.Regexp
}

var aspects = []aspect{
	{"Crashes", regexp.MustCompile(`(?i)\b(crash(es|ed)?|kill(s|ed)?|power)\b`)},
	{"Going on", regexp.MustCompile(`(?i)\b(resum(e|es|ed)|recover(s|ed|y)?)\b`)},
	{"Records", regexp.MustCompile(`(?i)\b(journal(s)?|record(s|ed)?)\b`)},
}

// reportOn makes the report that a directory should give, with nothing but the standard
// library.
func reportOn(t *testing.T, dir, question string) string {
	t.Helper()
	var docs []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
			docs = append(docs, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(docs)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%d researchers looked through %d documents.\n\n", question, len(aspects), len(docs))
	for _, a := range aspects {
		n, first := 0, ""
		for _, doc := range docs {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(doc)))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if !a.words.MatchString(line) {
					continue
				}
				if n++; n == 1 {
					first = fmt.Sprintf("  First in %s:%d: %s\n", doc, i+1, line)
				}
			}
		}
		if n == 0 {
			fmt.Fprintf(&b, "- %s: nothing in any document.\n", a.title)
			continue
		}
		fmt.Fprintf(&b, "- %s: %d lines.\n%s", a.title, n, first)
	}
	return b.String()
}

// The report says what stands in the directory, whatever that is, and the work went the
// way of the team: handed over, given to three, merged, published.
func TestResearch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		tree func(t *testing.T) string
	}{
		{"documents of this project", func(*testing.T) string { return filepath.Join("..", "docs") }},
		{"other documents", func(t *testing.T) string {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "b.md"), "# B\n\nIt records a crash.\nThe power fails.\n")
			write(t, filepath.Join(dir, "deep", "a.md"), "Nothing.\nKilled, it recovers.\n")
			write(t, filepath.Join(dir, "notes.txt"), "crash crash crash\n")
			return dir
		}},
		{"one aspect only", func(t *testing.T) string {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.md"), "The journal.\n")
			return dir
		}},
		{"an empty library", func(t *testing.T) string { return t.TempDir() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.Abs(row.tree(t))
			if err != nil {
				t.Fatal(err)
			}
			const question = "What happens when the process is killed?"
			b := setup(t)
			team := b.team("research", config.Options{Set: []string{"workspace={mounts: [{host: " + fmt.Sprintf("%q", dir) + ", at: library}]}"}})
			res, records := b.run(team, question)
			if want := reportOn(t, dir, question); res.Text != want {
				t.Errorf("got\n%s\nwant\n%s", res.Text, want)
			}
			checkResearch(t, records)
		})
	}
}

// checkResearch holds that control went over once, and that three tasks were under way
// together and all came back.
func checkResearch(t *testing.T, records []journal.Record) {
	t.Helper()
	var done []string
	started, ended, tasks, reads := 0, 0, map[string]bool{}, map[string]bool{}
	for i := range records {
		r := &records[i]
		switch m := r.Payload.(type) {
		case *journal.HandoffSettled:
			done = append(done, fmt.Sprint("handoff ", m.Accepted))
		case *journal.TaskCreated:
			tasks[m.ID] = m.Agent == "researcher"
		case *journal.TaskStarted:
			if tasks[r.Scope.Task] {
				if started++; ended > 0 {
					t.Error("a researcher began after another one had ended")
				}
			}
		case *journal.TaskEnded:
			if tasks[r.Scope.Task] && m.Outcome == journal.Completed {
				ended++
			}
		case *journal.CallSettled:
			if m.Dispatched && strings.Contains(r.Scope.Invocation, "researcher") {
				reads[r.Scope.Invocation] = true
			}
		case *journal.CommitSettled:
			done = append(done, fmt.Sprint("commit ", m.Outcome))
		case *journal.RunEnded:
			done = append(done, fmt.Sprint("end ", m.Outcome))
		}
	}
	if want := []string{"handoff true", "commit completed", "end completed"}; !slices.Equal(done, want) {
		t.Errorf("the run went %q, want %q", done, want)
	}
	if n := len(aspects); started != n || ended != n || len(reads) != n {
		t.Errorf("%d researchers began, %d used a tool and %d returned, want %d", started, len(reads), ended, n)
	}
}
