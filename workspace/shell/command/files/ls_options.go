package files

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// walkError says that a walk visited as many files as it may.
type walkError struct{ limit int }

func (e *walkError) Error() string {
	return fmt.Sprintf("more than %d files to visit (the limit walk)", e.limit)
}

// set takes an option that counts by its place among the others. When its value is wrong, ok
// is false, word the name of the option and allowed its values.
func (l *ls) set(s command.Seen) (word, allowed string, ok bool) {
	switch s.Name {
	case "l", "n", "g", "o":
		l.setFormat("long")
	case "1":
		if !l.long { // ls -l1 is long
			l.setFormat("single-column")
		}
	case "C":
		l.setFormat("vertical")
	case "x":
		l.setFormat("across")
	case "m":
		l.setFormat("commas")
	case "full-time":
		l.setFormat("long")
		l.style = "full-iso"
	case "format":
		return "format", "verbose long commas horizontal across vertical single-column", l.setFormat(s.Value)
	case "t":
		l.sort = "time"
	case "S":
		l.sort = "size"
	case "X":
		l.sort = "extension"
	case "v":
		l.sort = "version"
	case "U", "f":
		l.sort = "none"
	case "sort":
		l.sort = s.Value
		return "sort", "none time size extension version", slices.Contains([]string{"none", "time", "size", "extension", "version"}, s.Value)
	case "u", "c":
		l.time = map[string]byte{"u": 'a', "c": 'c'}[s.Name]
		if l.sort == "name" && !l.long && !l.opt.Has("l", "t") {
			l.sort = "time"
		}
	case "time":
		l.time = map[string]byte{"atime": 'a', "access": 'a', "use": 'a', "ctime": 'c', "status": 'c', "mtime": 'm', "modification": 'm'}[s.Value]
		return "time", "atime access use ctime status mtime modification", l.time != 0
	case "time-style":
		l.style = strings.TrimPrefix(s.Value, "posix-")
		ok := strings.HasPrefix(l.style, "+") || slices.Contains([]string{"full-iso", "long-iso", "iso", "locale"}, l.style)
		return "time-style", "full-iso long-iso iso locale +FORMAT", ok
	case "h":
		l.base = 1024
	case "si":
		l.base = 1000
	case "k":
		l.base, l.blockSize = 0, 1024
	case "block-size":
		return "block-size", "", l.setBlockSize(s.Value)
	case "F":
		if s.Value != "never" && s.Value != "auto" {
			l.indicator = "classify"
		}
	case "p":
		l.indicator = "slash"
	case "file-type", "p-dir":
		l.indicator = "file-type"
	case "indicator-style":
		l.indicator = s.Value
		return "indicator-style", "none slash file-type classify", slices.Contains([]string{"none", "slash", "file-type", "classify"}, s.Value)
	case "Q":
		l.quoting = "c"
	case "b":
		l.quoting = "escape"
	case "N":
		l.quoting = "literal"
	case "quoting-style":
		l.quoting = s.Value
		return "quoting-style", "literal shell shell-always shell-escape shell-escape-always c escape",
			slices.Contains([]string{"literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "escape"}, s.Value)
	case "q":
		l.questions = true
	case "show-control-chars":
		l.questions = false
	case "color":
		l.color = !s.Joined || s.Value == "always" || s.Value == "yes" || s.Value == "force"
		return "color", "always yes force never no none auto tty if-tty",
			!s.Joined || l.color || slices.Contains([]string{"never", "no", "none", "auto", "tty", "if-tty"}, s.Value)
	case "zero":
		l.end = "\x00"
		if !l.long {
			l.setFormat("single-column")
		}
	case "w":
		n, err := strconv.Atoi(s.Value)
		l.width = n
		return "width", "", err == nil && n >= 0
	case "T":
		_, err := strconv.Atoi(s.Value)
		return "tabsize", "", err == nil
	}
	return "", "", true
}

// coloursTerminal says whether the environment speaks of a terminal that has colours.
func (l *ls) coloursTerminal() bool {
	terminals := globsOf(strings.Fields("Eterm alacritty* ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome hurd jfbterm konsole kterm linux linux-c mlterm putty rxvt* screen* st terminator tmux* vt100 xterm*"))
	return l.Getenv("LS_COLORS") != "" || l.Getenv("COLORTERM") != "" || anyMatches(terminals, l.Getenv("TERM"))
}

func (l *ls) setFormat(word string) bool {
	l.long, l.one, l.across, l.commas = false, false, false, false
	switch word {
	case "long", "verbose":
		l.long = true
	case "single-column":
		l.one = true
	case "across", "horizontal":
		l.across = true
	case "commas":
		l.commas = true
	case "vertical":
	default:
		return false
	}
	return true
}

func (l *ls) setBlockSize(value string) bool {
	switch value {
	case "human-readable":
		l.base = 1024
		return true
	case "si":
		l.base = 1000
		return true
	}
	n, err := parseSize(value)
	if err != nil || n <= 0 {
		return false
	}
	l.base, l.blockSize, l.sizeUnit, l.suffix = 0, n, n, ""
	if value != "" && !isDigit(rune(value[0])) {
		l.suffix = value
	}
	return true
}

// order sorts entries as asked.
func (l *ls) order(entries []entry) {
	if l.sort == "none" {
		if l.dirsFirst {
			slices.SortStableFunc(entries, directoriesFirst)
		}
		return
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if l.dirsFirst {
			if d := directoriesFirst(a, b); d != 0 {
				return d
			}
		}
		d := l.compare(a, b)
		if d == 0 {
			d = strings.Compare(a.name, b.name)
		}
		if l.reverse {
			return -d
		}
		return d
	})
}

func (l *ls) compare(a, b entry) int {
	switch l.sort {
	case "time":
		return timeOf(b.info, l.time).Compare(timeOf(a.info, l.time))
	case "size":
		return cmp.Compare(b.info.Size(), a.info.Size())
	case "extension":
		return strings.Compare(extension(a.name), extension(b.name))
	case "version":
		return compareVersions(a.name, b.name)
	}
	return 0
}

func directoriesFirst(a, b entry) int {
	return btoi(b.info.IsDir()) - btoi(a.info.IsDir())
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// compareVersions orders runs of digits by value: a9 before a10. Endings such as .tar.gz
// count only when the rest is equal.
func compareVersions(a, b string) int {
	if d := compareParts(withoutEnding(a), withoutEnding(b)); d != 0 {
		return d
	}
	return compareParts(a, b)
}

// withoutEnding cuts off what matches (\.[A-Za-z~][A-Za-z0-9~]*)*$.
func withoutEnding(name string) string {
	for {
		dot := strings.LastIndexByte(name, '.')
		if dot <= 0 || dot == len(name)-1 || isDigit(rune(name[dot+1])) || strings.ContainsFunc(name[dot+1:], func(c rune) bool {
			return !isDigit(c) && c != '~' && (c|0x20 < 'a' || c|0x20 > 'z')
		}) {
			return name
		}
		name = name[:dot]
	}
}

func compareParts(a, b string) int {
	for a != "" && b != "" {
		if isDigit(rune(a[0])) && isDigit(rune(b[0])) {
			na, restA := digits(a)
			nb, restB := digits(b)
			if d := cmp.Or(cmp.Compare(len(na), len(nb)), strings.Compare(na, nb)); d != 0 {
				return d
			}
			a, b = restA, restB
			continue
		}
		if d := versionRank(a[0]) - versionRank(b[0]); d != 0 {
			return d
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) (number, rest string) {
	end := 0
	for end < len(s) && isDigit(rune(s[end])) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}

// versionRank puts a tilde first, then letters, then the other signs.
func versionRank(b byte) int {
	switch {
	case b == '~':
		return -1
	case isDigit(rune(b)):
		return 0
	case b|0x20 >= 'a' && b|0x20 <= 'z':
		return int(b)
	}
	return int(b) + 256
}
