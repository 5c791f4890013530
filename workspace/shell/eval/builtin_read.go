package eval

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// reading is what one read was asked for.
type reading struct {
	sh      *Shell
	in      *input
	delim   byte
	raw     bool
	exact   bool // -N: the delimiter means nothing
	chars   int  // of -n and -N; -1 none
	array   string
	timeout time.Duration // 0 none
	poll    bool          // -t 0
	names   []string

	line   []byte
	space  [128]byte // for line
	quoted []bool    // bytes of line that a backslash protects; nil when there is none
}

// timedOut is the status of a read whose time was over.
const timedOut = 142

// readBuiltin executes read.
func readBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	r := reading{sh: sh, in: b.in, delim: '\n', chars: -1}
	r.line = r.space[:0]
	if status := r.options(ctx, b, args); status != 0 {
		return status
	}
	if len(r.names) > 0 && !isTarget(r.names[0]) {
		return sh.badName(b, "read", r.names[0])
	}
	if r.in.open == nil {
		sh.errorf(b, "read: read error: 0: Bad file descriptor")
		return 1
	}
	switch {
	case r.poll:
		return toStatus(r.in.ready())
	case r.chars == 0:
		return r.assign(ctx, b, 0)
	case r.timeout > 0:
		var stop func()
		r.in, stop = r.timed(ctx)
		defer stop()
	}
	return r.assign(ctx, b, r.read(ctx, b))
}

func toStatus(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// options reads the options; a status other than 0 ends the read.
func (r *reading) options(ctx context.Context, b *streams, args []string) int {
	sh := r.sh
	g := sh.options(b, args, "ersa:d:i:n:N:p:t:u:")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'r':
			r.raw = true
		case 'a':
			r.array = g.value
			if !isName(r.array) {
				return sh.badName(b, "read", r.array)
			}
		case 'd':
			r.delim = 0
			if g.value != "" {
				r.delim = g.value[0]
			}
		case 'n', 'N':
			n, err := strconv.Atoi(g.value)
			if err != nil || n < 0 {
				sh.errorf(b, "read: %s: invalid number", g.value)
				return 1
			}
			r.chars, r.exact = n, letter == 'N'
		case 't':
			seconds, err := strconv.ParseFloat(g.value, 64)
			if err != nil || !(seconds >= 0) || seconds > math.MaxInt32 {
				sh.errorf(b, "read: %s: invalid timeout specification", g.value)
				return 1
			}
			r.timeout = time.Duration(seconds * float64(time.Second))
			r.poll = r.timeout == 0
		case 'u':
			fd, err := strconv.Atoi(g.value)
			if err != nil || fd < 0 {
				sh.errorf(b, "read: %s: invalid file descriptor specification", g.value)
				return 1
			}
			r.in = sh.input(ctx, fd)
			if sh.fd(fd) == nil {
				sh.errorf(b, "read: %d: invalid file descriptor: Bad file descriptor", fd)
				return 1
			}
		}
	}
	if g.bad {
		return 2
	}
	r.names = g.args
	return 0
}

// timed gives the input bound to the time of -t.
func (r *reading) timed(ctx context.Context) (*input, func()) {
	ctx, cancel := context.WithCancel(ctx)
	sleep, timeout := r.sh.sleep, r.timeout
	r.sh.routine(func() {
		if sleep(ctx, timeout) == nil {
			cancel()
		}
	})
	return r.in.within(ctx), cancel
}

// read reads up to the delimiter or the number of characters and gives the status.
func (r *reading) read(ctx context.Context, b *streams) int {
	escaped := false
	runs := r.raw && r.chars < 0 && r.timeout == 0
	for n := 0; ; {
		if runs {
			// Nothing but the delimiter and NUL means anything.
			r.line = r.in.takeRun(r.line, r.delim, 0)
		}
		c, err := r.in.ReadByte()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return 1
		case errors.Is(err, syscall.EINTR) && r.timeout > 0 && ctx.Err() == nil:
			return timedOut
		case errors.Is(err, syscall.EINTR):
			return 1
		default:
			r.sh.errorf(b, "read: read error: %s", view.Text(err))
			return 1
		}
		switch {
		case escaped && c == '\n':
			escaped = false
			continue
		case escaped:
			escaped = false
			r.add(c, true)
		case c == '\\' && !r.raw:
			escaped = true
			continue
		case c == r.delim && !r.exact:
			return 0
		case c == 0:
			continue
		default:
			r.add(c, false)
		}
		if len(r.line) > r.sh.budget.Variable {
			return r.sh.fail(ctx, r.sh.budget.Exceed(variableHit(r.sh.budget.Variable)))
		}
		if r.chars > 0 && wholeRune(r.line) {
			if n++; n == r.chars {
				return 0
			}
		}
	}
}

func (r *reading) add(c byte, quoted bool) {
	r.line = append(r.line, c)
	if quoted && r.quoted == nil {
		r.quoted = make([]bool, len(r.line)-1, cap(r.line))
	}
	if r.quoted != nil {
		r.quoted = append(r.quoted, quoted)
	}
}

// wholeRune says whether the last character of a line is complete.
func wholeRune(line []byte) bool {
	for back := 1; back <= utf8.UTFMax && back <= len(line); back++ {
		c := line[len(line)-back]
		if utf8.RuneStart(c) {
			return utf8.FullRune(line[len(line)-back:])
		}
	}
	return true
}

func variableHit(n int) *limits.Hit {
	return &limits.Hit{Name: "variable", Value: int64(n), Unit: "bytes", Mend: "Keep long text in a file and read it in parts."}
}

// assign gives the names their parts of the line; status is that of reading, which a fault
// replaces.
func (r *reading) assign(ctx context.Context, b *streams, status int) int {
	if r.sh.flow != flowNone {
		return r.sh.status
	}
	ifs := r.sh.Get("IFS")
	f := fieldsOf{line: string(r.line), quoted: r.quoted, ifs: " \t\n"}
	if ifs.Set() {
		f.ifs = ifs.String()
	}
	if r.array != "" {
		return r.assignArray(ctx, b, &f, status)
	}
	names := r.names
	switch {
	case len(names) == 0:
		r.set(ctx, b, "REPLY", f.line, &status)
		return status
	case r.exact:
		r.set(ctx, b, names[0], f.line, &status)
		for _, name := range names[1:] {
			r.set(ctx, b, name, "", &status)
		}
		return status
	}
	f.skipBlanks()
	for _, name := range names[:len(names)-1] {
		word, _ := f.next()
		if !r.set(ctx, b, name, word, &status) {
			return status
		}
	}
	r.set(ctx, b, names[len(names)-1], f.rest(), &status)
	return status
}

// set sets one variable; false when that failed.
func (r *reading) set(ctx context.Context, b *streams, name, value string, status *int) bool {
	if !isTarget(name) {
		*status = r.sh.badName(b, "read", name)
		return false
	}
	if err := r.sh.exp.SetString(ctx, name, value, false); err != nil {
		*status = r.sh.failed(ctx, b, "read", err)
		return false
	}
	return true
}

func (r *reading) assignArray(ctx context.Context, b *streams, f *fieldsOf, status int) int {
	var words []string
	if r.exact {
		words = []string{f.line}
	} else {
		for word, ok := f.next(); ok; word, ok = f.next() {
			words = append(words, word)
		}
	}
	if err := r.sh.setArray(ctx, r.array, words); err != nil {
		return r.sh.failed(ctx, b, "read", err)
	}
	return status
}
