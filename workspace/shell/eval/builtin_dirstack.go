package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// stackIndex reads +N or -N; ok is false when the word is neither.
func (sh *Shell) stackIndex(word string) (at int, ok bool) {
	if len(word) < 2 || word[0] != '+' && word[0] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi(word[1:])
	if err != nil || n < 0 {
		return 0, false
	}
	if word[0] == '-' {
		return len(sh.dirs) - n, true
	}
	return n, true
}

// dirStack gives the directories, the current one first.
func (sh *Shell) dirStack() []string { return append([]string{sh.dir}, sh.dirs...) }

// dirsBuiltin executes dirs.
func dirsBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var long, lines, numbers bool
	at := -1
	for _, arg := range args[1:] {
		if n, ok := sh.stackIndex(arg); ok {
			if at = n; at < 0 || at > len(sh.dirs) {
				if len(sh.dirs) == 0 {
					sh.errorf(b, "dirs: directory stack empty")
				} else {
					sh.errorf(b, "dirs: %s: directory stack index out of range", arg)
				}
				return 1
			}
			continue
		}
		switch arg {
		case "-c":
			sh.dirs = nil
			return 0
		case "-l":
			long = true
		case "-p":
			lines = true
		case "-v":
			lines, numbers = true, true
		case "--":
		default:
			sh.errorf(b, "dirs: %s: invalid option", arg)
			return sh.usage(b, "dirs")
		}
	}
	var out strings.Builder
	for i, dir := range sh.dirStack() {
		if !long {
			dir = sh.tilde(dir)
		}
		switch {
		case at >= 0 && i != at:
			continue
		case numbers:
			fmt.Fprintf(&out, "%2d  %s\n", i, dir)
		case lines || at >= 0:
			out.WriteString(dir + "\n")
		default:
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(dir)
		}
	}
	if !lines && at < 0 {
		out.WriteByte('\n')
	}
	b.out.WriteString(out.String())
	return 0
}

// tilde writes a directory below HOME with "~".
func (sh *Shell) tilde(dir string) string {
	home := sh.Get("HOME").String()
	if len(home) < 2 {
		return dir
	}
	if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}

// stackOptions reads -n and the operand of pushd and popd.
func (sh *Shell) stackOptions(b *streams, args []string) (operand string, stay, given bool, status int) {
	for i, arg := range args[1:] {
		if _, ok := sh.stackIndex(arg); ok {
			return arg, stay, true, 0
		}
		switch {
		case arg == "-n":
			stay = true
		case arg == "--":
			if i+2 < len(args) {
				return args[i+2], stay, true, 0
			}
		case len(arg) > 1 && arg[0] == '-':
			sh.errorf(b, "%s: %s: invalid number", args[0], arg)
			return "", false, false, sh.usage(b, args[0])
		default:
			return arg, stay, true, 0
		}
	}
	return "", stay, false, 0
}

// pushdBuiltin executes pushd.
func pushdBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	operand, stay, given, status := sh.stackOptions(b, args)
	if status != 0 {
		return status
	}
	old := sh.dir
	at, rotate := sh.stackIndex(operand)
	switch {
	case !given && len(sh.dirs) == 0:
		sh.errorf(b, "pushd: no other directory")
		return 1
	case !given:
		at, rotate = 1, true
		all := sh.dirStack()
		all[0], all[1] = all[1], all[0]
		return sh.turn(ctx, b, "pushd", all, stay)
	case rotate:
		if len(sh.dirs) == 0 {
			sh.errorf(b, "pushd: directory stack empty")
			return 1
		}
		if at < 0 || at > len(sh.dirs) {
			sh.errorf(b, "pushd: %s: directory stack index out of range", operand)
			return 1
		}
		all := sh.dirStack()
		return sh.turn(ctx, b, "pushd", slices.Concat(all[at:], all[:at]), stay)
	case stay:
		sh.dirs = append([]string{operand}, sh.dirs...)
	default:
		if operand == "-" {
			operand = sh.Get("OLDPWD").String()
		}
		if status := sh.changeDir(b, "pushd", operand, sh.on(optPhysical)); status != 0 {
			return status
		}
		sh.dirs = append([]string{old}, sh.dirs...)
	}
	return dirsBuiltin(ctx, sh, b, []string{"dirs"})
}

// turn makes a list the stack, and its first the current directory unless stay is set.
func (sh *Shell) turn(ctx context.Context, b *streams, builtin string, all []string, stay bool) int {
	if !stay {
		if status := sh.changeDir(b, builtin, all[0], sh.on(optPhysical)); status != 0 {
			return status
		}
	}
	sh.dirs = slices.Clone(all[1:])
	return dirsBuiltin(ctx, sh, b, []string{"dirs"})
}

// popdBuiltin executes popd.
func popdBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	operand, stay, given, status := sh.stackOptions(b, args)
	if status != 0 {
		return status
	}
	at, ok := sh.stackIndex(operand)
	switch {
	case given && !ok:
		sh.errorf(b, "popd: %s: invalid argument", operand)
		return sh.usage(b, "popd")
	case len(sh.dirs) == 0:
		sh.errorf(b, "popd: directory stack empty")
		return 1
	case given && (at < 0 || at > len(sh.dirs)):
		sh.errorf(b, "popd: %s: directory stack index out of range", operand)
		return 1
	case at == 0 && !stay:
		return sh.turn(ctx, b, "popd", sh.dirs, false)
	case at == 0:
		at = 1 // the current directory stays
	}
	sh.dirs = slices.Delete(slices.Clone(sh.dirs), at-1, at)
	return dirsBuiltin(ctx, sh, b, []string{"dirs"})
}
