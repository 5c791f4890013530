package files

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const treeUsage = `
Usage: tree [OPTION]... [DIRECTORY]...
Show directories as trees.

  -a, -d                 also names that begin with a dot; directories only
  -L LEVEL               only so deep
  -f, -i                 whole paths; no lines of the tree
  -I PATTERN, -P PATTERN leave out, or show only, files that match (several with |)
      --matchdirs, --ignore-case, --prune
  -F, -Q, -q, -N         a sign for the kind; names in quotes; ? for control signs; as they are
  -p, -s, -h, --si, -D   modes; sizes; with units; modification times
  -u, -g, --inodes, --timefmt FORMAT
  -t, -U, -r, --sort=WORD   sort by time; not; in reverse; by name, size, mtime, version
  -l                     follow links to directories
      --dirsfirst, --filesfirst, --noreport, --du, --charset WORD, -n, -o FILE
`

func treeCommand() *command.Command {
	return &command.Command{Name: "tree", Group: "files", Short: "show directories as trees", Usage: treeUsage, Run: runTree}
}

// tree is one call of tree.
type tree struct {
	*run
	level         int // 0: no bound
	only, without []glob
	dirs, files   int
	visited       int
	seen          map[string]bool // real paths of directories, when links are followed
	branch        [3]string       // of an entry, of the last one, of a line that goes on
	sort          string
}

func runTree(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, `a d L: f i I: P: matchdirs ignore-case prune F Q q N p s h si D u g inodes timefmt: t U r sort: l v c
		dirsfirst filesfirst noreport du charset: n C o: x S`, 1)
	if !ok {
		return r.code
	}
	t := &tree{run: r, branch: [3]string{"├── ", "└── ", "│\u00a0\u00a0 "}, sort: r.opt.Value("sort", "name"), seen: map[string]bool{}}
	if charset := r.opt.Value("charset", "UTF-8"); !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		t.branch = [3]string{"|-- ", "`-- ", "|   "}
	}
	if level := r.opt.Value("L", ""); r.opt.Has("L") {
		var err error
		if t.level, err = strconv.Atoi(level); err != nil || t.level < 1 {
			r.Errorf("Invalid level, must be greater than 0.")
			return 1
		}
	}
	for _, name := range []string{"t", "U", "v", "c"} {
		if r.opt.Has(name) {
			t.sort = map[string]string{"t": "mtime", "U": "none", "v": "version", "c": "ctime"}[name]
		}
	}
	if !slices.Contains([]string{"name", "none", "mtime", "ctime", "size", "version"}, t.sort) {
		r.Errorf("Sort type '%s' not valid, should be one of: name,version,size,mtime,ctime", t.sort)
		return 1
	}
	t.only, t.without = t.patterns("P"), t.patterns("I")
	names := r.opt.Args
	if len(names) == 0 {
		names = []string{"."}
	}
	for _, name := range names {
		t.root(name)
	}
	if !r.opt.Has("noreport") {
		t.report()
	}
	return r.code
}

func (t *tree) patterns(option string) []glob {
	var globs []glob
	for _, v := range t.opt.Values(option) {
		for p := range strings.SplitSeq(v, "|") {
			globs = append(globs, glob{pattern: p, fold: t.opt.Has("ignore-case")})
		}
	}
	return globs
}

func (t *tree) report() {
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	t.Out.WriteString("\n" + count(t.dirs, "directory", "directories"))
	if !t.opt.Has("d") {
		t.Out.WriteString(", " + count(t.files, "file", "files"))
	}
	t.Out.WriteString("\n")
}

// leaf is an entry of the tree with what is below it.
type leaf struct {
	name   string
	path   string
	info   fs.FileInfo
	target string
	below  []leaf
	err    string
	size   int64
	goes   bool // a directory that is gone into, or a link to one
}

func (t *tree) root(name string) {
	info, err := t.stat(name)
	if err != nil || !info.IsDir() {
		if err == nil {
			t.files++
		} else {
			t.code = 2
		}
		t.Out.WriteString(t.facts(leaf{}) + name + "  [error opening dir]\n")
		return
	}
	top := leaf{name: name, path: name, info: info}
	real, _ := t.FS.Real(t.Abs(name))
	t.seen[real] = true
	t.read(&top, 1)
	if len(top.below) > 0 {
		t.dirs++
	}
	t.Out.WriteString(t.facts(top) + t.shown(name) + t.sign(info) + "\n")
	t.print(top.below, "")
}

// read finds what is in a directory.
func (t *tree) read(dir *leaf, depth int) {
	dir.size = dir.info.Size()
	if t.level > 0 && depth > t.level {
		return
	}
	entries, err := t.FS.ReadDir(t.Abs(dir.path))
	if err != nil {
		dir.err = "error opening dir"
		t.code = 2
		return
	}
	for _, e := range entries {
		if t.visited++; t.visited > t.Budget.Walk || t.over() {
			if t.visited > t.Budget.Walk {
				dir.err = text(&walkError{t.Budget.Walk})
				t.code = 2
			}
			return
		}
		if l, ok := t.entry(dir, e.Name(), depth); ok {
			dir.below = append(dir.below, l)
			dir.size += l.size
		}
	}
	t.order(dir.below)
}

func (t *tree) entry(dir *leaf, name string, depth int) (leaf, bool) {
	if name[0] == '.' && !t.opt.Has("a") || anyMatches(t.without, name) {
		return leaf{}, false
	}
	l := leaf{name: name, path: join(dir.path, name)}
	var err error
	if l.info, err = t.lstat(l.path); err != nil {
		return leaf{}, false
	}
	l.size = l.info.Size()
	isDir := l.info.IsDir()
	if l.info.Mode()&fs.ModeSymlink != 0 {
		l.target, _ = t.FS.Readlink(t.Abs(l.path))
		if info, err := t.stat(l.path); err == nil && info.IsDir() {
			isDir = true
			l.goes = t.opt.Has("l")
		}
	} else {
		l.goes = isDir
	}
	if len(t.only) > 0 && !anyMatches(t.only, name) && (!isDir || l.target != "" && !l.goes) || t.opt.Has("d") && !isDir {
		return leaf{}, false
	}
	if !l.goes {
		return l, true
	}
	real, err := t.FS.Real(t.Abs(l.path))
	if err == nil && t.seen[real] {
		l.err = "recursive, not followed"
		l.goes = false
		return l, true
	}
	t.seen[real] = true
	t.read(&l, depth+1)
	return l, !(t.opt.Has("prune") && len(l.below) == 0)
}

func (t *tree) order(leaves []leaf) {
	if t.sort == "none" {
		return
	}
	slices.SortStableFunc(leaves, func(a, b leaf) int {
		if d := btoi(b.isDir()) - btoi(a.isDir()); d != 0 && t.opt.Has("dirsfirst") {
			return d
		} else if d != 0 && t.opt.Has("filesfirst") {
			return -d
		}
		d := 0
		switch t.sort {
		case "mtime":
			d = a.info.ModTime().Compare(b.info.ModTime())
		case "ctime":
			d = timeOf(a.info, 'c').Compare(timeOf(b.info, 'c'))
		case "size":
			d = cmp.Compare(b.info.Size(), a.info.Size())
		case "version":
			d = compareVersions(a.name, b.name)
		}
		if d == 0 {
			d = strings.Compare(a.name, b.name)
		}
		if t.opt.Has("r") {
			return -d
		}
		return d
	})
}

func (l leaf) isDir() bool { return l.info.IsDir() || l.goes }
