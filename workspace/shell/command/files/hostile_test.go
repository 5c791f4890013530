package files_test

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestChecklist13TarLeavesNothingOutside(t *testing.T) {
	t.Parallel()
	const ok = 0
	link := func(name, target string) tar.Header {
		return tar.Header{Name: name, Linkname: target, Typeflag: tar.TypeSymlink}
	}
	hard := func(name, target string) tar.Header {
		return tar.Header{Name: name, Linkname: target, Typeflag: tar.TypeLink}
	}
	for _, row := range []struct {
		name    string
		members []tar.Header
		args    []string
		want    string // what is there afterwards
		names   string // what standard error names
		code    int
	}{
		{"an honest one", []tar.Header{{Name: "d/f"}, link("d/l", "f")}, nil, "d d/f d/l->f", "", ok},
		{"upwards", []tar.Header{{Name: "../escaped"}, {Name: "f"}}, nil, "f", "../escaped", 2},
		{"upwards inside", []tar.Header{{Name: "d/../../escaped"}}, nil, "", "d/../../escaped", 2},
		{"upwards at the end", []tar.Header{{Name: "d/..", Typeflag: tar.TypeDir}}, nil, "", "d/..", 2},
		{"absolute", []tar.Header{{Name: "/abs"}, {Name: "f"}}, nil, "f", "/abs", 2},
		{"absolute on demand stays in the view", []tar.Header{{Name: "/abs"}}, []string{"-P"}, "abs", "", ok},
		{"upwards on demand", []tar.Header{{Name: "../escaped"}}, []string{"-P"}, "", "../escaped", 2},
		{"through a link upwards", []tar.Header{link("l", ".."), {Name: "l/escaped"}}, nil, "l->..", "l/escaped", 2},
		{"through an absolute link", []tar.Header{link("l", "/"), {Name: "l/f"}}, nil, "l->/", "l/f", 2},
		{"through two links", []tar.Header{{Name: "d", Typeflag: tar.TypeDir, Mode: 0o755}, link("d/l", "../.."), link("m", "d/l"), {Name: "m/escaped"}}, nil, "d d/l->../.. m->d/l", "m/escaped", 2},
		{"over a link of its own", []tar.Header{link("l", "../canary"), {Name: "l"}}, nil, "l", "", ok},
		{"a directory over a link", []tar.Header{link("l", ".."), {Name: "l", Typeflag: tar.TypeDir, Mode: 0o755}, {Name: "l/f"}}, nil, "l l/f", "", ok},
		{"a hard link upwards", []tar.Header{hard("h", "../canary")}, nil, "", "h", 2},
		{"a hard link through a link", []tar.Header{link("l", ".."), hard("h", "l/canary")}, nil, "l->..", "h", 2},
		{"a hard link to an absolute name", []tar.Header{hard("h", "/etc/passwd")}, nil, "", "h", 2},
		{"a hard link to a member", []tar.Header{{Name: "f"}, hard("h", "f")}, nil, "f h", "", ok},
		{"devices", []tar.Header{{Name: "dev", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}, {Name: "fifo", Typeflag: tar.TypeFifo}, {Name: "f"}}, nil, "f", "dev", 2},
		{"stripped to an absolute name", []tar.Header{{Name: "a//etc/x"}}, []string{"--strip-components=1"}, "etc etc/x", "", ok},
		{"stripped to a name upwards", []tar.Header{{Name: "a/../x"}}, []string{"--strip-components=1"}, "", "a/../x", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			args := append([]string{"tar", "xf", "-"}, row.args...)
			_, errOut, code := k.Run(t, args, archive(t, "content", row.members...))
			if code != row.code || !strings.Contains(errOut, row.names) || (errOut == "") != (row.code == ok) {
				t.Errorf("exit status %d with %q, want %d with %q", code, errOut, row.code, row.names)
			}
			if got := present(t, k.Dir); got != row.want {
				t.Errorf("there is %q, want %q", got, row.want)
			}
		})
	}
}

// A bomb ends at the bound of a file, and says so; below the bound it is an archive like any.
func TestChecklist13ZipBomb(t *testing.T) {
	t.Parallel()
	const bound = 1 << 20
	bomb := zipped(t, 32<<20)
	for _, row := range []struct {
		name  string
		stdin string
		args  []string
		file  string // what must not pass the bound
		code  int
	}{
		{"gunzip", "", []string{"gunzip", "bomb.gz"}, "bomb", 1},
		{"tar", archive(t, strings.Repeat("\x00", 8<<20), tar.Header{Name: "big"}), []string{"tar", "xf", "-"}, "big", 2},
		{"a size that is a lie", archive(t, "x", tar.Header{Name: "f"})[:512], []string{"tar", "xf", "-"}, "f", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			k.Limits = limits.Limits{File: bound}
			write(t, k.Dir, "bomb.gz", bomb)
			_, errOut, code := k.Run(t, row.args, row.stdin)
			if code != row.code || errOut == "" {
				t.Errorf("exit status %d with %q", code, errOut)
			}
			if info, err := os.Stat(filepath.Join(k.Dir, row.file)); err == nil && info.Size() > bound {
				t.Errorf("%s has %d bytes, the bound is %d", row.file, info.Size(), bound)
			}
		})
	}
	k := kit(t)
	if out, errOut, code := k.Run(t, []string{"gzip", "-lq"}, bomb); code != 0 || !strings.Contains(out, fmt.Sprint(32<<20)) {
		t.Errorf("to look at its size is allowed: %d %q %q", code, out, errOut)
	}
}

func TestMembersAreBounded(t *testing.T) {
	t.Parallel()
	members := make([]tar.Header, 20)
	for i := range members {
		members[i].Name = fmt.Sprintf("f%02d", i)
	}
	packed := archive(t, "x", members...)
	for _, row := range []struct {
		args []string
		code int
		want int // files
	}{{[]string{"tar", "xf", "-"}, 2, 10}, {[]string{"tar", "tf", "-"}, 2, 0}} {
		k := kit(t)
		k.Limits = limits.Limits{Members: 10}
		_, errOut, code := k.Run(t, row.args, packed)
		if got := len(strings.Fields(present(t, k.Dir))); code != row.code || got != row.want || !strings.Contains(errOut, "10") {
			t.Errorf("%v: exit status %d with %q, %d files", row.args, code, errOut, got)
		}
	}
	k := kit(t)
	k.Limits = limits.Limits{Members: 10}
	for i := range 20 {
		write(t, k.Dir, fmt.Sprintf("d/f%02d", i), "")
	}
	if _, errOut, code := k.Run(t, []string{"tar", "cf", "/x.tar", "d"}, ""); code != 2 || !strings.Contains(errOut, "10") {
		t.Errorf("create: exit status %d with %q", code, errOut)
	}
}

// What leads out of the workspace cannot be read through, by no command, and is copied as
// the link that it is.
func TestChecklist02LinksLeadNowhereOutside(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args []string
		want string // of what is there afterwards
	}{
		{[]string{"cp", "-a", "d", "e"}, "d d/abs->/canary d/up->../../canary e e/abs->/canary e/up->../../canary"},
		{[]string{"cp", "-r", "d", "e"}, "d d/abs->/canary d/up->../../canary e e/abs->/canary e/up->../../canary"},
		{[]string{"cp", "d/up", "e"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"cp", "-L", "d/abs", "e"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"ln", "-L", "d/up", "e"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"tar", "chf", "/dev/null", "d"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"gzip", "-f", "d/up"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"touch", "-c", "d/up", "d/abs"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"rm", "-rf", "d/up/", "d/abs/"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"chmod", "-R", "000", "d/up", "d/abs"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"find", "-L", "d", "-type", "f", "-delete"}, "d d/abs->/canary d/up->../../canary"},
		{[]string{"rm", "-r", "d"}, ""},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			t.Parallel()
			k := kit(t)
			for name, target := range map[string]string{"d/up": "../../canary", "d/abs": "/canary"} {
				if err := os.MkdirAll(filepath.Join(k.Dir, "d"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, filepath.Join(k.Dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			out, errOut, _ := k.Run(t, row.args, "")
			if strings.Contains(out+errOut, "alive") {
				t.Errorf("what stands outside was read: %q %q", out, errOut)
			}
			if got := present(t, k.Dir); got != row.want {
				t.Errorf("there is %q, want %q (%s)", got, row.want, errOut)
			}
		})
	}
}

// Names are text: none of them is an option, a pattern or a command of the shell.
func TestHoleHostileFileContent(t *testing.T) {
	t.Parallel()
	names := []string{"-rf", "*", "$(touch pwned)", "`touch pwned`", "a\nb", "'", `"`, "; touch pwned", "é", strings.Repeat("n", 255)}
	k := kit(t)
	for _, n := range names {
		write(t, k.Dir, "d/"+n, n)
	}
	out, errOut, code := k.Run(t, []string{"find", "d", "-type", "f", "-exec", "stat", "-c", "%s", "{}", ";"}, "")
	if got := len(strings.Fields(out)); code != 0 || got != len(names) {
		t.Errorf("find -exec: %d files, exit status %d, %q", got, code, errOut)
	}
	list, _, _ := k.Run(t, []string{"find", "d", "-type", "f", "-print0"}, "")
	out, errOut, code = k.Run(t, []string{"xargs", "-0", "-n1", "stat", "-c", "%s"}, list)
	if got := len(strings.Fields(out)); code != 0 || got != len(names) {
		t.Errorf("xargs -0: %d files, exit status %d, %q", got, code, errOut)
	}
	packed, errOut, code := k.Run(t, []string{"tar", "c", "d"}, "")
	if code != 0 {
		t.Fatalf("tar: %q", errOut)
	}
	k.Run(t, []string{"rm", "-r", "d"}, "")
	if _, errOut, code = k.Run(t, []string{"tar", "x"}, packed); code != 0 {
		t.Fatalf("tar x: %q", errOut)
	}
	for _, n := range names {
		if got := read(t, k.Dir, "d/"+n); got != n {
			t.Errorf("%q has %q", n, got)
		}
	}
	if _, err := os.Stat(filepath.Join(k.Dir, "pwned")); err == nil {
		t.Error("a name was run")
	}
}

func FuzzTar(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte(strings.Repeat("\x00", 1024)))
	f.Add([]byte(archive(f, "content", tar.Header{Name: "l", Linkname: "..", Typeflag: tar.TypeSymlink}, tar.Header{Name: "l/f"}, tar.Header{Name: "../f"})))
	f.Fuzz(func(t *testing.T, data []byte) {
		k := kit(t)
		k.Limits = limits.Limits{File: 1 << 16, Written: 1 << 18}
		for _, args := range [][]string{{"tar", "tvf", "-"}, {"tar", "xf", "-"}, {"tar", "xPf", "-"}} {
			k.Run(t, args, string(data))
		}
	})
}
