package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// builtinSource executes a file in the shell itself.
func builtinSource(ctx context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		sh.errorf(b, "%s: filename argument required", args[0])
		fmt.Fprintf(b.err, "%s: usage: %s filename [arguments]\n", args[0], args[0])
		return 2
	}
	name := sh.sourcePath(rest[0])
	text, err := sh.readScript(ctx, name)
	if err != nil {
		sh.complain(ctx, "%s: %s", rest[0], scriptText(err))
		return scriptStatus(err, 1)
	}
	leave := sh.enter()
	if leave == nil {
		return 1
	}
	defer leave()
	line, offset, params := sh.line, sh.offset, sh.params
	sh.frames = append(sh.frames, frame{name: "source", source: name, line: line})
	sh.offset = 0
	if len(rest) > 1 {
		sh.params = rest[1:]
	}
	sh.traced++
	sh.readText(ctx, text)
	sh.traced--
	if sh.flow == flowReturn {
		sh.flow = flowNone
	}
	status := sh.status
	if sh.flow == flowNone {
		sh.returnTrap(ctx)
	}
	sh.frames = sh.frames[:len(sh.frames)-1]
	if len(rest) > 1 {
		sh.params = params
	}
	sh.line, sh.offset = line, offset
	return status
}

// sourcePath finds a file for source: by PATH when its name has no slash, else, or when it
// is not there, in the directory.
func (sh *Shell) sourcePath(name string) string {
	if strings.Contains(name, "/") || !sh.opt(shoptSourcePath) {
		return name
	}
	for dir := range strings.SplitSeq(sh.vars.Get("PATH").String(), ":") {
		if dir == "/usr/bin" || dir == "/bin" {
			continue
		}
		p := strings.TrimSuffix(dir, "/") + "/" + name
		if dir == "" {
			p = name
		}
		if info, err := sh.fs.Stat(sh.abs(p)); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return name
}

// errIsDirectory and errBinary say why a file is no script.
var (
	errIsDirectory = errors.New("is a directory")
	errBinary      = errors.New("cannot execute binary file")
)

// scriptStatus gives the status for a script that cannot be read: 2 when it is too long.
func scriptStatus(err error, otherwise int) int {
	if err == errScript {
		return 2
	}
	return otherwise
}

func scriptText(err error) string {
	if err == errIsDirectory || err == errBinary || err == errScript {
		return err.Error()
	}
	return view.Text(err)
}

// readScript reads the text of a script, of at most the size that a script may have.
func (sh *Shell) readScript(ctx context.Context, name string) (string, error) {
	o, err := sh.openPath(name, 0)
	if err != nil {
		return "", err
	}
	defer o.drop()
	if o.file != nil {
		if info, err := o.file.Stat(); err == nil && info.IsDir() {
			return "", errIsDirectory
		}
	}
	b, err := io.ReadAll(io.LimitReader(&input{ctx, o}, int64(sh.budget.Script)+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > sh.budget.Script:
		return "", errScript
	}
	head := b[:min(len(b), 80)]
	if i := slices.Index(head, '\n'); i >= 0 {
		head = head[:i]
	}
	if slices.Contains(head, 0) {
		return "", errBinary
	}
	return string(b), nil
}
