package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const statUsage = `
Usage: stat [OPTION]... FILE...
Show what is known of files.

  -L, --dereference      follow links
  -f, --file-system      of the file system
  -c, --format=FORMAT    this, with a newline;  --printf=FORMAT without one, with escapes
  -t, --terse            one line of numbers

of files: %a %A mode; %b %B blocks, their size; %d %D device; %f raw mode; %F kind; %g %G group;
%h links; %i inode; %m mount point; %n %N name, quoted with target; %o block of input;
%s size; %u %U owner; %w %W birth; %x %X access; %y %Y modification; %z %Z change
of file systems: %a %b %c %d %f blocks and inodes; %i id; %l longest name; %n name; %s %S block; %t %T kind
`

func statCommand() *command.Command {
	return &command.Command{Name: "stat", Group: "files", Short: "show what is known of files", Usage: statUsage, Run: runStat}
}

const (
	statDefault = `  File: %Qn
  Size: %-10s	Blocks: %-10b IO Block: %-6o %F
Device: %Hd,%Ld	Inode: %-10i  Links: %h
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
`
	statTerse     = "%n %s %b %f %u %g %D %i %h 0 0 %X %Y %Z %W %o\n"
	statFSDefault = `  File: "%n"
    ID: %-8i Namelen: %-7l Type: %T
Block size: %-10s Fundamental block size: %S
Blocks: Total: %-10b Free: %-10f Available: %a
Inodes: Total: %-10c Free: %d
`
	statFSTerse = "%n %i %l %t %s %S %b %f %a %c %d\n"
)

func runStat(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "L,dereference f,file-system c,format: printf: t,terse cached:", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	format, end, escapes := "", "\n", false
	system := r.opt.Has("f")
	switch last := r.opt.Last("c", "printf"); {
	case last == "c":
		format = r.opt.Value("c", "")
	case last == "printf":
		format, end, escapes = r.opt.Value("printf", ""), "", true
	default:
		end = ""
		format = map[[2]bool]string{{false, false}: statDefault, {false, true}: statTerse, {true, false}: statFSDefault, {true, true}: statFSTerse}[[2]bool{system, r.opt.Has("t")}]
	}
	for _, name := range r.opt.Args {
		if r.over() {
			break
		}
		info, err := r.look(name, system || r.opt.Has("L"))
		if err != nil {
			if system {
				r.failed("cannot read file system information for '%s': %s", name, text(err))
			} else {
				r.failed("cannot statx '%s': %s", name, text(err))
			}
			continue
		}
		s := &statOf{run: r, name: name, info: info, loc: zone(c)}
		directive := s.file
		if system {
			directive = s.system
		}
		r.Out.WriteString(expandStat(format, escapes, directive) + end)
	}
	return r.code
}

// statOf is a file that stat shows.
type statOf struct {
	*run
	name string
	info fs.FileInfo
	loc  *time.Location
}

// expandStat fills in a format. directive gets the flags and the letters.
func expandStat(format string, escapes bool, directive func(flags, letter string) string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '\\' && escapes && i+1 < len(format):
			i++
			switch at := strings.IndexByte(`abefnrtv"\`, format[i]); {
			case format[i] >= '0' && format[i] <= '7':
				v, used := octal(format[i:])
				b.WriteByte(v)
				i += used - 1
			case format[i] == 'x' && i+1 < len(format):
				v, used := hex(format[i+1:])
				b.WriteByte(v)
				i += used
			case at >= 0:
				b.WriteByte("\a\b\x1b\f\n\r\t\v\"\\"[at])
			default:
				b.WriteByte(format[i])
			}
		case c == '%' && i+1 < len(format):
			end := i + 1
			for end < len(format) && strings.IndexByte("-+ #'0123456789.I", format[end]) >= 0 {
				end++
			}
			if end == len(format) {
				b.WriteString(format[i:])
				return b.String()
			}
			flags := format[i+1 : end]
			letter := format[end : end+1]
			if two := format[end:min(end+2, len(format))]; two == "Hd" || two == "Ld" || two == "Hr" || two == "Lr" || two == "Qn" {
				end++
				letter += format[end : end+1]
			}
			b.WriteString(directive(flags, letter))
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func hex(s string) (b byte, n int) {
	for n < len(s) && n < 2 && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	v, _ := strconv.ParseUint(s[:n], 16, 16)
	return byte(v), n
}

// pad gives a text with a width and a precision; of the flags it knows "-" alone.
func pad(flags, s string) string {
	width := strings.TrimLeft(flags, "-+ #'0I")
	if strings.Contains(flags[:len(flags)-len(width)], "-") {
		width = "-" + width
	}
	return fmt.Sprintf("%"+width+"s", s)
}

func padNumber[T int | int64 | uint64 | uint32](flags, verb string, n T) string {
	return fmt.Sprintf("%"+strings.NewReplacer("'", "", "I", "").Replace(flags)+verb, n)
}

// file gives a directive about the file.
func (s *statOf) file(flags, letter string) string {
	a := attrOf(s.info)
	mode := s.info.Mode()
	switch letter {
	case "%":
		return "%"
	case "a":
		return padNumber(flags, "o", permBits(mode))
	case "A":
		return pad(flags, modeString(mode))
	case "b":
		return padNumber(flags, "d", a.blocks)
	case "B":
		return padNumber(flags, "d", 512)
	case "C":
		return pad(flags, "?")
	case "d":
		return padNumber(flags, "d", a.dev)
	case "D":
		return padNumber(flags, "x", a.dev)
	case "Hd":
		return padNumber(flags, "d", a.dev>>8&0xfff)
	case "Ld":
		return padNumber(flags, "d", a.dev&0xff|a.dev>>12&0xfff00)
	case "f":
		return padNumber(flags, "x", rawMode(mode))
	case "F":
		return pad(flags, kindWords(s.info))
	case "g":
		return padNumber(flags, "d", a.gid)
	case "G":
		return pad(flags, (&listing{}).user(a.gid))
	case "h":
		return padNumber(flags, "d", a.links)
	case "i":
		return padNumber(flags, "d", a.ino)
	case "m":
		return pad(flags, "/")
	case "n":
		return pad(flags, s.name)
	case "Qn": // of the default format: in quotes when it needs them
		shown := quoted(s.name, "shell-escape")
		if mode&fs.ModeSymlink != 0 {
			target, _ := s.FS.Readlink(s.Abs(s.name))
			shown += " -> " + quoted(target, "shell-escape")
		}
		return shown
	case "N":
		shown := sq(s.name)
		if mode&fs.ModeSymlink != 0 {
			target, _ := s.FS.Readlink(s.Abs(s.name))
			shown += " -> " + sq(target)
		}
		return pad(flags, shown)
	case "o":
		return padNumber(flags, "d", 4096)
	case "s":
		return padNumber(flags, "d", s.info.Size())
	case "t", "T", "r", "R", "Hr", "Lr":
		return padNumber(flags, "x", 0)
	case "u":
		return padNumber(flags, "d", a.uid)
	case "U":
		return pad(flags, (&listing{}).user(a.uid))
	case "w":
		return pad(flags, "-")
	case "W":
		return padNumber(flags, "d", 0)
	}
	if at := strings.Index("xyzXYZ", letter); at >= 0 && len(letter) == 1 {
		t := timeOf(s.info, "amc"[at%3]).In(s.loc)
		if at >= 3 {
			return epoch(flags, t)
		}
		return pad(flags, stamp("%Y-%m-%d %H:%M:%S.%N %z", t))
	}
	return "?"
}

// epoch gives the seconds of a time; a precision adds digits of the fraction.
func epoch(flags string, t time.Time) string {
	width, precision, fraction := strings.Cut(flags, ".")
	s := strconv.FormatInt(t.Unix(), 10)
	if fraction {
		digits := 9
		if precision != "" {
			digits, _ = strconv.Atoi(precision)
		}
		if digits > 0 {
			all := fmt.Sprintf("%09d", t.Nanosecond())
			s += "." + all[:min(digits, 9)] + strings.Repeat("0", min(max(0, digits-9), math.MaxUint8))
		}
	}
	return pad(width, s)
}

// blockBytes is the size of a block of the file system.
const blockBytes = 4096

// system gives a directive about the file system, whose size is the limit of the workspace.
func (s *statOf) system(flags, letter string) string {
	total := s.Budget.Total / blockBytes
	switch letter {
	case "%":
		return "%"
	case "n":
		return pad(flags, s.name)
	case "i", "t":
		return pad(flags, "794c7630")
	case "l":
		return padNumber(flags, "d", 255)
	case "T":
		return pad(flags, fsType)
	case "s", "S":
		return padNumber(flags, "d", blockBytes)
	case "a", "b", "f":
		return padNumber(flags, "d", total)
	case "c", "d":
		return padNumber(flags, "d", s.Budget.Files)
	}
	return "?"
}
