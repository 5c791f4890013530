package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(v *view.View) error
		want []string
	}{
		{"nothing", func(*view.View) error { return nil }, []string{}},
		{"new file", func(v *view.View) error { return write(v, "/output/n", "x") }, []string{"+output/n"}},
		{"changed", func(v *view.View) error { return write(v, "/output/a", "A2") }, []string{"~output/a"}},
		{"written the same", func(v *view.View) error { return write(v, "/output/a", "A") }, []string{}},
		{"removed", func(v *view.View) error { return v.Remove("/output/a") }, []string{"-output/a"}},
		{"made and removed", func(v *view.View) error { return errors.Join(write(v, "/output/n", ""), v.Remove("/output/n")) }, []string{}},
		{"moved", func(v *view.View) error { return v.Rename("/output/a", "/scratch/b") }, []string{"-output/a", "+scratch/b"}},
		{"moved over another", func(v *view.View) error { return v.Rename("/output/a", "/output/d/x") }, []string{"-output/a", "~output/d/x"}},
		{"directory moved", func(v *view.View) error { return v.Rename("/output/d", "/scratch/d") },
			[]string{"-output/d/s/y", "-output/d/x", "+scratch/d/s/y", "+scratch/d/x"}},
		{"empty directory", func(v *view.View) error { return v.Mkdir("/output/n", 0o755) }, []string{"+output/n/"}},
		{"file in a new directory", func(v *view.View) error {
			return errors.Join(v.Mkdir("/output/n", 0o755), v.Mkdir("/output/n/m", 0o755), write(v, "/output/n/m/f", ""))
		}, []string{"+output/n/m/f"}},
		{"emptied directory", func(v *view.View) error { return v.Remove("/output/d/s/y") }, []string{"-output/d/s/y", "+output/d/s/"}},
		{"emptied and removed", func(v *view.View) error { return errors.Join(v.Remove("/output/d/s/y"), v.Remove("/output/d/s")) }, []string{"-output/d/s/y"}},
		{"no more empty", func(v *view.View) error { return write(v, "/output/e/f", "") }, []string{"+output/e/f"}},
		{"empty one removed", func(v *view.View) error { return v.Remove("/output/e") }, []string{"-output/e"}},
		{"link", func(v *view.View) error { return v.Symlink("../input/i", "/output/l") }, []string{"+output/l->../input/i"}},
		{"link changed", func(v *view.View) error { return errors.Join(v.Remove("/output/ln"), v.Symlink("b", "/output/ln")) }, []string{"~output/ln->b"}},
		{"written through a link", func(v *view.View) error { return write(v, "/output/ln", "A2") }, []string{"~output/a"}},
		{"file for a link", func(v *view.View) error { return errors.Join(v.Remove("/output/ln"), write(v, "/output/ln", "a")) }, []string{"~output/ln"}},
		{"executable", func(v *view.View) error { return v.Chmod("/output/a", 0o755) }, []string{"~output/a*"}},
		{"other modes say nothing", func(v *view.View) error {
			return errors.Join(v.Chmod("/output/a", 0), v.Chmod("/output/d/s", 0o111), v.Chmod("/output/d", 0), v.Chmod("/output/e", 0))
		}, []string{}},
		{"times say nothing", func(v *view.View) error { return v.Chtimes("/output/a", time.Time{}, time.Unix(1, 0)) }, []string{}},
		{"directory for a file", func(v *view.View) error {
			return errors.Join(v.Remove("/output/a"), v.Mkdir("/output/a", 0o755), write(v, "/output/a/b", ""))
		}, []string{"-output/a", "+output/a/b"}},
		{"empty directory for an empty file", func(v *view.View) error {
			return errors.Join(v.Remove("/output/nil"), v.Mkdir("/output/nil", 0o755))
		}, []string{"~output/nil/"}},
		{"file for a directory", func(v *view.View) error {
			return errors.Join(v.Remove("/output/d/x"), v.Remove("/output/d/s/y"), v.Remove("/output/d/s"), v.Remove("/output/d"), write(v, "/output/d", "D"))
		}, []string{"-output/d/s/y", "-output/d/x", "+output/d"}},
		{"bytes that are no text", func(v *view.View) error { return write(v, "/output/n", "\xff\x00\xfe") }, []string{"+output/n"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "A", "output/d/x", "X", "output/d/s/y", "Y", "output/nil", "", "input/i", "I")
			b.record([]workspace.Change{
				{Path: "output/e", Kind: workspace.KindDir, New: workspace.HashOf(nil)},
				{Path: "output/ln", Kind: workspace.KindLink, New: workspace.HashOf([]byte("a")), Size: 1, Content: "a"},
			})
			changes := b.call(row.do)
			if got := told(changes); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
			b.sync()
			b.wantRebuilt()
		})
	}
}

// What is moved or copied is not read into memory again when the journal has it as a blob.
func TestLargeContentsAreNamed(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", journal.MaxInline+1)
	other := strings.Repeat("y", journal.MaxInline+1)
	b := setup(t, "output/large", large, "output/small", "small")
	changes := b.call(func(v *view.View) error {
		return errors.Join(v.Rename("/output/large", "/scratch/moved"), v.Rename("/output/small", "/scratch/small"), write(v, "/output/copy", large), write(v, "/output/other", other))
	})
	want := map[string]string{"scratch/moved": "", "scratch/small": "small", "output/copy": "", "output/other": other}
	for _, c := range changes {
		if c.New == "" {
			continue
		}
		if text, ok := want[c.Path]; !ok || c.Content != text || c.Size != len(b.blobs[c.New]) {
			t.Errorf("%s has a content of %d bytes", c.Path, len(c.Content))
		}
		delete(want, c.Path)
	}
	if len(want) != 0 {
		t.Errorf("there is no change of %v", want)
	}
	b.sync()
	b.wantRebuilt()
}

// Whatever calls do, and whatever others change between them, the directory is what a new
// one would be.
func TestIncrementalIsRebuilt(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	name := func() string {
		p := "/" + []string{"output", "scratch"}[rnd.IntN(2)]
		for range 1 + rnd.IntN(3) {
			p += "/" + string(rune('a'+rnd.IntN(3)))
		}
		return p
	}
	b := setup(t, "input/i", "I")
	for range 60 {
		b.call(func(v *view.View) error {
			for range rnd.IntN(12) {
				switch rnd.IntN(8) { // many of them fail, as they do in a shell
				case 0, 1:
					_ = write(v, name(), fmt.Sprint(rnd.IntN(3)))
				case 2, 3:
					_ = v.Mkdir(name(), 0o755)
				case 4:
					_ = v.Remove(name())
				case 5:
					_ = v.Rename(name(), name())
				case 6:
					_ = v.Symlink([]string{"a", "../b", name()}[rnd.IntN(3)], name())
				case 7:
					_ = v.Chmod(name(), []fs.FileMode{0o755, 0o644, 0o500, 0}[rnd.IntN(4)])
				}
			}
			return nil
		})
		if rnd.IntN(3) == 0 { // a file tool removes something and writes something
			for p, e := range b.m.All() {
				if rnd.IntN(4) == 0 && p != "input/i" {
					b.record([]workspace.Change{{Path: p, Old: e.Hash}})
					break
				}
			}
			b.put(fmt.Sprintf("tool-results/calls/%d", rnd.IntN(5)), fmt.Sprint(rnd.IntN(3)))
		}
		b.sync()
		b.wantRebuilt()
		if t.Failed() {
			return
		}
	}
}

func TestSyncTouchesWhatDiffers(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "A", "output/b", "B", "output/c", "C")
	b.sync()
	before := info(t, b, "output/a")
	if !before.ModTime().Equal(b.now) || before.Mode() != 0o644 {
		t.Errorf("%v %v", before.ModTime(), before.Mode())
	}
	b.contents = 0
	b.sync()
	b.put("output/b", "B2")
	if b.At(b.m) {
		t.Error("At says that a manifest is there that is not")
	}
	b.sync()
	if !b.At(b.m) || b.contents != 1 {
		t.Errorf("asked for %d contents", b.contents)
	}
	if !os.SameFile(before, info(t, b, "output/a")) {
		t.Error("a file that did not change was written anew")
	}
	b.wantRebuilt()
}

func info(t *testing.T, b *bench, name string) fs.FileInfo {
	t.Helper()
	i, err := os.Lstat(filepath.Join(b.Dir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// After a failure everything is made anew.
func TestSyncAfterAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "A", "output/b", "B")
	hash := workspace.HashOf([]byte("B"))
	kept := b.blobs[hash]
	delete(b.blobs, hash)
	err := b.Sync(t.Context(), b.m, b.content)
	if fault.Code(err) != "workspace.content_expired" || b.At(b.m) {
		t.Fatalf("got %v", err)
	}
	b.blobs[hash] = kept
	if err := os.WriteFile(filepath.Join(b.Dir(), "output", "left over"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.sync()
	b.wantRebuilt()
}

// What is not as it should be, or was left by another process, is made anew.
func TestSyncOverLeftovers(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "A")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(b.Dir(), "secret", "shut"), 0o755))
	must(os.WriteFile(filepath.Join(b.Dir(), "secret", "shut", "f"), nil, 0o400))
	must(os.Chmod(filepath.Join(b.Dir(), "secret", "shut"), 0))
	b.sync()
	b.wantRebuilt()
	must(os.RemoveAll(filepath.Join(b.Dir(), "output")))
	b.record([]workspace.Change{{Path: "output/a", Old: workspace.HashOf([]byte("A"))}})
	b.put("output/b", "B")
	b.sync()
	b.wantRebuilt()
	b.Discard()
	if _, err := os.Stat(b.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
	b.sync()
	b.wantRebuilt()
}

// What a hostile worker announces or leaves behind changes nothing and is thrown away.
func TestHostileAnnouncements(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		do   func(dir string) error
		tell []string
	}{
		{"outside the roots", func(dir string) error { return os.WriteFile(filepath.Join(dir, "input/i"), []byte("x"), 0o600) }, []string{"input/i"}},
		{"a root", func(dir string) error { return os.Remove(filepath.Join(dir, "output/a")) }, []string{"output"}},
		{"the root", nil, []string{"", ".", "/"}},
		{"dots", nil, []string{"output/../input/i", "../p/output/a", "/output/a", "output//a", "output/./a"}},
		{"a link out of it in the way", func(dir string) error { return os.Symlink(filepath.Dir(outside), filepath.Join(dir, "output/l")) }, []string{"output/l/outside"}},
		{"a link to a hidden root in the way", func(dir string) error { return os.Symlink("../hidden", filepath.Join(dir, "output/l")) }, []string{"output/l/h"}},
		{"a link inside in the way", func(dir string) error { return os.Symlink("d", filepath.Join(dir, "output/l")) }, []string{"output/l/x"}},
		{"a name of control characters", func(dir string) error { return os.WriteFile(filepath.Join(dir, "output/d/\n"), nil, 0o600) }, []string{"output/d"}},
		{"a target that is no text", func(dir string) error { return os.Symlink("\xff", filepath.Join(dir, "output/l")) }, []string{"output/l"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a", "A", "output/d/x", "X", "input/i", "I", "hidden/h", "H")
			b.sync()
			if row.do != nil {
				if err := row.do(b.Dir()); err != nil {
					t.Fatal(err)
				}
			}
			if got := told(b.settle(row.tell)); len(got) != 0 {
				t.Errorf("changed %q", got)
			}
			if b.At(b.m) {
				t.Error("the directory is still trusted")
			}
			b.sync()
			b.wantRebuilt()
		})
	}
}

// A link is a change itself; what it leads to, here or outside, is not read.
func TestAnnouncedLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "A")
	b.sync()
	if err := os.Symlink("/etc/passwd", filepath.Join(b.Dir(), "output", "l")); err != nil {
		t.Fatal(err)
	}
	if got := told(b.settle([]string{"output/l"})); !slices.Equal(got, []string{"+output/l->/etc/passwd"}) {
		t.Errorf("got %q", got)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "A")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Sync(ctx, b.m, b.content); fault.Code(err) != "tool.cancelled" {
		t.Errorf("got %v", err)
	}
	b.sync()
	if _, err := b.Changes(ctx, []string{"output/a"}, roots()); fault.Code(err) != "tool.cancelled" {
		t.Errorf("got %v", err)
	}
}
