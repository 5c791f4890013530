package swarm

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// WorkspaceFile is one file of a run's workspace, a link in it, or a directory that holds
// nothing.
type WorkspaceFile struct {
	Path       string `json:"path"`
	Kind       string `json:"kind,omitempty"`   // empty: a file; link; dir
	Target     string `json:"target,omitempty"` // of a link
	Chars      int    `json:"chars"`            // Unicode characters
	Bytes      int    `json:"bytes"`
	SHA256     string `json:"sha256"` // of the content, hex
	Executable bool   `json:"executable,omitempty"`
	By         string `json:"by,omitempty"` // path of the agent that changed it last; empty: it was given with the run
	Seq        int64  `json:"seq"`          // record of that change
}

// Files lists the workspace of a run in order of path, whatever state the run is in and
// whoever owns it: it only reads records. Errors: "journal.run_not_found", and
// "journal.damaged" beside the files that the good records tell of.
func (rt *Runtime) Files(ctx context.Context, run string) ([]WorkspaceFile, error) {
	h, err := rt.fileHistory(ctx, run)
	if h == nil {
		return nil, err
	}
	out := []WorkspaceFile{}
	for _, path := range slices.Sorted(maps.Keys(h.now)) {
		if c := h.now[path]; c.New != "" {
			out = append(out, WorkspaceFile{Path: path, Kind: c.Kind, Target: c.target(), Chars: c.Chars, Bytes: c.Size, SHA256: c.New, Executable: c.Exec, By: c.by, Seq: c.seq})
		}
	}
	return out, err
}

// ReadFile gives the content of one file of a run's workspace, text or not; through links, of
// the file that they lead to. Errors: those
// of [Runtime.Files], "workspace.invalid_path", "workspace.path_is_directory",
// "workspace.file_not_found" with the nearest path, and "journal.blob_not_found".
func (rt *Runtime) ReadFile(ctx context.Context, run, path string) ([]byte, error) {
	p, err := workspace.ParsePath(path)
	if err != nil {
		return nil, err
	}
	h, err := rt.fileHistory(ctx, run)
	if h == nil {
		return nil, err
	}
	if p, bad := h.manifest().Resolve(p); bad == nil {
		if c, ok := h.now[p]; ok && c.New != "" && c.Kind == "" {
			return rt.contentOf(ctx, run, c)
		}
	}
	if err != nil {
		return nil, err // the file may be one that the damage hides
	}
	return nil, h.missing(p).With("read file", run)
}

// fileChange is a state of one file and the record that made it.
type fileChange struct {
	*journal.FileChanged
	seq int64
	by  string // agent path; empty: the host
}

// fileHistory is what became of the files of a run: the newest change of each, removals
// too, and the newest that the host made, which is what the run was given.
type fileHistory struct {
	now, given map[string]fileChange
}

// fileHistory folds the changes of files. It is nil when nothing can be read; after damage
// it holds what the good records tell, beside the error.
func (rt *Runtime) fileHistory(ctx context.Context, run string) (*fileHistory, error) {
	if err := rt.usable("read files", run); err != nil {
		return nil, err
	}
	if _, err := rt.store.Summary(ctx, run); err != nil {
		return nil, err
	}
	h := &fileHistory{now: map[string]fileChange{}, given: map[string]fileChange{}}
	for from := int64(1); ; {
		page, err := rt.store.Read(ctx, run, journal.Query{From: from, Types: []journal.Type{journal.TFileChanged}, NoBlobs: true})
		for i := range page {
			h.fold(&page[i])
		}
		if err != nil && fault.Code(err) != "journal.damaged" {
			return nil, err
		}
		if err != nil || len(page) == 0 {
			return h, err
		}
		from = page[len(page)-1].Seq + 1
	}
}

func (h *fileHistory) fold(r *journal.Record) {
	m, ok := r.Payload.(*journal.FileChanged)
	if !ok {
		return
	}
	c := fileChange{m, r.Seq, r.Scope.Invocation}
	h.now[m.Path] = c
	for dir := path.Dir(m.Path); m.New != "" && dir != "."; dir = path.Dir(dir) {
		if h.now[dir].kind() == workspace.KindDir {
			delete(h.now, dir) // it is empty no more
		}
	}
	if c.by == "" {
		h.given[m.Path] = c
	}
}

// manifest gives what there is as links are followed in it.
func (h *fileHistory) manifest() *workspace.Manifest {
	var links []workspace.Change
	for _, path := range slices.Sorted(maps.Keys(h.now)) {
		if c := h.now[path]; c.kind() == workspace.KindLink {
			links = append(links, workspace.Change{Path: path, Kind: c.Kind, New: c.New, Content: c.target()})
		}
	}
	return (*workspace.Manifest)(nil).With("", links)
}

// kind is that of what is there now; "" also when nothing is.
func (c fileChange) kind() string {
	if c.hash() == "" {
		return ""
	}
	return c.Kind
}

// target is that of a link.
func (c fileChange) target() string {
	if c.kind() != workspace.KindLink {
		return ""
	}
	return c.Content.Text
}

// missing says why a path is no file, and what is near.
func (h *fileHistory) missing(path string) *fault.Error {
	var paths []string
	below := 0
	for p, c := range h.now {
		if c.New == "" {
			continue
		}
		paths = append(paths, p)
		if path == "" || strings.HasPrefix(p, path+"/") {
			below++
		}
	}
	switch c, was := h.now[path]; {
	case c.kind() == workspace.KindDir:
		return fault.New("workspace.path_is_directory", "%s is an empty directory, a file is needed", path)
	case c.kind() == workspace.KindLink:
		return fault.New("workspace.file_not_found", "%s is a link to %s, where there is no file", path, c.target())
	case below > 0:
		return fault.New("workspace.path_is_directory", "%s is a directory with %s, a file is needed", orRoot(path), workspace.Count(below, "file"))
	case was:
		return fault.New("workspace.file_not_found", "%s was removed by %s in record %d", path, c.by, c.seq)
	case len(paths) == 0:
		return fault.New("workspace.file_not_found", "%s does not exist: the workspace of this run holds no files", orRoot(path))
	}
	return fault.New("workspace.file_not_found", "%s does not exist; the nearest file is %s", orRoot(path), tooling.Nearest(path, paths, 1)[0])
}

func orRoot(path string) string {
	if path == "" {
		return "the root of the workspace"
	}
	return path
}

// contentOf gives the content that a change made. Short ones stand in the record, others
// in the store of blobs.
func (rt *Runtime) contentOf(ctx context.Context, run string, c fileChange) ([]byte, error) {
	b := []byte(c.Content.Text)
	if len(b) == 0 && c.Size > 0 {
		var err error
		if b, err = rt.store.GetBlob(ctx, c.New); err != nil {
			return nil, err
		}
	}
	if workspace.HashOf(b) != c.New {
		return nil, fault.New("journal.damaged", "record %d does not hold the content of %s that it names", c.seq, c.Path).With("read file", run)
	}
	return b, nil
}

// Labels gives the labels that a run was begun with; nil: none. Errors:
// "journal.run_not_found", "journal.damaged".
func (rt *Runtime) Labels(ctx context.Context, run string) (map[string]string, error) {
	if err := rt.usable("read labels", run); err != nil {
		return nil, err
	}
	m, err := rt.first(ctx, run, journal.Query{To: 1, NoBlobs: true})
	if err != nil {
		return nil, err
	}
	return m.Labels, nil
}
