package agent

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// longResult runs one call that brings a text and gives what the model reads and the
// stored copy, or nil.
func longResult(t testing.TB, change func(p *Profile), r tooling.Result) (string, *journal.FileChanged) {
	t.Helper()
	d := rootDriver(t, change)
	d.dispatch(peeking)
	d.done(d.key(0), r)
	d.ask()
	var stored *journal.FileChanged
	for _, rec := range d.log {
		if m, ok := rec.Payload.(*journal.FileChanged); ok {
			if stored != nil {
				t.Fatal("stored twice")
			}
			stored = m
		}
	}
	return d.last().Results[0].Text, stored
}

// The border of what stands inline, in characters.
func TestLongResultBorders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		limit int // 0: the default
		unit  string
		n     int
		long  bool
	}{
		{"one below", 0, "x", 49_999, false},
		{"at the limit", 0, "x", 50_000, false},
		{"one above", 0, "x", 50_001, true},
		{"sizes-3 characters count, not bytes", 0, "汉", 50_000, false},
		{"sizes-3 one character above", 0, "汉", 50_001, true},
		{"a limit of the profile", 2_000, "x", 2_001, true},
		{"below a limit of the profile", 2_000, "😀", 2_000, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(row.unit, row.n)
			shown, stored := longResult(t, func(p *Profile) { p.InlineChars = row.limit }, tooling.Result{Content: text})
			if !row.long {
				if stored != nil || shown != text {
					t.Errorf("stored %v, %d characters shown", stored != nil, len(shown))
				}
				return
			}
			if stored == nil {
				t.Fatal("not stored")
			}
			if got := strings.ReplaceAll(stored.Content.Text, "\n", ""); got != text {
				t.Error("the copy is not the whole text")
			}
			head, _, _ := strings.Cut(shown, "\n\n[The text above is not complete")
			if head != text[:min(len(text), 3000*len(row.unit))] && utf8.RuneCountInString(head) != min(row.n, 3000) {
				t.Errorf("%d characters of preview", utf8.RuneCountInString(head))
			}
		})
	}
}

// sizes-1: what the model is told of a long text.
func TestLongResultStatement(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef\n", 100_000) // 1.7 MB
	shown, stored := longResult(t, nil, tooling.Result{Content: text})
	if n := utf8.RuneCountInString(shown); n > 3_600 {
		t.Errorf("sizes-1: the model reads %d characters", n)
	}
	path := "tool-results/calls/root/t1-c0-peek.txt"
	for _, want := range []string{"1,700,000 characters", "1,697,000 more than shown", "the limit for one result is 50,000", "not complete", path,
		`workspace_read_file {"path":"` + path + `"`, `workspace_search_files {"path":"` + path + `"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("does not say %q: %s", want, shown[3000:])
		}
	}
	if stored.Path != path || stored.Content.Text != text || stored.Op != "write" || stored.New != workspace.HashOf([]byte(text)) || stored.Size != len(text) {
		t.Errorf("stored %s %s, %d bytes", stored.Path, stored.Op, stored.Size)
	}
}

// sizes-4: no line of a copy is longer than what a reading tool shows at once.
func TestWrap(t *testing.T) {
	t.Parallel()
	line := func(n int) string { return strings.Repeat("汉", n) }
	for _, row := range []struct {
		name, in, want string
	}{
		{"short", "a\nb", "a\nb"},
		{"empty", "", ""},
		{"at the limit", line(3000) + "\n" + line(3000), line(3000) + "\n" + line(3000)},
		{"one above", line(3001), line(3000) + "\n" + line(1)},
		{"sizes-4 many", line(200_000), strings.TrimSuffix(strings.Repeat(line(3000)+"\n", 66), "\n") + "\n" + line(2000)},
		{"a break at the limit stays one", line(3000) + "\n", line(3000) + "\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := wrap(row.in); got != row.want {
				t.Errorf("%d characters became %d", len(row.in), len(got))
			}
		})
	}
}

func FuzzWrap(f *testing.F) {
	for _, s := range []string{"", "a", "\n\n", "a\r\nb", strings.Repeat("x", 7000), "\xff\xfe", strings.Repeat("é", 3001) + "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := wrap(s)
		for l := range strings.SplitSeq(got, "\n") {
			if utf8.RuneCountInString(l) > wrapChars {
				t.Errorf("a line of %d characters", utf8.RuneCountInString(l))
			}
		}
		if strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\n", "") && utf8.ValidString(s) {
			t.Error("characters were lost")
		}
		if wrap(got) != got {
			t.Error("wrapping again changes it")
		}
	})
}

// sizes-5: over all subsets of the reading tools, no hint names a tool that is absent,
// and without any there is no path either.
func TestHints(t *testing.T) {
	t.Parallel()
	reading := []string{"workspace.read_file", "workspace.search_files", "workspace.list_files"}
	toolName := regexp.MustCompile(`workspace_[a-z_]+`)
	for bits := range 1 << len(reading) {
		t.Run(fmt.Sprintf("sizes-5 subset %03b", bits), func(t *testing.T) {
			t.Parallel()
			allow := []string{"extension/go:peek", "workspace.finish"}
			has := map[string]bool{}
			for i, id := range reading {
				if bits>>i&1 == 1 {
					allow = append(allow, id)
					has[strings.ReplaceAll(id, ".", "_")] = true
				}
			}
			shown, _ := longResult(t, func(p *Profile) { p.Allow = allow }, tooling.Result{Content: strings.Repeat("x", 60_000)})
			named := map[string]bool{}
			for _, n := range toolName.FindAllString(shown, -1) {
				named[n] = true
				if !has[n] {
					t.Errorf("names %s", n)
				}
			}
			for _, n := range []string{"workspace_read_file", "workspace_search_files"} {
				if has[n] != named[n] {
					t.Errorf("%s: has %t, named %t", n, has[n], named[n])
				}
			}
			if wants := has["workspace_read_file"] || has["workspace_search_files"]; strings.Contains(shown, "tool-results/") != wants {
				t.Errorf("path shown: %t", !wants)
			}
			if !strings.Contains(shown, "not complete") {
				t.Error("does not say that it is not complete")
			}
		})
	}
}

// Errors follow the same rule, and their code always comes first.
func TestLongError(t *testing.T) {
	t.Parallel()
	shown, stored := longResult(t, nil, tooling.Fail("tool.failed", strings.Repeat("no ", 30_000)))
	if !strings.HasPrefix(shown, "error tool.failed: no ") || stored == nil || utf8.RuneCountInString(shown) > 3_600 {
		t.Errorf("%d characters, stored %t", len(shown), stored != nil)
	}
}

// Every kind of text becomes a valid message: bytes that are no text do not end the agent.
func TestResultsAreText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want string }{
		{"NUL", "a\x00b", `a\x00b`},
		{"controls", "bell\x07 escape\x1b[0m", `bell\x07 escape\x1b[0m`},
		{"tab and line ends stay", "a\tb\r\nc\n", "a\tb\r\nc\n"},
		{"sizes-3 a broken rune", "汉\xe6\xb1", "汉\uFFFD"},
		{"plain", "fine 😀", "fine 😀"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, code := range []string{"", "tool.failed"} {
				shown, _ := longResult(t, nil, tooling.Result{Content: row.in, Code: code})
				if got := strings.TrimPrefix(shown, "error tool.failed: "); got != row.want {
					t.Errorf("the model reads %q, want %q", got, row.want)
				}
			}
		})
	}
}

// What the user or the model says is kept as it is, but for what no provider takes.
func TestTextsAreSendable(t *testing.T) {
	t.Parallel()
	d := newDriver(t, testEnv(t, nil), Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do\x00 it\xff\x1b"})
	d.turn(swarmtest.Say("I\x00 think\xff\x1b"))
	d.ask()
	if got := d.part.History[0].Text + d.part.History[1].Text; got != "do\uFFFD it\uFFFD\x1bI\uFFFD think\uFFFD\x1b" {
		t.Errorf("history %q", got)
	}
}
