package eval

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// redirected is a descriptor as it was before a redirection.
type redirected struct {
	fd   int
	open *open
}

// redirectFault is a redirection that failed; subject is what the text names.
type redirectFault struct {
	subject string
	err     error
}

func (e *redirectFault) Error() string { return e.subject + ": " + view.Text(e.err) }

func (e *redirectFault) Unwrap() error { return e.err }

// errNoClobber is the refusal of noclobber; errAmbiguous of a target that is not one word.
var (
	errNoClobber = errors.New("cannot overwrite existing file")
	errAmbiguous = errors.New("ambiguous redirect")
)

// redirect carries out redirections in order. What it gives is for restore, or to be
// dropped to keep them; also when it fails.
func (sh *Shell) redirect(ctx context.Context, list []*syntax.Redirect) (undo []redirected, err error) {
	undo = make([]redirected, 0, len(list)+1)
	for _, r := range list {
		if err = sh.redirectOne(ctx, r, &undo); err != nil {
			break
		}
	}
	return undo, err
}

// restore takes redirections back.
func (sh *Shell) restore(undo []redirected) {
	for i := len(undo) - 1; i >= 0; i-- {
		sh.setFd(undo[i].fd, undo[i].open).drop()
	}
}

// keepRedirects leaves redirections in force.
func keepRedirects(undo []redirected) {
	for _, u := range undo {
		u.open.drop()
	}
}

// redirectError reports a failed redirection.
func (sh *Shell) redirectError(ctx context.Context, err error) int {
	if f, ok := errors.AsType[*redirectFault](err); ok && ctx.Err() == nil {
		sh.complain(ctx, "%s", f)
		return 1
	}
	return sh.fail(ctx, err)
}

func (sh *Shell) redirectOne(ctx context.Context, r *syntax.Redirect, undo *[]redirected) error {
	fd, name := -1, ""
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			if n >= maxFd {
				return &redirectFault{r.N.Value, syscall.EBADF}
			}
			fd = n
		} else {
			name = strings.Trim(r.N.Value, "{}")
		}
	}
	set := func(standard int, o *open) error {
		if name != "" {
			n := sh.freeFd(10, 1)
			if n < 0 {
				o.drop()
				return &redirectFault{name, syscall.EMFILE}
			}
			sh.setFd(n, o)
			return sh.exp.SetString(ctx, name, strconv.Itoa(n), false)
		}
		if fd < 0 {
			fd = standard
		}
		*undo = append(*undo, redirected{fd, sh.setFd(fd, o)})
		return nil
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		text, err := sh.document(ctx, r)
		if err != nil {
			return err
		}
		return set(0, openReader(strings.NewReader(text)))
	case syntax.DplIn, syntax.DplOut:
		return sh.duplicate(ctx, r, fd, name, undo, set)
	}
	target, err := sh.target(ctx, r.Word)
	if err != nil {
		return err
	}
	return sh.openTarget(r.Op, target, undo, set)
}

// target expands the word of a redirection, which must give one field.
func (sh *Shell) target(ctx context.Context, w *syntax.Word) (string, error) {
	fields, err := sh.exp.Fields(ctx, w)
	if err != nil {
		return "", err
	}
	if len(fields) != 1 {
		text := sourceOf(w)
		return "", &redirectFault{text, errAmbiguous}
	}
	return fields[0], nil
}

// openTarget opens a file for a redirection.
func (sh *Shell) openTarget(op syntax.RedirOperator, target string, undo *[]redirected, set func(int, *open) error) error {
	flag, standard := os.O_WRONLY|os.O_CREATE, 1
	switch op {
	case syntax.RdrIn:
		flag, standard = os.O_RDONLY, 0
	case syntax.RdrInOut:
		flag, standard = os.O_RDWR|os.O_CREATE, 0
	case syntax.AppOut, syntax.AppAll:
		flag |= os.O_APPEND
	case syntax.RdrOut, syntax.RdrAll:
		if sh.opts.set[optNoClobber] {
			if info, err := sh.fs.Stat(sh.abs(target)); err == nil {
				if info.Mode().IsRegular() {
					return &redirectFault{target, errNoClobber}
				}
			} else {
				flag |= os.O_EXCL
			}
		}
		flag |= os.O_TRUNC
	default:
		flag |= os.O_TRUNC
	}
	o, err := sh.openPath(target, flag)
	if err != nil {
		return &redirectFault{target, err}
	}
	if op == syntax.RdrAll || op == syntax.AppAll {
		second := o.keep()
		if err := set(1, o); err != nil {
			second.drop()
			return err
		}
		*undo = append(*undo, redirected{2, sh.setFd(2, second)})
		return nil
	}
	return set(standard, o)
}

// openPath opens a path of the view as a description. A path of a descriptor gives the
// description that stands there.
func (sh *Shell) openPath(name string, flag int) (*open, error) {
	if name == "" {
		return nil, syscall.ENOENT
	}
	f, err := sh.fs.Open(sh.abs(name), flag, fs.FileMode(0o666&^sh.mask))
	if err != nil {
		return nil, err
	}
	if d, ok := f.(*descriptor); ok {
		o := d.open.keep()
		d.Close()
		return o, nil
	}
	access := flag & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
	if access == os.O_RDONLY {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			// Opening succeeds as in the real one; reading says that it is a directory.
			return openFile(f, true, false), nil
		}
	}
	return openFile(f, access != os.O_WRONLY, access != os.O_RDONLY), nil
}

// duplicate carries out N>&M, N<&M, N>&M- and N>&-, and >&file.
func (sh *Shell) duplicate(ctx context.Context, r *syntax.Redirect, fd int, name string, undo *[]redirected, set func(int, *open) error) error {
	word, err := sh.target(ctx, r.Word)
	if err != nil {
		return err
	}
	standard := 0
	if r.Op == syntax.DplOut {
		standard = 1
	}
	if word == "-" {
		if name != "" {
			n, err := strconv.Atoi(sh.element(ctx, name))
			if err != nil {
				return &redirectFault{name, syscall.EBADF}
			}
			sh.closeFd(n)
			return nil
		}
		return set(standard, nil)
	}
	digits, move := strings.CutSuffix(word, "-")
	n, err := strconv.Atoi(digits)
	if err != nil {
		if r.Op == syntax.DplOut && r.N == nil {
			return sh.openTarget(syntax.RdrAll, word, undo, set)
		}
		return &redirectFault{word, errAmbiguous}
	}
	o := sh.fd(n)
	if o == nil {
		return &redirectFault{digits, syscall.EBADF}
	}
	if err := set(standard, o.keep()); err != nil {
		return err
	}
	if fd < 0 {
		fd = standard
	}
	if move && n != fd {
		sh.closeFd(n)
	}
	return nil
}

// closeFd closes a descriptor.
func (sh *Shell) closeFd(n int) {
	if sh.fd(n) != nil {
		sh.setFd(n, nil).drop()
	}
}

// element gives the value of a name or of name[subscript].
func (sh *Shell) element(ctx context.Context, target string) string {
	if !strings.Contains(target, "[") {
		return sh.Get(target).String()
	}
	p, give := sh.parser()
	w, err := p.Document(strings.NewReader("${" + target + "}"))
	give()
	if err != nil {
		return ""
	}
	value, err := sh.exp.Document(ctx, w)
	if err != nil {
		return ""
	}
	return value
}
