package view

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// actions are all the ways to change a path, with one other path that may be changed.
var actions = map[string]func(v FS, path, other string) error{
	"write": func(v FS, p, _ string) error { return closed(v.Open(p, os.O_WRONLY, 0)) },
	"create": func(v FS, p, _ string) error {
		return closed(v.Open(p, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644))
	},
	"create exclusively": func(v FS, p, _ string) error {
		return closed(v.Open(p+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
	},
	"append":     func(v FS, p, _ string) error { return closed(v.Open(p, os.O_WRONLY|os.O_APPEND, 0)) },
	"read-write": func(v FS, p, _ string) error { return closed(v.Open(p, os.O_RDWR, 0)) },
	"mkdir":      func(v FS, p, _ string) error { return v.Mkdir(p+".new", 0o755) },
	"symlink":    func(v FS, p, _ string) error { return v.Symlink("x", p+".new") },
	"remove":     func(v FS, p, _ string) error { return v.Remove(p) },
	"move from":  func(v FS, p, other string) error { return v.Rename(p, other+".new") },
	"move over":  func(v FS, p, other string) error { return v.Rename(other, p) },
	"move to":    func(v FS, p, other string) error { return v.Rename(other, p+".new") },
	"chmod":      func(v FS, p, _ string) error { return v.Chmod(p, 0o600) },
	"touch":      func(v FS, p, _ string) error { return v.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
}

func closed(f File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

// looks are all the ways to look at a path.
var looks = map[string]func(v FS, path string) error{
	"open":     func(v FS, p string) error { return closed(v.Open(p, os.O_RDONLY, 0)) },
	"stat":     func(v FS, p string) error { _, err := v.Stat(p); return err },
	"lstat":    func(v FS, p string) error { _, err := v.Lstat(p); return err },
	"read dir": func(v FS, p string) error { _, err := v.ReadDir(p); return err },
	"readlink": func(v FS, p string) error { _, err := v.Readlink(p); return err },
	"real":     func(v FS, p string) error { _, err := v.Real(p + "/x"); return err },
}

func TestChecklist01HostPaths(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{})
	host := filepath.Join(filepath.Dir(b.dir), "canary")
	long := strings.Repeat("/x", 2100)
	for _, row := range []struct {
		path string
		want syscall.Errno
	}{
		{host, syscall.ENOENT},
		{"/../canary", syscall.ENOENT},
		{"/../../../../../../../../.." + host, syscall.ENOENT},
		{"//..//./../canary", syscall.ENOENT},
		{"/..\x00/canary", syscall.EINVAL},
		{long, syscall.ENAMETOOLONG},
		{strings.Repeat("/..", 1300) + host, syscall.ENOENT},
		{"/etc/passwd", syscall.ENOENT},
		{"", syscall.ENOENT},
	} {
		for what, look := range looks {
			if what == "real" {
				continue // it takes what is absent in the root
			}
			if err := look(b, row.path); !errors.Is(err, row.want) {
				t.Errorf("%s of %.40q gives %v, want %v", what, row.path, err, row.want)
			}
		}
	}
	// The honest use: the same forms of a path inside.
	b.host(b.write("/../../a", "inside"))
	for _, p := range []string{"/a", "a", "./a", "//a", "/./a", "/../a", "/./../a"} {
		b.want(p, "inside")
	}
	// The working directory is removed under the shell.
	b.host(b.Mkdir("/gone", 0o755))
	b.host(b.Remove("/gone"))
	_, err := b.Stat("/gone/.")
	wantErr(t, err, syscall.ENOENT)
	wantErr(t, b.write("/gone/x", ""), syscall.ENOENT)
	got, err := b.Real("/gone/..")
	if err == nil {
		t.Errorf("what is above a directory that is gone is %s", got)
	}
}

func TestChecklist02Links(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent()})
	b.put("output/real", "inside")
	b.put("input/given", "given")
	b.put("hidden/h", "hidden")
	host := filepath.Join(filepath.Dir(b.dir), "canary")
	for link, target := range map[string]string{
		"rel": "real", "abs": "/output/real", "up": "../../../../output/real", "in": "../input/given", "hid": "/hidden/h", "hiddir": "../hidden",
		"host": host, "etc": "/etc/passwd", "above": "../../canary", "loop": "loop", "dangling": "new", "out": "/absent", "ro": "/input/new",
	} {
		b.host(b.Symlink(target, "/output/"+link))
	}
	for _, p := range []string{"rel", "abs", "up"} {
		b.want("/output/"+p, "inside")
	}
	b.want("/output/in", "given")
	for _, row := range []struct {
		path string
		want syscall.Errno
	}{
		{"hid", syscall.ENOENT},
		{"hiddir/h", syscall.ENOENT},
		{"hiddir/../output/real", syscall.ENOENT},
		{"host", syscall.ENOENT},
		{"etc", syscall.ENOENT},
		{"above", syscall.ENOENT},
		{"loop", syscall.ELOOP},
		{"dangling", syscall.ENOENT},
	} {
		_, err := b.read("/output/" + row.path)
		wantErr(t, err, row.want)
	}
	for _, row := range []struct {
		path string
		want syscall.Errno
	}{
		{"dangling", 0}, // its target is made
		{"out", syscall.EROFS},
		{"ro", syscall.EROFS},
		{"in", syscall.EROFS},
		{"host", syscall.ENOENT},
		{"hid", syscall.ENOENT},
		{"hiddir/new", syscall.ENOENT},
	} {
		wantErr(t, b.write("/output/"+row.path, "made"), row.want)
	}
	b.want("/output/new", "made")
	// A link in the parent of a new file.
	b.host(b.Symlink("/input", "/output/indir"))
	wantErr(t, b.write("/output/indir/new", ""), syscall.EROFS)
	wantErr(t, b.Mkdir("/output/indir/new", 0o755), syscall.EROFS)
	wantErr(t, b.Rename("/output/real", "/output/indir/new"), syscall.EROFS)
	wantErr(t, b.Remove("/output/indir/given"), syscall.EROFS)
	b.host(b.Symlink("/output", "/scratch/o"))
	b.host(b.write("/scratch/o/through", "t"))
	b.want("/output/through", "t")
	// A link itself is removed and moved, not what it leads to.
	b.host(b.Rename("/output/in", "/output/moved"))
	b.host(b.Remove("/output/moved"))
	b.want("/input/given", "given")
}

// A goroutine swaps a directory for a link, to hidden files and out of the directory, while
// paths through it are opened, written and listed.
func TestChecklist02SwappedLinks(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent()})
	over := filepath.Dir(b.dir)
	b.put("output/d/canary", "honest")
	b.put("output/plain", "honest")
	b.put("hidden/canary", "hidden")
	at := func(name string) string { return filepath.Join(b.dir, "output", name) }
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			target := []string{over, "../hidden", "/hidden"}[i%3]
			err := errors.Join(os.Rename(at("d"), at("kept")), os.Symlink(target, at("d")), os.Rename(at("plain"), at("plain.kept")),
				os.Symlink(filepath.Join(target, "canary"), at("plain")),
				os.Remove(at("plain")), os.Rename(at("plain.kept"), at("plain")), os.Remove(at("d")), os.Rename(at("kept"), at("d")))
			if err != nil {
				done <- err
				return
			}
		}
	}()
	honest := 0
	for i := range 3000 {
		for _, p := range []string{"/output/d/canary", "/output/plain"} {
			if text, err := b.read(p); err == nil {
				honest++
				if text != "honest" {
					t.Fatalf("%s gave %q", p, text)
				}
			}
		}
		_ = b.write("/output/d/new", "x")
		_ = b.Chmod("/output/d/canary", 0o640)
		if f, err := b.Open("/output/d/canary", os.O_WRONLY|os.O_APPEND, 0); err == nil {
			b.host(f.Close())
		}
		if entries, err := b.ReadDir("/output/d"); err == nil && len(entries) > 2 {
			t.Fatalf("listed %v", entries)
		}
		_ = b.Remove("/output/d/new")
		_ = b.Rename("/output/d/canary", fmt.Sprintf("/output/d/c%d", i%2))
		_ = b.Rename(fmt.Sprintf("/output/d/c%d", i%2), "/output/d/canary")
	}
	close(stop)
	b.host(<-done)
	if honest == 0 {
		t.Error("the honest use never worked")
	}
	info, err := os.Stat(filepath.Join(over, "canary"))
	b.host(err)
	hidden, err := os.Stat(filepath.Join(b.dir, "hidden", "canary"))
	b.host(err)
	if info.Mode() != 0o644 || hidden.Mode() != 0o644 {
		t.Errorf("modes outside were changed: %v %v", info.Mode(), hidden.Mode())
	}
	names, err := os.ReadDir(filepath.Join(b.dir, "hidden"))
	b.host(err)
	if len(names) != 1 {
		t.Errorf("the hidden root has %v", names)
	}
}

func TestChecklist08HostDevices(t *testing.T) {
	t.Parallel()
	for _, roots := range []Roots{{}, agent()} {
		b := setup(t, Options{Roots: roots})
		for _, p := range []string{"/proc/self/environ", "/proc/1/root", "/proc/self/fd/0", "/dev/mem", "/dev/fd/3", "/dev/tcp/localhost/80", "/sys", "/etc/hostname"} {
			if _, err := b.read(p); err == nil {
				t.Errorf("%s opens", p)
			}
		}
		wantErr(t, closed(b.Open("/dev/fd/3", os.O_RDWR, 0)), syscall.ENXIO)
	}
}

func TestChecklist15Names(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent(), Tmp: "tmp"})
	long := strings.Repeat("é", 127) + "x"
	for _, name := range []string{"caf\u00e9", "日本語", "🙂", "שלום", "-rf", "*", "a'b", `a"b`, "a b", "[x]", "$HOME", long, ".hidden", "a:b"} {
		p := "/output/" + name
		b.host(b.write(p, name))
		b.want(p, name)
		b.host(b.Remove(p))
	}
	b.host(b.write("/output/café", "nfc"))
	b.host(b.write("/output/Readme", "r"))
	for _, name := range []string{
		"cafe\u0301", "README", "readme", "a\nb", "a\x01b", "a\\b", "tail ", "tail.", "...", "\xff\xfe", "\u0085x",
	} {
		for what, do := range map[string]func(p string) error{
			"write": func(p string) error { return b.write(p, "") },
			"mkdir": func(p string) error { return b.Mkdir(p, 0o755) },
			"link":  func(p string) error { return b.Symlink("x", p) },
			"move":  func(p string) error { return b.Rename("/output/other", p) },
		} {
			b.host(b.write("/output/other", ""))
			err := do("/output/" + name)
			if _, ok := errors.AsType[*NameError](err); !ok {
				t.Errorf("%s of %q gives %v", what, name, err)
			}
		}
		b.host(b.write("/tmp/"+name, "")) // what is never recorded has the names of any system
	}
	if got := b.names("/output"); got != "Readme café other" {
		t.Errorf("there is %q", got)
	}
	wantErr(t, b.write("/output/"+strings.Repeat("x", 256), ""), syscall.ENAMETOOLONG)
	// The case of a name may be changed.
	b.host(b.Rename("/output/Readme", "/output/README"))
	wantErr(t, b.Rename("/output/other", "/output/readme"), syscall.EINVAL)
	b.host(b.Remove("/output/README"))
	b.host(b.write("/output/readme", ""))
}

func TestPathBounds(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent(), Tmp: "tmp"})
	deep := "/output"
	for range maxDepth - 2 {
		deep += "/d"
		b.host(b.Mkdir(deep, 0o755))
	}
	b.host(b.write(deep+"/f", ""))
	b.host(b.Mkdir(deep+"/g", 0o755))
	wantErr(t, b.write(deep+"/g/h", ""), syscall.EINVAL)
	b.host(b.Mkdir("/output/x", 0o755))
	b.host(b.Mkdir("/output/x/y", 0o755))
	wantErr(t, b.Rename("/output/x", deep+"/x"), syscall.EINVAL)
	wide := "/scratch"
	for range 4 {
		wide += "/" + strings.Repeat("w", 240)
		b.host(b.Mkdir(wide, 0o755))
	}
	wantErr(t, b.Mkdir(wide+"/"+strings.Repeat("w", 60), 0o755), syscall.ENAMETOOLONG)
	b.host(b.write("/output/x/"+strings.Repeat("f", 60), ""))
	wantErr(t, b.Rename("/output/x", wide+"/x"), syscall.ENAMETOOLONG)
	b.host(b.Rename("/output/x/y", wide+"/y"))
	b.host(b.Mkdir("/tmp/t", 0o755))
	wantErr(t, b.Rename("/tmp/t", "/output/t"), syscall.EXDEV)
	b.host(b.write("/tmp/f", "f"))
	b.host(b.Rename("/tmp/f", "/output/f"))
	b.want("/output/f", "f")
}

func TestChecklist18HiddenAndReadOnlyRoots(t *testing.T) {
	t.Parallel()
	type fsAction = func(v FS, path, other string) error
	with := setup(t, Options{Roots: agent()})
	without := setup(t, Options{Roots: agent()})
	with.put("hidden/h", "secret")
	with.put("hidden/d/x", "secret")
	all := map[string]fsAction{}
	for what, look := range looks {
		all[what] = func(v FS, p, _ string) error { return look(v, p) }
	}
	for what, act := range actions {
		all[what] = act
	}
	for what, do := range all {
		for _, p := range []string{"/hidden", "/hidden/", "/hidden/h", "/hidden/h/x", "/hidden/none", "/output/../hidden", "/hidden/d/../h", "/hidden/d"} {
			for _, b := range []*bench{with, without} {
				b.host(b.write("/output/other", ""))
			}
			there, absent := do(with, p, "/output/other"), do(without, p, "/output/other")
			if there == nil || fmt.Sprint(there) != fmt.Sprint(absent) {
				t.Errorf("%s of %s: %v, and without it: %v", what, p, there, absent)
			}
		}
	}
	if got := with.names("/"); got != "input output scratch" {
		t.Errorf("/ lists %q", got)
	}
	readOnly(t, with, "/input/given", func() { with.put("input/given", "given") }, func() {
		got, err := os.ReadFile(filepath.Join(with.dir, "input", "given"))
		if err != nil || string(got) != "given" {
			t.Errorf("the read-only file is %q, %v", got, err)
		}
	})
	for _, root := range []string{"/output", "/scratch", "/input", "/"} {
		for _, what := range []string{"remove", "move from", "chmod", "touch", "move over"} {
			if err := actions[what](with, root, "/output/other"); !errors.Is(err, syscall.EROFS) {
				t.Errorf("%s of %s gives %v", what, root, err)
			}
		}
	}
	wantErr(t, with.write("/new", ""), syscall.EROFS)
	wantErr(t, with.Mkdir("/new", 0o755), syscall.EROFS)
}

// readOnly tries every change of a path.
func readOnly(t *testing.T, b *bench, p string, before, after func()) {
	t.Helper()
	for what, do := range actions {
		before()
		if !b.o.ReadOnly {
			b.host(b.write("/output/other", ""))
		}
		err := do(b, p, "/output/other")
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s of %s gives %v", what, p, err)
		}
		after()
	}
}

func TestChecklist19ReadOnly(t *testing.T) {
	t.Parallel()
	for _, roots := range []Roots{{}, agent()} {
		b := setup(t, Options{Roots: roots, ReadOnly: true, Tmp: "tmp"})
		b.put("output/f", "f")
		b.put("output/other", "o")
		b.host(os.WriteFile(filepath.Join(b.o.Tmp, "t"), nil, 0o644))
		before := fmt.Sprint(hostTree(t, b.dir), hostTree(t, b.o.Tmp))
		for _, p := range []string{"/output/f", "/tmp/t"} {
			readOnly(t, b, p, func() {}, func() {
				if now := fmt.Sprint(hostTree(t, b.dir), hostTree(t, b.o.Tmp)); now != before {
					t.Errorf("changed from %s to %s", before, now)
				}
			})
		}
		b.want("/output/f", "f")
		b.host(b.write("/dev/null", "x"))
		b.wantAnnounced()
	}
}

func hostTree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out = append(out, fmt.Sprint(p, info.Mode(), info.Size(), info.ModTime().UnixNano()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The writable roots are named once.
func TestReadOnlyTextNamesTheRootsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, Options{Roots: agent(), Tmp: "tmp"})
	first, second := b.write("/input/x", ""), b.Mkdir("/y", 0o755)
	if got := Text(first); got != "Read-only file system (writable: /output, /scratch, /tmp)" {
		t.Errorf("got %q", got)
	}
	if got := Text(second) + Text(first); got != strings.Repeat("Read-only file system", 2) {
		t.Errorf("got %q", got)
	}
	free := setup(t, Options{ReadOnly: true})
	if got := Text(free.write("/x", "")); got != "Read-only file system" {
		t.Errorf("got %q", got)
	}
}
