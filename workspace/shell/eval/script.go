package eval

import (
	"context"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script executes a file of the view: by the program that its first line names, else as a
// script of the shell.
func (sh *Shell) script(ctx context.Context, file string, args []string) int {
	text, err := sh.readScript(ctx, file)
	if err != nil {
		sh.complain(ctx, "%s: %s", args[0], scriptText(err))
		return scriptStatus(err, 126)
	}
	interpreter, ok := shebang(text)
	if !ok {
		return sh.nestedShell(ctx, args[0], args[1:], modeFile, text, nil)
	}
	words := append(append(interpreter, args[0]), args[1:]...)
	switch name := path.Base(words[0]); {
	case name == "env":
		f := sh.search("/usr/bin/env")
		if f.cmd != nil {
			return sh.exec(ctx, f.cmd, words)
		}
	case name == "bash" || name == "sh" || name == "dash":
		words[0] = name
		return sh.bash(ctx, words)
	default:
		if f := sh.search(words[0]); f.cmd != nil {
			return sh.exec(ctx, f.cmd, words)
		}
		if cmd := sh.registry.Get(name); cmd != nil {
			words[0] = name
			return sh.exec(ctx, cmd, words)
		}
	}
	sh.complain(ctx, "%s: cannot execute: required file not found: %s", args[0], words[0])
	return 127
}

// shebang gives the program that the first line of a script names, with its one argument.
// env is looked through: its first operand is the program.
func shebang(text string) (words []string, ok bool) {
	line, ok := strings.CutPrefix(text, "#!")
	if !ok {
		return nil, false
	}
	line, _, _ = strings.Cut(line, "\n")
	program, arg, has := strings.Cut(strings.TrimSpace(line), " ")
	if program == "" {
		return nil, false
	}
	words = []string{program}
	if arg = strings.TrimSpace(arg); has && arg != "" {
		words = append(words, arg)
	}
	if path.Base(program) != "env" || len(words) < 2 {
		return words, true
	}
	rest, split := strings.CutPrefix(words[1], "-S")
	if !split {
		return words[1:], true
	}
	return strings.Fields(rest), len(strings.Fields(rest)) > 0
}

// funcDecl gives the declaration of a function that a statement is.
func funcDecl(s *syntax.Stmt) *syntax.FuncDecl {
	d, _ := s.Cmd.(*syntax.FuncDecl)
	return d
}
