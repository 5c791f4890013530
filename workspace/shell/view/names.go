package view

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of what a workspace can hold (workspace spec §2).
const (
	maxWorkspacePath = 1024 // bytes
	maxDepth         = 32   // segments
)

// mayMake is asked, with the lock held, before something new is made at a place.
func (v *View) mayMake(p *place) error {
	if err := v.mayChange(p); err != nil {
		return err
	}
	if err := v.mayEdit(p); err != nil {
		return err
	}
	if err := v.mayBeNamed(p); err != nil {
		return err
	}
	return v.oneMore()
}

// mayEdit says whether the names of the directory of a place may be changed by its owner.
func (v *View) mayEdit(p *place) error {
	if p.parent != nil && p.parent.Mode()&0o300 != 0o300 {
		return syscall.EACCES
	}
	return nil
}

// mayBeNamed checks a new name by the rules of a workspace. What is below /tmp, and all of
// a view without roots, is not bound by them.
func (v *View) mayBeNamed(p *place) error {
	if v.free || p.inTmp {
		return nil
	}
	if err := checkNames(p.segs); err != nil {
		return err
	}
	return v.clash(p, "")
}

// checkNames checks the names of a path of a workspace.
func checkNames(segs []string) error {
	if len(segs) > maxDepth {
		return &NameError{fmt.Sprintf("Path too deep: %d segments, the limit is %d", len(segs), maxDepth)}
	}
	if len(path.Join(segs...)) > maxWorkspacePath {
		return syscall.ENAMETOOLONG
	}
	for i, s := range segs {
		switch {
		case !utf8.ValidString(s):
			return &NameError{"Invalid file name: not valid UTF-8"}
		case strings.ContainsFunc(s, unicode.IsControl):
			return &NameError{"Invalid file name: a control character"}
		case strings.Contains(s, `\`):
			return &NameError{"Invalid file name: a backslash"}
		case i == 0 && len(s) > 1 && s[1] == ':' && s[0] < utf8.RuneSelf && unicode.IsLetter(rune(s[0])):
			return &NameError{"Invalid file name: a drive prefix"}
		case strings.HasSuffix(s, " ") || strings.HasSuffix(s, "."):
			return &NameError{"Invalid file name: it ends in a space or dot"}
		}
	}
	return nil
}

// mayLead checks the target of a link that a workspace is to hold.
func (v *View) mayLead(p *place, target string) error {
	switch {
	case v.free || p.inTmp:
		return nil
	case !utf8.ValidString(target):
		return &NameError{"Invalid target: not valid UTF-8"}
	case len(target) > maxWorkspacePath:
		return syscall.ENAMETOOLONG
	}
	return nil
}

// folded are the names of one directory in a form that shows which of them clash. It is
// kept while calls make file after file there.
type folded struct {
	dir      string
	modified time.Time // of the directory, when the names were as they are here
	names    map[string]string
}

// clash refuses a name that differs from another one of its directory in case or normal form
// only; leaves is one that goes away. The lock is held.
func (v *View) clash(p *place, leaves string) error {
	info, err := p.dir.Lstat(".")
	if err != nil {
		return err
	}
	if dir := path.Dir(p.path()); v.folded.dir != dir || !v.folded.modified.Equal(info.ModTime()) {
		names, err := foldedNames(p.dir)
		if err != nil {
			return err
		}
		v.folded = folded{dir, info.ModTime(), names}
	}
	if other, ok := v.folded.names[fold(p.name)]; ok && other != p.name && other != leaves {
		return &NameError{fmt.Sprintf("Name differs from %q in case or normal form only", other)}
	}
	return nil
}

func foldedNames(dir *os.Root) (map[string]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(list))
	for _, name := range list {
		names[fold(name)] = name
	}
	return names, nil
}

// made says that something new was made at a place. The lock is held.
func (v *View) made(p *place) {
	v.used.Files++
	if v.folded.dir != path.Dir(p.path()) {
		return
	}
	if info, err := p.dir.Lstat("."); err == nil {
		v.folded.names[fold(p.name)], v.folded.modified = p.name, info.ModTime()
	}
}

// unnamed says that names went away or moved. The lock is held.
func (v *View) unnamed() { v.folded = folded{} }

// fold gives a form of a name in which case and normal form do not matter.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// checkBelow checks that all of a directory still has paths that a workspace can hold when
// it is moved.
func checkBelow(from, to *place) error {
	deeper := len(to.segs) - len(from.segs)
	longer := len(to.path()) - len(from.path())
	if deeper <= 0 && longer <= 0 {
		return nil
	}
	dir, err := openDir(from.dir, from.name, from.info)
	if err != nil {
		return err
	}
	defer dir.Close()
	base := len(from.path()) - 1 // without the first slash
	return fs.WalkDir(dir.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case len(from.segs)+1+strings.Count(name, "/")+deeper > maxDepth:
			return &NameError{fmt.Sprintf("Path too deep: the limit is %d segments", maxDepth)}
		case base+1+len(name)+longer > maxWorkspacePath:
			return syscall.ENAMETOOLONG
		}
		return nil
	})
}
