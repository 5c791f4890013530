package workspace

import (
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Given is a file that a run is given at its start.
type Given struct {
	Path    string // below input/
	Content []byte
}

// PlaceGiven checks files for the root input of an empty workspace and gives the changes
// that put them there, in the order given, and one error for each file that cannot be
// placed, else nil. Codes: "workspace.invalid_path", "workspace.path_ambiguous" for a
// name that another file has, or has but for case or normal form,
// "workspace.path_not_directory" for one below or above another file, and
// "workspace.quota_exceeded" for sizes and counts over the limits, whose zero fields
// take their defaults.
func PlaceGiven(files []Given, l Limits) ([]Change, []error) {
	l = l.orDefault()
	changes, errs := make([]Change, len(files)), make([]error, len(files))
	taken := make(map[string]string, len(files)) // files and their directories by folded path
	isFile := make(map[string]bool, len(files))
	count, total := 0, int64(0)
	for i, f := range files {
		p, err := ParsePath(f.Path)
		switch {
		case err == nil && p == "":
			err = invalidPath(f.Path, "it names no file")
		case err == nil:
			p = Input + "/" + p
			if _, err = ParsePath(p); err == nil {
				err = checkNewName(p)
			}
		}
		if err == nil {
			err = claim(taken, isFile, p)
		}
		if err == nil && len(f.Content) > l.FileBytes {
			err = overLimit(p, "the file", int64(len(f.Content)), int64(l.FileBytes), "bytes", "file")
		}
		if err != nil {
			errs[i] = err
			continue
		}
		count, total = count+1, total+int64(len(f.Content))
		switch {
		case count == l.Files+1: // said once, of the first one over
			errs[i] = overLimit(p, "the workspace", int64(count), int64(l.Files), "files", "files")
		case total > l.TotalBytes && total-int64(len(f.Content)) <= l.TotalBytes:
			errs[i] = overLimit(p, "the workspace", total, l.TotalBytes, "bytes", "total")
		}
		content := string(f.Content)
		changes[i] = Change{Path: p, Op: OpWrite, New: HashOf(f.Content), Size: len(content), Chars: Chars(content), Content: content}
	}
	return changes, errs
}

// claim takes a path and its directories, or says what stands in its way.
func claim(taken map[string]string, isFile map[string]bool, p string) error {
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != '/' {
			continue
		}
		part := p[:i]
		key := fold(part)
		other, known := taken[key]
		switch {
		case known && other != part:
			return fault.New("workspace.path_ambiguous", "%s differs from %s in case or normal form only; rename one of them", part, other)
		case known && part == p && isFile[p]:
			return fault.New("workspace.path_ambiguous", "%s is given twice; rename one of them or leave it out", p)
		case known && part == p:
			return fault.New(codeNotDirectory, "%s is a directory of another file that is given; rename one of them", p)
		case known && isFile[part]:
			return fault.New(codeNotDirectory, "%s is a file that is given, so %s cannot be below it; rename one of them", part, p)
		}
	}
	for i := range len(p) {
		if p[i] == '/' {
			taken[fold(p[:i])] = strings.Clone(p[:i])
		}
	}
	taken[fold(p)], isFile[p] = p, true
	return nil
}
