package project

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func roots() view.Roots {
	return view.Roots{Visible: []string{"input", "output", "scratch"}, Writable: []string{"output", "scratch"}}
}

// bench is a run's files: the manifest, the contents, and a projection of them.
type bench struct {
	*Projection
	t        *testing.T
	blobs    map[string][]byte
	m        *workspace.Manifest
	contents int // that were asked for
	now      time.Time
}

func setup(t *testing.T, files ...string) *bench {
	t.Helper()
	b := &bench{
		Projection: Open(filepath.Join(t.TempDir(), "p")), t: t, blobs: map[string][]byte{},
		now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	for i := 0; i < len(files); i += 2 {
		b.put(files[i], files[i+1])
	}
	return b
}

func (b *bench) put(name, text string) {
	b.record([]workspace.Change{{Path: name, New: workspace.HashOf([]byte(text)), Size: len(text), Content: text}})
}

// record is what the journal does with changes.
func (b *bench) record(changes []workspace.Change) {
	b.t.Helper()
	for i := range changes {
		c := &changes[i]
		if err := b.m.Check(*c); err != nil && c.Old != "" {
			b.t.Errorf("%+v: %v", *c, err)
		}
		if c.Content != "" || c.Size == 0 {
			b.blobs[c.New] = []byte(c.Content)
		} else if len(b.blobs[c.New]) != c.Size || c.Size <= journal.MaxInline {
			b.t.Errorf("the content of %s is not stored", c.Path)
		}
		c.At = b.now
	}
	b.m = b.m.With("root", changes)
}

func (b *bench) content(_ context.Context, hash string) ([]byte, error) {
	b.contents++
	text, ok := b.blobs[hash]
	if !ok {
		return nil, fault.New("workspace.content_expired", "no content %s", hash)
	}
	return text, nil
}

func (b *bench) sync() {
	b.t.Helper()
	if err := b.Sync(b.t.Context(), b.m, b.content); err != nil {
		b.t.Fatal(err)
	}
}

// call does something as a call of an agent does, and records what it changed.
func (b *bench) call(do func(v *view.View) error) []workspace.Change {
	b.t.Helper()
	b.sync()
	var announced []string
	v, err := view.New(view.Options{Dir: b.Dir(), Roots: roots(), Budget: &limits.Budget{}, Announce: func(p string) { announced = append(announced, p) }})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := do(v); err != nil {
		b.t.Fatal(err)
	}
	v.Seal()
	if err := v.Close(); err != nil {
		b.t.Fatal(err)
	}
	return b.settle(announced)
}

func (b *bench) settle(announced []string) []workspace.Change {
	b.t.Helper()
	changes, err := b.Changes(b.t.Context(), announced, roots())
	if err != nil {
		b.t.Fatal(err)
	}
	b.Accept(changes)
	b.record(changes)
	return changes
}

func write(v view.FS, name, text string) error {
	f, err := v.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write([]byte(text)); err != nil {
		return err
	}
	return f.Close()
}

// tree lists a directory: kind, mode, path and content of each entry. Roots are left out
// when they are empty, as they need no entry.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	out := []string{}
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == dir {
			return err
		}
		name, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch d.Type() {
		case fs.ModeDir:
			entries, err := os.ReadDir(full)
			if err != nil {
				return err
			}
			if len(entries) == 0 && filepath.Dir(name) == "." {
				return nil
			}
		case fs.ModeSymlink:
			if text, err = os.Readlink(full); err != nil {
				return err
			}
			out = append(out, "link "+name+" "+text)
			return nil
		default:
			b, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			text = string(b)
		}
		out = append(out, info.Mode().String()+" "+name+" "+text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantRebuilt checks that the directory is what a new one would be.
func (b *bench) wantRebuilt() {
	b.t.Helper()
	fresh := Open(filepath.Join(b.t.TempDir(), "fresh"))
	if err := fresh.Sync(b.t.Context(), b.m, b.content); err != nil {
		b.t.Fatal(err)
	}
	got, want := tree(b.t, b.Dir()), tree(b.t, fresh.Dir())
	if !slices.Equal(got, want) {
		b.t.Errorf("the directory has\n%q\nand a new one\n%q", got, want)
	}
}

// told gives changes in short: + created, ~ modified, - deleted.
func told(changes []workspace.Change) []string {
	out := []string{}
	for _, c := range changes {
		sign := "~"
		switch {
		case c.New == "":
			sign = "-"
		case c.Old == "":
			sign = "+"
		}
		text := sign + c.Path
		switch {
		case c.Kind == workspace.KindDir:
			text += "/"
		case c.Kind == workspace.KindLink:
			text += "->" + c.Content
		case c.Exec:
			text += "*"
		}
		out = append(out, text)
	}
	return out
}
