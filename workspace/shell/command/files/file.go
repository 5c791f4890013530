package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const fileUsage = `
Usage: file [OPTION]... FILE...
Say what kind of data files hold, by what they begin with.

  -b, --brief            without the name of the file
  -i, --mime             as a MIME type with its encoding;  --mime-type, --mime-encoding  one of them
  -L, -h                 follow links; do not (default)
  -f, --files-from=FILE  names from FILE
  -F, --separator=TEXT   instead of the colon
  -N, -0, -E             do not pad names; NUL behind names; a file that is not there is a fault
`

func fileCommand() *command.Command {
	return &command.Command{Name: "file", Group: "files", Short: "say what kind of data files hold", Usage: fileUsage, Run: runFile}
}

func runFile(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "b,brief i,mime mime-type mime-encoding L,dereference h,no-dereference f,files-from: F,separator: N,no-pad 0,print0 E s,special-files k,keep-going r,raw n,no-buffer z,uncompress", 1)
	if !ok {
		return r.code
	}
	names := r.opt.Args
	if from := r.opt.Value("f", ""); r.opt.Has("f") {
		f, err := r.Open(from)
		if err != nil {
			return r.Fail("cannot open `"+from+"'", err)
		}
		more, err := readList(f, '\n')
		f.Close()
		if err != nil {
			return r.Fail(from, err)
		}
		names = append(more, names...)
	}
	if len(names) == 0 {
		return c.UsageError(1, errors.New("missing file operand"))
	}
	widest := 0
	for _, name := range names {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	for _, name := range names {
		if r.over() {
			break
		}
		line := r.kind(name).shown(r.opt)
		if !r.opt.Has("b") {
			shown := name
			if name == "-" {
				shown = "/dev/stdin"
			}
			separator := r.opt.Value("F", ":")
			gap := strings.Repeat(" ", widest-utf8.RuneCountInString(name)) + " "
			if r.opt.Has("N") {
				gap = " "
			}
			if r.opt.Has("0") {
				separator = "\x00" + separator
			}
			line = shown + separator + gap + line
		}
		r.Out.WriteString(line + "\n")
	}
	return r.code
}

// kind is what file says of a file.
type kind struct {
	words    string
	mime     string
	encoding string
}

func (k kind) shown(o *command.Options) string {
	switch o.Last("i", "mime-type", "mime-encoding") {
	case "i":
		return k.mime + "; charset=" + k.encoding
	case "mime-type":
		return k.mime
	case "mime-encoding":
		return k.encoding
	}
	return k.words
}

// looked is how many bytes of a file are looked at.
const looked = 256 << 10

func (r *run) kind(name string) kind {
	if name == "-" {
		return kindOf(r.head(r.In))
	}
	info, err := r.look(name, r.opt.Last("L", "h") == "L")
	if err != nil {
		if r.opt.Has("E") {
			r.code = 1
			return kind{"ERROR: cannot stat `" + name + "' (" + text(err) + ")", "", "binary"}
		}
		return kind{"cannot open `" + name + "' (" + text(err) + ")", "cannot open `" + name + "' (" + text(err) + ")", "binary"}
	}
	switch kindLetter(info.Mode()) {
	case 'd':
		return kind{"directory", "inode/directory", "binary"}
	case 'l':
		target, _ := r.FS.Readlink(r.Abs(name))
		words := "symbolic link to "
		if _, err := r.stat(name); err != nil {
			words = "broken symbolic link to "
		}
		return kind{words + target, "inode/symlink", "binary"}
	case 'c':
		return kind{"character special", "inode/chardevice", "binary"}
	case 'b':
		return kind{"block special", "inode/blockdevice", "binary"}
	case 'p':
		return kind{"fifo (named pipe)", "inode/fifo", "binary"}
	case 's':
		return kind{"socket", "inode/socket", "binary"}
	}
	f, err := r.Open(name)
	if err != nil {
		return kind{"regular file, no read permission", "regular file, no read permission", "binary"}
	}
	defer f.Close()
	k := kindOf(r.head(f))
	if info.Mode()&fs.ModeSetuid != 0 {
		k.words = "setuid " + k.words
	}
	return k
}

func (r *run) head(in io.Reader) []byte {
	b, err := io.ReadAll(io.LimitReader(r.reader(in), looked))
	if err != nil {
		r.failed("%s", text(err))
	}
	return b
}
