package eval

import "context"

// ordinary gives the builtins that have nothing to do with control flow.
func ordinary() map[string]builtin {
	const (
		noEditing = "there is no line editing in this shell; give the whole command at once"
		noHistory = "this shell keeps no history; write commands that are needed again into a script file"
	)
	return map[string]builtin{
		"[":         testBuiltin,
		"bind":      unavailable(noEditing),
		"caller":    callerBuiltin,
		"cd":        cdBuiltin,
		"compgen":   compgenBuiltin,
		"complete":  unavailable(noEditing),
		"compopt":   unavailable(noEditing),
		"declare":   declareBuiltin,
		"dirs":      dirsBuiltin,
		"echo":      echoBuiltin,
		"enable":    enableBuiltin,
		"export":    declareBuiltin,
		"fc":        unavailable(noHistory),
		"getopts":   getoptsBuiltin,
		"hash":      hashBuiltin,
		"help":      helpBuiltin,
		"history":   unavailable(noHistory),
		"let":       letBuiltin,
		"local":     declareBuiltin,
		"logout":    unavailable("not login shell: use `exit'"),
		"mapfile":   mapfileBuiltin,
		"popd":      popdBuiltin,
		"printf":    printfBuiltin,
		"pushd":     pushdBuiltin,
		"pwd":       pwdBuiltin,
		"read":      readBuiltin,
		"readarray": mapfileBuiltin,
		"readonly":  declareBuiltin,
		"set":       setBuiltin,
		"shift":     shiftBuiltin,
		"shopt":     shoptBuiltin,
		"suspend":   unavailable("cannot suspend: a call cannot be stopped and continued; use sleep to wait"),
		"test":      testBuiltin,
		"times":     timesBuiltin,
		"type":      typeBuiltin,
		"typeset":   declareBuiltin,
		"ulimit":    ulimitBuiltin,
		"umask":     umaskBuiltin,
		"unset":     unsetBuiltin,
	}
}

// declareBuiltin executes a declaration whose operands are expanded words, as after command
// or builtin.
func declareBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	operands := make([]operand, len(args))
	for i, arg := range args {
		operands[i].text = arg
	}
	return sh.declaration(ctx, b, operands)
}
