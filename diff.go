package swarm

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Bounds of a file that [Runtime.Diff] compares line by line: above what a person reads.
const (
	diffBytes = 256 << 10
	diffLines = 10_000
)

// FileDiff says how one file differs from what the run was given.
type FileDiff struct {
	Path    string `json:"path"`
	Kind    string `json:"kind,omitempty"`    // of what is there now, or was removed: empty for a file, link, dir
	Change  string `json:"change"`            // added, changed, removed
	By      string `json:"by,omitempty"`      // path of the agent that changed it last
	Added   int    `json:"added"`             // lines
	Removed int    `json:"removed"`           // lines
	Omitted string `json:"omitted,omitempty"` // why Diff is empty: binary, large, result (a long result of a tool), directory, mode (only its execute bit)
	Diff    string `json:"diff"`              // unified, with the names a/PATH and b/PATH
}

// Diff says what changed in the workspace of a run since its start, in order of path. The
// files that the run was given count as before. A path narrows it to one file or to a
// directory; "" is everything. Files that are no text, or large, have no Diff, and so have
// the results of tools below tool-results/ unless path names them. Errors: those of
// [Runtime.Files] and "workspace.invalid_path".
func (rt *Runtime) Diff(ctx context.Context, run, path string) ([]FileDiff, error) {
	only := ""
	if path != "" {
		var err error
		if only, err = workspace.ParsePath(path); err != nil {
			return nil, err
		}
	}
	h, err := rt.fileHistory(ctx, run)
	if err != nil {
		return nil, err
	}
	out := []FileDiff{}
	known := only == ""
	for _, p := range slices.Sorted(maps.Keys(h.now)) {
		if only != "" && p != only && !strings.HasPrefix(p, only+"/") {
			continue
		}
		known = true
		if c, before := h.now[p], h.given[p]; c.New == before.hash() && (c.New == "" || c.Kind == before.Kind && c.Exec == before.Exec) {
			continue
		}
		d, err := rt.fileDiff(ctx, run, h, p, only != "")
		if err != nil {
			return nil, err
		}
		out = append(out, *d)
	}
	if !known {
		return nil, h.missing(only).With("compare files", run)
	}
	return out, nil
}

// hash is that of the content, "" without a file.
func (c fileChange) hash() string {
	if c.FileChanged == nil {
		return ""
	}
	return c.New
}

func (rt *Runtime) fileDiff(ctx context.Context, run string, h *fileHistory, path string, named bool) (*FileDiff, error) {
	before, now := h.given[path], h.now[path]
	d := &FileDiff{Path: path, By: now.by, Change: "changed"}
	switch "" {
	case before.hash():
		d.Change = "added"
	case now.New:
		d.Change = "removed"
	}
	if !named && strings.HasPrefix(path, workspace.ToolResults+"/") {
		d.Omitted = "result"
		return d, nil
	}
	var texts [2]string
	for i, c := range []fileChange{before, now} {
		if c.hash() == "" {
			continue
		}
		if d.Kind = c.Kind; c.Kind == workspace.KindDir {
			d.Omitted = "directory"
			return d, nil
		}
		if c.Size > diffBytes {
			d.Omitted = "large"
			return d, nil
		}
		b, err := rt.contentOf(ctx, run, c)
		if err != nil {
			return nil, err
		}
		if !workspace.IsText(b) {
			d.Omitted = "binary"
			return d, nil
		}
		texts[i] = string(b)
	}
	if before.hash() == now.hash() && before.kind() == now.kind() {
		d.Omitted = "mode"
		return d, nil
	}
	if strings.Count(texts[0], "\n") > diffLines || strings.Count(texts[1], "\n") > diffLines {
		d.Omitted = "large"
		return d, nil
	}
	return d, d.unified(texts[0], texts[1])
}

// noFile is the name of the missing side in a unified diff.
const noFile = "/dev/null"

func (d *FileDiff) unified(before, now string) (err error) {
	from, to := "a/"+d.Path, "b/"+d.Path
	if strings.Contains(d.Path, " ") { // else programs that apply it end the name there
		from, to = from+"\t", to+"\t"
	}
	switch d.Change {
	case "added":
		from = noFile
	case "removed":
		to = noFile
	}
	d.Diff, err = udiff.ToUnified(from, to, before, udiff.Lines(before, now), udiff.DefaultContextLines)
	header := 2 // lines that name the files
	for line := range strings.Lines(d.Diff) {
		switch {
		case header > 0:
			header--
		case line[0] == '+':
			d.Added++
		case line[0] == '-':
			d.Removed++
		}
	}
	return err
}
