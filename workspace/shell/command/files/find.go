package files

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const findUsage = `
Usage: find [-H] [-L] [-P] [STARTING-POINT...] [EXPRESSION]
Visit every file below the starting points (. by default), entries in order of their names,
and evaluate the expression for each.

operators  ( E )  ! E  -not E  E -a E  E E  E -o E  E , E
options    -depth -d -maxdepth N -mindepth N -xdev -mount -daystart -follow -regextype TYPE
           -ignore_readdir_race -noleaf -warn -nowarn
tests      -name -iname -path -wholename -ipath -iwholename -lname -ilname -regex -iregex
           -type [fdlpscb,...] -xtype -size N[cwbkMG] -empty -links N -inum N -perm [-/]MODE
           -mtime -atime -ctime N   -mmin -amin -cmin N   -newer -anewer -cnewer FILE
           -newerXY REFERENCE -samefile FILE -user NAME -group NAME -uid N -gid N -nouser
           -nogroup -readable -writable -executable -true -false
           N is a number, +N is more, -N is less
actions    -print -print0 -printf FORMAT -ls -fprint FILE -fprint0 FILE -fprintf FILE FORMAT
           -fls FILE -delete -prune -quit -exec COMMAND ; -exec COMMAND {} +
           -execdir COMMAND ; -execdir COMMAND {} +
-ok and -okdir are refused: nobody answers.
`

func findCommand() *command.Command {
	return &command.Command{Name: "find", Group: "files", Short: "search for files in directories", Usage: findUsage, Run: runFind}
}

// find is one search.
type find struct {
	*run
	walk     walk
	now      time.Time // what ages are counted from
	started  time.Time
	daystart bool
	zone     *time.Location
	depth    bool
	maxDepth int // -1: none
	minDepth int
	xdev     bool
	acts     bool // an action that stands in for -print
	pruned   bool // of the file in hand
	quit     bool
	device   uint64
	regex    string // -regextype
	outputs  map[string]*output
	pending  []*batch // -exec ... +
}

// output is a file that -fprint and its kin write.
type output struct {
	io.Writer
	close func() error
}

// test is a part of the expression.
type test func(n *node) bool

func runFind(ctx context.Context, c *command.Call) int {
	f := &find{run: &run{Call: c, ctx: ctx}, maxDepth: -1, now: c.Now(), started: c.Now(), zone: zone(c), outputs: map[string]*output{}}
	f.walk = walk{run: f.run, before: f.before, failedAt: func(name string, err error) { f.failed("‘%s’: %s", name, text(err)) }}
	args := c.Args[1:]
	for len(args) > 0 && (args[0] == "-H" || args[0] == "-L" || args[0] == "-P" || args[0] == "--" || strings.HasPrefix(args[0], "-O")) {
		switch args[0] {
		case "-H":
			f.walk.follow = followArgs
		case "-L":
			f.walk.follow = followAll
		case "-P":
			f.walk.follow = followNone
		}
		args = args[1:]
	}
	paths := 0
	for paths < len(args) && !(strings.HasPrefix(args[paths], "-") && len(args[paths]) > 1) && args[paths] != "(" && args[paths] != "!" && args[paths] != ")" && args[paths] != "," {
		paths++
	}
	starts, expression := args[:paths], args[paths:]
	p := &findParser{find: f, args: expression}
	match, err := p.parse()
	defer f.close()
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	if !f.acts {
		match = all(match, f.print(f.Out, "\n"))
	}
	f.search(starts, match)
	for _, b := range f.pending {
		b.run()
	}
	return f.code
}

func (f *find) search(starts []string, match test) {
	if len(starts) == 0 {
		starts = []string{"."}
	}
	visit := func(n *node) {
		if n.depth >= f.minDepth {
			match(n)
		}
		if f.quit {
			f.walk.stopped = true
		}
	}
	f.walk.before = func(n *node) bool {
		into := f.before(n)
		if !f.depth {
			f.pruned = false
			visit(n)
			return into && !f.pruned
		}
		if !n.info.IsDir() {
			visit(n)
		}
		return into
	}
	if f.depth {
		f.walk.after = visit
	}
	for _, name := range starts {
		if f.quit || f.walk.stopped {
			return
		}
		f.walk.from(name)
	}
}

// before says whether the walk goes into a directory.
func (f *find) before(n *node) bool {
	dev := attrOf(n.info).dev
	if n.depth == 0 {
		f.device = dev
	}
	return !(f.xdev && dev != f.device) && (f.maxDepth < 0 || n.depth < f.maxDepth)
}

func (f *find) close() {
	for _, o := range f.outputs {
		if err := o.close(); err != nil {
			f.failed("%s", text(err))
		}
	}
}

// all is the conjunction of tests.
func all(tests ...test) test {
	return func(n *node) bool {
		for _, t := range tests {
			if !t(n) {
				return false
			}
		}
		return true
	}
}
