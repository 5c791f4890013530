package eval

import (
	"context"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// unsetBuiltin executes unset.
func unsetBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	var variables, functions, reference bool
	g := sh.options(b, args, "vfn")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'v':
			variables = true
		case 'f':
			functions = true
		case 'n':
			reference = true
		}
	}
	switch {
	case g.bad:
		return 2
	case variables && functions:
		sh.errorf(b, "unset: cannot simultaneously unset a function and a variable")
		return 1
	}
	status := 0
	for _, name := range g.args {
		var s int
		switch {
		case functions:
			s = sh.unsetFunction(b, name)
		case reference && sh.vars.Get(name).Kind == vars.NameRef:
			sh.unsetName(name)
		default:
			s = sh.unset(ctx, b, name, variables)
		}
		if sh.flow != flowNone {
			return sh.status
		}
		status = max(status, s)
	}
	return status
}

// unset removes a variable, an element, or, unless only variables are meant, a function.
func (sh *Shell) unset(ctx context.Context, b *streams, word string, variables bool) int {
	name, subscript, ok := splitTarget(word)
	switch {
	case !ok && !variables && sh.funcs[word] != nil:
		return sh.unsetFunction(b, word)
	case !ok && variables:
		return sh.badName(b, "unset", word)
	case !ok:
		return 0
	case !sh.vars.Known(name):
		if !variables && subscript == "" {
			return sh.unsetFunction(b, name)
		}
		return 0
	}
	base, inner, err := sh.exp.Resolve(ctx, name)
	if err != nil {
		return sh.failed(ctx, b, "unset", err)
	}
	if base == "" {
		base = name
	}
	if sh.vars.Get(base).Has(vars.ReadOnly) {
		sh.errorf(b, "unset: %s: cannot unset: readonly variable", base)
		return 1
	}
	if subscript != "" || inner != "" {
		target := word
		if subscript == "" {
			target, subscript = base+inner, strings.Trim(inner, "[]")
		}
		if v := sh.vars.Get(base); v.Kind == vars.Scalar || v.Kind == vars.Unset {
			// Element 0 of a scalar is the scalar.
			if n, err := sh.exp.ArithmText(ctx, subscript); err != nil || n != 0 {
				sh.errorf(b, "unset: %s: not an array variable", base)
				return 1
			}
			sh.unsetName(base)
			return 0
		}
		if err := sh.exp.Unset(ctx, target); err != nil {
			return sh.failed(ctx, b, "unset", err)
		}
		return 0
	}
	sh.unsetName(base)
	return 0
}

// unsetName removes a variable. One of the function that runs stays as one without a value,
// so that it still hides what the callers have.
func (sh *Shell) unsetName(name string) {
	if sh.vars.LocalTo(name) && !sh.opt(shoptLocalVarUnset) {
		sh.vars.PutLocal(name, vars.Var{Attr: vars.Local})
	} else {
		sh.vars.Delete(name)
	}
	if reacts(name) {
		sh.react(name, vars.Var{})
	}
}

func (sh *Shell) unsetFunction(b *streams, name string) int {
	f := sh.funcs[name]
	switch {
	case f == nil:
		return 0
	case f.readonly:
		sh.errorf(b, "unset: %s: cannot unset: readonly function", name)
		return 1
	}
	delete(ownMap(&sh.funcs, &sh.owned.funcs), name)
	return 0
}

// letBuiltin executes let.
func letBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.errorf(b, "let: expression expected")
		return 1
	}
	var value int64
	for _, arg := range args {
		var err error
		if value, err = sh.exp.ArithmText(ctx, arg); err != nil {
			return sh.failed(ctx, b, "let", err)
		}
	}
	return toStatus(value != 0)
}

// shiftBuiltin executes shift.
func shiftBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	n := 1
	if len(args) > 0 {
		v, ok := wholeNumber(args[0])
		switch {
		case !ok:
			sh.errorf(b, "shift: %s: numeric argument required", args[0])
			return 1
		case len(args) > 1:
			sh.errorf(b, "shift: too many arguments")
			sh.leave(flowDiscard)
			sh.status = 1
			return 1
		case v < 0:
			sh.errorf(b, "shift: %s: shift count out of range", args[0])
			return 1
		}
		n = int(v)
	}
	if n > len(sh.params) {
		if sh.opt(shoptShiftVerbose) {
			sh.errorf(b, "shift: %d: shift count out of range", n)
		}
		return 1
	}
	sh.params = sh.params[n:]
	return 0
}

// getoptsBuiltin executes getopts.
func getoptsBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	g := sh.options(b, args, "")
	if g.next(); g.bad {
		return 2
	}
	if len(g.args) < 2 {
		return sh.usage(b, "getopts")
	}
	spec, name, words := g.args[0], g.args[1], g.args[2:]
	if len(g.args) == 2 {
		words = sh.params
	}
	o := sh.nextOption(b, spec, words)
	set := func(name, value string) int {
		if err := sh.exp.SetString(ctx, name, value, false); err != nil {
			return sh.failed(ctx, b, "getopts", err)
		}
		return 0
	}
	at := sh.getopts
	if status := set("OPTIND", strconv.Itoa(o.index)); status != 0 {
		return status
	}
	sh.getopts = at
	switch {
	case o.hasValue:
		if status := set("OPTARG", o.value); status != 0 {
			return status
		}
	default:
		sh.vars.Delete("OPTARG")
	}
	if !isName(name) {
		return sh.badName(b, "getopts", name)
	}
	if status := set(name, o.name); status != 0 {
		return status
	}
	return toStatus(!o.end)
}

// optionFound is what one getopts found.
type optionFound struct {
	name     string
	value    string // OPTARG
	hasValue bool
	index    int // OPTIND
	end      bool
}

// nextOption finds the next option of the words, from OPTIND and the place inside a group.
func (sh *Shell) nextOption(b *streams, spec string, words []string) optionFound {
	silent := strings.HasPrefix(spec, ":")
	index, err := strconv.Atoi(sh.Get("OPTIND").String())
	if err != nil || index < 1 {
		index, sh.getopts = 1, 0
	}
	if index > len(words) {
		sh.getopts = 0
		return optionFound{name: "?", index: min(index, len(words)+1), end: true}
	}
	word := words[index-1]
	if sh.getopts == 0 {
		switch {
		case word == "--":
			return optionFound{name: "?", index: index + 1, end: true}
		case len(word) < 2 || word[0] != '-':
			return optionFound{name: "?", index: index, end: true}
		}
		sh.getopts = 1
	}
	if sh.getopts >= len(word) { // the words are others than before
		sh.getopts = 1
	}
	letter := word[sh.getopts]
	sh.getopts++
	o := optionFound{name: string(letter), index: index}
	if sh.getopts >= len(word) {
		o.index, sh.getopts = index+1, 0
	}
	at := strings.IndexByte(spec, letter)
	switch {
	case at < 0 || letter == ':':
		o.name = "?"
		if silent {
			o.value, o.hasValue = string(letter), true
		} else {
			sh.optionError(b, "illegal option", letter)
		}
	case at+1 < len(spec) && spec[at+1] == ':':
		switch {
		case sh.getopts > 0:
			o.value, o.hasValue = word[sh.getopts:], true
			o.index, sh.getopts = index+1, 0
		case o.index <= len(words):
			o.value, o.hasValue = words[o.index-1], true
			o.index++
		case silent:
			o.name, o.value, o.hasValue = ":", string(letter), true
		default:
			o.name = "?"
			sh.optionError(b, "option requires an argument", letter)
		}
	}
	return o
}

// optionError reports an option of a script, unless OPTERR is 0.
func (sh *Shell) optionError(b *streams, what string, letter byte) {
	if sh.Get("OPTERR").String() != "0" {
		b.err.WriteString(sh.name + ": " + what + " -- " + string(letter) + "\n")
	}
}
