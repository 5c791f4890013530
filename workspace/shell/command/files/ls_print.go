package files

import (
	"io/fs"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// listing is how entries are shown.
type listing struct {
	out   *command.Writer
	loc   *time.Location
	now   time.Time
	end   string // of a line
	width int    // 0: no bound

	long, one, across, commas bool

	inode, blocks        bool
	owner, group, author bool
	numeric              bool
	style                string // of times; "" is locale
	stamp                byte   // which time: m, a or c
	base                 int64  // of sizes with units; 0: plain
	sizeUnit             int64  // 0 is one byte
	blockUnit            int64
	suffix               string // behind sizes, from --block-size=K
	indicator            string
	quoting              string
	questions            bool
	color                bool
	coloured             bool // a colour was written
}

func (l *listing) quote(name string) string {
	name = quoted(name, l.quoting)
	if l.questions {
		name = questioned(name)
	}
	return name
}

// print shows entries; of a directory with the line of the total.
func (l *ls) print(entries []entry, directory bool) {
	if directory && (l.long || l.blocks) {
		var total int64
		for _, e := range entries {
			total += attrOf(e.info).blocks * 512
		}
		l.out.WriteString("total " + l.blockCount(total) + l.end)
	}
	switch {
	case l.long:
		l.printLong(entries)
	case l.one:
		widths := l.frillWidths(entries)
		for _, e := range entries {
			l.out.WriteString(l.frills(e, widths) + l.shown(e) + l.end)
		}
	case l.commas:
		l.printCommas(entries)
	default:
		l.printColumns(entries)
	}
}

func (l *listing) blockCount(bytes int64) string {
	if l.base > 0 {
		return human(bytes, l.base)
	}
	return strconv.FormatInt(ceilDiv(bytes, l.blockUnit), 10) + l.suffix
}

func (l *listing) size(n int64) string {
	switch {
	case l.base > 0:
		return human(n, l.base)
	case l.sizeUnit > 0:
		return strconv.FormatInt(ceilDiv(n, l.sizeUnit), 10) + l.suffix
	}
	return strconv.FormatInt(n, 10)
}

// frillWidths gives the widths of inode numbers and block counts.
func (l *ls) frillWidths(entries []entry) [2]int {
	var w [2]int
	for _, e := range entries {
		if l.inode {
			w[0] = max(w[0], len(strconv.FormatUint(attrOf(e.info).ino, 10)))
		}
		if l.blocks {
			w[1] = max(w[1], len(l.blockCount(attrOf(e.info).blocks*512)))
		}
	}
	return w
}

// frills gives what stands before the mode or the name.
func (l *ls) frills(e entry, w [2]int) string {
	s := ""
	if l.inode {
		s += padLeft(strconv.FormatUint(attrOf(e.info).ino, 10), w[0]) + " "
	}
	if l.blocks {
		s += padLeft(l.blockCount(attrOf(e.info).blocks*512), w[1]) + " "
	}
	return s
}

// shown gives the name with quotes, colour and sign.
func (l *ls) shown(e entry) string {
	return l.paint(l.quote(e.name), e.info, e.target != "" && !l.reaches(e)) + l.sign(e.info)
}

func (l *ls) reaches(e entry) bool {
	_, err := l.FS.Stat(e.path)
	return err == nil
}

// length gives the width of the shown name without colour.
func (l *ls) length(e entry, w [2]int) int {
	return utf8.RuneCountInString(l.frills(e, w)) + utf8.RuneCountInString(l.quote(e.name)) + len(l.sign(e.info))
}

func (l *listing) sign(info fs.FileInfo) string {
	if info.IsDir() {
		if l.indicator != "" && l.indicator != "none" {
			return "/"
		}
		return ""
	}
	if l.indicator != "classify" && l.indicator != "file-type" {
		return ""
	}
	switch kindLetter(info.Mode()) {
	case 'l':
		return "@"
	case 'p':
		return "|"
	case 's':
		return "="
	}
	if l.indicator == "classify" && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return "*"
	}
	return ""
}

// paint colours a name by the kind of the file.
func (l *listing) paint(name string, info fs.FileInfo, broken bool) string {
	code := ""
	switch mode := info.Mode(); kindLetter(mode) {
	case 'd':
		code = "01;34"
		switch bits := permBits(mode); {
		case bits&(sticky|0o002) == sticky|0o002:
			code = "30;42"
		case bits&0o002 != 0:
			code = "34;42"
		case bits&sticky != 0:
			code = "37;44"
		}
	case 'l':
		code = "01;36"
	case 'p':
		code = "33"
	case 's':
		code = "01;35"
	case 'c', 'b':
		code = "01;33"
	default:
		switch bits := permBits(mode); {
		case bits&setUID != 0:
			code = "37;41"
		case bits&setGID != 0:
			code = "30;43"
		case bits&0o111 != 0:
			code = "01;32"
		}
	}
	if !l.color || code == "" {
		return name
	}
	first := ""
	if !l.coloured {
		first, l.coloured = "\x1b[0m", true
	}
	return first + "\x1b[" + code + "m" + name + "\x1b[0m"
}

func (l *ls) printLong(entries []entry) {
	type line struct{ links, owner, group, author, size, when string }
	lines := make([]line, len(entries))
	var w [5]int
	for i, e := range entries {
		a := attrOf(e.info)
		lines[i] = line{strconv.FormatUint(a.links, 10), l.user(a.uid), l.user(a.gid), l.user(a.uid), l.size(e.info.Size()), l.when(timeOf(e.info, l.stamp))}
		for j, s := range []string{lines[i].links, lines[i].owner, lines[i].group, lines[i].author, lines[i].size} {
			w[j] = max(w[j], len(s))
		}
	}
	frills := l.frillWidths(entries)
	for i, e := range entries {
		s := l.frills(e, frills) + modeString(e.info.Mode()) + " " + padLeft(lines[i].links, w[0]) + " "
		if l.owner {
			s += padRight(lines[i].owner, w[1]) + " "
		}
		if l.group {
			s += padRight(lines[i].group, w[2]) + " "
		}
		if l.author {
			s += padRight(lines[i].author, w[3]) + " "
		}
		s += padLeft(lines[i].size, w[4]) + " " + lines[i].when + " "
		l.out.WriteString(s + l.longName(e) + l.end)
	}
}

// longName gives a name and, of a link, where it leads.
func (l *ls) longName(e entry) string {
	if e.target == "" {
		return l.shown(e)
	}
	target := l.quote(e.target)
	if info, err := l.FS.Stat(e.path); err == nil {
		return l.paint(l.quote(e.name), e.info, false) + " -> " + l.paint(target, info, false) + l.sign(info)
	}
	return l.paint(l.quote(e.name), e.info, true) + " -> " + target
}

// user gives the name of an owner or group.
func (l *listing) user(id int) string {
	if id == agentID && !l.numeric {
		return agentName
	}
	return strconv.Itoa(id)
}

func (l *listing) when(t time.Time) string {
	t = t.In(l.loc)
	recent := !t.After(l.now) && t.After(l.now.Add(-halfYear))
	pick := func(young, old string) string {
		if recent {
			return stamp(young, t)
		}
		return stamp(old, t)
	}
	switch l.style {
	case "", "locale":
		return pick("%b %e %H:%M", "%b %e  %Y")
	case "full-iso":
		return stamp("%Y-%m-%d %H:%M:%S.%N %z", t)
	case "long-iso":
		return stamp("%Y-%m-%d %H:%M", t)
	case "iso":
		return pick("%m-%d %H:%M", "%Y-%m-%d ")
	}
	old, young, two := strings.Cut(l.style[1:], "\n")
	if !two {
		young = old
	}
	return pick(young, old)
}

// halfYear is how old a file may be for ls to show its time of day: half of 365.2425 days.
const halfYear = 31556952 * time.Second / 2

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
