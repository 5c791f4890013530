package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// setOptionNamed gives the option of set with a long name.
func setOptionNamed(name string) (option, bool) {
	for i, o := range setOptions {
		if o.name == name {
			return option(i), true
		}
	}
	return 0, false
}

// setBuiltin executes set.
func setBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	words := args[1:]
	if len(words) == 0 {
		sh.listVariables(b)
		return 0
	}
	for len(words) > 0 {
		word := words[0]
		switch {
		case word == "--":
			sh.params = words[1:]
			return 0
		case word == "-":
			sh.setOption(optXTrace, false)
			sh.setOption(optVerbose, false)
			if len(words) > 1 {
				sh.params = words[1:]
			}
			return 0
		case len(word) < 2 || word[0] != '-' && word[0] != '+':
			sh.params = words
			return 0
		}
		var status int
		if words, status = sh.setLetters(b, word, words[1:]); status != 0 {
			return status
		}
	}
	return 0
}

// setLetters sets the options of a word such as -eu or +x; "o" takes the next word.
func (sh *Shell) setLetters(b *streams, word string, rest []string) (left []string, status int) {
	on := word[0] == '-'
	for i := 1; i < len(word); i++ {
		if word[i] == 'o' {
			if len(rest) == 0 {
				sh.listSetOptions(b, on)
				continue
			}
			o, ok := setOptionNamed(rest[0])
			if !ok {
				sh.errorf(b, "set: %s: invalid option name", rest[0])
				return rest, 2
			}
			sh.setOption(o, on)
			rest = rest[1:]
			continue
		}
		o, ok := setOptionOf(word[i])
		if !ok {
			sh.errorf(b, "set: %c%c: invalid option", word[0], word[i])
			return rest, sh.usage(b, "set")
		}
		sh.setOption(o, on)
	}
	return rest, 0
}

// setOptionOf gives the option of set with a letter.
func setOptionOf(letter byte) (option, bool) {
	for i, o := range setOptions {
		if o.letter == letter {
			return option(i), true
		}
	}
	return 0, false
}

// listSetOptions prints set -o, or set +o as commands.
func (sh *Shell) listSetOptions(b *streams, table bool) {
	var out strings.Builder
	for i, o := range setOptions {
		if table {
			fmt.Fprintf(&out, "%-15s\t%s\n", o.name, onOff(sh.opts.set[i]))
		} else {
			fmt.Fprintf(&out, "set %co %s\n", sign(sh.opts.set[i]), o.name)
		}
	}
	b.out.WriteString(out.String())
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func sign(on bool) byte {
	if on {
		return '-'
	}
	return '+'
}

// listVariables prints the variables and the functions.
func (sh *Shell) listVariables(b *streams) {
	var out strings.Builder
	for _, name := range sh.Names("") {
		if v := sh.Get(name); v.Set() && v.Kind != vars.NameRef {
			out.WriteString(listing(name, v, sh) + "\n")
		}
	}
	sh.listFunctions(&out)
	b.out.WriteString(out.String())
}

// shoptBuiltin executes shopt.
func shoptBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var on, off, quiet, commands, ofSet bool
	g := sh.options(b, args, "psuqo")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 's':
			on = true
		case 'u':
			off = true
		case 'q':
			quiet = true
		case 'p':
			commands = true
		case 'o':
			ofSet = true
		}
	}
	switch {
	case g.bad:
		return 2
	case on && off:
		sh.errorf(b, "shopt: cannot set and unset shell options simultaneously")
		return 1
	}
	all := sh.switches(ofSet)
	var out strings.Builder
	status := 0
	show := func(s *switchable) {
		switch {
		case quiet:
		case commands && ofSet:
			fmt.Fprintf(&out, "set %co %s\n", sign(s.on), s.name)
		case commands:
			fmt.Fprintf(&out, "shopt -%c %s\n", map[bool]byte{true: 's', false: 'u'}[s.on], s.name)
		default:
			fmt.Fprintf(&out, "%-15s\t%s\n", s.name, onOff(s.on))
		}
	}
	if len(g.args) == 0 {
		for i := range all {
			if s := &all[i]; (!on || s.on) && (!off || !s.on) {
				show(s)
			}
		}
	}
	for _, name := range g.args {
		s := named(all, name)
		switch {
		case s == nil && ofSet:
			sh.errorf(b, "shopt: %s: invalid option name", name)
			status = 1
		case s == nil:
			sh.errorf(b, "shopt: %s: invalid shell option name", name)
			status = 1
		case on || off:
			s.set(on)
		default:
			if !s.on {
				status = 1
			}
			show(s)
		}
	}
	b.out.WriteString(out.String())
	return status
}

// switchable is one option of shopt or set.
type switchable struct {
	name string
	on   bool
	set  func(on bool)
}

func (sh *Shell) switches(ofSet bool) []switchable {
	var all []switchable
	if ofSet {
		for i, o := range setOptions {
			all = append(all, switchable{o.name, sh.opts.set[i], func(on bool) { sh.setOption(option(i), on) }})
		}
		return all
	}
	for i, o := range shoptOptions {
		all = append(all, switchable{o.name, sh.opts.shopt[i], func(on bool) { sh.setShopt(shopt(i), on) }})
	}
	return all
}

func named(all []switchable, name string) *switchable {
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}
