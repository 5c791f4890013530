package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

const diffUsage = `Usage: diff [OPTION]... FILE1 FILE2
Compare files, or with two directories the files in them, line by line.

      --normal               the default form
  -u, -U N, --unified[=N]    with N lines of context, 3 when not given
  -c, -C N, --context[=N]    as changed blocks of both files
  -q, --brief                say only whether files differ
  -s, --report-identical-files
  -p, --show-c-function      show in which function each change is
      --label LABEL          instead of a file's name and time; may be given twice
  -r, --recursive            subdirectories as well
  -N, --new-file             absent files as empty
  -x, --exclude=PATTERN      leave out files whose name matches
  -i, --ignore-case
  -E, --ignore-tab-expansion
  -Z, --ignore-trailing-space
  -b, --ignore-space-change  changes in the amount of white space
  -w, --ignore-all-space
  -B, --ignore-blank-lines
      --strip-trailing-cr
  -a, --text                 binary files as text
  -d, --minimal              look for a smaller set of changes
      --color[=WHEN]         always, never or auto (never, as there is no terminal)

Exit status: 0 no difference, 1 some, 2 trouble.`

const diffOptions = "u unified:: U: c context:: C: normal q,brief s,report-identical-files p,show-c-function label: L: r,recursive N,new-file x,exclude: X,exclude-from: " +
	"i,ignore-case E,ignore-tab-expansion Z,ignore-trailing-space b,ignore-space-change w,ignore-all-space B,ignore-blank-lines strip-trailing-cr a,text d,minimal " +
	"color:: H,speed-large-files e,ed n,rcs y,side-by-side"

// differ is one run of diff.
type differ struct {
	c        *command.Call
	ctx      context.Context
	form     byte // 'n' normal, 'u', 'c', 'q'
	lines    int  // of context
	labels   []string
	function bool
	color    bool
	identity bool // -s
	recurse  bool
	absent   bool // -N
	text     bool
	blank    bool // -B
	exclude  []string
	same     sameness
	command  string // of directories: "diff -r -u"
}

func runDiff(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, diffOptions)
	if err != nil {
		return c.UsageError(2, err)
	}
	d := &differ{
		c: c, ctx: ctx, form: 'n', lines: 3, function: o.Has("p"), identity: o.Has("s"), recurse: o.Has("r"), absent: o.Has("N"), text: o.Has("a"), blank: o.Has("B"),
		same: sameness{fold: o.Has("i"), tabs: o.Has("E"), trailing: o.Has("Z"), amount: o.Has("b"), all: o.Has("w"), cr: o.Has("strip-trailing-cr")},
	}
	if err := d.setForm(o); err != nil {
		return c.UsageError(2, err)
	}
	switch {
	case len(o.Args) == 0:
		return c.UsageError(2, fmt.Errorf("missing operand after '%s'", c.Args[len(c.Args)-1]))
	case len(o.Args) == 1:
		return c.UsageError(2, fmt.Errorf("missing operand after '%s'", o.Args[0]))
	case len(o.Args) > 2:
		return c.UsageError(2, fmt.Errorf("extra operand '%s'", o.Args[2]))
	}
	for _, name := range o.Values("X") {
		text, err := readAll(c, name)
		if err != nil {
			return max(2, c.Fail(name, err))
		}
		d.exclude = append(d.exclude, strings.Fields(text)...)
	}
	d.command = "diff"
	for _, arg := range c.Args[1:] {
		if arg != o.Args[0] && arg != o.Args[1] {
			d.command += " " + quoteArg(arg)
		}
	}
	return d.pair(o.Args[0], o.Args[1])
}

func (d *differ) setForm(o *command.Options) error {
	forms := map[byte]bool{}
	for _, s := range o.Seen() {
		n := ""
		switch s.Name {
		case "u", "unified", "U":
			d.form, n = 'u', s.Value
		case "c", "context", "C":
			d.form, n = 'c', s.Value
		case "normal":
			d.form = 'n'
		case "q":
			continue
		case "e", "n", "y":
			return fmt.Errorf("option '-%s' is not supported here: use -u or the normal form", s.Name)
		case "label", "L":
			d.labels = append(d.labels, s.Value)
			continue
		case "x":
			d.exclude = append(d.exclude, s.Value)
			continue
		case "color":
			switch s.Value {
			case "always":
				d.color = true
			case "", "auto", "never":
				d.color = false
			default:
				return fmt.Errorf("invalid color '%s'", s.Value)
			}
			continue
		default:
			continue
		}
		forms[d.form] = true
		if n != "" {
			lines, err := strconv.Atoi(n)
			if err != nil || lines < 0 {
				return fmt.Errorf("invalid context length '%s'", n)
			}
			d.lines = lines
		}
	}
	if len(forms) > 1 {
		return errors.New("conflicting output style options")
	}
	if d.function && d.form == 'n' && !forms['n'] {
		d.form = 'c'
	}
	if o.Has("q") {
		d.form = 'q'
	}
	return nil
}

// quoteArg gives an argument as a shell would need it.
func quoteArg(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%^") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// side is one of the two files.
type side struct {
	name string
	info fs.FileInfo // nil: absent
	time time.Time
}

func (d *differ) side(name string) (side, error) {
	if name == "-" {
		return side{name: name, time: d.c.Now()}, nil
	}
	info, err := d.c.FS.Stat(d.c.Abs(name))
	if err != nil {
		return side{name: name, time: time.Unix(0, 0)}, err
	}
	return side{name, info, info.ModTime()}, nil
}

func (s side) dir() bool { return s.info != nil && s.info.IsDir() }

// pair compares the two operands.
func (d *differ) pair(from, to string) int {
	a, errA := d.side(from)
	b, errB := d.side(to)
	if errA == nil && errB == nil && a.dir() != b.dir() && from != "-" && to != "-" {
		if a.dir() {
			a, errA = d.side(path.Join(from, path.Base(to)))
		} else {
			b, errB = d.side(path.Join(to, path.Base(from)))
		}
	}
	if d.absent && (errors.Is(errA, fs.ErrNotExist) != errors.Is(errB, fs.ErrNotExist)) {
		if errors.Is(errA, fs.ErrNotExist) {
			errA = nil
		} else {
			errB = nil
		}
	}
	code := 0
	for _, f := range []struct {
		s   side
		err error
	}{{a, errA}, {b, errB}} {
		if f.err != nil {
			d.c.Errorf("%s: %s", f.s.name, view.Text(f.err))
			code = 2
		}
	}
	if code != 0 {
		return code
	}
	if a.dir() && b.dir() {
		return d.dirs(a.name, b.name)
	}
	return d.files(a, b)
}

// read gives the content of a side; an absent one is empty.
func (d *differ) read(s side) (string, error) {
	if s.info == nil && s.name != "-" {
		return "", nil
	}
	return readAll(d.c, s.name)
}

func readAll(c *command.Call, name string) (string, error) {
	f, err := c.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// files compares two files and writes what differs.
func (d *differ) files(a, b side) int {
	textA, err := d.read(a)
	if err != nil {
		return max(2, d.c.Fail(a.name, err))
	}
	textB, err := d.read(b)
	if err != nil {
		return max(2, d.c.Fail(b.name, err))
	}
	if textA == textB {
		return d.alike(a, b)
	}
	if d.form == 'q' && d.same == (sameness{}) && !d.blank {
		fmt.Fprintf(d.c.Out, "Files %s and %s differ\n", a.name, b.name)
		return 1
	}
	if !d.text && (binary(textA) || binary(textB)) {
		kind := "Binary files"
		if d.form == 'q' {
			kind = "Files"
		}
		fmt.Fprintf(d.c.Out, "%s %s and %s differ\n", kind, a.name, b.name)
		return 1
	}
	f := d.compare(textA, textB)
	if d.ctx.Err() != nil {
		return 2
	}
	switch {
	case len(f.changes) == 0:
		return d.alike(a, b)
	case d.form == 'q':
		fmt.Fprintf(d.c.Out, "Files %s and %s differ\n", a.name, b.name)
	default:
		f.nameA, f.nameB = d.heading(a, 0), d.heading(b, 1)
		f.write(d)
	}
	return 1
}

func (d *differ) alike(a, b side) int {
	if d.identity {
		fmt.Fprintf(d.c.Out, "Files %s and %s are identical\n", a.name, b.name)
	}
	return 0
}

// heading gives the name and time of a side, or its label.
func (d *differ) heading(s side, i int) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	if d.form == 'c' {
		return s.name + "\t" + s.time.UTC().Format("Mon Jan _2 15:04:05 2006")
	}
	return s.name + "\t" + s.time.UTC().Format("2006-01-02 15:04:05.000000000 -0700")
}

func binary(text string) bool { return strings.IndexByte(text[:min(len(text), 32<<10)], 0) >= 0 }
