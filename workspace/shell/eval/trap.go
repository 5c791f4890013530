package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
)

// traps are the traps of one shell. The map is replaced, never changed, so that a fork may
// share it.
type traps struct {
	set   map[signal]string
	shown map[signal]string // in a fork, until it sets its own: what trap prints
}

// has says whether a trap with an action is set.
func (t *traps) has(sig signal) bool {
	if t.set == nil {
		return false
	}
	return t.set[sig] != ""
}

// ignores says whether a signal is ignored.
func (t *traps) ignores(sig signal) bool {
	text, ok := t.set[sig]
	return ok && text == ""
}

// inherited gives the traps of a subshell: only what is ignored stays.
func (t *traps) inherited() traps {
	if t.set == nil {
		return traps{shown: t.shown}
	}
	c := traps{shown: t.set}
	for sig, text := range t.set {
		if text == "" {
			if c.set == nil {
				c.set = map[signal]string{}
			}
			c.set[sig] = text
		}
	}
	return c
}

// put sets a trap; remove takes it away.
func (t *traps) put(sig signal, text string, remove bool) {
	next := maps.Clone(t.set)
	if next == nil {
		next = map[signal]string{}
	}
	next[sig] = text
	if remove {
		delete(next, sig)
	}
	t.set, t.shown = next, nil
}

// inheritEvents gives a fork the traps of events that errtrace and functrace pass on.
func (sh *Shell) inheritEvents(from *traps) {
	keep := func(sig signal) {
		if text, ok := from.set[sig]; ok && text != "" {
			shown := sh.traps.shown
			sh.traps.put(sig, text, false)
			sh.traps.shown = shown
		}
	}
	if sh.opts.set[optErrTrace] {
		keep(sigERR)
	}
	if sh.opts.set[optFuncTrace] {
		keep(sigDEBUG)
		keep(sigRETURN)
	}
}

// builtinTrap lists and sets traps.
func builtinTrap(_ context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	print := false
	if len(rest) > 0 {
		switch rest[0] {
		case "-l":
			return listSignals(sh, b, "trap", nil)
		case "-p":
			print, rest = true, rest[1:]
		case "--":
			rest = rest[1:]
		default:
			if len(rest[0]) > 1 && rest[0][0] == '-' {
				sh.errorf(b, "trap: %s: invalid option", rest[0][:2])
				fmt.Fprintln(b.err, "trap: usage: trap [-lp] [[arg] signal_spec ...]")
				return 2
			}
		}
	}
	if print || len(rest) == 0 {
		return sh.printTraps(b, rest)
	}
	text, remove := rest[0], rest[0] == "-"
	names := rest[1:]
	if len(names) == 0 {
		// One argument alone is a signal whose trap is taken away.
		if _, ok := signalOf(text, true); !ok {
			fmt.Fprintln(b.err, "trap: usage: trap [-lp] [[arg] signal_spec ...]")
			return 2
		}
		names, remove = rest, true
	} else if _, ok := signalOf(text, false); ok && isDigits(text) {
		names, remove = rest, true
	}
	status := 0
	for _, name := range names {
		sig, ok := signalOf(name, true)
		if !ok {
			sh.errorf(b, "trap: %s: invalid signal specification", name)
			status = 1
			continue
		}
		sh.traps.put(sig, text, remove)
		if sig > 0 && sig < sigDEBUG {
			sh.proc.catch(sig, text != "", remove)
		}
	}
	return status
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// printTraps prints traps as commands that set them.
func (sh *Shell) printTraps(b *streams, names []string) int {
	set := sh.traps.set
	if sh.traps.shown != nil {
		set = sh.traps.shown
	}
	list := slices.Sorted(maps.Keys(set))
	status := 0
	if len(names) > 0 {
		list = nil
		for _, name := range names {
			sig, ok := signalOf(name, true)
			if !ok {
				sh.errorf(b, "trap: %s: invalid signal specification", name)
				status = 1
			} else if _, ok := set[sig]; ok {
				list = append(list, sig)
			}
		}
	}
	for _, sig := range list {
		fmt.Fprintf(b.out, "trap -- %s %s\n", expand.QuoteValue(set[sig]), sig)
	}
	return status
}

// trap runs the text of a trap. The status before it stays, unless the trap ends the shell.
func (sh *Shell) trap(ctx context.Context, sig signal) {
	text := sh.traps.set[sig]
	if text == "" || sh.trapping > 20 {
		return
	}
	status, running, last, line := sh.status, sh.running, sh.lastArg, sh.line
	pipestatus := slices.Clone(sh.pipestatus)
	sh.trapping++
	offset := sh.offset
	sh.offset = 0
	tolerant := sh.tolerant
	sh.tolerant = 0
	sh.traced++
	sh.consume(ctx, text, nil)
	sh.traced--
	sh.tolerant = tolerant
	sh.offset = offset
	sh.trapping--
	if sh.flow < flowExit && sh.flow != flowReturn {
		sh.status = status
	}
	sh.running, sh.lastArg, sh.line, sh.pipestatus = running, last, line, pipestatus
}

// exitTrap runs the EXIT trap, once.
func (sh *Shell) exitTrap(ctx context.Context) {
	if !sh.traps.has(sigEXIT) {
		return
	}
	status := sh.status
	sh.flow = flowNone
	text := sh.traps.set[sigEXIT]
	sh.traps.put(sigEXIT, "", true)
	sh.trapping++
	sh.tolerant, sh.loops = 0, 0
	sh.consume(ctx, text, nil)
	sh.trapping--
	if sh.flow < flowExit {
		sh.status = status
	}
}

// errTrap runs the ERR trap.
func (sh *Shell) errTrap(ctx context.Context) {
	if !sh.traps.has(sigERR) || sh.inTrap(sigERR) {
		return
	}
	sh.within = append(sh.within, sigERR)
	sh.trap(ctx, sigERR)
	sh.within = sh.within[:len(sh.within)-1]
}

// debugTrap runs the DEBUG trap before a command. It gives false when the command is not to
// be executed (extdebug).
func (sh *Shell) debugTrap(ctx context.Context) bool {
	if sh.inTrap(sigDEBUG) {
		return true
	}
	sh.within = append(sh.within, sigDEBUG)
	sh.trap(ctx, sigDEBUG)
	sh.within = sh.within[:len(sh.within)-1]
	return sh.flow == flowNone
}

// returnTrap runs the RETURN trap at the end of a function or a sourced file.
func (sh *Shell) returnTrap(ctx context.Context) {
	if !sh.traps.has(sigRETURN) || sh.inTrap(sigRETURN) {
		return
	}
	sh.within = append(sh.within, sigRETURN)
	sh.trap(ctx, sigRETURN)
	sh.within = sh.within[:len(sh.within)-1]
}

// shield takes away the traps of events that a function does not inherit. They come back at
// its end, unless it set its own.
func (sh *Shell) shield(f *function) (restore func()) {
	if sh.traps.set == nil {
		return func() {}
	}
	was := map[signal]string{}
	take := func(sig signal) {
		if text, ok := sh.traps.set[sig]; ok {
			was[sig] = text
			sh.traps.put(sig, "", true)
		}
	}
	if !sh.opts.set[optErrTrace] {
		take(sigERR)
	}
	if !sh.opts.set[optFuncTrace] && !f.traced {
		take(sigDEBUG)
		take(sigRETURN)
	}
	return func() {
		for sig, text := range was {
			if _, ok := sh.traps.set[sig]; !ok {
				sh.traps.put(sig, text, false)
			}
		}
	}
}

// inTrap says whether the trap of an event runs.
func (sh *Shell) inTrap(sig signal) bool { return slices.Contains(sh.within, sig) }

// deliver takes the signals that are pending: runs their traps, or ends the shell.
func (sh *Shell) deliver(ctx context.Context) {
	for _, sig := range sh.proc.take() {
		if sh.flow >= flowExit {
			return
		}
		if sh.traps.has(sig) {
			sh.trap(ctx, sig)
			continue
		}
		sh.death = sig
		sh.exit(128 + int(sig))
	}
}
