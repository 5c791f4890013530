package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// maxLinks is how many links one path may lead through.
const maxLinks = 40

// opened is a file or directory of a mount. Exactly one of file and dir is set.
type opened struct {
	rel  string // where it really is in the mount
	file *os.File
	dir  *os.Root
	size int64
}

func (o *opened) Close() error {
	if o.file != nil {
		return o.file.Close()
	}
	return o.dir.Close()
}

// open opens a path of the mount one segment at a time and never follows a link by
// itself: each link is resolved by name and judged by the rules of the mount, then the
// way begins anew. What is opened is compared with what was judged, so a link that is
// swapped in between is not followed either.
func (m *mount) open(rel, shown string, may func(rel string) bool, hidden error) (*opened, error) {
	for range maxLinks {
		if !may(rel) {
			return nil, hidden
		}
		out, next, err := m.walk(rel, shown)
		if err != nil || out != nil {
			return out, err
		}
		rel = next
	}
	return nil, fault.New(codeEscape, "%s leads through more than %d links", shown, maxLinks)
}

// walk opens a path, or gives the path that its first link leads to.
func (m *mount) walk(rel, shown string) (out *opened, next string, err error) {
	dir, err := m.root.OpenRoot(".")
	if err != nil {
		return nil, "", hostFault(err, codePathNotFound, shown)
	}
	defer func() {
		if out == nil || out.dir != dir {
			_ = dir.Close()
		}
	}()
	if rel == "" {
		return &opened{dir: dir}, "", nil
	}
	segs := strings.Split(rel, "/")
	for i, seg := range segs {
		info, err := dir.Lstat(seg)
		if err != nil {
			return nil, "", hostFault(err, codeFileNotFound, shown)
		}
		last := i == len(segs)-1
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			next, err := m.follow(dir, path.Join(segs[:i]...), seg, shown)
			return nil, path.Join(append([]string{next}, segs[i+1:]...)...), err
		case info.IsDir():
			sub, err := openDir(dir, seg, info)
			if err != nil {
				return nil, "", hostFault(err, codePathNotFound, shown)
			}
			_ = dir.Close()
			dir = sub
			if last {
				return &opened{rel: rel, dir: dir}, "", nil
			}
		case !last:
			return nil, "", fault.New(codeNotDirectory, "%s is a file, so %s cannot be below it", strings.Join(segs[:i+1], "/"), shown)
		default:
			f, err := openFile(dir, seg, info)
			if err != nil {
				return nil, "", hostFault(err, codeFileNotFound, shown)
			}
			return &opened{rel: rel, file: f, size: info.Size()}, "", nil
		}
	}
	return nil, "", fault.New(codePathNotFound, "%s does not exist", shown)
}

// follow gives the path in the mount that a link leads to.
func (m *mount) follow(dir *os.Root, at, name, shown string) (string, error) {
	if !m.links {
		return "", fault.New(codeEscape, "%s leads through a link; links are not followed in this mount", shown)
	}
	target, err := dir.Readlink(name)
	if err != nil {
		return "", hostFault(swapped(err), codeFileNotFound, shown)
	}
	escape := fault.New(codeEscape, "%s leads out of the mount through a link", shown)
	if filepath.IsAbs(target) {
		for _, base := range []string{m.real, m.host} {
			if hostInside(target, base) {
				rel, err := filepath.Rel(base, target)
				if err != nil {
					return "", escape
				}
				return fromRoot(path.Clean(filepath.ToSlash(rel))), nil
			}
		}
		return "", escape
	}
	// By name is right here: no segment of at is a link.
	rel := path.Join(at, filepath.ToSlash(target))
	if rel == ".." || strings.HasPrefix(rel, "../") {
		return "", escape
	}
	return fromRoot(rel), nil
}

// fromRoot writes the root of a mount as "".
func fromRoot(clean string) string {
	if clean == "." {
		return ""
	}
	return clean
}

// errSwapped says that a name means something else than a moment ago.
var errSwapped = fault.New(codeEscape, "it was replaced while it was being opened")

// openDir opens a directory that was judged to be no link.
func openDir(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, swapped(err)
	}
	now, err := sub.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		_ = sub.Close()
		return nil, err
	}
	return sub, nil
}

// openFile opens a regular file that was judged to be no link. It never waits, whatever
// was swapped in.
func openFile(dir *os.Root, name string, info fs.FileInfo) (*os.File, error) {
	if !info.Mode().IsRegular() {
		return nil, fault.New(codeInvalidPath, "it is a device, socket or pipe, not a file")
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, swapped(err)
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// swapped gives errSwapped for an error that says that a name no longer means what was
// judged: those of the system for a link, a file or a directory that was not expected,
// and what [os.Root] itself refuses.
func swapped(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != syscall.ELOOP && errno != syscall.ENOTDIR && errno != syscall.EINVAL {
		return err
	}
	return errSwapped
}

// hostFault gives the error of a host file for a model: never a path of the host.
func hostFault(err error, missing, shown string) error {
	if notExist(err) {
		return fault.New(missing, "%s does not exist", shown)
	}
	if code := fault.Code(err); code != "" {
		return fault.Wrap(err, code, "%s", shown)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // without the path of the host
	}
	return fault.Wrap(err, "tool.failed", "%s cannot be opened", shown)
}

// bytesOf reads an opened file within the limit of text tools.
func bytesOf(ctx context.Context, o *opened, shown string, l Limits) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, stopped(ctx.Err(), shown)
	}
	if o.size > int64(l.FileBytes) {
		return nil, tooLarge(shown, o.size, l)
	}
	b, err := io.ReadAll(io.LimitReader(o.file, int64(l.FileBytes)+1))
	if err != nil {
		return nil, hostFault(err, codeFileNotFound, shown)
	}
	if len(b) > l.FileBytes {
		return nil, tooLarge(shown, int64(len(b)), l)
	}
	return b, nil
}

// MountRead gives a window of a file of a mount.
func (v *View) MountRead(ctx context.Context, p string, r Range) (*Reading, error) {
	one, rel, err := v.o.Mounts.locate(p)
	if err != nil {
		return nil, err
	}
	shown := v.o.Mounts.show(one, rel)
	if shown == "" {
		shown = one.at
	}
	f, err := one.open(rel, shown, one.shows, v.o.Mounts.notVisible(shown))
	if err != nil {
		return nil, v.o.Mounts.formed(err)
	}
	defer f.Close()
	if f.file == nil {
		return nil, fault.New(codeIsDirectory, "%s is a directory, a file is needed", shown)
	}
	b, err := bytesOf(ctx, f, shown, v.o.Limits)
	if err != nil {
		return nil, err
	}
	return v.reading(shown, one.key(rel), HashOf(b), b, r)
}
