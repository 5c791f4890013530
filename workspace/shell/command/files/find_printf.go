package files

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
)

// fsType is what the view calls its file system.
const fsType = "overlay"

// printf gives the action of -printf.
func (f *find) printf(out io.Writer, format string) test {
	return func(n *node) bool {
		io.WriteString(out, f.format(format, n))
		return true
	}
}

// format fills in a format for a file; \c ends the text of this file.
func (f *find) format(format string, n *node) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '\\' && i+1 < len(format):
			i++
			if format[i] == 'c' {
				return b.String()
			}
			if format[i] >= '0' && format[i] <= '7' {
				v, used := octal(format[i:])
				b.WriteByte(v)
				i += used - 1
			} else if at := strings.IndexByte(`abfnrtv\`, format[i]); at >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v\\"[at])
			} else {
				b.WriteString(format[i-1 : i+1])
			}
		case c == '%' && i+1 < len(format):
			end := i + 1
			for end < len(format) && strings.IndexByte("-+ #0123456789.", format[end]) >= 0 {
				end++
			}
			flags := format[i+1 : end]
			if end == len(format) {
				b.WriteString(format[i:])
				return b.String()
			}
			directive := format[end : end+1]
			if strings.Contains("ACTB", directive) && end+1 < len(format) {
				end++
				directive += format[end : end+1]
			}
			b.WriteString(f.directive(flags, directive, n))
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// directive gives the text of one % directive with its flags, width and precision.
func (f *find) directive(flags, d string, n *node) string {
	a := attrOf(n.info)
	str := func(s string) string { return pad(flags, s) }
	num := func(v uint64) string { return str(strconv.FormatUint(v, 10)) }
	switch d {
	case "%":
		return "%"
	case "p":
		return str(n.name)
	case "f":
		return str(n.base())
	case "h":
		return str(parent(n.name))
	case "P":
		return str(strings.TrimPrefix(strings.TrimPrefix(n.name, n.top), "/"))
	case "H":
		return str(n.top)
	case "d":
		return fmt.Sprintf("%"+flags+"d", n.depth)
	case "s":
		return str(strconv.FormatInt(n.info.Size(), 10))
	case "k":
		return num(uint64(ceilDiv(a.blocks, 2)))
	case "b":
		return num(uint64(a.blocks))
	case "y":
		return str(kindName(kindLetter(n.info.Mode())))
	case "Y":
		return str(f.reached(n))
	case "l":
		target := ""
		if kindLetter(n.info.Mode()) == 'l' {
			target, _ = f.FS.Readlink(f.Abs(n.name))
		}
		return str(target)
	case "m":
		return fmt.Sprintf("%"+flags+"o", permBits(n.info.Mode()))
	case "M":
		return str(modeString(n.info.Mode()))
	case "u", "g":
		return str((&listing{}).user(a.uid))
	case "U":
		return num(uint64(a.uid))
	case "G":
		return num(uint64(a.gid))
	case "i":
		return num(a.ino)
	case "n":
		return num(a.links)
	case "D":
		return num(a.dev)
	case "F":
		return str(fsType)
	case "S":
		if n.info.Size() == 0 {
			return str("1")
		}
		return str(strconv.FormatFloat(float64(a.blocks*512)/float64(n.info.Size()), 'g', 6, 64))
	case "t":
		return str(ctime(n.info.ModTime().In(f.zone)))
	case "a":
		return str(ctime(a.accessed.In(f.zone)))
	case "c":
		return str(ctime(a.change.In(f.zone)))
	}
	if len(d) == 2 {
		which := map[byte]byte{'A': 'a', 'C': 'c', 'T': 'm', 'B': 'm'}[d[0]]
		return str(findTime(timeOf(n.info, which).In(f.zone), d[1]))
	}
	return "%" + flags + d
}

func parent(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(trimmed, '/'); i >= 0 {
		return trimmed[:i]
	}
	if trimmed == "" {
		return ""
	}
	return "."
}

// reached gives the kind of what a link leads to: N when nothing is there, L for a loop.
func (f *find) reached(n *node) string {
	info, err := f.stat(n.name)
	switch {
	case err == nil:
		return kindName(kindLetter(info.Mode()))
	case path.Base(text(err)) == text(errLoop):
		return "L"
	}
	return "N"
}

// ctime gives a time as ctime does, with a fraction of ten digits.
func ctime(t time.Time) string {
	return stamp("%a %b %e %H:%M:%S.%N0 %Y", t)
}

// findTime gives the directive of %T and its kin.
func findTime(t time.Time, letter byte) string {
	switch letter {
	case '@':
		return fmt.Sprintf("%d.%09d0", t.Unix(), t.Nanosecond())
	case '+':
		return stamp("%Y-%m-%d+%H:%M:%S.%N0", t)
	case 'S':
		return stamp("%S.%N0", t)
	case 'T':
		return stamp("%H:%M:%S.%N0", t)
	case 'X':
		return stamp("%H:%M:%S.%N0", t)
	case 'r':
		return stamp("%I:%M:%S.%N0 %p", t)
	}
	return stamp("%"+string(letter), t)
}
