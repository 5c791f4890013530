package view

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// model is a file system in memory: "d", "f", or "l" and the target, by path.
type model map[string]string

// resolve does what [View.Real] is to do, in the plainest way.
func (m model) resolve(name string, sees func(path string) bool) (string, syscall.Errno) {
	if name == "" {
		return "", syscall.ENOENT
	}
	at, links, dirMeant := "", 0, false
	var todo []string
	more := func(p string) {
		if len(todo) == 0 && strings.HasSuffix(p, "/") {
			dirMeant = true
		}
		todo = append(strings.Split(p, "/"), todo...)
	}
	more(name)
	last := func() bool { return !slices.ContainsFunc(todo, func(s string) bool { return s != "" }) }
	for len(todo) > 0 {
		seg := todo[0]
		todo = todo[1:]
		if seg == "" || seg == "." {
			continue
		}
		if seg == ".." {
			at = at[:max(0, strings.LastIndexByte(at, '/'))]
			continue
		}
		if len(seg) > 255 {
			return "", syscall.ENAMETOOLONG
		}
		next := at + "/" + seg
		what := m[next]
		if !sees(next) {
			what = ""
		}
		switch {
		case strings.HasPrefix(what, "l"):
			if links++; links > 40 {
				return "", syscall.ELOOP
			}
			target := what[1:]
			// What is left of the way may be nothing but slashes.
			if last() {
				todo = nil
			}
			more(target)
			if target[0] == '/' {
				at = ""
			}
		case last():
			if what == "f" && dirMeant {
				return "", syscall.ENOTDIR
			}
			return next, 0
		case what == "":
			return "", syscall.ENOENT
		case what == "f":
			return "", syscall.ENOTDIR
		default:
			at = next
		}
	}
	if at == "" {
		at = "/"
	}
	return at, 0
}

// plant makes what a script says, in a directory and in a model: lines of "d PATH",
// "f PATH" and "l PATH TARGET". What cannot be is left out of both.
func plant(t *testing.T, dir, script string) model {
	t.Helper()
	m := model{}
	for _, top := range []string{"hidden", "input", "output", "scratch"} {
		m["/"+top] = "d"
		if err := os.MkdirAll(filepath.Join(dir, top), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(script, "\n")
	for _, line := range lines[:min(len(lines), 20)] {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 2 || !plain(words[1]) || m[words[1]] != "" || m[parent(words[1])] != "d" {
			continue
		}
		host := filepath.Join(dir, words[1])
		var err error
		switch {
		case words[0] == "d":
			m[words[1]], err = "d", os.Mkdir(host, 0o755)
		case words[0] == "f":
			m[words[1]], err = "f", os.WriteFile(host, nil, 0o644)
		case words[0] == "l" && len(words) == 3 && words[2] != "" && len(words[2]) < 300 && !strings.Contains(words[2], "\x00"):
			m[words[1]], err = "l"+words[2], os.Symlink(words[2], host)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func parent(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }

// plain says whether a path is of a few short names.
func plain(p string) bool {
	segs := strings.Split(p, "/")
	return len(segs) > 2 && len(segs) < 6 && segs[0] == "" && !slices.ContainsFunc(segs[1:], func(s string) bool {
		return s == "" || len(s) > 8 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") != ""
	})
}

// seeds are scripts and paths to begin with.
var seeds = [][2]string{
	{"d /output/a\nf /output/a/b\nl /output/c a", "/output/c/b"},
	{"l /output/a /output/b\nl /output/b a", "/output/a"},
	{"l /output/a ..\nl /output/b a/../../..", "/output/a/output/b/hidden"},
	{"l /output/a /hidden\nf /hidden/x", "/output/a/x"},
	{"l /hidden/a /output\nf /output/x", "/hidden/a/x"},
	{"f /output/a\nl /output/b a/", "/output/b"},
	{"f /output/a\nl /output/b a//", "/output/b"},
	{"f /output/a", "/output/a/"},
	{"d /output/a\nl /output/b a", "/output/b/.././/a/none"},
	{"l /output/a /", "/output/a/output/a/input"},
	{"l /output/a //output/./b\nl /output/b none", "/output/a"},
	{"l /output/a b/..\nl /output/b none/..", "/output/a/x"},
	{"", "/"}, {"", ".."}, {"", "output"}, {"", "/none/x"}, {"f /output/x", "/output/x/.."}, {"f /output/x", "/output/x/."},
}

func FuzzResolve(f *testing.F) {
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, script, name string) {
		if len(name) > 500 || strings.Contains(name, "\x00") {
			return
		}
		dir := t.TempDir()
		m := plant(t, dir, script)
		for _, roots := range []Roots{{}, agent()} {
			v, err := New(Options{Dir: dir, Roots: roots})
			if err != nil {
				t.Fatal(err)
			}
			want, errno := m.resolve(name, func(p string) bool { return roots.none() || p != "/hidden" && !strings.HasPrefix(p, "/hidden/") })
			got, err := v.Real(name)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			if touchesVirtual(name + script) {
				continue // what is virtual is no part of the model
			}
			if errno == 0 && (err != nil || got != want) || errno != 0 && !errors.Is(err, errno) {
				t.Errorf("%q of %q with roots %v: got %q, %v, want %q, %v", name, script, roots, got, err, want, errno)
			}
		}
	})
}

func touchesVirtual(s string) bool {
	return strings.Contains(s, "dev") || strings.Contains(s, "bin") || strings.Contains(s, "usr")
}

// As many links as may be, and one more.
func TestLinksBound(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	b.put("l0", "end")
	for i := range 41 {
		b.host(b.Symlink(fmt.Sprintf("l%d", i), fmt.Sprintf("/l%d", i+1)))
	}
	b.want("/l40", "end")
	_, err := b.read("/l41")
	wantErr(t, err, syscall.ELOOP)
}
