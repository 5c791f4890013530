package workspace

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Bounds of paths (workspace spec §2).
const (
	MaxPath    = 1024 // bytes of a path
	MaxSegment = 255  // bytes of a segment
	MaxDepth   = 32   // segments of a path
)

// Codes of paths that are given often.
const (
	codeInvalidPath  = "workspace.invalid_path"
	codeNotVisible   = "workspace.path_not_visible"
	codeNotWritable  = "workspace.path_not_writable"
	codeEscape       = "workspace.symlink_escape"
	codePathNotFound = "workspace.path_not_found"
	codeFileNotFound = "workspace.file_not_found"
	codeIsDirectory  = "workspace.path_is_directory"
	codeNotDirectory = "workspace.path_not_directory"
)

// ParsePath checks a path of the run workspace and gives its form without "." and empty
// segments; "" is the root. "\" is read as "/". Every refusal is "workspace.invalid_path".
func ParsePath(s string) (string, error) {
	s = strings.ReplaceAll(s, `\`, "/")
	if err := checkPathText(s); err != nil {
		return "", err
	}
	switch {
	case s[0] == '/':
		return "", invalidPath(s, "paths here are relative: leave out the leading /")
	case len(s) > 1 && s[1] == ':' && s[0] < utf8.RuneSelf && unicode.IsLetter(rune(s[0])):
		return "", invalidPath(s, "a drive prefix is not allowed")
	}
	var segs []string
	for seg := range strings.SplitSeq(s, "/") {
		switch seg {
		case "", ".":
		case "..":
			return "", invalidPath(s, `".." is not allowed: write the path from the root of the workspace`)
		default:
			segs = append(segs, seg)
		}
	}
	return joinChecked(s, segs)
}

// parseHostPath checks a path relative to a mount's directory. ".." is resolved by
// name; a path that leaves the directory is refused.
func parseHostPath(s string) (string, error) {
	if err := checkPathText(s); err != nil {
		return "", err
	}
	clean := path.Clean(s)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", invalidPath(s, "it leaves the mounted directory")
	}
	if clean == "." {
		return "", nil
	}
	return joinChecked(s, strings.Split(clean, "/"))
}

func checkPathText(s string) error {
	switch {
	case s == "":
		return invalidPath(s, "it is empty")
	case !utf8.ValidString(s):
		return invalidPath(strings.ToValidUTF8(s, "\ufffd"), "it is not valid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return invalidPath(s, "it has a control character")
	}
	return nil
}

func joinChecked(given string, segs []string) (string, error) {
	if len(segs) > MaxDepth {
		return "", invalidPath(given, "it has %d segments, the limit is %d", len(segs), MaxDepth)
	}
	for _, seg := range segs {
		if len(seg) > MaxSegment {
			return "", invalidPath(given, "a segment has %d bytes, the limit is %d", len(seg), MaxSegment)
		}
	}
	p := strings.Join(segs, "/")
	if len(p) > MaxPath {
		return "", invalidPath(given, "it has %d bytes, the limit is %s", len(p), Grouped(MaxPath))
	}
	return p, nil
}

// checkNewName refuses what must not be created, though it may exist.
func checkNewName(p string) error {
	for seg := range strings.SplitSeq(p, "/") {
		if c := seg[len(seg)-1]; c == ' ' || c == '.' {
			return invalidPath(p, "the segment %q ends in a space or dot", seg)
		}
	}
	return nil
}

func invalidPath(p, reason string, args ...any) error {
	shown, left := Head(Visible(p), 200)
	if left > 0 {
		shown += "…"
	}
	return fault.New(codeInvalidPath, `the path "%s" is not valid: %s`, shown, fmt.Sprintf(reason, args...))
}

// inside says whether p is dir or below it; "" holds everything.
func inside(p, dir string) bool { return p == dir || below(p, dir) }

// below says whether p is strictly below dir.
func below(p, dir string) bool {
	return dir == "" && p != "" || len(p) > len(dir) && p[len(dir)] == '/' && strings.HasPrefix(p, dir)
}

// clash gives the part of p up to the first segment in which it differs from other,
// when that segment differs in case or normal form only; else "".
func clash(p, other string) string {
	common := 0
	for i := 0; i < min(len(p), len(other)) && p[i] == other[i]; i++ {
		if p[i] == '/' {
			common = i + 1
		}
	}
	mine, _, _ := strings.Cut(p[common:], "/")
	theirs, _, _ := strings.Cut(other[common:], "/")
	if mine == theirs || !sameName(mine, theirs) {
		return ""
	}
	return other[:common+len(theirs)]
}

// sameName says whether two names are equal but for case and normal form.
func sameName(a, b string) bool {
	return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b))
}

// fold gives a form of a path in which case and normal form do not matter.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// segments counts the segments of a path; the root has none.
func segments(p string) int {
	if p == "" {
		return 0
	}
	return strings.Count(p, "/") + 1
}

// relative gives p without the directory dir that it is in.
func relative(p, dir string) string {
	if dir == "" {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
}
