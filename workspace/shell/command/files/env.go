package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const envUsage = `
Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Run a command in a changed environment, or print the environment.

  -i, --ignore-environment   begin with an empty one; - alone does the same
  -u, --unset=NAME           without this variable
  -C, --chdir=DIR            in this directory
  -S, --split-string=TEXT    split TEXT into arguments, as for a first line #!
  -0, --null                 end lines with NUL
  -v, --debug                say what is done, on standard error
`

func envCommand() *command.Command {
	return &command.Command{Name: "env", Group: "system", Short: "run a command in a changed environment", Usage: envUsage, Run: runEnv}
}

const envSpec = "+i,ignore-environment u,unset: C,chdir: S,split-string: 0,null v,debug"

func runEnv(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, envSpec, 125)
	if !ok {
		return r.code
	}
	env := slices.Clone(c.Env)
	args := r.opt.Args
	for range maxSplits {
		if !r.opt.Has("S") {
			break
		}
		words, err := splitString(r.opt.Value("S", ""), r.Getenv)
		if err != nil {
			return c.UsageError(125, err)
		}
		// The words take the place of the option; those that are options count.
		kept := append([]string{c.Args[0]}, words...)
		again, err := command.Parse(append(kept, args...), envSpec)
		if err != nil {
			return c.UsageError(125, err)
		}
		if env, err = r.changed(env, r.opt); err != nil {
			return c.UsageError(125, err)
		}
		r.opt, args = again, again.Args
	}
	env, err := r.changed(env, r.opt)
	if err != nil {
		return c.UsageError(125, err)
	}
	if len(args) > 0 && args[0] == "-" {
		env, args = []string{}, args[1:]
	}
	for len(args) > 0 && strings.Contains(args[0], "=") {
		env = setenv(env, args[0])
		args = args[1:]
	}
	if len(args) == 0 {
		return r.printEnv(env)
	}
	if r.opt.Has("0") {
		return c.UsageError(125, errors.New("cannot specify --null (-0) with command"))
	}
	dir := r.opt.Value("C", "")
	if dir != "" {
		if info, err := r.stat(dir); err != nil || !info.IsDir() {
			if err == nil {
				err = errNotDir
			}
			r.Errorf("cannot change directory to '%s': %s", dir, text(err))
			return 125
		}
		dir = r.Abs(dir)
	}
	if !slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, "PATH=") }) && r.All.Get(args[0]) != nil {
		args = append([]string{"/usr/bin/" + args[0]}, args[1:]...) // as without a PATH the default one counts
	}
	if r.opt.Has("v") {
		r.Errorf("executing: %s", strings.Join(args, " "))
	}
	return r.Shell(ctx, command.Nested{Args: args, In: r.In, Out: r.Out, Err: r.Err, Dir: dir, Env: env})
}

// maxSplits bounds -S inside of -S.
const maxSplits = 10

// changed applies -i and -u in their order.
func (r *run) changed(env []string, o *command.Options) ([]string, error) {
	if o.Has("i") {
		env = []string{}
	}
	for _, name := range o.Values("u") {
		if name == "" || strings.Contains(name, "=") {
			return nil, fmt.Errorf("cannot unset '%s': Invalid argument", name)
		}
		env = slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
	}
	return env, nil
}

func (r *run) printEnv(env []string) int {
	if r.opt.Has("C") {
		return r.UsageError(125, errors.New("must specify command with --chdir (-C)"))
	}
	end := "\n"
	if r.opt.Has("0") {
		end = "\x00"
	}
	for _, pair := range env {
		r.Out.WriteString(pair + end)
	}
	return 0
}

// setenv sets NAME=VALUE.
func setenv(env []string, pair string) []string {
	name, _, _ := strings.Cut(pair, "=")
	for i, old := range env {
		if strings.HasPrefix(old, name+"=") {
			env[i] = pair
			return env
		}
	}
	return append(env, pair)
}

// splitString splits the text of -S: blanks separate, quotes join, a backslash escapes and
// ${NAME} is a variable.
func splitString(s string, get func(string) string) ([]string, error) {
	var words []string
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && quote != '\'' || c == '\\' && i+1 < len(s) && (s[i+1] == '\'' || s[i+1] == '\\'):
			if i++; i == len(s) {
				return nil, errors.New("invalid backslash at end of string in -S")
			}
			switch at := strings.IndexByte("fnrtv", s[i]); {
			case s[i] == 'c' && quote == 0:
				i = len(s)
			case s[i] == '_' && quote == 0:
				if in {
					words, in = append(words, b.String()), false
					b.Reset()
				}
			case s[i] == '_':
				b.WriteByte(' ')
			case at >= 0:
				in = true
				b.WriteByte("\f\n\r\t\v"[at])
			case strings.IndexByte(`"#$'\`, s[i]) >= 0:
				in = true
				b.WriteByte(s[i])
			default:
				return nil, fmt.Errorf("invalid sequence '\\%c' in -S", s[i])
			}
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case c == '$' && quote != '\'':
			name, ok := strings.CutPrefix(s[i:], "${")
			name, _, closed := strings.Cut(name, "}")
			if !ok || !closed {
				return nil, errors.New("only ${VARNAME} expansion is supported, error at: " + s[i:])
			}
			in = true
			b.WriteString(get(name))
			i += len(name) + 2
		case quote == 0 && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			if in {
				words, in = append(words, b.String()), false
				b.Reset()
			}
		case quote == 0 && c == '#' && !in:
			i = len(s)
		default:
			in = true
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return nil, errors.New("no terminating quote in -S string")
	}
	if in {
		words = append(words, b.String())
	}
	return words, nil
}

const printenvUsage = `
Usage: printenv [OPTION]... [NAME]...
Print the values of variables of the environment, or all of it.

  -0, --null             end lines with NUL
`

func printenvCommand() *command.Command {
	return &command.Command{Name: "printenv", Group: "system", Short: "print the environment", Usage: printenvUsage, Run: runPrintenv}
}

func runPrintenv(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "+0,null", 2)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return r.printEnv(c.Env)
	}
	end := "\n"
	if r.opt.Has("0") {
		end = "\x00"
	}
	for _, name := range r.opt.Args {
		i := slices.IndexFunc(c.Env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if i < 0 || strings.Contains(name, "=") {
			r.code = 1
			continue
		}
		r.Out.WriteString(c.Env[i][len(name)+1:] + end)
	}
	return r.code
}
