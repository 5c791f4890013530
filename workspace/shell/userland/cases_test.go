package userland_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/shelltest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

var (
	record = flag.Bool("record", false, "record what the real programs make of the cases, and bring docs and the list of known failures up to date")
	area   = flag.String("area", "", "run the cases of one area only; with -record the docs stay as they are")
)

const (
	casesDir  = "../testdata/cases"
	knownFile = "../testdata/known-failures.txt"
	docs      = "../../../docs"
)

// TestCases runs every case in the sandboxed shell and compares with what is recorded of
// the real programs: standard output, exit code, whether standard error is empty, files.
// With the real programs present it first sees to it that the record is true.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(casesDir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return *area != "" && shelltest.Area(f) != *area })
	known, err := shelltest.Known(knownFile)
	if err != nil {
		t.Fatal(err)
	}
	oracle, missing := shelltest.FindOracle()
	if *record && oracle == nil {
		t.Fatal("nothing to record with: " + missing)
	}
	runner := shell.NewInProcess(eval.New(), userland.Registry(), shell.InProcessOptions{Workers: 4})
	t.Cleanup(func() { _ = runner.Close(t.Context()) })
	tally := &tally{of: map[string]*score{}}
	t.Run("all", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				t.Parallel()
				testFile(t, file, runner, oracle, missing, known, tally)
			})
		}
	})
	if *record {
		tally.write(t, known)
	}
}

func testFile(t *testing.T, file string, runner shell.Runner, oracle *shelltest.Oracle, missing string, known map[string]bool, tally *tally) {
	cases, err := shelltest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := shelltest.Load(file)
	if err != nil && !*record {
		t.Fatalf("%v; record it with: go test ./workspace/shell/userland -run Cases -record", err)
	}
	if *record {
		recorded = shelltest.Recorded{Oracle: oracle.Version(), Results: map[string]shelltest.Result{}}
	}
	base := strings.TrimSuffix(filepath.Base(file), ".txt")
	t.Run("the record is true", func(t *testing.T) {
		switch {
		case oracle == nil:
			t.Skip("the record is taken as it is: " + missing)
		case oracle.Version() != recorded.Oracle:
			t.Skipf("the record is taken as it is: it is of %s, here is %s", recorded.Oracle, oracle.Version())
		}
		for _, c := range cases {
			got, err := oracle.Run(t.Context(), t.TempDir(), c.Script)
			if err != nil {
				t.Errorf("%s:%d: %s: %v", file, c.Line, c.Name, err)
				continue
			}
			if *record {
				recorded.Results[c.Name] = got
			} else if diff := difference(got, recorded.Results[c.Name]); diff != "" {
				t.Errorf("%s:%d: %s: the record is not what the real programs do:\n%s", file, c.Line, c.Name, diff)
			}
		}
		if *record {
			if err := shelltest.Save(file, recorded); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := recorded.Results[c.Name]
			if !ok {
				t.Fatalf("%s:%d: the case has no record", file, c.Line)
			}
			got := ours(t, runner, c.Script)
			id := base + "/" + c.Name
			diff := difference(got, want)
			tally.add(shelltest.Area(file), id, diff == "", c)
			switch {
			case c.Differs != "" && diff == "":
				t.Errorf("%s:%d: it is said to differ on purpose, and does not", file, c.Line)
			case c.Differs != "" || *record:
			case known[id] && diff == "":
				t.Errorf("%s:%d: it passes: take it off %s", file, c.Line, knownFile)
			case known[id]:
			case diff != "":
				t.Errorf("%s:%d:\n%s%s", file, c.Line, c.Script, diff)
			}
		})
	}
}

// ours runs a script in the sandboxed shell, in an empty directory.
func ours(t *testing.T, runner shell.Runner, script string) shelltest.Result {
	t.Helper()
	dir := t.TempDir()
	out := runner.Run(t.Context(), &shell.Job{Command: script, Host: dir, Env: append(shell.Environ("/"), "LC_ALL=C.UTF-8")})
	if out.Kind != shell.Exited {
		return shelltest.Result{Out: string(out.Kind) + ": " + out.Reason, Exit: -1}
	}
	files, err := shelltest.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	return shelltest.Result{Out: shelltest.Text(string(out.Stdout.Head) + string(out.Stdout.Tail)), Exit: out.Code, Stderr: out.Stderr.Bytes > 0, Files: files}
}

// difference says how two results differ, "" when they are equal.
func difference(got, want shelltest.Result) string {
	var b strings.Builder
	if got.Out != want.Out {
		fmt.Fprintf(&b, "output:\n%s\nwant:\n%s\n", got.Out, want.Out)
	}
	if got.Exit != want.Exit {
		fmt.Fprintf(&b, "exit code %d, want %d\n", got.Exit, want.Exit)
	}
	if got.Stderr != want.Stderr {
		fmt.Fprintf(&b, "standard error has something: %v, want %v\n", got.Stderr, want.Stderr)
	}
	if !maps.Equal(got.Files, want.Files) {
		fmt.Fprintf(&b, "files %q\nwant  %q\n", got.Files, want.Files)
	}
	return b.String()
}

// score counts the cases of one area.
type score struct{ cases, passed, differ int }

type tally struct {
	mu      sync.Mutex
	of      map[string]*score
	failed  []string
	differs []string
}

func (t *tally) add(area, id string, passed bool, c shelltest.Case) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.of[area]
	if s == nil {
		s = &score{}
		t.of[area] = s
	}
	s.cases++
	switch {
	case passed:
		s.passed++
	case c.Differs != "":
		s.differ++
		t.differs = append(t.differs, "| "+area+" | "+c.Differs+" | "+c.Instead+" |")
	default:
		t.failed = append(t.failed, id)
	}
}

// write brings the list of known failures and the tables of the documentation up to date.
// With one area only the failures of the others stay, and so does the documentation.
func (t *tally) write(tb testing.TB, known map[string]bool) {
	for id := range known {
		file, _, _ := strings.Cut(id, "/")
		if *area != "" && shelltest.Area(file) != *area {
			t.failed = append(t.failed, id)
		}
	}
	slices.Sort(t.failed)
	slices.Sort(t.differs)
	text := "# Cases that the sandboxed shell does not pass yet. Written by: go test ./workspace/shell/userland -run Cases -record\n"
	for _, id := range t.failed {
		text += id + "\n"
	}
	if err := os.WriteFile(knownFile, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	if *area != "" {
		return
	}
	table := "| area | cases | pass | rate | differ on purpose |\n|---|---|---|---|---|\n"
	var all score
	row := func(name string, s score) {
		table += fmt.Sprintf("| %s | %d | %d | %.1f %% | %d |\n", name, s.cases, s.passed, 100*float64(s.passed)/float64(max(1, s.cases)), s.differ)
	}
	for _, area := range slices.Sorted(maps.Keys(t.of)) {
		s := *t.of[area]
		row(area, s)
		all.cases, all.passed, all.differ = all.cases+s.cases, all.passed+s.passed, all.differ+s.differ
	}
	row("all", all)
	replace(tb, filepath.Join(docs, "shell.md"), "cases", table)
	var list strings.Builder
	list.WriteString("Where this shell differs from bash and the GNU tools:\n")
	for _, row := range slices.Compact(slices.Clone(t.differs)) {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		fmt.Fprintf(&list, "%s: %s. Instead: %s.\n", cells[0], cells[1], cells[len(cells)-1])
	}
	if err := os.WriteFile("differences.txt", []byte(list.String()), 0o644); err != nil {
		tb.Fatal(err)
	}
	replace(tb, filepath.Join(docs, "shell-differences.md"), "differences", "| area | ours | instead |\n|---|---|---|\n"+strings.Join(slices.Compact(t.differs), "\n")+"\n")
}

// replace sets the text between two marks of a document.
func replace(tb testing.TB, file, mark, text string) {
	b, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "<!-- "+mark+" -->\n")
	_, after, end := strings.Cut(rest, "<!-- end -->")
	if !ok || !end {
		tb.Fatalf("%s has no place for %s", file, mark)
	}
	if err := os.WriteFile(file, []byte(before+"<!-- "+mark+" -->\n"+text+"<!-- end -->"+after), 0o644); err != nil {
		tb.Fatal(err)
	}
}
