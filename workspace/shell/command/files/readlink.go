package files

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const readlinkUsage = `
Usage: readlink [OPTION]... FILE...
Print where links lead.

  -f, -e, -m             the whole path without links; the last part may be absent; all must
                         be there; nothing need be there
  -n, --no-newline       no newline at the end, for one file
  -z, --zero             end lines with NUL
  -q, -s, -v             silent about faults (default); report them
`

func readlinkCommand() *command.Command {
	return &command.Command{Name: "readlink", Group: "files", Short: "print where links lead", Usage: readlinkUsage, Run: runReadlink}
}

// missing says which parts of a path may be absent.
type missing uint8

const (
	missingLast missing = iota
	missingNone
	missingAll
)

func runReadlink(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline z,zero q,quiet s,silent v,verbose", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	end := "\n"
	if r.opt.Has("z") {
		end = "\x00"
	}
	if r.opt.Has("n") && len(r.opt.Args) == 1 {
		end = ""
	}
	for _, name := range r.opt.Args {
		p, err := r.path(name)
		if err == nil {
			switch r.opt.Last("f", "e", "m") {
			case "f":
				p, err = r.real(p, missingLast)
			case "e":
				p, err = r.real(p, missingNone)
			case "m":
				p, err = r.real(p, missingAll)
			default:
				p, err = r.FS.Readlink(p)
			}
		}
		if err != nil {
			r.code = 1
			if r.opt.Last("q", "s", "v") == "v" {
				r.Errorf("%s: %s", name, text(err))
			}
			continue
		}
		r.Out.WriteString(p + end)
	}
	return r.code
}

// maxLinks is how many links one path may lead through.
const maxLinks = 40

// real resolves every link of an absolute path, segment by segment.
func (r *run) real(p string, may missing) (string, error) {
	rest := segments(p)
	mustBeDir := strings.HasSuffix(p, "/")
	at := "/"
	links := 0
	absent := false
	for len(rest) > 0 {
		segment := rest[0]
		rest = rest[1:]
		switch segment {
		case ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, segment)
		if absent {
			at = next
			continue
		}
		info, err := r.FS.Lstat(next)
		switch {
		case err != nil:
			if may != missingAll && !(may == missingLast && len(rest) == 0 && errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
			absent = true
			at = next
			continue
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				if may == missingAll {
					at, absent = next, true
					continue
				}
				return "", syscall.ELOOP
			}
			target, err := r.FS.Readlink(next)
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(target, "/") {
				at = "/"
			}
			rest = append(segments(target), rest...)
			continue
		case !info.IsDir() && (len(rest) > 0 || mustBeDir) && may != missingAll:
			return "", syscall.ENOTDIR
		}
		at = next
	}
	return at, nil
}

// canonical is real where a fault leaves the path as it is.
func (r *run) canonical(p string, may missing) string {
	if real, err := r.real(p, may); err == nil {
		return real
	}
	return path.Clean(p)
}

const realpathUsage = `
Usage: realpath [OPTION]... FILE...
Print absolute paths without links; the last part may be absent.

  -e, -m                 all must be there; nothing need be there
  -s, --no-symlinks      leave links as they are
  -L, -P                 ".." before links are followed; after it (default)
  -z, -q                 end lines with NUL; be silent about faults
  --relative-to=DIR      as seen from DIR
  --relative-base=DIR    as seen from DIR, for those below it
`

func realpathCommand() *command.Command {
	return &command.Command{Name: "realpath", Group: "files", Short: "print absolute paths without links", Usage: realpathUsage, Run: runRealpath}
}

func runRealpath(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "e,canonicalize-existing m,canonicalize-missing s,no-symlinks strip z,zero q,quiet relative-to: relative-base: L,logical P,physical", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing operand"))
	}
	end := "\n"
	if r.opt.Has("z") {
		end = "\x00"
	}
	to, base := r.opt.Value("relative-to", ""), r.opt.Value("relative-base", "")
	for _, dir := range []*string{&to, &base} {
		if *dir == "" {
			continue
		}
		p, err := r.realpath(*dir)
		if err != nil {
			return r.Fail(*dir, err)
		}
		*dir = p
	}
	for _, name := range r.opt.Args {
		p, err := r.realpath(name)
		if err != nil {
			r.code = 1
			if !r.opt.Has("q") {
				r.Errorf("%s: %s", name, text(err))
			}
			continue
		}
		r.Out.WriteString(seenFrom(p, to, base) + end)
	}
	return r.code
}

// seenFrom gives a path relative to a directory, when it is below base.
func seenFrom(p, to, base string) string {
	below := func(p string) bool {
		return base == "" || p == base || strings.HasPrefix(p, strings.TrimSuffix(base, "/")+"/")
	}
	switch {
	case to == "" && base == "", !below(p):
		return p
	case to == "":
		return relativeTo(p, base)
	case !below(to):
		return p
	}
	return relativeTo(p, to)
}

func (r *run) realpath(name string) (string, error) {
	p, err := r.path(name)
	if err != nil {
		return "", err
	}
	may := map[string]missing{"e": missingNone, "m": missingAll}[r.opt.Last("e", "m")]
	if r.opt.Has("s", "strip", "L") {
		clean := path.Clean(p)
		if r.opt.Has("L") && !r.opt.Has("s", "strip") {
			return r.real(clean, may)
		}
		if may == missingNone {
			_, err = r.FS.Stat(clean)
		} else if may == missingLast {
			_, err = r.FS.Stat(path.Dir(clean))
		}
		return clean, err
	}
	return r.real(p, may)
}
