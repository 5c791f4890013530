package examples

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// reviewed is a finding of the review, with what makes a line of the source one.
type reviewed struct {
	what  string
	tests bool // only files of tests
	line  func(string) bool
}

func matches(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }

var findings = []reviewed{
	{what: "results thrown away", line: matches(`^[\t ]*_ = [A-Za-z0-9_.]+\(`)},
	{what: "causes formatted instead of wrapped", line: matches(`fmt\.Errorf\("([^"%]|%[^w])*".*\berr\)`)},
	{what: "panics", line: matches(`\bpanic\(`)},
	{what: "goroutines started", line: matches(`^[\t ]*go (func|[A-Za-z0-9_.]+)\(`)},
	{what: "locks", line: matches(`\bsync\.(Mutex|RWMutex)\b`)},
	{what: "sleeps", line: matches(`\btime\.Sleep\(`)},
	{what: "package comments", line: func(s string) bool { return strings.HasPrefix(s, "// Package ") }},
	{what: "exported functions and methods", line: matches(`^func (\([^)]*\) )?[A-Z]`)},
	{what: "open remarks", line: matches(`//.*\b(TODO|FIXME|XXX)\b`)},
	{what: "tests", tests: true, line: func(s string) bool { return strings.HasPrefix(s, "func Test") }},
	{what: "fuzz tests", tests: true, line: func(s string) bool { return strings.HasPrefix(s, "func Fuzz") }},
	{what: "tests that may be skipped", tests: true, line: matches(`\bt\.Skip(f|Now)?\(`)},
}

// counted is what a test has counted itself.
type counted struct {
	files int
	hits  map[string]int
	first map[string]string // path:line
}

// countTree counts with nothing but the standard library.
func countTree(t *testing.T, dir string) counted {
	t.Helper()
	c := counted{hits: map[string]int{}, first: map[string]string{}}
	var paths []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), "id_") // by default, since private keys are named so
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !hidden {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c.files = len(paths)
	slices.Sort(paths)
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			for _, f := range findings {
				if f.tests && !strings.HasSuffix(path, "_test.go") || !f.line(line) {
					continue
				}
				c.hits[f.what]++
				if c.first[f.what] == "" {
					c.first[f.what] = path + ":" + strconv.Itoa(i+1)
				}
			}
		}
	}
	return c
}

// compare holds a report against the counts.
func compare(t *testing.T, report string, c counted) {
	t.Helper()
	said := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^- ([0-9,]+) (.*?)(?:: `([^`]+)`.*|\\.)$").FindAllStringSubmatch(report, -1) {
		said[m[2]] = m[1:]
	}
	if want := fmt.Sprintf("\n%d Go files were looked at by 4 reviewers.\n", c.files); !strings.Contains(report, want) {
		t.Errorf("the report does not say %q", strings.TrimSpace(want))
	}
	for _, f := range findings {
		got := said[f.what]
		if got == nil {
			t.Errorf("the report says nothing of %s", f.what)
			continue
		}
		if n, err := strconv.Atoi(strings.ReplaceAll(got[0], ",", "")); err != nil || n != c.hits[f.what] {
			t.Errorf("%s: the report says %s, there are %d", f.what, got[0], c.hits[f.what])
		}
		if got[2] != c.first[f.what] {
			t.Errorf("%s: the report says the first is at %q, it is at %q", f.what, got[2], c.first[f.what])
		}
	}
	if t.Failed() {
		t.Log(report)
	}
}

func mounted(dir string) string {
	return "workspace={mounts: [{host: " + strconv.Quote(dir) + ", at: project}]}"
}

func TestReview(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		tree func(t *testing.T) string
	}{
		{"packages of this project", sourceTree},
		{"the same packages, changed", func(t *testing.T) string {
			dir := sourceTree(t)
			write(t, filepath.Join(dir, "aaa", "new_test.go"), "package aaa\n\nfunc TestNew(t *testing.T) {\n\ttime.Sleep(1)\n\ttime.Sleep(2)\n\tt.Skip(\"never\") // TODO: later\n}\n")
			return dir
		}},
		{"a tree with nothing to find", func(t *testing.T) string {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.go"), "package a\n")
			return dir
		}},
		{"an empty tree", func(t *testing.T) string { return t.TempDir() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := row.tree(t)
			b := setup(t)
			team := b.team("review", config.Options{Set: []string{mounted(dir)}})
			res, records := b.run(team, "Review the packages of this project.")
			compare(t, res.Text, countTree(t, dir))
			checkParallel(t, records)
			for _, f := range []string{"output/main.md", "summaries/concurrency.md", "summaries/docs.md", "summaries/errors.md", "summaries/tests.md"} {
				if !slices.Contains(res.Files, f) {
					t.Errorf("there is no file %s in %v", f, res.Files)
				}
			}
		})
	}
}

// checkParallel holds that all reviewers had begun before the first one ended.
func checkParallel(t *testing.T, records []journal.Record) {
	t.Helper()
	started, ended := 0, 0
	for _, r := range records {
		switch r.Payload.(type) {
		case *journal.TaskStarted:
			if started++; ended > 0 {
				t.Error("a reviewer began after another one had ended")
			}
		case *journal.TaskEnded:
			ended++
		}
	}
	if started != 4 || ended != 4 {
		t.Errorf("%d reviewers began and %d ended, want 4", started, ended)
	}
}

// TestReviewOverHTTP runs the same team on a mock server that speaks the wire form of a
// real provider: only the model is another one. It needs Node.js.
func TestReviewOverHTTP(t *testing.T) {
	t.Parallel()
	base := modeltest.StartAimock(t, reviewFixture)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), "package a\n\nfunc main() { panic(\"here\") }\n")
	b := setup(t)
	team := b.team("review", config.Options{Model: "local", Set: []string{mounted(dir), "models.local.base_url=" + base}})
	res, records := b.run(team, "Review the packages of this project.")
	if want := "# Report\n\nFour reviewers, one panic.\n"; res.Text != want {
		t.Errorf("got %q", res.Text)
	}
	checkParallel(t, records)
	bodies := modeltest.AimockJournal(t, base)
	if want := 4 + 4*2; len(bodies) != want { // turns of the lead, and of four reviewers
		t.Errorf("%d requests, want %d", len(bodies), want)
	}
	found := 0
	for i, body := range bodies {
		if faults := modeltest.ValidateChat(body); faults != nil {
			t.Errorf("request %d: %v", i, faults)
		}
		if strings.Contains(string(body), "a.go:3:func main() { panic(") {
			found++
		}
	}
	if found != 4 {
		t.Errorf("%d requests hold the line that grep found, want one of each reviewer", found)
	}
}

// reviewFixture makes the mock server play the lead and the reviewers. It tells agents
// apart by their prompts and turns by the number of answers before.
const reviewFixture = `{"fixtures": [
 {"match": {"systemMessage": "You lead the review", "turnIndex": 0}, "response": {"content": "I look around.", "toolCalls": [
  {"name": "glob", "arguments": "{\"pattern\":\"**/*.go\"}"}]}},
 {"match": {"systemMessage": "You lead the review", "turnIndex": 1}, "response": {"toolCalls": [
  {"name": "agent_delegate", "arguments": "{\"agentId\":\"errors\",\"task\":{\"objective\":\"review the errors\"}}"},
  {"name": "agent_delegate", "arguments": "{\"agentId\":\"concurrency\",\"task\":{\"objective\":\"review the concurrency\"}}"},
  {"name": "agent_delegate", "arguments": "{\"agentId\":\"docs\",\"task\":{\"objective\":\"review the docs\"}}"},
  {"name": "agent_delegate", "arguments": "{\"agentId\":\"tests\",\"task\":{\"objective\":\"review the tests\"}}"},
  {"name": "agent_await", "arguments": "{\"mode\":\"allCompleted\"}"}]}},
 {"match": {"systemMessage": "You lead the review", "turnIndex": 2}, "response": {"toolCalls": [
  {"name": "workspace_write_file", "arguments": "{\"path\":\"output/main.md\",\"content\":\"# Report\\n\\nFour reviewers, one panic.\\n\"}"}]}},
 {"match": {"systemMessage": "You lead the review", "turnIndex": 3}, "response": {"toolCalls": [
  {"name": "workspace_commit", "arguments": "{}"},
  {"name": "workspace_finish", "arguments": "{\"reason\":\"The report is published.\"}"}]}},
 {"match": {"systemMessage": "You review", "turnIndex": 0}, "response": {"content": "I search.", "toolCalls": [
  {"name": "grep", "arguments": "{\"pattern\":\"panic\"}"}]}},
 {"match": {"systemMessage": "You review", "turnIndex": 1}, "response": {"toolCalls": [
  {"name": "task_return", "arguments": "{\"summary\":\"One panic in a.go.\"}"}]}}
]}`
