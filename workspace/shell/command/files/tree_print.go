package files

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

func (t *tree) print(leaves []leaf, indent string) {
	for i, l := range leaves {
		branch, next := t.branch[0], t.branch[2]
		if i == len(leaves)-1 {
			branch, next = t.branch[1], "    "
		}
		if t.opt.Has("i") {
			branch, next = "", ""
		}
		name := l.name
		if t.opt.Has("f") {
			name = l.path
		}
		line := indent + branch + t.facts(l) + t.shown(name)
		if l.target != "" {
			line += " -> " + t.shown(l.target)
			if info, err := t.stat(l.path); err == nil {
				line += t.sign(info)
			}
		} else {
			line += t.sign(l.info)
		}
		if l.err != "" {
			line += "  [" + l.err + "]"
		}
		t.Out.WriteString(line + "\n")
		if info, err := t.stat(l.path); l.info.IsDir() || l.target != "" && err == nil && info.IsDir() {
			t.dirs++
		} else {
			t.files++
		}
		t.print(l.below, indent+next)
	}
}

func (t *tree) shown(name string) string {
	switch {
	case t.opt.Has("Q"):
		return `"` + inOctal(name, `\"`) + `"`
	case t.opt.Has("N"):
		return name
	case t.opt.Has("q"):
		return questioned(name)
	}
	return inOctal(name, `\`)
}

// inOctal writes what cannot be printed as \012 and puts a backslash before the signs of also.
func inOctal(name, also string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		switch {
		case strings.ContainsRune(also, r):
			b.WriteString(`\` + string(r))
		case printable(r, n):
			b.WriteString(name[i : i+n])
		default:
			for _, c := range []byte(name[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += n
	}
	return b.String()
}

// treeSize gives a size with a unit, rounded to the nearest as tree does.
func treeSize(n, base int64) string {
	units := "KMGTPE"
	if base == 1000 {
		units = "kMGTPE"
	}
	if n < base {
		return strconv.FormatInt(n, 10)
	}
	unit := 0
	for n >= base*base && unit < len(units)-1 {
		unit++
		n /= base
	}
	format := "%.1f%c"
	if n/base >= 10 {
		format = "%.0f%c"
	}
	return fmt.Sprintf(format, float32(n)/float32(base), units[unit])
}

func (t *tree) sign(info fs.FileInfo) string {
	if !t.opt.Has("F") {
		return ""
	}
	return (&listing{indicator: "classify"}).sign(info)
}

// facts gives what stands in brackets before a name.
func (t *tree) facts(l leaf) string {
	if l.info == nil {
		return ""
	}
	a := attrOf(l.info)
	var parts []string
	if t.opt.Has("inodes") {
		parts = append(parts, fmt.Sprintf("%7d", a.ino))
	}
	if t.opt.Has("p") {
		parts = append(parts, modeString(l.info.Mode()))
	}
	if t.opt.Has("u") {
		parts = append(parts, padRight((&listing{}).user(a.uid), 8))
	}
	if t.opt.Has("g") {
		parts = append(parts, padRight((&listing{}).user(a.gid), 8))
	}
	size := l.info.Size()
	if t.opt.Has("du") {
		size = l.size
	}
	switch {
	case t.opt.Has("h"):
		parts = append(parts, padLeft(treeSize(size, 1024), 4))
	case t.opt.Has("si"):
		parts = append(parts, padLeft(treeSize(size, 1000), 4))
	case t.opt.Has("s", "du"):
		parts = append(parts, padLeft(strconv.FormatInt(size, 10), 11))
	}
	if t.opt.Has("D", "timefmt") {
		when := l.info.ModTime().In(zone(t.Call))
		if format := t.opt.Value("timefmt", ""); format != "" {
			parts = append(parts, stamp(format, when))
		} else {
			parts = append(parts, (&listing{loc: when.Location(), now: t.Now()}).when(when))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, " ") + "]  "
}
