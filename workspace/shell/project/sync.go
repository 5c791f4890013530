package project

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Content gives the content of a hash of a manifest.
type Content = func(ctx context.Context, hash string) ([]byte, error)

// Sync brings the directory to exactly what a manifest says. It touches what differs from
// the manifest that the directory holds; after a failure the next one makes everything anew.
// Each file is written anew, as the file of nobody else, and has the time of its entry. The
// error is the context's ("tool.cancelled"), that of content, or the host's.
func (p *Projection) Sync(ctx context.Context, m *workspace.Manifest, content Content) error {
	if p.At(m) {
		return nil
	}
	held, sure := p.held, p.sure
	p.held, p.sure = nil, false
	var err error
	if sure {
		err = p.sync(ctx, held, m, content)
		sure = err == nil || fault.Code(err) != "" // else it did not hold what it should
	}
	if !sure {
		if err = p.empty(); err == nil {
			err = p.sync(ctx, nil, m, content)
		}
	}
	if err == nil {
		p.held, p.sure = m, true
	}
	return err
}

func (p *Projection) sync(ctx context.Context, held, m *workspace.Manifest, content Content) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	s := &syncing{ctx: ctx, root: root, content: content, made: map[string]bool{}}
	return s.run(held, m)
}

// empty makes the directory with nothing in it.
func (p *Projection) empty() error {
	if err := clear(p.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(p.dir, 0o755) // whatever the mask of the process takes away
}

// syncing is one Sync under way.
type syncing struct {
	ctx     context.Context //nolint:containedctx // it lives within one call
	root    *os.Root
	content Content
	made    map[string]bool // directories that are known to be there
}

// differs says whether the directory has to be touched for an entry.
func differs(a, b workspace.Entry) bool {
	return a.Hash != b.Hash || a.Kind != b.Kind || a.Exec != b.Exec
}

func (s *syncing) run(held, m *workspace.Manifest) error {
	var old, now []string
	for path, what := range both(held, m) {
		if what.was && (!what.is || differs(what.before, what.after)) {
			old = append(old, path)
		}
		if what.is && (!what.was || differs(what.before, what.after)) {
			now = append(now, path)
		}
	}
	for _, name := range slices.Backward(old) {
		if err := s.remove(name); err != nil {
			return err
		}
	}
	for _, name := range now {
		if s.ctx.Err() != nil {
			return fault.Wrap(context.Cause(s.ctx), "tool.cancelled", "the files of the shell: stopped")
		}
		e, _ := m.Get(name)
		if err := s.put(name, e); err != nil {
			return err
		}
	}
	return nil
}

// pair is an entry of a path in two manifests.
type pair struct {
	before, after workspace.Entry
	was, is       bool
}

// both gives every path of two manifests, in order.
func both(a, b *workspace.Manifest) iter.Seq2[string, pair] {
	return func(yield func(string, pair) bool) {
		nextA, stopA := iter.Pull2(a.All())
		defer stopA()
		nextB, stopB := iter.Pull2(b.All())
		defer stopB()
		pathA, before, was := nextA()
		pathB, after, is := nextB()
		for was || is {
			name, p := pathA, pair{was: was, is: is}
			switch {
			case was && is && pathA == pathB:
				p.before, p.after = before, after
			case was && (!is || pathA < pathB):
				p.before, p.is = before, false
			default:
				name, p.after, p.was = pathB, after, false
			}
			if !yield(name, p) {
				return
			}
			if p.was {
				pathA, before, was = nextA()
			}
			if p.is {
				pathB, after, is = nextB()
			}
		}
	}
}

// remove takes away an entry, and the directories above it that hold nothing then.
func (s *syncing) remove(name string) error {
	if err := s.root.Remove(filepath.FromSlash(name)); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if s.root.Remove(filepath.FromSlash(dir)) != nil {
			return nil // it holds something
		}
	}
	return nil
}

func (s *syncing) put(name string, e workspace.Entry) error {
	if err := s.dirs(path.Dir(name)); err != nil {
		return err
	}
	host := filepath.FromSlash(name)
	switch e.Kind {
	case workspace.KindDir:
		return s.dirs(name)
	case workspace.KindLink:
		return s.root.Symlink(e.Target, host)
	case "":
	default:
		return fmt.Errorf("%s is of the kind %q, which this version does not know", name, e.Kind)
	}
	var b []byte
	if e.Size > 0 {
		var err error
		if b, err = s.content(s.ctx, e.Hash); err != nil {
			return err
		}
		if len(b) != e.Size {
			return fault.New("workspace.storage_failed", "the content of %s has %d bytes, not %d", name, len(b), e.Size)
		}
	}
	f, err := s.root.OpenFile(host, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(modeOf(e.Exec))
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil && !e.At.IsZero() {
		err = s.root.Chtimes(host, e.At, e.At)
	}
	return err
}

// dirs makes a directory and those above it.
func (s *syncing) dirs(name string) error {
	if name == "." || s.made[name] {
		return nil
	}
	if err := s.dirs(path.Dir(name)); err != nil {
		return err
	}
	host := filepath.FromSlash(name)
	if info, err := s.root.Lstat(host); err == nil && info.IsDir() {
		s.made[name] = true
		return nil
	}
	if err := s.root.Mkdir(host, 0o755); err != nil {
		return err
	}
	s.made[name] = true
	return s.root.Chmod(host, 0o755) // whatever the mask of the process takes away
}

// modeOf gives the mode of a file.
func modeOf(exec bool) fs.FileMode {
	if exec {
		return 0o755
	}
	return 0o644
}
