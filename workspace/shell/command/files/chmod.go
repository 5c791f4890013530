package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const chmodUsage = `
Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... --reference=RFILE FILE...
Change the mode of files. MODE is octal, such as 644, or [ugoa]*[-+=][rwxXst]*|[ugo].

  -R, --recursive        with everything below; links are left alone
  -v, -c, -f             say what is done; what is changed; be silent about faults
  --preserve-root, --no-preserve-root
`

func chmodCommand() *command.Command {
	return &command.Command{Name: "chmod", Group: "files", Short: "change the mode of files", Usage: chmodUsage, Run: runChmod}
}

// changer is one call of chmod.
type changer struct {
	*run
	change                  change
	dash                    bool // the mode began with "-": what the umask kept is a fault
	verbose, changes, quiet bool
}

func runChmod(ctx context.Context, c *command.Call) int {
	// A mode such as -w looks like an option; it is taken out before options are read.
	args, mode := slices.Clone(c.Args), ""
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		if a := args[i]; len(a) > 1 && a[0] == '-' && strings.ContainsRune("rwxXstugoa,=+01234567", rune(a[1])) {
			mode, args = a, slices.Delete(args, i, i+1)
			break
		}
	}
	opt, err := command.Parse(args, "R,recursive v,verbose c,changes f,silent quiet reference: preserve-root no-preserve-root")
	if err != nil {
		return c.UsageError(1, err)
	}
	ch := &changer{run: &run{Call: c, ctx: ctx, opt: opt}, dash: mode != "", verbose: opt.Has("v"), changes: opt.Has("c"), quiet: opt.Has("f", "quiet")}
	operands := opt.Args
	if mode == "" && !opt.Has("reference") {
		if len(operands) == 0 {
			return c.UsageError(1, errors.New("missing operand"))
		}
		mode, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		return c.UsageError(1, fmt.Errorf("missing operand after '%s'", mode))
	}
	if opt.Has("reference") {
		info, err := ch.stat(opt.Value("reference", ""))
		if err != nil {
			return ch.Fail("failed to get attributes of '"+opt.Value("reference", "")+"'", err)
		}
		bits := permBits(info.Mode())
		ch.change = func(uint32, bool) uint32 { return bits }
	} else if ch.change, err = parseChange(mode, c.Umask); err != nil {
		return c.UsageError(1, fmt.Errorf("invalid mode: '%s'", mode))
	}
	for _, name := range operands {
		ch.operand(name)
	}
	return ch.code
}

func (c *changer) operand(name string) {
	if !c.opt.Has("R") {
		info, err := c.stat(name)
		if err != nil {
			if _, e := c.lstat(name); e == nil && errors.Is(err, fs.ErrNotExist) {
				c.fault("cannot operate on dangling symlink '%s'", name)
			} else {
				c.fault("cannot access '%s': %s", name, text(err))
			}
			return
		}
		c.apply(name, info)
		return
	}
	if real, err := c.FS.Real(c.Abs(name)); err == nil && real == "/" && c.opt.Has("preserve-root") {
		c.fault("it is dangerous to operate recursively on '%s'", name)
		return
	}
	w := &walk{run: c.run, failedAt: func(name string, err error) { c.fault("cannot access '%s': %s", name, text(err)) }}
	w.follow = followArgs
	w.before = func(n *node) bool {
		if n.info.Mode()&fs.ModeSymlink == 0 {
			c.apply(n.name, n.info)
		}
		return true
	}
	w.from(name)
}

func (c *changer) fault(format string, args ...any) {
	c.code = 1
	if !c.quiet {
		c.Errorf(format, args...)
	}
}

func (c *changer) apply(name string, info fs.FileInfo) {
	old := permBits(info.Mode())
	bits := c.change(old, info.IsDir())
	if err := c.FS.Chmod(c.Abs(name), fileMode(bits)); err != nil {
		c.fault("changing permissions of '%s': %s", name, text(err))
		return
	}
	show := func(bits uint32) string {
		return fmt.Sprintf("%04o (%s)", bits, modeString(fileMode(bits))[1:])
	}
	switch {
	case bits != old && (c.verbose || c.changes):
		fmt.Fprintf(c.Out, "mode of %s changed from %s to %s\n", sq(name), show(old), show(bits))
	case bits == old && c.verbose:
		fmt.Fprintf(c.Out, "mode of %s retained as %s\n", sq(name), show(old))
	}
	if c.dash {
		// Without the umask more would have been taken: GNU calls that a surprise.
		if naive := old &^ c.bitsWithoutUmask(); bits&^naive != 0 {
			c.fault("%s: new permissions are %s, not %s", name, modeString(fileMode(bits))[1:], modeString(fileMode(naive))[1:])
		}
	}
}

// bitsWithoutUmask gives what a mode such as -w takes when no umask is heeded.
func (c *changer) bitsWithoutUmask() uint32 {
	taken := 0o777 &^ c.change(0o777, false)
	for shift := 0; shift <= 6; shift += 3 {
		if taken>>shift&7 != 0 {
			return taken | taken>>shift&7*0o111
		}
	}
	return taken
}
