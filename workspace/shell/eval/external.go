package eval

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-cf6d8d1b/swarm/internal/near"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// external executes a command that is neither function nor builtin.
func (sh *Shell) external(ctx context.Context, args []string) int {
	name := args[0]
	var f found
	if p := sh.hashed[name]; p != "" {
		f = sh.searchPath(p)
	} else {
		f = sh.search(name)
	}
	switch {
	case f.cmd != nil:
		return sh.exec(ctx, f.cmd, args)
	case f.path == "":
		if b := sh.standalone("/bin/" + name); b != nil {
			return sh.runBuiltin(ctx, b, args)
		}
		return sh.notFound(ctx, args)
	case sh.standalone(f.path) != nil:
		return sh.runBuiltin(ctx, sh.standalone(f.path), args)
	case f.err == nil:
		return sh.script(ctx, f.path, args)
	case errors.Is(f.err, fs.ErrNotExist):
		sh.complain(ctx, "%s: %s", name, view.Text(f.err))
		return 127
	}
	sh.complain(ctx, "%s: %s", name, view.Text(f.err))
	return 126
}

// standalone gives the builtin that a path of /bin or /usr/bin stands for, when the real
// system has a program of that name there too.
func (sh *Shell) standalone(p string) builtin {
	name, ok := strings.CutPrefix(strings.TrimPrefix(p, "/usr"), "/bin/")
	if !ok {
		return nil
	}
	switch name {
	case "true", "false", "test", "[", "pwd", "echo", "printf", "kill":
		return sh.builtin[name]
	}
	return nil
}

// exec runs a command of the registry on the descriptors of the shell. bash and sh are the
// evaluator's own.
func (sh *Shell) exec(ctx context.Context, cmd *command.Command, args []string) int {
	if cmd.Name == "bash" {
		return sh.bash(ctx, args)
	}
	io := sh.stdio(ctx)
	out := sh.writers.Get().(*command.Writer)
	out.Reset(io.streams.out)
	c := &command.Call{
		Args: args, In: io.streams.in, Out: out, Err: io.streams.err,
		Dir: sh.dir, Env: sh.environ(), Umask: fs.FileMode(sh.mask), FS: sh.fs, Budget: sh.budget,
		Now: sh.now, Sleep: sh.sleep, Rand: sh.rand, All: sh.registry,
		Shell: sh.nested,
	}
	status := cmd.Exec(ctx, c)
	sh.writers.Put(out)
	if ctx.Err() != nil {
		sh.leave(flowFatal)
	}
	return status & 0xff
}

// environ gives the environment of a command. It must not be changed.
func (sh *Shell) environ() []string {
	env := sh.vars.Environ()
	var names []string
	for name, f := range sh.funcs {
		if f.export {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		env = append(env[:len(env):len(env)], "BASH_FUNC_"+name+"%%="+sh.funcs[name].body(name))
	}
	return env
}

// notFound reports a name that stands for nothing.
func (sh *Shell) notFound(ctx context.Context, args []string) int {
	name := args[0]
	if f := sh.funcs["command_not_found_handle"]; f != nil && sh.handling == 0 {
		c := sh.fork()
		c.handling++
		return c.life(ctx, ctx, func() {
			c.status = c.callFunction(ctx, f, append([]string{"command_not_found_handle"}, args...))
		})
	}
	if p := sh.vars.Get("PATH"); !p.Set() || p.Str == "" {
		sh.complain(ctx, "%s: %s", name, view.Text(syscall.ENOENT))
		return 127
	}
	if reason, ok := absent(name); ok {
		sh.complain(ctx, "%s: command not found: %s", name, reason)
		return 127
	}
	sh.complain(ctx, "%s: command not found", name)
	if names := sh.nearNames(name); len(names) > 0 {
		sh.fd(2).write(ctx, []byte("Did you mean "+strings.Join(names, ", ")+"?\n"))
	}
	return 127
}

// nearNames gives up to three names of commands that are like one.
func (sh *Shell) nearNames(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	seen := map[string]bool{}
	consider := func(n string) {
		if d := near.Distance(name, n); !seen[n] && len(name) > 1 && d <= (min(len(name), len(n))+2)/3 {
			seen[n] = true
			all = append(all, candidate{n, d})
		}
	}
	for n := range sh.funcs {
		consider(n)
	}
	for n := range sh.builtin {
		consider(n)
	}
	for _, n := range sh.registry.Names() {
		consider(n)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, c := range all[:min(3, len(all))] {
		names = append(names, c.name)
	}
	return names
}
