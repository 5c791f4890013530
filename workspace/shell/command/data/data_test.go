package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// given is a directory with files, all changed at one time.
func given(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(full, commandtest.Now, commandtest.Now); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The clock of the kit stands at Friday, 15 March 2024, 12:30:45.
func TestDateFromTheClockOfTheCall(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"now", "2024-03-15 12:30:45"},
		{"today", "2024-03-15 12:30:45"},
		{"", "2024-03-15 00:00:00"},
		{"tomorrow", "2024-03-16 12:30:45"},
		{"yesterday", "2024-03-14 12:30:45"},
		{"tomorrow 10:00", "2024-03-16 10:00:00"},
		{"10:00 tomorrow", "2024-03-16 10:00:00"},
		{"next friday", "2024-03-22 00:00:00"},
		{"friday", "2024-03-15 00:00:00"},
		{"monday", "2024-03-18 00:00:00"},
		{"last monday", "2024-03-11 00:00:00"},
		{"next monday 9am", "2024-03-18 09:00:00"},
		{"2 days ago", "2024-03-13 12:30:45"},
		{"-2 days", "2024-03-13 12:30:45"},
		{"last month", "2024-02-15 12:30:45"},
		{"next year", "2025-03-15 12:30:45"},
		{"3 weeks", "2024-04-05 12:30:45"},
		{"a", "2024-03-14 23:00:00"},
		{"1 hour ago", "2024-03-15 11:30:45"},
		{"90 minutes", "2024-03-15 14:00:45"},
		{"noon", "invalid"},
		{"17:00", "2024-03-15 17:00:00"},
		{"5pm", "2024-03-15 17:00:00"},
		{"Jan 5", "2024-01-05 00:00:00"},
		{"12/25", "2024-12-25 00:00:00"},
		{"next week monday", "2024-03-25 00:00:00"},
	} {
		out, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"date", "-d", row.text, "+%F %T"}, "")
		if row.want == "invalid" {
			if code != 1 || errOut == "" {
				t.Errorf("%q: %q, exit %d; want it refused", row.text, out, code)
			}
			continue
		}
		if strings.TrimSpace(out) != row.want || code != 0 {
			t.Errorf("%q: %q %q, exit %d; want %s", row.text, out, errOut, code, row.want)
		}
	}
}

func TestTheClockCannotBeSet(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"date", "-s", "2024-01-01"}, {"date", "--set=now"}, {"date", "010100002024"}} {
		if _, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), args, ""); code != 1 || !strings.Contains(errOut, "cannot set date: Operation not permitted") {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
}

func TestDateKeepsToTheZoneOfTheCall(t *testing.T) {
	t.Parallel()
	kit := commandtest.Kit{Commands: Commands(), Dir: t.TempDir(), Env: []string{"TZ=Europe/Berlin"}}
	for _, row := range []struct{ args, want string }{
		{"+%H:%M_%Z", "13:30_CET"},
		{"-u +%H:%M_%Z", "12:30_UTC"},
		{"-d 12:00 +%s", "1710500400"},
	} {
		if out, _, code := kit.Run(t, append([]string{"date"}, strings.Fields(row.args)...), ""); strings.TrimSpace(out) != row.want || code != 0 {
			t.Errorf("date %s: %q, exit %d; want %q", row.args, out, code, row.want)
		}
	}
}

func TestDiffShowsNamesAndTimes(t *testing.T) {
	t.Parallel()
	dir := given(t, map[string]string{"a": "1\n", "b": "2\n"})
	for _, row := range []struct{ option, want string }{
		{"-u", "--- a\t2024-03-15 12:30:45.000000000 +0000\n+++ b\t2024-03-15 12:30:45.000000000 +0000\n@@ -1 +1 @@\n-1\n+2\n"},
		{"-c", "*** a\tFri Mar 15 12:30:45 2024\n--- b\tFri Mar 15 12:30:45 2024\n***************\n*** 1 ****\n! 1\n--- 1 ----\n! 2\n"},
	} {
		if out, _, code := commandtest.Run(t, Commands(), dir, []string{"diff", row.option, "a", "b"}, ""); out != row.want || code != 1 {
			t.Errorf("%s: exit %d,\n%s\nwant:\n%s", row.option, code, out, row.want)
		}
	}
}

// What a patch names cannot lead out of the directory in which it is applied.
func TestPatchKeepsToItsDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../f", "/f", "x/../../f"} {
		dir := given(t, map[string]string{"f": "1\n", "d/keep": ""})
		kit := commandtest.Kit{Commands: Commands(), Dir: dir, Cwd: "/d"}
		_, _, code := kit.Run(t, []string{"patch", "-p0"}, "--- "+name+"\n+++ "+name+"\n@@ -1 +1 @@\n-1\n+2\n")
		if b, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(b) != "1\n" || code == 0 {
			t.Errorf("%s: file %q, %v, exit %d", name, b, err, code)
		}
	}
}

func TestEveryCommandRefusesUnknownOptions(t *testing.T) {
	t.Parallel()
	for _, c := range Commands() {
		for _, option := range []string{"--no-such-option", "-@"} {
			_, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{c.Name, option}, "")
			if code == 0 || !strings.Contains(errOut, strings.TrimLeft(option, "-")) {
				t.Errorf("%s %s: exit %d, %q", c.Name, option, code, errOut)
			}
		}
		if out, _, code := commandtest.Run(t, Commands(), t.TempDir(), []string{c.Name, "--help"}, ""); code != 0 || !strings.HasPrefix(out, "Usage: "+c.Name) {
			t.Errorf("%s --help: exit %d, %q", c.Name, code, out)
		}
	}
}

// FuzzPatchUndoesDiff: the difference of two texts, applied to the first, gives the second,
// and backwards the first again.
func FuzzPatchUndoesDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("", "x\n")
	f.Add("a\na\na\nb", "a\nb\na\n")
	f.Add("\n\n- x\n+ y\n", "\n-\n+++ b\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "\x00") {
			return
		}
		for _, form := range []string{"-u", "-U0", "-c", "--normal"} {
			dir := given(t, map[string]string{"a": a, "b": b, "f": a})
			patch, _, code := commandtest.Run(t, Commands(), dir, []string{"diff", form, "a", "b"}, "")
			if (code == 1) != (a != b) {
				t.Fatalf("diff %s: exit %d", form, code)
			}
			for _, step := range []struct {
				args []string
				want string
			}{{[]string{"patch", "-f", "f"}, b}, {[]string{"patch", "-fR", "f"}, a}} {
				out, errOut, code := commandtest.Run(t, Commands(), dir, step.args, patch)
				got, err := os.ReadFile(filepath.Join(dir, "f"))
				if code != 0 || err != nil && step.want != "" || string(got) != step.want {
					t.Fatalf("%s, %v: exit %d, %q, want %q; %v\n%s%s\n%s", form, step.args, code, got, step.want, err, out, errOut, patch)
				}
				if err != nil {
					if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// FuzzPatch: no patch makes it panic.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		"--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n", "*** f\n--- f\n***************\n*** 1 ****\n! 1\n--- 1 ----\n! 2\n", "1c1\n< 1\n---\n> 2\n",
		"diff --git a/f b/g\nrename from f\nrename to g\n", "@@ -1,3 +1,3 @@\n 1\n", "--- f\n+++ f\n@@ -0,0 +1,9999999 @@\n+",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, args := range [][]string{{"patch"}, {"patch", "-Rt", "-p1"}, {"patch", "f"}} {
			commandtest.Run(t, Commands(), given(t, map[string]string{"f": "1\n2\n3\n"}), args, text)
		}
	})
}

// FuzzDate: a time that is understood comes out of its own ISO form again.
func FuzzDate(f *testing.F) {
	for _, seed := range []string{"2024-01-31 +1 month", "next friday", "@1.5", "10:00 +1 hour", "15-Jan-2024", `TZ="UTC" now`, "1 2 3 4", "-", "(", "+99999999999999999999 days"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseDate(text, commandtest.Now)
		if !ok || got.Year() < 1000 || got.Year() > 9999 {
			return
		}
		again, ok := parseDate(got.Format("2006-01-02 15:04:05.999999999 -0700"), commandtest.Now)
		if _, offset := got.Zone(); ok && offset%60 == 0 && !again.Equal(got) {
			t.Errorf("%q is %v, and that is %v", text, got, again)
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	var one, other strings.Builder
	for i := range 50_000 {
		line := strings.Repeat("x", i%40) + string(rune('a'+i%26)) + "\n"
		one.WriteString(line)
		if i%100 != 0 {
			other.WriteString(line)
		}
	}
	d := &differ{ctx: b.Context(), form: 'u', lines: 3}
	for b.Loop() {
		d.compare(one.String(), other.String())
	}
}
