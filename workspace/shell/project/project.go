package project

import (
	"io/fs"
	"os"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Projection is a directory that holds the files of a manifest.
type Projection struct {
	dir  string
	held *workspace.Manifest // what the directory holds
	sure bool                // that it holds exactly that
}

// Open gives the projection in a directory of its own. What stands there already is removed
// by the first [Projection.Sync], which makes the directory when it is missing.
func Open(dir string) *Projection { return &Projection{dir: dir} }

// Dir gives the directory on the host.
func (p *Projection) Dir() string { return p.dir }

// At says whether the directory holds exactly a manifest, so that a Sync has nothing to do.
func (p *Projection) At(m *workspace.Manifest) bool { return p.sure && p.held == m }

// Discard removes the directory. The next Sync makes it anew.
func (p *Projection) Discard() {
	p.held, p.sure = nil, false
	// What stays is removed by the next Sync, which then fails if it cannot.
	_ = clear(p.dir)
}

// clear removes a directory with all that is in it, whatever modes a call left there.
func clear(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Chmod(".", 0o755); err != nil {
		return err
	}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			return root.Chmod(name, 0o755) // before the walk reads it
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
