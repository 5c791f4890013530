package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

const (
	bashVersion = "5.2.15(1)-release"
	machineType = "x86_64-pc-linux-gnu"
)

var _ expand.Shell = (*Shell)(nil)

// startVars sets the variables that a shell has besides its environment.
func (sh *Shell) startVars() {
	if v := sh.vars.Get("IFS"); !v.Set() || v.Str != " \t\n" {
		sh.vars.Put("IFS", scalar(" \t\n"))
	}
	level, _ := strconv.Atoi(sh.vars.Get("SHLVL").Str)
	sh.vars.Put("SHLVL", vars.Var{Kind: vars.Scalar, Attr: vars.Export, Str: strconv.Itoa(level + 1)})
	if pwd := sh.vars.Get("PWD"); pwd.Str != sh.dir {
		sh.vars.Put("PWD", vars.Var{Kind: vars.Scalar, Attr: vars.Export, Str: sh.dir})
	}
	sh.vars.Put("OPTIND", scalar("1"))
	sh.vars.Put("OPTERR", scalar("1"))
	sh.vars.Put("PS4", scalar("+ "))
	sh.vars.Put("BASH", scalar("/bin/bash"))
	sh.vars.Put("BASH_VERSION", scalar(bashVersion))
	sh.vars.Put("BASH_VERSINFO", vars.Var{Kind: vars.Indexed, Attr: vars.ReadOnly, List: vars.ArrayOf("5", "2", "15", "1", "release", machineType)})
	sh.vars.Put("HOSTTYPE", scalar("x86_64"))
	sh.vars.Put("MACHTYPE", scalar(machineType))
	sh.vars.Put("OSTYPE", scalar("linux-gnu"))
	sh.vars.Put("PPID", vars.Var{Kind: vars.Scalar, Attr: vars.Integer | vars.ReadOnly, Str: "1"})
	for _, id := range []string{"UID", "EUID"} {
		if v := sh.vars.Get(id); v.Set() {
			v.Attr |= vars.Integer | vars.ReadOnly
			sh.vars.Put(id, v)
		}
	}
}

func scalar(s string) vars.Var { return vars.Var{Kind: vars.Scalar, Str: s} }

func number(n int) vars.Var { return scalar(strconv.Itoa(n)) }

// Get implements [expand.Shell].
func (sh *Shell) Get(name string) vars.Var {
	if name == "" {
		return vars.Var{}
	}
	switch c := name[0]; {
	case c >= 'a' && c <= 'z':
	case c >= 'A' && c <= 'Z':
		if v, ok := sh.dynamic(name); ok {
			return v
		}
	default:
		if v, ok := sh.special(name); ok {
			return v
		}
	}
	return sh.vars.Get(name)
}

// special gives the positional and special parameters.
func (sh *Shell) special(name string) (vars.Var, bool) {
	switch name[0] {
	case '@', '*':
		return vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(sh.params...)}, true
	case '#':
		return number(len(sh.params)), true
	case '?':
		return number(sh.status), true
	case '$':
		return number(sh.pid), true
	case '-':
		return scalar(sh.flags()), true
	case '!':
		if sh.last == 0 {
			return vars.Var{}, true
		}
		return number(sh.last), true
	case '0':
		return scalar(sh.name), true
	case '_':
		if name == "_" {
			return scalar(sh.lastArg), true
		}
		return vars.Var{}, false
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return vars.Var{}, false
	}
	if n < 1 || n > len(sh.params) {
		return vars.Var{}, true
	}
	return scalar(sh.params[n-1]), true
}

// dynamic gives the variables that the shell computes when they are asked for.
func (sh *Shell) dynamic(name string) (vars.Var, bool) {
	switch name {
	case "RANDOM":
		return number(int(sh.nextRandom())), true
	case "SRANDOM":
		var b [4]byte
		sh.rand(b[:])
		return scalar(strconv.FormatUint(uint64(b[0])|uint64(b[1])<<8|uint64(b[2])<<16|uint64(b[3])<<24, 10)), true
	case "SECONDS":
		return scalar(strconv.FormatInt((sh.now().UnixNano()-sh.started)/1e9, 10)), true
	case "EPOCHSECONDS":
		return scalar(strconv.FormatInt(sh.now().Unix(), 10)), true
	case "EPOCHREALTIME":
		micro := sh.now().UnixMicro()
		return scalar(strconv.FormatInt(micro/1e6, 10) + "." + strconv.FormatInt(1e6+micro%1e6, 10)[1:]), true
	case "LINENO":
		return number(sh.line), true
	case "BASHPID":
		return number(sh.proc.pid), true
	case "BASH_SUBSHELL":
		return number(sh.subshell), true
	case "BASH_COMMAND":
		return scalar(sh.commandText()), true
	case "SHELLOPTS":
		return scalar(sh.shellOpts()), true
	case "BASHOPTS":
		return scalar(sh.bashOpts()), true
	case "PIPESTATUS":
		all := make([]string, len(sh.pipestatus))
		for i, s := range sh.pipestatus {
			all[i] = strconv.Itoa(s)
		}
		return vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(all...)}, true
	case "FUNCNAME":
		if !sh.inFunction() {
			return vars.Var{}, true
		}
		return sh.stack(func(i int) string { return sh.frames[i].name }), true
	case "BASH_SOURCE":
		if len(sh.frames) == 0 {
			return vars.Var{}, true
		}
		return sh.stack(func(i int) string { return sh.frames[i].source }), true
	case "BASH_LINENO":
		if len(sh.frames) == 0 {
			return vars.Var{}, true
		}
		return sh.stack(func(i int) string { return strconv.Itoa(sh.frames[i].line) }), true
	case "DIRSTACK":
		return vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(append([]string{sh.dir}, sh.dirs...)...)}, true
	}
	return vars.Var{}, false
}

// dynamicNames are the names that dynamic answers, for declare -p and ${!prefix*}.
var dynamicNames = []string{
	"BASHOPTS", "BASHPID", "BASH_COMMAND", "BASH_LINENO", "BASH_SOURCE", "BASH_SUBSHELL", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS",
	"FUNCNAME", "LINENO", "PIPESTATUS", "RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM",
}

// stack gives one value for each frame, the innermost first.
func (sh *Shell) stack(value func(i int) string) vars.Var {
	all := make([]string, 0, len(sh.frames))
	for i := range slices.Backward(sh.frames) {
		all = append(all, value(i))
	}
	return vars.Var{Kind: vars.Indexed, List: vars.ArrayOf(all...)}
}

func (sh *Shell) inFunction() bool {
	for i := range sh.frames {
		if sh.frames[i].fn {
			return true
		}
	}
	return false
}

func (sh *Shell) shellOpts() string {
	var on []string
	for i, o := range setOptions {
		if sh.opts.set[i] {
			on = append(on, o.name)
		}
	}
	return strings.Join(on, ":")
}

func (sh *Shell) bashOpts() string {
	var on []string
	for i, o := range shoptOptions {
		if sh.opts.shopt[i] {
			on = append(on, o.name)
		}
	}
	return strings.Join(on, ":")
}

// nextRandom gives the next value of RANDOM: the generator of bash, so that a seed gives
// the sequence that it gives there.
func (sh *Shell) nextRandom() uint32 {
	if sh.random == 0 {
		var b [4]byte
		sh.rand(b[:])
		sh.random = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	}
	for {
		// The minimal standard generator of Park and Miller.
		seed := int64(int32(sh.random))
		if seed == 0 {
			seed = 123459876
		}
		next := 16807*(seed%127773) - 2836*(seed/127773)
		if next < 0 {
			next += 0x7fffffff
		}
		sh.random = uint32(next)
		value := (sh.random >> 16) ^ (sh.random & 0xffff)
		if value &= 32767; value != sh.lastRandom {
			sh.lastRandom = value
			return value
		}
	}
}

// Put implements [expand.Shell].
func (sh *Shell) Put(name string, v vars.Var) {
	if sh.opts.set[optAllExport] {
		v.Attr |= vars.Export
	}
	sh.vars.Put(name, v)
	sh.react(name, v)
}

// Update implements [expand.Shell].
func (sh *Shell) Update(name string, change func(*vars.Var)) {
	sh.vars.Update(name, func(v *vars.Var) {
		change(v)
		if sh.opts.set[optAllExport] {
			v.Attr |= vars.Export
		}
	})
	if reacts(name) {
		sh.react(name, sh.vars.Get(name))
	}
}

// reacts says whether the shell reads a name itself.
func reacts(name string) bool {
	switch name {
	case "OPTIND", "RANDOM", "SECONDS", "PATH":
		return true
	}
	return false
}

// react does what follows from a variable that was set.
func (sh *Shell) react(name string, v vars.Var) {
	switch name {
	case "OPTIND":
		sh.getopts = 0
	case "RANDOM":
		n, _ := strconv.ParseInt(v.Str, 10, 64)
		sh.random, sh.lastRandom = uint32(n), 0
	case "SECONDS":
		n, _ := strconv.ParseInt(v.Str, 10, 64)
		sh.started = sh.now().UnixNano() - n*1e9
	case "PATH":
		sh.hashed, sh.owned.hashed = nil, false
	}
}

// Names implements [expand.Shell].
func (sh *Shell) Names(prefix string) []string {
	names := sh.vars.Names(prefix)
	for _, name := range dynamicNames {
		if strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
