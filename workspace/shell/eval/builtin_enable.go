package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// enableBuiltin executes enable.
func enableBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var off, all, special bool
	g := sh.options(b, args, "adf:nps")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'a':
			all = true
		case 'n':
			off = true
		case 's':
			special = true
		case 'd', 'f':
			sh.errorf(b, "enable: -%c: builtins cannot be loaded; run a command or a function instead", letter)
			return 2
		}
	}
	if g.bad {
		return 2
	}
	if len(g.args) == 0 {
		sh.listBuiltins(b, off, all, special)
		return 0
	}
	status := 0
	for _, name := range g.args {
		switch {
		case sh.builtin[name] == nil:
			sh.errorf(b, "enable: %s: not a shell builtin", name)
			status = 1
		case off:
			ownMap(&sh.disabled, &sh.owned.disabled)[name] = true
		default:
			delete(ownMap(&sh.disabled, &sh.owned.disabled), name)
		}
	}
	return status
}

func (sh *Shell) listBuiltins(b *streams, off, all, special bool) {
	var out strings.Builder
	for _, name := range sh.builtinNames() {
		disabled := sh.disabled[name]
		switch {
		case special && !isSpecial(name), !all && disabled != off:
		case disabled:
			out.WriteString("enable -n " + name + "\n")
		default:
			out.WriteString("enable " + name + "\n")
		}
	}
	b.out.WriteString(out.String())
}

// builtinNames gives the names of the builtins, sorted.
func (sh *Shell) builtinNames() []string {
	var names []string
	for name := range sh.builtin {
		if _, ok := manualOf(name); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isSpecial says whether a builtin is a special one of POSIX.
func isSpecial(name string) bool {
	switch name {
	case ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "source", "times", "trap", "unset":
		return true
	}
	return false
}

// callerBuiltin executes caller.
func callerBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	n, expr := 0, len(args) > 1
	if expr {
		v, err := strconv.Atoi(args[1])
		if err != nil {
			sh.errorf(b, "caller: %s: invalid number", args[1])
			return sh.usage(b, "caller")
		}
		n = v
	}
	lines, sources, names := sh.Get("BASH_LINENO").List, sh.Get("BASH_SOURCE").List, sh.Get("FUNCNAME").List
	line, ok := lines.Get(max(n, 0))
	source, also := sources.Get(n + 1)
	name, named := names.Get(n + 1)
	switch {
	case n < 0 || !ok || expr && (!also || !named) || !sh.inFunction() && len(sh.frames) < 2:
		return 1
	case !also:
		source = "NULL"
	}
	if expr {
		fmt.Fprintf(b.out, "%s %s %s\n", line, name, source)
	} else {
		fmt.Fprintf(b.out, "%s %s\n", line, source)
	}
	return 0
}
