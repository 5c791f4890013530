package files

import (
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// action reads an action.
func (p *findParser) action(word string) (test, bool, error) {
	f := p.find
	switch word {
	case "-print", "-print0", "-ls", "-delete", "-quit", "-prune":
		t := p.plainAction(word)
		return t, true, nil
	case "-printf":
		format, err := p.value(word)
		f.acts = true
		t := f.printf(f.Out, format)
		return t, true, err
	case "-fprint", "-fprint0", "-fls", "-fprintf":
		t, err := p.fileAction(word)
		return t, true, err
	case "-exec", "-execdir":
		t, err := p.exec(word)
		return t, true, err
	case "-ok", "-okdir":
		return nil, true, fmt.Errorf("%s asks for an answer, and there is nobody to give one; use -exec", word)
	}
	return nil, false, nil
}

func (p *findParser) plainAction(word string) test {
	f := p.find
	switch word {
	case "-prune":
		return func(*node) bool { f.pruned = true; return true }
	case "-quit":
		f.acts = true
		return func(*node) bool { f.quit = true; return true }
	}
	f.acts = true
	switch word {
	case "-print":
		return f.print(f.Out, "\n")
	case "-print0":
		return f.print(f.Out, "\x00")
	case "-ls":
		return f.long(f.Out)
	}
	f.depth = true
	return f.remove
}

func (p *findParser) fileAction(word string) (test, error) {
	name, err := p.value(word)
	if err != nil {
		return nil, err
	}
	out, err := p.output(name)
	if err != nil {
		return nil, err
	}
	p.acts = true
	switch word {
	case "-fprint":
		return p.print(out, "\n"), nil
	case "-fprint0":
		return p.print(out, "\x00"), nil
	case "-fls":
		return p.long(out), nil
	}
	format, err := p.value(word)
	return p.find.printf(out, format), err
}

// output opens a file for writing once, before the search.
func (f *find) output(name string) (io.Writer, error) {
	if o := f.outputs[name]; o != nil {
		return o, nil
	}
	file, err := f.FS.Open(f.Abs(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, fmt.Errorf("‘%s’: %s", name, text(err))
	}
	w := command.NewWriter(file)
	f.outputs[name] = &output{w, func() error {
		err := w.Flush()
		if e := file.Close(); err == nil {
			err = e
		}
		return err
	}}
	return f.outputs[name], nil
}

func (f *find) print(out io.Writer, end string) test {
	return func(n *node) bool {
		io.WriteString(out, n.name+end)
		return true
	}
}

func (f *find) remove(n *node) bool {
	if n.name == "." {
		return true
	}
	if err := f.FS.Remove(f.Abs(n.name)); err != nil {
		f.failed("cannot delete ‘%s’: %s", n.name, text(err))
		return false
	}
	return true
}

// long prints a line as ls -dils.
func (f *find) long(out io.Writer) test {
	l := listing{loc: f.zone, now: f.started, stamp: 'm'}
	return func(n *node) bool {
		a := attrOf(n.info)
		fmt.Fprintf(out, "%9d %6d %s %3d %-8s %-8s %8d %s %s", a.ino, ceilDiv(a.blocks, 2), modeString(n.info.Mode()), a.links,
			l.user(a.uid), l.user(a.gid), n.info.Size(), l.when(n.info.ModTime()), escaped(n.name, " "))
		if kindLetter(n.info.Mode()) == 'l' {
			target, _ := f.FS.Readlink(f.Abs(n.name))
			io.WriteString(out, " -> "+escaped(target, " "))
		}
		io.WriteString(out, "\n")
		return true
	}
}

// batch is the arguments that -exec COMMAND {} + collects.
type batch struct {
	*find
	command []string
	dir     string // of -execdir; "": as find
	names   []string
	bytes   int
}

// batchBytes is how many bytes of names one command of -exec {} + gets, as in GNU find.
const batchBytes = 128 << 10

func (b *batch) run() {
	if len(b.names) == 0 || b.over() {
		return
	}
	args := append(append([]string{}, b.command...), b.names...)
	b.names, b.bytes = nil, 0
	if b.start(args, b.dir) != 0 {
		b.code = max(b.code, 1)
	}
}

func (b *batch) add(name, dir string) {
	if b.bytes+len(name) > batchBytes || dir != b.dir {
		b.run()
	}
	b.dir = dir
	b.names = append(b.names, name)
	b.bytes += len(name) + 1
}

// start runs a command with the streams of find.
func (f *find) start(args []string, dir string) int {
	f.Out.Flush()
	code := f.Shell(f.ctx, command.Nested{Args: args, In: f.In, Out: f.Out, Err: f.Err, Dir: dir})
	f.Out.Flush()
	return code
}

func (p *findParser) exec(word string) (test, error) {
	f := p.find
	end := 0
	plus := false
	for ; end < len(p.args) && p.args[end] != ";"; end++ {
		if p.args[end] == "+" && end > 0 && p.args[end-1] == "{}" {
			plus = true
			break
		}
	}
	if end == len(p.args) || end == 0 {
		return nil, fmt.Errorf("missing argument to `%s'", word)
	}
	args := p.args[:end]
	p.args = p.args[end+1:]
	f.acts = true
	place := func(n *node) (name, dir string) {
		if word == "-exec" {
			return n.name, ""
		}
		if n.base() == "/" {
			return "/", "/"
		}
		return "./" + n.base(), path.Dir(strings.TrimRight(f.Abs(n.name), "/"))
	}
	if plus {
		args = args[:len(args)-1]
		if len(args) == 0 {
			return nil, fmt.Errorf("missing argument to `%s'", word)
		}
		b := &batch{find: f, command: args}
		f.pending = append(f.pending, b)
		return func(n *node) bool {
			b.add(place(n))
			return true
		}, nil
	}
	return func(n *node) bool {
		if f.over() {
			return false
		}
		name, dir := place(n)
		full := make([]string, len(args))
		for i, a := range args {
			full[i] = strings.ReplaceAll(a, "{}", name)
		}
		return f.start(full, dir) == 0
	}, nil
}

// kindName gives the letter of %y: f for a regular file.
func kindName(letter byte) string {
	if letter == '-' {
		return "f"
	}
	return string(letter)
}

// octal reads up to three digits of an escape.
func octal(s string) (b byte, n int) {
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '7' {
		n++
	}
	v, _ := strconv.ParseUint(s[:n], 8, 16)
	return byte(v), n
}
