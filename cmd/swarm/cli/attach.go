package cli

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// attached gathers the files of --attach.
type attached struct {
	data  string // data directory, absolute
	limit workspace.Limits
	files []swarm.InputFile
	names []string // of the files, as the user wrote them
	bytes int64
	left  []string // what was left out or is not shown, and why
}

func newAttached(dataDir string) (*attached, error) {
	data, err := filepath.Abs(dataDir)
	if real, gone := filepath.EvalSymlinks(data); gone == nil {
		data = real
	}
	return &attached{data: data, limit: workspace.NewView(workspace.ViewOptions{}).Limits()}, err
}

// add reads a file, or every file below a directory: its path begins with the directory's
// own name. A link that is named itself is followed. What is no regular file inside of a
// directory is left out, and so is the data directory.
func (r *attached) add(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return usage("--attach: %w", err)
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return usage("--attach: %w", err)
	}
	base := filepath.Base(full)
	switch {
	case info.Mode().IsRegular():
		return r.read(name, base, info)
	case !info.IsDir():
		return usage("--attach: %s is neither a file nor a directory", name)
	case base == string(filepath.Separator):
		return usage("--attach: %s has no name that its files could stand below; name the directories in it", name)
	}
	root, err := filepath.EvalSymlinks(full)
	if err != nil {
		return usage("--attach: %w", err)
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return usage("--attach: %w", err)
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return usage("--attach: %w", err)
		}
		shown := filepath.Join(name, rel)
		switch {
		case d.IsDir() && file == r.data:
			r.left = append(r.left, shown+" was left out: it is the data directory")
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			r.left = append(r.left, shown+" was left out: it is a link or no regular file; attach what it stands for by name")
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return usage("--attach: %w", err)
		}
		return r.read(shown, path.Join(base, filepath.ToSlash(rel)), info)
	})
}

// read takes one file. Sizes are judged before anything is read.
func (r *attached) read(name, at string, info fs.FileInfo) error {
	l := &r.limit
	switch {
	case info.Size() > int64(l.FileBytes):
		return usage("--attach: %s has %s bytes, the limit of a file is %s", name, grouped(info.Size()), grouped(int64(l.FileBytes)))
	case len(r.files) == l.Files:
		return usage("--attach: there are more than %s files", grouped(int64(l.Files)))
	case r.bytes+info.Size() > l.TotalBytes:
		return usage("--attach: %s: the files have more than %s bytes together", name, grouped(l.TotalBytes))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return usage("--attach: %w", err)
	}
	if _, ok, err := workspace.LookAt(data); ok && err != nil {
		r.left = append(r.left, name+" is attached, and its picture is shown to no model: "+err.Error())
	}
	r.bytes += int64(len(data))
	r.names = append(r.names, name)
	r.files = append(r.files, swarm.InputFile{Path: at, Content: data})
	return nil
}
