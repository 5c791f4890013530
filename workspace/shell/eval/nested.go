package eval

import (
	"context"
	"io"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// nested is the door through which a command runs another one: a shell of its own that has
// nothing but the environment, the directory and the streams that it is given.
func (sh *Shell) nested(ctx context.Context, n command.Nested) (status int) {
	if len(n.Args) == 0 && n.Script == "" {
		return 0
	}
	defer sh.guard()
	status = 1
	if sh.depth >= sh.budget.Sources {
		// Not sh.fatal: several goroutines of a command may be here at once.
		sh.call.end(sh.budget.Exceed(sourceHit(sh.budget.Sources)))
		return status
	}
	if err := sh.budget.Step(); err != nil {
		sh.call.end(err)
		return status
	}
	env, dir := n.Env, n.Dir
	if env == nil {
		env = sh.environ()
	}
	if dir == "" {
		dir = sh.dir
	}
	name, args := "bash", n.Args
	if n.Script != "" && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	c := sh.newShell(vars.NewTable(env), name, nil, dir)
	c.depth, c.subshellDepth, c.mask = sh.depth+1, sh.subshellDepth, sh.mask
	c.traps = sh.traps.inherited()
	c.traps.shown = nil
	c.line = sh.line
	// The other descriptors are inherited, so that /dev/fd/N in an argument means the same.
	c.fds = []*open{sh.streamIn(n.In), sh.streamOut(n.Out, 1), sh.streamOut(n.Err, 2)}
	if n.Err != nil && n.Err == n.Out {
		c.fds[2].drop()
		c.fds[2] = c.fds[1].keep()
	}
	for fd := 3; fd < len(sh.fds); fd++ {
		c.fds = append(c.fds, sh.fds[fd].keep())
	}
	c.stdin = c.fd(0)
	return c.life(ctx, ctx, func() {
		if n.Script != "" {
			c.params = args
			c.importFunctions()
			c.readText(ctx, n.Script)
			return
		}
		c.status = c.external(ctx, args)
	})
}

// streamIn gives a description of an input; one of ours is shared, so that what is not read
// stays for who reads next.
func (sh *Shell) streamIn(r io.Reader) *open {
	switch r := r.(type) {
	case nil:
		return openReader(strings.NewReader(""))
	case *input:
		return r.open.keep()
	}
	return openReader(r)
}

// streamOut gives a description of an output; none is the shell's own descriptor.
func (sh *Shell) streamOut(w io.Writer, fd int) *open {
	switch w := w.(type) {
	case nil:
		return sh.fd(fd).keep()
	case *output:
		return w.open.keep()
	}
	return openWriter(w)
}
