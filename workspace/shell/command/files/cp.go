package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const cpUsage = `
Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copy files and directories.

  -r, -R, -a             directories with what is below; -a also keeps links, modes and times
  -p, --preserve[=LIST]  keep mode, times (timestamps), links; --no-preserve=LIST
  -d, -P                 keep links as links;  -L follow all;  -H follow those that are arguments
  -f, --remove-destination   remove what cannot be opened; remove what stands there first
  -i, -n, -u             ask before overwriting; never overwrite; only what is newer
  -b, --backup[=KIND], -S SUFFIX   keep what is replaced
  -t DIRECTORY, -T       copy into it; the last argument is the new name itself
  -s, -l                 make links; make copies as ln does
  -v, -x, --parents, --attributes-only, --strip-trailing-slashes, --sparse=WHEN, --reflink[=WHEN]
`

func cpCommand() *command.Command {
	return &command.Command{Name: "cp", Group: "files", Short: "copy files and directories", Usage: cpUsage, Run: runCp}
}

const cpSpec = `a,archive r R,recursive p d f,force i,interactive n,no-clobber u,update v,verbose t,target-directory: T,no-target-directory
L,dereference P,no-dereference H b backup:: S,suffix: parents preserve:: no-preserve: x,one-file-system remove-destination s,symbolic-link l,link
attributes-only strip-trailing-slashes sparse: reflink:: copy-contents`

func runCp(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, cpSpec, 1)
	if !ok {
		return r.code
	}
	o := r.opt
	cp := &copier{run: r, force: o.Has("f"), keep: o.Last("i", "n") == "n", interactive: o.Last("i", "n") == "i", update: o.Has("u"),
		verbose: o.Has("v"), replace: o.Has("remove-destination"), attributes: o.Has("attributes-only")}
	var err error
	if cp.backup, err = backupOf(o); err == nil {
		err = cp.preserving()
	}
	if err != nil {
		return c.UsageError(1, err)
	}
	cp.recursive = o.Has("r", "R", "a")
	cp.follow = followAll
	if cp.recursive {
		cp.follow = followNone
	}
	switch o.Last("L", "P", "H", "d", "a") {
	case "L":
		cp.follow = followAll
	case "P", "d", "a":
		cp.follow = followNone
	case "H":
		cp.follow = followArgs
	}
	sources, into, ok := r.destination("copy")
	if !ok {
		return r.code
	}
	if len(sources.names) > 1 {
		cp.made = map[string]bool{}
	}
	for _, src := range sources.names {
		dst := into(src)
		if o.Has("parents") && sources.directory != "" {
			dst = join(sources.directory, strings.TrimLeft(src, "/"))
			if !cp.parents(src, sources.directory) {
				continue
			}
		}
		switch {
		case o.Has("s"):
			if err := r.FS.Symlink(src, r.Abs(dst)); err != nil {
				r.failed("cannot create symbolic link '%s' to '%s': %s", dst, src, text(err))
			}
		default:
			cp.copy(src, dst, 0)
		}
	}
	return r.code
}

// preserving reads what is to be kept.
func (c *copier) preserving() error {
	for _, s := range c.opt.Seen() {
		switch s.Name {
		case "a", "p":
			c.mode, c.times = true, true
		case "preserve", "no-preserve":
			list := s.Value
			if list == "" {
				list = "mode,timestamps"
			}
			for word := range strings.SplitSeq(list, ",") {
				on := s.Name == "preserve"
				switch word {
				case "mode":
					c.mode, c.plain = on, !on
				case "timestamps":
					c.times = on
				case "all":
					c.mode, c.times = on, on
				case "ownership", "links", "xattr", "context":
				default:
					return fmt.Errorf("invalid argument '%s' for '--%s'", word, s.Name)
				}
			}
		}
	}
	return nil
}

// parents makes the directories that stand above a source below the target directory.
func (c *copier) parents(src, dir string) bool {
	at, done := dir, ""
	for segment := range strings.SplitSeq(parent(strings.TrimLeft(src, "/")), "/") {
		if segment == "" || segment == "." {
			continue
		}
		if done != "" {
			done += "/"
		}
		done += segment
		at = join(at, segment)
		if info, err := c.stat(at); err == nil && info.IsDir() {
			continue
		}
		if err := c.FS.Mkdir(c.Abs(at), 0o777&^c.Umask); err != nil {
			c.failed("cannot make directory '%s': %s", at, text(err))
			return false
		}
		if c.verbose {
			c.Out.WriteString(done + " -> " + at + "\n")
		}
		if info, err := c.stat(done); err == nil && c.mode {
			c.preserve(at, info)
		}
	}
	return true
}

// sources are the operands of cp, mv and ln without the destination.
type sources struct {
	names     []string
	directory string // that they go into; "": into the one name
}

// destination sorts the operands of cp, mv or ln. into gives the name that a source gets.
func (r *run) destination(verb string) (s sources, into func(src string) string, ok bool) {
	o, args := r.opt, r.opt.Args
	strip := func(name string) string {
		if o.Has("strip-trailing-slashes") && name != "/" {
			return strings.TrimRight(name, "/")
		}
		return name
	}
	for i := range args {
		args[i] = strip(args[i])
	}
	inside := func(dir string) func(string) string {
		return func(src string) string { return join(dir, baseName(src)) }
	}
	fail := func(format string, a ...any) (sources, func(string) string, bool) {
		r.code = r.UsageError(1, fmt.Errorf(format, a...))
		return sources{}, nil, false
	}
	if len(args) == 0 {
		return fail("missing file operand")
	}
	if dir := o.Value("t", ""); dir != "" {
		if o.Has("T") {
			return fail("cannot combine --target-directory (-t) and --no-target-directory (-T)")
		}
		if info, err := r.stat(dir); err != nil || !info.IsDir() {
			if err == nil {
				r.failed("target '%s': Not a directory", dir)
			} else {
				r.failed("target directory '%s': %s", dir, text(err))
			}
			return sources{}, nil, false
		}
		return sources{args, dir}, inside(dir), true
	}
	if len(args) == 1 {
		return fail("missing destination file operand after '%s'", args[0])
	}
	last := args[len(args)-1]
	names := slices.Clone(args[:len(args)-1])
	if o.Has("T") {
		if len(args) > 2 {
			return fail("extra operand '%s'", args[2])
		}
		return sources{names, ""}, func(string) string { return last }, true
	}
	info, err := r.stat(last)
	isDir := err == nil && info.IsDir()
	if isDir && o.Has("n") && verb == "link" { // ln -n: a link to a directory is a name
		if l, err := r.lstat(last); err == nil && !l.IsDir() {
			isDir = false
		}
	}
	switch {
	case isDir:
		return sources{names, last}, inside(last), true
	case len(names) > 1:
		if err == nil {
			r.failed("target '%s': Not a directory", last)
		} else {
			r.failed("target '%s': %s", last, text(err))
		}
		return sources{}, nil, false
	case o.Has("parents"):
		r.failed("with --parents, the destination must be a directory")
		return sources{}, nil, false
	}
	return sources{names, ""}, func(string) string { return last }, true
}
