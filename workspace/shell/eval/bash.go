package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// bashUsage is what bash --help prints.
const bashUsage = `
Usage: bash [-c COMMAND | -s | FILE] [ARG]...
Runs a script of the shell's language, in the same call and under the same limits.
  -c          the first argument is the script; the next is $0, the others $1, $2, ...
  -s          the script is read from standard input
  -e -u -x -n -v -f ...   options of set, also -o NAME and +x to turn one off
  -O NAME     an option of shopt
  -l -i       accepted: there are no start-up files and no terminal
`

// Commands gives bash and sh for the registry, so that they are listed and that the
// commands which run others find them.
func Commands() []*command.Command {
	return []*command.Command{{
		Name: "bash", Aliases: []string{"sh"}, Group: "system", Short: "run a script", Usage: bashUsage,
		Run: func(ctx context.Context, c *command.Call) int {
			return c.Shell(ctx, command.Nested{Args: c.Args, In: c.In, Out: c.Out, Err: c.Err, Dir: c.Dir, Env: c.Env})
		},
	}}
}

// invocation is a command line of bash or sh.
type invocation struct {
	set    map[option]bool
	shopt  map[shopt]bool
	script bool // -c
	stdin  bool // -s
	rest   []string
	done   string // --version or --help: what to print
}

// parseBash reads a command line of bash.
func parseBash(args []string) (v invocation, err error) {
	v.set, v.shopt = map[option]bool{}, map[shopt]bool{}
	if base := args[0][strings.LastIndexByte(args[0], '/')+1:]; base == "sh" {
		v.set[optPosix] = true
	}
	v.rest = args[1:]
	named := func(on bool) error {
		if len(v.rest) == 0 {
			return fmt.Errorf("-o: option requires an argument")
		}
		name := v.rest[0]
		v.rest = v.rest[1:]
		for i, o := range setOptions {
			if o.name == name {
				v.set[option(i)] = on
				return nil
			}
		}
		return fmt.Errorf("%s: invalid option name", name)
	}
	for len(v.rest) > 0 {
		arg := v.rest[0]
		if len(arg) < 2 || (arg[0] != '-' && arg[0] != '+') {
			if arg == "-" {
				v.rest = v.rest[1:]
			}
			return v, nil
		}
		v.rest = v.rest[1:]
		switch arg {
		case "--":
			return v, nil
		case "--help":
			v.done = bashUsage[1:]
			return v, nil
		case "--version":
			v.done = "GNU bash, version " + bashVersion + " (" + machineType + "), as this shell understands it\n"
			return v, nil
		case "--norc", "--noprofile", "--login", "--noediting":
			continue
		case "--posix":
			v.set[optPosix] = true
			continue
		case "--rcfile", "--init-file":
			v.rest = v.rest[min(1, len(v.rest)):]
			continue
		}
		if strings.HasPrefix(arg, "--") {
			return v, fmt.Errorf("%s: invalid option", arg)
		}
		on := arg[0] == '-'
		for _, letter := range []byte(arg[1:]) {
			switch letter {
			case 'c':
				v.script = true
			case 's':
				v.stdin = true
			case 'i', 'l', 'r', 'D':
			case 'o':
				if err := named(on); err != nil {
					return v, err
				}
			case 'O':
				if len(v.rest) == 0 {
					return v, fmt.Errorf("-O: option requires an argument")
				}
				known := false
				for i, o := range shoptOptions {
					if o.name == v.rest[0] {
						v.shopt[shopt(i)], known = on, true
					}
				}
				if !known {
					return v, fmt.Errorf("%s: invalid shell option name", v.rest[0])
				}
				v.rest = v.rest[1:]
			default:
				known := false
				for i, o := range setOptions {
					if o.letter == letter {
						v.set[option(i)], known = on, true
					}
				}
				if !known {
					return v, fmt.Errorf("-%c: invalid option", letter)
				}
			}
		}
	}
	return v, nil
}

// bash executes a command line of bash or sh, in a shell of its own on the same descriptors.
func (sh *Shell) bash(ctx context.Context, args []string) int {
	v, err := parseBash(args)
	if err != nil {
		sh.fd(2).write(ctx, []byte(args[0]+": "+err.Error()+"\n"))
		return 2
	}
	if v.done != "" {
		sh.fd(1).write(ctx, []byte(v.done))
		return 0
	}
	name, rest, text := args[0], v.rest, ""
	kind := modeInput
	switch {
	case v.script:
		if len(rest) == 0 {
			sh.fd(2).write(ctx, []byte(args[0]+": -c: option requires an argument\n"))
			return 2
		}
		kind, text, rest = modeString, rest[0], rest[1:]
		if len(rest) > 0 {
			name, rest = rest[0], rest[1:]
		}
	case !v.stdin && len(rest) > 0:
		kind, name, rest = modeFile, rest[0], rest[1:]
		path := sh.scriptPath(name)
		if text, err = sh.readScript(ctx, path); err != nil {
			sh.fd(2).write(ctx, []byte(args[0]+": "+name+": "+scriptText(err)+"\n"))
			if err == errIsDirectory || err == errBinary {
				return 126
			}
			return scriptStatus(err, 127)
		}
	}
	return sh.nestedShell(ctx, name, rest, kind, text, &v)
}

// scriptPath finds the file that bash was given: as it stands, else by PATH.
func (sh *Shell) scriptPath(name string) string {
	if _, err := sh.fs.Stat(sh.abs(name)); err == nil || strings.Contains(name, "/") {
		return name
	}
	if f := sh.search(name); f.cmd == nil && f.path != "" && f.err == nil {
		return f.path
	}
	return name
}

// nestedShell runs a new shell that has this one's environment and descriptors, and nothing
// else of it, to its end.
func (sh *Shell) nestedShell(ctx context.Context, name string, args []string, kind mode, text string, v *invocation) int {
	leave := sh.enter()
	if leave == nil {
		return 1
	}
	defer leave()
	c := sh.newShell(vars.NewTable(sh.environ()), name, args, sh.dir)
	c.depth, c.subshellDepth, c.mask = sh.depth, sh.subshellDepth, sh.mask
	c.fds = make([]*open, len(sh.fds))
	for i, o := range sh.fds {
		c.fds[i] = o.keep()
	}
	c.stdin = c.fd(0)
	c.mode = kind
	c.traps = sh.traps.inherited()
	c.traps.shown = nil
	c.importFunctions()
	if v != nil {
		for o, on := range v.set {
			c.opts.set[o] = on
		}
		for o, on := range v.shopt {
			c.opts.shopt[o] = on
		}
		if c.opts.set[optPosix] {
			c.opts.shopt[shoptExpandAliases] = true
		}
		c.configure()
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	c.proc.start(cancel)
	status := c.life(ctx, outer, func() {
		switch kind {
		case modeInput:
			c.readInput(ctx)
		case modeFile:
			c.frames = append(c.frames, frame{name: "main", source: name})
			c.readText(ctx, text)
		default:
			c.readText(ctx, text)
		}
	})
	if len(c.jobs.running()) == 0 && len(c.kept) == 0 {
		cancel(context.Canceled)
	}
	sh.taken(c, outer)
	sh.mourn(outer, c, func() string { return strings.Join(append([]string{name}, args...), " ") })
	return status
}

// importFunctions takes over the functions that the environment carries (export -f).
func (sh *Shell) importFunctions() {
	for _, key := range sh.vars.Names("BASH_FUNC_") {
		name, ok := strings.CutSuffix(strings.TrimPrefix(key, "BASH_FUNC_"), "%%")
		text := sh.vars.Get(key).Str
		sh.vars.Delete(key)
		if !ok || !strings.HasPrefix(text, "() {") || len(text) > sh.budget.Script || checkNesting(text, sh.budget.Nesting) != nil {
			continue
		}
		p, give := sh.parser()
		file, err := p.Parse(strings.NewReader(name+" "+text+"\n"), "")
		give()
		if err == nil && len(file.Stmts) == 1 {
			if d := funcDecl(file.Stmts[0]); d != nil {
				ownMap(&sh.funcs, &sh.owned.funcs)[name] = &function{decl: d, source: "environment", export: true}
			}
		}
	}
}
