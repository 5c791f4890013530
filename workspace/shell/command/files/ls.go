package files

import (
	"context"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const lsUsage = `
Usage: ls [OPTION]... [FILE]...
List FILEs (the current directory by default), sorted by name in byte order, one per line.

  -a, -A                 also names that begin with a dot; -A without . and ..
  -l, -g, -o, -n         long listing; without owner; without group; with numeric ids
  -1, -C, -m, -x         one per line; columns; with commas; columns filled row by row
  -R                     directories recursively
  -d                     directories themselves
  -t, -S, -X, -v, -U, -f sort by time, size, extension, version; do not sort
  -r                     reverse order
  -c, -u                 the change or access time instead of the modification time
  -h, --si, -k           sizes in powers of 1024 or 1000 with a unit; blocks of 1024 bytes
  -F, -p                 append a sign for the kind; a slash to directories
  -i, -s                 inode number; blocks
  -L, -H                 follow links; only links that are arguments
  -I, --hide, -B         leave out names by pattern; names that end with ~
  -Q, -b, -q, -N         names in double quotes; with escapes; with ? for control signs; as they are
  -w COLS                width for columns
  --color[=WHEN]         always: colours; auto and never: none
  --group-directories-first, --full-time, --time-style=STYLE, --time=WORD, --sort=WORD,
  --format=WORD, --indicator-style=WORD, --block-size=SIZE, --quoting-style=WORD, --zero
`

func lsCommand() *command.Command {
	return &command.Command{Name: "ls", Aliases: []string{"dir", "vdir"}, Group: "files", Short: "list files", Usage: lsUsage, Run: runLs}
}

const lsSpec = `a,all A,almost-all l 1 R,recursive r,reverse t S X v U f h,human-readable si k,kibibytes d,directory F,classify:: p p-dir
file-type i,inode s,size n,numeric-uid-gid g o G,no-group L,dereference H,dereference-command-line color:: group-directories-first
C m x Q,quote-name b,escape q,hide-control-chars N,literal full-time time-style: time: sort: format: indicator-style: block-size:
quoting-style: zero c u I,ignore: hide: B,ignore-backups w,width: T,tabsize: author show-control-chars`

// ls is one listing.
type ls struct {
	*run
	listing
	sort      string // name, time, size, extension, version or none
	time      byte   // m, a or c
	reverse   bool
	dirsFirst bool
	recursive bool
	all       bool
	almost    bool
	ignored   []glob
	hidden    []glob
	follow    bool
	blockSize int64
	visited   int
	printed   bool // something stands above
}

// entry is a file in a listing.
type entry struct {
	name   string // as it is shown
	path   string
	info   fs.FileInfo
	target string // of a link
}

func runLs(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, lsSpec, 2)
	if !ok {
		return r.code
	}
	l := &ls{run: r, sort: "name", time: 'm', blockSize: 1024}
	if code := l.options(); code != 0 {
		return code
	}
	operands := r.opt.Args
	if len(operands) == 0 {
		operands = []string{"."}
	}
	directory := r.opt.Has("d")
	followArg := l.follow || r.opt.Has("H") || !l.long && !directory && !l.classifies()
	var files, dirs []entry
	for _, name := range operands {
		info, err := r.look(name, followArg)
		if err != nil && followArg && !l.follow {
			info, err = r.lstat(name) // a link to nowhere is listed itself
		}
		if err != nil {
			r.Errorf("cannot access '%s': %s", name, text(err))
			r.code = 2
			continue
		}
		e := l.entry(name, r.Abs(name), info)
		if info.IsDir() && !directory {
			dirs = append(dirs, e)
		} else {
			files = append(files, e)
		}
	}
	l.order(files)
	l.order(dirs)
	if len(files) > 0 {
		l.print(files, false)
		l.printed = true
	}
	for _, d := range dirs {
		l.list(d.name, d.path, len(operands) > 1 || l.recursive, nil)
	}
	return r.code
}

func (l *ls) classifies() bool { return l.indicator == "classify" }

// list prints the content of a directory. above are the real paths of the directories that
// it stands in, when links are followed.
func (l *ls) list(name, dir string, headed bool, above []string) {
	if l.over() {
		return
	}
	if l.follow && l.recursive {
		real, err := l.FS.Real(dir)
		for _, p := range above {
			if err == nil && p == real {
				l.Errorf("%s: not listing already-listed directory", name)
				l.code = 2
				return
			}
		}
		above = append(above, real)
	}
	entries, err := l.read(dir)
	if err != nil {
		l.Errorf("cannot open directory '%s': %s", name, text(err))
		l.code = max(l.code, 1)
		if len(above) == 0 && !l.recursive {
			l.code = 2
		}
		return
	}
	if l.printed {
		l.Out.WriteString(l.end)
	}
	if headed {
		l.Out.WriteString(l.quote(name) + ":" + l.end)
	}
	l.printed = true
	l.order(entries)
	l.print(entries, true)
	if !l.recursive {
		return
	}
	for _, e := range entries {
		if e.info.IsDir() && e.name != "." && e.name != ".." {
			l.list(strings.TrimSuffix(name, "/")+"/"+e.name, e.path, true, above)
		}
	}
}

func (l *ls) read(dir string) ([]entry, error) {
	found, err := l.FS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var entries []entry
	if l.all {
		for _, name := range []string{".", ".."} {
			if info, err := l.FS.Stat(path.Join(dir, name)); err == nil {
				entries = append(entries, l.entry(name, path.Join(dir, name), info))
			}
		}
	}
	for _, d := range found {
		name := d.Name()
		if l.skips(name) {
			continue
		}
		if l.visited++; l.visited > l.Budget.Walk {
			return nil, &walkError{l.Budget.Walk}
		}
		p := dir + "/" + name
		info, err := l.look(p, l.follow)
		if err != nil && l.follow {
			info, err = l.lstat(p)
		}
		if err != nil {
			l.failed("cannot access '%s': %s", p, text(err))
			continue
		}
		entries = append(entries, l.entry(name, p, info))
	}
	return entries, nil
}

func (l *ls) skips(name string) bool {
	if anyMatches(l.ignored, name) {
		return true
	}
	if l.all || l.almost {
		return false
	}
	return name[0] == '.' || anyMatches(l.hidden, name)
}

func (l *ls) entry(name, p string, info fs.FileInfo) entry {
	e := entry{name: name, path: p, info: info}
	if info.Mode()&fs.ModeSymlink != 0 {
		e.target, _ = l.FS.Readlink(p)
	}
	return e
}

// options reads what was asked for. It gives the exit status of a wrong value.
func (l *ls) options() int {
	o := l.opt
	l.all, l.almost = o.Has("a", "f"), o.Has("A")
	l.reverse, l.recursive, l.follow = o.Has("r"), o.Has("R"), o.Has("L")
	l.dirsFirst = o.Has("group-directories-first")
	l.listing = listing{out: l.Out, loc: zone(l.Call), now: l.Now(), end: "\n", width: 80, base: 0, one: true}
	if cols, err := strconv.Atoi(l.Getenv("COLUMNS")); err == nil && cols > 0 {
		l.width = cols
	}
	l.numeric, l.inode, l.blocks = o.Has("n"), o.Has("i"), o.Has("s")
	l.owner, l.group = !o.Has("g"), !o.Has("o", "G")
	l.author = o.Has("author")
	l.ignored, l.hidden = globsOf(o.Values("I")), globsOf(o.Values("hide"))
	if o.Has("B") {
		l.ignored = append(l.ignored, glob{pattern: "*~"})
	}
	if path.Base(l.Args[0]) == "vdir" {
		l.setFormat("long")
	}
	if path.Base(l.Args[0]) == "dir" {
		l.setFormat("vertical")
	}
	for _, s := range o.Seen() {
		if word, allowed, ok := l.set(s); !ok {
			l.Errorf("invalid argument '%s' for '--%s'", s.Value, word)
			if allowed != "" {
				l.Errorf("valid arguments are: %s", allowed)
			}
			if word == "time-style" || word == "width" {
				return 2
			}
			return 1
		}
	}
	l.color = l.color && l.coloursTerminal()
	l.blockUnit = l.blockSize
	l.stamp = l.time
	return 0
}
