package eval

import (
	"context"
	"path"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// cdBuiltin executes cd.
func cdBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	physical := sh.on(optPhysical)
	g := sh.options(b, args, "LPe@")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'L':
			physical = false
		case 'P':
			physical = true
		case '@':
			sh.errorf(b, "cd: -@: extended attributes are not supported")
			return 1
		}
	}
	target, show := "", false
	switch {
	case g.bad:
		return 2
	case len(g.args) > 1:
		sh.errorf(b, "cd: too many arguments")
		return 1
	case len(g.args) == 0:
		if v := sh.Get("HOME"); v.Set() {
			target = v.String()
		} else {
			sh.errorf(b, "cd: HOME not set")
			return 1
		}
	case g.args[0] == "-":
		if v := sh.Get("OLDPWD"); v.Set() && v.String() != "" {
			target, show = v.String(), true
		} else {
			sh.errorf(b, "cd: OLDPWD not set")
			return 1
		}
	default:
		target = g.args[0]
	}
	if found, ok := sh.onCDPath(target, physical); ok && len(g.args) == 1 {
		target, show = found, true
	}
	if status := sh.changeDir(b, "cd", target, physical); status != 0 {
		return status
	}
	if show {
		b.out.WriteString(sh.dir + "\n")
	}
	return 0
}

// onCDPath finds a relative directory by CDPATH.
func (sh *Shell) onCDPath(target string, physical bool) (string, bool) {
	if target == "" || strings.HasPrefix(target, "/") || target == "." || target == ".." || strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") {
		return "", false
	}
	list := sh.Get("CDPATH").String()
	if list == "" {
		return "", false
	}
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" || dir == "." {
			if _, err := sh.directory(target, physical); err == nil {
				return "", false // found here, without being printed
			}
			continue
		}
		candidate := strings.TrimSuffix(dir, "/") + "/" + target
		if _, err := sh.directory(candidate, physical); err == nil {
			return candidate, true
		}
	}
	return "", false
}

// changeDir makes a directory the current one.
func (sh *Shell) changeDir(b *streams, builtin, target string, physical bool) int {
	if target == "" {
		target = "."
	}
	dir, err := sh.directory(target, physical)
	if err != nil {
		sh.errorf(b, "%s: %s: %s", builtin, target, view.Text(err))
		return 1
	}
	sh.chdir(dir)
	return 0
}

// directory gives the absolute path of a directory as the shell names it: ".." taken from
// the text, or with every link resolved.
func (sh *Shell) directory(target string, physical bool) (string, error) {
	full := sh.abs(target)
	if physical {
		real, err := sh.fs.Real(full)
		if err != nil {
			return "", err
		}
		full = real
	} else if err := sh.throughDirectories(full); err != nil && !sh.lost() {
		return "", err
	}
	full = path.Clean(full)
	info, err := sh.fs.Stat(full)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", syscall.ENOTDIR
	case info.Mode()&0o100 == 0:
		return "", syscall.EACCES
	}
	return full, nil
}

// lost says whether the current directory is no longer there; ".." still leads out of it.
func (sh *Shell) lost() bool {
	_, err := sh.fs.Stat(sh.dir)
	return err != nil
}

// throughDirectories looks that what stands before each ".." is a directory.
func (sh *Shell) throughDirectories(full string) error {
	for at := strings.Index(full, "/.."); at >= 0; {
		if at > 0 {
			info, err := sh.fs.Stat(path.Clean(full[:at]))
			if err != nil {
				return err
			}
			if !info.IsDir() {
				return syscall.ENOTDIR
			}
		}
		next := strings.Index(full[at+3:], "/..")
		if next < 0 {
			return nil
		}
		at += 3 + next
	}
	return nil
}

// pwdBuiltin executes pwd.
func pwdBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	physical := sh.on(optPhysical)
	g := sh.options(b, args, "LP")
	for letter := g.next(); letter != 0; letter = g.next() {
		physical = letter == 'P'
	}
	if g.bad {
		return 2
	}
	dir := sh.dir
	if physical {
		real, err := sh.fs.Real(dir)
		if err != nil {
			sh.errorf(b, "pwd: error retrieving current directory: %s", view.Text(err))
			return 1
		}
		dir = real
	}
	b.out.WriteString(dir + "\n")
	return 0
}
