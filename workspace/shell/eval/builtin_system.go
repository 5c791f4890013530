package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// umaskBuiltin executes umask.
func umaskBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var command, symbolic bool
	g := sh.options(b, args, "pS")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'p':
			command = true
		case 'S':
			symbolic = true
		}
	}
	if g.bad {
		return 2
	}
	if len(g.args) > 0 {
		mode := g.args[0]
		if mode != "" && mode[0] >= '0' && mode[0] <= '9' {
			n, err := strconv.ParseUint(mode, 8, 32)
			if err != nil || n > 0o777 {
				sh.errorf(b, "umask: %s: octal number out of range", mode)
				return 1
			}
			sh.mask = uint32(n)
		} else {
			allowed, wrong := symbolicMode(mode, ^sh.mask&0o777)
			if wrong != "" {
				sh.errorf(b, "umask: %s", wrong)
				return 1
			}
			sh.mask = ^allowed & 0o777
		}
		if symbolic {
			b.out.WriteString(symbolicText(sh.mask) + "\n")
		}
		return 0
	}
	text := fmt.Sprintf("%04o", sh.mask)
	if symbolic {
		text = symbolicText(sh.mask)
	}
	if command && symbolic {
		text = "umask -S " + text
	} else if command {
		text = "umask " + text
	}
	b.out.WriteString(text + "\n")
	return 0
}

// symbolicText gives what a mask allows: u=rwx,g=rx,o=rx.
func symbolicText(mask uint32) string {
	var parts []string
	for i, who := range "ugo" {
		bits := ^mask >> (6 - 3*i) & 7
		text := string(who) + "="
		for j, letter := range "rwx" {
			if bits>>(2-j)&1 != 0 {
				text += string(letter)
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// symbolicMode applies a list such as u=rwx,g-w,a+x to what is allowed.
func symbolicMode(list string, allowed uint32) (result uint32, wrong string) {
	for clause := range strings.SplitSeq(list, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			return 0, fmt.Sprintf("`%s': invalid symbolic mode operator", firstOf(strings.TrimLeft(clause, "ugoa")))
		}
		who := uint32(0)
		for _, w := range clause[:at] {
			switch w {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			default:
				return 0, fmt.Sprintf("`%c': invalid symbolic mode operator", w)
			}
		}
		if who == 0 {
			who = 0o777
		}
		bits := uint32(0)
		for _, p := range clause[at+1:] {
			switch p {
			case 'r':
				bits |= 0o444
			case 'w':
				bits |= 0o222
			case 'x', 'X':
				bits |= 0o111
			case 'u':
				bits |= allowed >> 6 & 7 * 0o111
			case 'g':
				bits |= allowed >> 3 & 7 * 0o111
			case 'o':
				bits |= allowed & 7 * 0o111
			default:
				return 0, fmt.Sprintf("`%c': invalid symbolic mode character", p)
			}
		}
		switch clause[at] {
		case '+':
			allowed |= bits & who
		case '-':
			allowed &^= bits & who
		case '=':
			allowed = allowed&^who | bits&who
		}
	}
	return allowed, ""
}

func firstOf(s string) string {
	if s == "" {
		return s
	}
	return s[:1]
}

// resource is one line of ulimit -a. A value of -1 is unlimited.
type resource struct {
	letter byte
	name   string
	unit   string
	scale  int64
	value  func(l *limits.Limits) int64
}

// resources are what ulimit shows: the limits of the call under the names of the system.
var resources = [...]resource{
	{'c', "core file size", "blocks", 512, func(*limits.Limits) int64 { return 0 }},
	{'d', "data seg size", "kbytes", 1024, func(l *limits.Limits) int64 { return l.Memory }},
	{'f', "file size", "blocks", 1024, func(l *limits.Limits) int64 { return l.File }},
	{'l', "max locked memory", "kbytes", 1024, func(*limits.Limits) int64 { return 0 }},
	{'m', "max memory size", "kbytes", 1024, func(l *limits.Limits) int64 { return l.Memory }},
	{'n', "open files", "", 1, func(l *limits.Limits) int64 { return int64(l.Open) }},
	{'p', "pipe size", "512 bytes", 512, func(*limits.Limits) int64 { return 8 * 512 }},
	{'q', "POSIX message queues", "bytes", 1, func(*limits.Limits) int64 { return 0 }},
	{'r', "real-time priority", "", 1, func(*limits.Limits) int64 { return 0 }},
	{'s', "stack size", "kbytes", 1024, func(l *limits.Limits) int64 { return l.Memory }},
	{'t', "cpu time", "seconds", int64(time.Second), func(l *limits.Limits) int64 { return int64(l.Clock) }},
	{'u', "max user processes", "", 1, func(l *limits.Limits) int64 { return int64(l.Jobs) }},
	{'v', "virtual memory", "kbytes", 1024, func(l *limits.Limits) int64 { return l.Memory }},
}

// ulimitBuiltin executes ulimit: it shows limits and sets none.
func ulimitBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	letters := ""
	all := false
	g := sh.options(b, args, "SHacdflmnpqrstuv")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'S', 'H':
		case 'a':
			all = true
		default:
			letters += string(letter)
		}
	}
	if g.bad {
		return 2
	}
	if letters == "" {
		letters = "f"
	}
	var out strings.Builder
	for _, r := range resources {
		if !all && strings.IndexByte(letters, r.letter) < 0 {
			continue
		}
		value := strconv.FormatInt(r.value(&sh.budget.Limits)/r.scale, 10)
		if len(g.args) > 0 {
			if g.args[0] == "unlimited" || g.args[0] == "hard" || g.args[0] == "soft" || g.args[0] == value {
				continue
			}
			if _, ok := wholeNumber(g.args[0]); !ok {
				sh.errorf(b, "ulimit: %s: invalid number", g.args[0])
				return 1
			}
			sh.errorf(b, "ulimit: %s: cannot modify limit: the limits of a call are settings of the runtime (shell.limits); this one is %s", r.name, value)
			return 1
		}
		if all || len(letters) > 1 {
			unit := fmt.Sprintf("(-%c) ", r.letter)
			if r.unit != "" {
				unit = fmt.Sprintf("(%s, -%c) ", r.unit, r.letter)
			}
			fmt.Fprintf(&out, "%-20s %20s%s\n", r.name, unit, value)
		} else {
			out.WriteString(value + "\n")
		}
	}
	b.out.WriteString(out.String())
	return 0
}

// timesBuiltin executes times. All runs in the shell, so its time is the time since the
// start, and its commands have none of their own.
func timesBuiltin(_ context.Context, sh *Shell, b *streams, _ []string) int {
	used := sh.now().Sub(time.Unix(0, sh.started))
	minutes := int(used / time.Minute)
	seconds := (used - time.Duration(minutes)*time.Minute).Seconds()
	fmt.Fprintf(b.out, "%dm%.3fs 0m0.000s\n0m0.000s 0m0.000s\n", minutes, seconds)
	return 0
}

// unavailable gives a builtin that says why it does nothing, and what to do instead.
func unavailable(reason string) builtin {
	return func(_ context.Context, sh *Shell, b *streams, args []string) int {
		sh.errorf(b, "%s: %s", args[0], reason)
		return 1
	}
}
