package files

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const duUsage = `
Usage: du [OPTION]... [FILE]...
Sum up the space of files, directories with what is below.

  -a, -s, -c             also single files; only a total for each argument; a grand total
  -d, --max-depth=N      only to this depth
  -h, --si, -b, -k, -m   sizes with units of 1024 or 1000; bytes; blocks of 1 KiB; of 1 MiB
  -B, --block-size=SIZE  blocks of this size
      --apparent-size    sizes instead of the space taken
  -S, --separate-dirs    directories without those below
  -L, -D, -H, -P         follow links; those that are arguments; none (default)
  -x, -l, -0             stay on one file system; count hard links each time; end lines with NUL
  -t, --threshold=SIZE   leave out smaller ones, or larger ones when negative
      --exclude=PATTERN  leave out what matches
      --time, --inodes, --files0-from=FILE
`

func duCommand() *command.Command {
	return &command.Command{Name: "du", Group: "files", Short: "sum up the space of files", Usage: duUsage, Run: runDu}
}

// usage is one call of du.
type usage struct {
	*run
	all, apparent, separate, links, inodes bool
	depth                                  int // -1: no bound
	base, unit                             int64
	suffix, end                            string
	threshold                              int64
	excluded                               []glob
	withTime                               bool
	sums                                   []sum // of the directories that the walk is in
	seen                                   map[[2]uint64]bool
}

// sum is what lies in and below a directory.
type sum struct {
	own, below int64
	newest     time.Time
}

func runDu(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, `a,all s,summarize c,total d,max-depth: h,human-readable si b,bytes k m B,block-size: apparent-size S,separate-dirs
		L,dereference D,dereference-args H P,no-dereference x,one-file-system l,count-links 0,null t,threshold: exclude: time:: time-style: inodes files0-from:`, 1)
	if !ok {
		return r.code
	}
	u := &usage{run: r, all: r.opt.Has("a"), separate: r.opt.Has("S"), links: r.opt.Has("l"), inodes: r.opt.Has("inodes"), depth: -1, unit: 1024,
		end: "\n", excluded: globsOf(r.opt.Values("exclude")), withTime: r.opt.Has("time"), seen: map[[2]uint64]bool{}}
	if err := u.options(); err != nil {
		return c.UsageError(1, err)
	}
	names := r.opt.Args
	if from := r.opt.Value("files0-from", ""); r.opt.Has("files0-from") {
		f, err := r.Open(from)
		if err != nil {
			return r.Fail(from, err)
		}
		names, err = readList(f, 0)
		f.Close()
		if err != nil {
			return r.Fail(from, err)
		}
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	w := &walk{run: r, before: u.enter, after: u.leave, failedAt: func(name string, err error) {
		if err == errLoop {
			return
		}
		r.failed("cannot access '%s': %s", name, text(err))
	}}
	switch r.opt.Last("L", "D", "H", "P") {
	case "L":
		w.follow = followAll
	case "D", "H":
		w.follow = followArgs
	}
	var total sum
	for _, name := range names {
		u.sums = []sum{{}}
		w.from(name)
		total.below += u.sums[0].below + u.sums[0].own
		total.newest = later(total.newest, u.sums[0].newest)
	}
	if r.opt.Has("c") {
		u.print("total", total.below, total.newest)
	}
	return r.code
}

func (u *usage) options() error {
	for _, s := range u.opt.Seen() {
		switch s.Name {
		case "h":
			u.base = 1024
		case "si":
			u.base = 1000
		case "b":
			u.apparent, u.unit, u.base = true, 1, 0
		case "k":
			u.unit, u.base = 1024, 0
		case "m":
			u.unit, u.base = 1<<20, 0
		case "apparent-size":
			u.apparent = true
		case "B":
			n, err := parseSize(s.Value)
			if err != nil || n <= 0 {
				return fmt.Errorf("invalid -B argument '%s'", s.Value)
			}
			u.unit, u.base = n, 0
			if !isDigit(rune(s.Value[0])) {
				u.suffix = s.Value
			}
		case "d":
			n, err := strconv.Atoi(s.Value)
			if err != nil || n < 0 {
				return fmt.Errorf("invalid maximum depth '%s'", s.Value)
			}
			u.depth = n
		case "0":
			u.end = "\x00"
		case "t":
			n, err := parseSize(strings.TrimPrefix(s.Value, "-"))
			if err != nil || n == 0 && strings.HasPrefix(s.Value, "-") {
				return fmt.Errorf("invalid --threshold argument '%s'", s.Value)
			}
			u.threshold = n
			if strings.HasPrefix(s.Value, "-") {
				u.threshold = -n
			}
		}
	}
	if u.opt.Has("s") {
		if u.all {
			return errors.New("cannot both summarize and show all entries")
		}
		if u.depth > 0 {
			return fmt.Errorf("warning: summarizing conflicts with --max-depth=%d", u.depth)
		}
		u.depth = 0
	}
	return nil
}

// enter counts a file before those below it.
func (u *usage) enter(n *node) bool {
	a := attrOf(n.info)
	if anyMatches(u.excluded, n.name) || anyMatches(u.excluded, n.base()) {
		if n.info.IsDir() {
			u.sums = append(u.sums, sum{own: -1}) // for leave
		}
		return false
	}
	size := a.blocks * 512
	if u.apparent {
		size = n.info.Size()
	}
	if u.inodes {
		size = 1
	}
	key := [2]uint64{a.dev, a.ino}
	counted := a.ino != 0 && !u.links && (a.links > 1 || n.info.IsDir() || len(u.opt.Args) > 1) && u.seen[key]
	u.seen[key] = true
	if counted {
		if n.info.IsDir() {
			u.sums = append(u.sums, sum{own: -1})
		}
		return false
	}
	stamp := n.info.ModTime()
	if n.info.IsDir() {
		u.sums = append(u.sums, sum{own: size, newest: stamp})
		return true
	}
	top := &u.sums[len(u.sums)-1]
	top.own += size
	top.newest = later(top.newest, stamp)
	if (u.all || n.depth == 0) && (u.depth < 0 || n.depth <= u.depth) {
		u.print(n.name, size, stamp)
	}
	return false
}

// leave adds up a directory after what is below it.
func (u *usage) leave(n *node) {
	s := u.sums[len(u.sums)-1]
	u.sums = u.sums[:len(u.sums)-1]
	if s.own < 0 { // left out
		return
	}
	size := s.own + s.below
	if u.separate {
		size = s.own
	}
	if u.depth < 0 || n.depth <= u.depth {
		u.print(n.name, size, s.newest)
	}
	up := &u.sums[len(u.sums)-1]
	up.below += s.own + s.below
	up.newest = later(up.newest, s.newest)
}

func (u *usage) print(name string, size int64, newest time.Time) {
	if u.threshold > 0 && size < u.threshold || u.threshold < 0 && size > -u.threshold {
		return
	}
	shown := strconv.FormatInt(size, 10)
	switch {
	case u.base > 0:
		shown = human(size, u.base)
	case !u.inodes:
		shown = strconv.FormatInt(ceilDiv(size, u.unit), 10) + u.suffix
	}
	if u.withTime {
		shown += "\t" + stamp(u.timeFormat(), newest.In(zone(u.Call)))
	}
	u.Out.WriteString(shown + "\t" + name + u.end)
}

func (u *usage) timeFormat() string {
	switch style := u.opt.Value("time-style", "long-iso"); {
	case style == "full-iso":
		return "%Y-%m-%d %H:%M:%S.%N %z"
	case style == "iso":
		return "%Y-%m-%d"
	case strings.HasPrefix(style, "+"):
		return style[1:]
	}
	return "%Y-%m-%d %H:%M"
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
