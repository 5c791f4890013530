package js

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// syntaxError is a source that cannot be compiled.
type syntaxError struct {
	name   string
	line   int // from 1
	column int // from 1; 0: not known
	text   string
	source string // as its author wrote it
}

func (e *syntaxError) Error() string { return e.text }

// report gives the text for standard error.
func (e *syntaxError) report() string {
	return fmt.Sprintf("%s\nSyntaxError: %s", showLine(e.name, e.source, e.line, e.column), e.text)
}

// showLine shows a line of a source, with a mark below a column.
func showLine(name, text string, line, column int) string {
	out := fmt.Sprintf("%s:%d\n", name, line)
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return out
	}
	shown := strings.TrimRight(lines[line-1], "\r")
	if len(shown) > 500 {
		return out
	}
	mark := strings.Repeat(" ", max(0, min(column-1, len(shown)))) + "^"
	return out + shown + "\n" + mark + "\n"
}

var syntaxTexts = []struct{ from, to string }{
	{"Unexpected token ILLEGAL", "Invalid or unexpected token"},
	{"Unexpected token ", "Unexpected token '%s'"},
	{"Unexpected reserved word", "Unexpected reserved word"},
}

// newSyntaxError makes the error of the parser or the compiler of the engine readable.
// prefix is what was put before the source, in its first line.
func newSyntaxError(name, text string, prefix int, err error) *syntaxError {
	e := &syntaxError{name: name, line: 1, text: err.Error(), source: text}
	var at file.Position
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		e.text, at = list[0].Message, list[0].Position
	} else if c, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok {
		e.text = c.Message
		if c.File != nil {
			at = c.File.Position(c.Offset)
		}
	}
	e.text = strings.TrimPrefix(e.text, "SyntaxError: ")
	for _, t := range syntaxTexts {
		if rest, ok := strings.CutPrefix(e.text, t.from); ok {
			e.text = strings.ReplaceAll(t.to, "%s", rest)
			break
		}
	}
	e.line, e.column = max(at.Line, 1), at.Column
	if e.line == 1 {
		e.column -= prefix
	}
	if strings.HasPrefix(e.text, "Unexpected") && awaitAt(text, e.line, e.column) {
		e.text = "await is only valid in async functions; put the program into (async () => { ... })()"
	}
	return e
}

// awaitAt says whether the word before a column is await.
func awaitAt(text string, line, column int) bool {
	lines := strings.Split(text, "\n")
	if line > len(lines) || column < 1 || column-1 > len(lines[line-1]) {
		return false
	}
	return strings.HasSuffix(strings.TrimSpace(lines[line-1][:column-1]), "await") || strings.HasPrefix(lines[line-1][column-1:], "await")
}

// isError says whether a value is an error object.
func isError(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() == "Error"
}

// newError makes an error of a global class.
func (r *Runtime) newError(class, message string) *goja.Object {
	o, err := r.vm.New(r.in.errors[class], r.vm.ToValue(message))
	if err != nil {
		panic(err)
	}
	return o
}

// nodeError makes an error with a code, as Node's own have it.
func (r *Runtime) nodeError(class, code, message string) *goja.Object {
	o := r.newError(class, message)
	r.set(o, "code", r.vm.ToValue(code))
	_ = o.DefineDataProperty("stack", r.vm.ToValue(class+" ["+code+"]: "+message+"\n"+r.frames()), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// rangeError makes a RangeError.
func (r *Runtime) rangeError(format string, args ...any) *goja.Object {
	return r.newError("RangeError", fmt.Sprintf(format, args...))
}

// sysTexts are the words of libuv, by error.
var sysTexts = map[syscall.Errno]string{
	syscall.ENOENT: "ENOENT: no such file or directory", syscall.EEXIST: "EEXIST: file already exists", syscall.EACCES: "EACCES: permission denied",
	syscall.EPERM: "EPERM: operation not permitted", syscall.ENOTDIR: "ENOTDIR: not a directory", syscall.EISDIR: "EISDIR: illegal operation on a directory",
	syscall.ENOTEMPTY: "ENOTEMPTY: directory not empty", syscall.EROFS: "EROFS: read-only file system", syscall.ELOOP: "ELOOP: too many symbolic links encountered",
	syscall.ENAMETOOLONG: "ENAMETOOLONG: name too long", syscall.EINVAL: "EINVAL: invalid argument", syscall.EMFILE: "EMFILE: too many open files",
	syscall.EBADF: "EBADF: bad file descriptor", syscall.ENOSPC: "ENOSPC: no space left on device", syscall.EFBIG: "EFBIG: file too large",
	syscall.EDQUOT: "EDQUOT: disk quota exceeded", syscall.EXDEV: "EXDEV: cross-device link not permitted", syscall.EPIPE: "EPIPE: broken pipe",
	syscall.EBUSY: "EBUSY: resource busy or locked", syscall.ESPIPE: "ESPIPE: invalid seek", syscall.ENXIO: "ENXIO: no such device or address",
}

func errnoOf(err error) (syscall.Errno, bool) {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno, true
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return syscall.ENOENT, true
	case errors.Is(err, fs.ErrExist):
		return syscall.EEXIST, true
	case errors.Is(err, fs.ErrPermission):
		return syscall.EACCES, true
	case errors.Is(err, fs.ErrClosed):
		return syscall.EBADF, true
	}
	return 0, false
}

// sysError makes the error of an operation on files.
func (r *Runtime) sysError(err error, call, path, dest string) *goja.Object {
	words := view.Text(err)
	errno, known := errnoOf(err)
	if text, ok := sysTexts[errno]; known && ok {
		code, rest, _ := strings.Cut(text, ": ")
		if words == view.Text(errno) {
			words = rest
		}
		words = code + ": " + words
	}
	message := words + ", " + call
	if path != "" {
		message += " '" + path + "'"
	}
	if dest != "" {
		message += " -> '" + dest + "'"
	}
	o := r.newError("Error", message)
	if known {
		code, _, _ := strings.Cut(words, ":")
		r.set(o, "errno", r.vm.ToValue(-int(errno)))
		r.set(o, "code", r.vm.ToValue(code))
	}
	r.set(o, "syscall", r.vm.ToValue(call))
	if path != "" {
		r.set(o, "path", r.vm.ToValue(path))
	}
	if dest != "" {
		r.set(o, "dest", r.vm.ToValue(dest))
	}
	return o
}

// fix gives an error of the engine the words and the stack that programs expect, once. Any
// other value stays as it is.
func (r *Runtime) fix(v goja.Value) goja.Value {
	if !isError(v) {
		return v
	}
	o := v.(*goja.Object)
	if r.caught[o] {
		return v
	}
	stack, ok := o.Get("stack").(goja.String)
	if !ok {
		return v
	}
	s := stack.String()
	if !strings.HasSuffix(s, "\n") { // not the engine's any more
		return v
	}
	if len(r.caught) > 10_000 {
		clear(r.caught)
	}
	r.caught[o] = true
	head, frames, _ := strings.Cut(s, "\n\tat ")
	head = strings.TrimSuffix(head, "\n")
	list := parseFrames(frames)
	message := str(o.Get("message"))
	better := r.message(message, list)
	if head == "AggregateError" && (len(list) == 0 || list[0].file == "") { // of Promise.any
		head, better = head+": ", "All promises were rejected"
	}
	if better != message {
		_ = o.DefineDataProperty("message", r.vm.ToValue(better), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		if message == "" {
			head += better
		} else {
			head = strings.Replace(head, message, better, 1)
		}
	}
	text := r.stackText(head, list)
	_ = o.DefineDataProperty("stack", r.vm.ToValue(text), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return v
}
