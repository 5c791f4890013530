package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const tarUsage = `
Usage: tar MODE [OPTION]... [FILE]...
Keep files in an archive. MODE is one of
  -c, --create   -x, --extract, --get   -t, --list   -r, --append   -u, --update

  -f, --file=ARCHIVE     the archive; - (default) is standard input or output
  -z, --gzip             compressed; found by itself when reading, as is bzip2
  -a, --auto-compress    by the name of the archive
  -C, --directory=DIR    from here on in DIR
  -v, --verbose          name the files; with -t, or twice, with details
  -O, --to-stdout        contents to standard output
  -p, -m                 modes without the umask; no times
  -k, --skip-old-files, --keep-newer-files, --overwrite   what to do with files that exist
  -P, --absolute-names   keep the leading / of names
  -h, --dereference      what links lead to
  -T, --files-from=FILE, --null   names from FILE, ended by NUL
  -X, --exclude-from=FILE, --exclude=PATTERN   leave out what matches
      --strip-components=N   without the first N parts of names
      --wildcards, --no-wildcards   FILEs are patterns, or not
      --no-recursion, --sort=name, --mtime=DATE, --owner=NAME, --group=NAME, --mode=MODE,
      --numeric-owner, --one-top-level[=DIR], --remove-files, --format=gnu|pax|ustar

Members whose name is absolute (without -P), holds "..", or leads through a link, are not
extracted, devices and pipes are not made; each is named, and the exit status is 2.
`

func tarCommand() *command.Command {
	return &command.Command{Name: "tar", Group: "data", Short: "keep files in an archive", Usage: tarUsage, Run: runTar}
}

const tarSpec = `+c,create x,extract get t,list r,append u,update f,file: z,gzip gunzip ungzip j,bzip2 J,xz a,auto-compress C,directory: v,verbose O,to-stdout
p,preserve-permissions same-permissions m,touch k,keep-old-files skip-old-files keep-newer-files overwrite P,absolute-names h,dereference T,files-from: null X,exclude-from:
exclude: strip-components: wildcards no-wildcards no-recursion sort: mtime: owner: group: mode: numeric-owner one-top-level:: remove-files format: no-same-owner same-owner
no-same-permissions o w b,blocking-factor: exclude-vcs recursion no-overwrite-dir unlink-first anchored no-anchored no-auto-compress`

// archiver is one call of tar.
type archiver struct {
	*run
	mode       string
	archive    string
	gzip       bool
	verbose    int
	members    []member
	excluded   []glob
	strip      int
	patterns   bool
	owner      string
	ownerID    int
	group      string
	groupID    int
	permission change
	modified   time.Time
	topLevel   string
	count      int // members so far
	wide       int // of owner, group and size in a listing
}

// member is an operand with the directory that it is seen from.
type member struct {
	dir, name string
	found     bool
}

// errTar is a fault that was reported and ends tar with 2.
var errTar = errors.New("tar failed")

func runTar(ctx context.Context, c *command.Call) int {
	t := &archiver{run: &run{Call: c, ctx: ctx}, owner: agentName, ownerID: agentID, group: agentName, groupID: agentID, wide: 19}
	if err := t.options(); err != nil {
		c.Errorf("%v", err)
		return 64
	}
	if code := t.settings(); code != 0 {
		return code
	}
	var err error
	switch t.mode {
	case "c":
		err = t.create()
	case "r", "u":
		err = t.append()
	case "t", "x":
		err = t.read()
	}
	if err != nil && err != errTar && c.Out.Err() == nil {
		t.fault("%v", err)
		c.Errorf("Error is not recoverable: exiting now")
		return 2
	}
	if t.code == 2 {
		c.Errorf("Exiting with failure status due to previous errors")
	}
	return t.code
}

// fault reports something that went wrong with one member.
func (t *archiver) fault(format string, args ...any) {
	t.Errorf(format, args...)
	t.code = 2
}

// settings checks the options. It gives the exit status of a fault.
func (t *archiver) settings() int {
	o := t.opt
	for _, m := range []string{"c", "x", "get", "t", "r", "u"} {
		if o.Has(m) {
			name := strings.Replace(m, "get", "x", 1)
			if t.mode != "" && t.mode != name {
				t.Errorf("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
				return t.UsageError(2, errors.New("choose one"))
			}
			t.mode = name
		}
	}
	if t.mode == "" {
		return t.UsageError(2, errors.New("you must specify one of the '-Acdtrux', '--delete' or '--test-label' options"))
	}
	t.archive = o.Value("f", "-")
	for _, s := range o.Seen() {
		if s.Name == "v" {
			t.verbose++
		}
	}
	t.gzip = o.Has("z", "gunzip", "ungzip")
	suffix := t.archive[strings.LastIndexByte(t.archive, '.')+1:]
	if o.Has("a") && (suffix == "gz" || suffix == "tgz" || suffix == "taz") {
		t.gzip = true
	}
	if writes := t.mode != "x" && t.mode != "t"; o.Has("J") || writes && (o.Has("j") || o.Has("a") && slices.Contains([]string{"bz2", "tbz", "tbz2", "xz", "txz", "zst", "lz"}, suffix)) {
		t.Errorf("only gzip can compress here (-z); bzip2 can be read, xz cannot")
		return 2
	}
	t.patterns = o.Last("wildcards", "no-wildcards") == "wildcards"
	t.excluded = globsOf(o.Values("exclude"))
	if o.Has("exclude-vcs") {
		t.excluded = append(t.excluded, globsOf([]string{".git", ".gitignore", ".gitmodules", ".gitattributes", ".svn", ".hg", ".hgignore", ".bzr", "CVS"})...)
	}
	for _, m := range t.members {
		if info, err := t.stat(m.dir); m.dir != "" && (err != nil || !info.IsDir()) {
			if err == nil {
				err = errNotDir
			}
			t.Errorf("%s: Cannot open: %s", m.dir, text(err))
			t.Errorf("Error is not recoverable: exiting now")
			return 2
		}
	}
	if err := t.values(); err != nil {
		t.Errorf("%v", err)
		return 2
	}
	return 0
}

func (t *archiver) values() error {
	o := t.opt
	for _, name := range o.Values("X") {
		lines, err := t.lines(name, '\n')
		if err != nil {
			return fmt.Errorf("%s: %s", name, text(err))
		}
		t.excluded = append(t.excluded, globsOf(lines)...)
	}
	for _, name := range o.Values("T") {
		end := byte('\n')
		if o.Has("null") {
			end = 0
		}
		lines, err := t.lines(name, end)
		if err != nil {
			return fmt.Errorf("%s: %s", name, text(err))
		}
		for _, line := range lines {
			t.members = append(t.members, member{dir: t.lastDir(), name: line})
		}
	}
	if s := o.Value("strip-components", "0"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return fmt.Errorf("%s: Invalid number of elements", s)
		}
		t.strip = n
	}
	if o.Has("mode") {
		c, err := parseChange(o.Value("mode", ""), t.Umask)
		if err != nil {
			return errors.New("invalid mode given on option")
		}
		t.permission = c
	}
	if date := o.Value("mtime", ""); o.Has("mtime") {
		if info, err := t.stat(date); err == nil && strings.ContainsAny(date[:1], "./") {
			t.modified = info.ModTime()
		} else if t.modified, err = parseWhen(date, t.Now().In(zone(t.Call))); err != nil {
			return fmt.Errorf("substituting epoch for unknown date format '%s'", date)
		}
	}
	t.owner, t.ownerID = ownerValue(o.Value("owner", ""), t.owner, t.ownerID)
	t.group, t.groupID = ownerValue(o.Value("group", ""), t.group, t.groupID)
	if o.Has("one-top-level") {
		t.topLevel = o.Value("one-top-level", "")
		if t.topLevel == "" {
			t.topLevel = baseName(t.archive)
			for _, s := range []string{".gz", ".bz2", ".tgz", ".tar"} {
				t.topLevel = strings.TrimSuffix(t.topLevel, s)
			}
		}
	}
	return nil
}

// ownerValue reads NAME, NAME:ID or ID.
func ownerValue(s, name string, id int) (string, int) {
	if s == "" {
		return name, id
	}
	n, number, both := strings.Cut(s, ":")
	if !both {
		if v, err := strconv.Atoi(s); err == nil {
			return "", v
		}
		if n == "root" {
			return n, 0
		}
		return n, id
	}
	if v, err := strconv.Atoi(number); err == nil {
		id = v
	}
	return n, id
}

func (t *archiver) lines(name string, end byte) ([]string, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readList(f, end)
}

// excludes says whether a name, or a part of it between slashes, matches a pattern.
func (t *archiver) excludes(name string) bool {
	name = strings.TrimSuffix(name, "/")
	for from := 0; ; {
		for to := from; to <= len(name); to++ {
			if (to == len(name) || name[to] == '/') && anyMatches(t.excluded, name[from:to]) {
				return true
			}
		}
		next := strings.IndexByte(name[from:], '/')
		if next < 0 {
			return false
		}
		from += next + 1
	}
}
