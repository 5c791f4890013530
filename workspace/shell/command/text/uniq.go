package text

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func uniqCommand() *command.Command {
	return &command.Command{
		Name: "uniq", Group: "text", Short: "leave out lines that repeat the line before", Run: runUniq,
		Usage: `Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Of equal lines in a row write one.

  -c, --count            before each line how often it stood there
  -d, --repeated         only lines that repeat, one of each
  -D, --all-repeated[=HOW]  all lines that repeat; HOW is none, prepend or separate: where
                         empty lines go between the groups
  --group[=HOW]          all lines, groups parted by empty lines: separate, prepend, append, both
  -f, --skip-fields=N    do not compare the first N fields
  -i, --ignore-case      compare without regard to case
  -s, --skip-chars=N     do not compare the first N characters
  -u, --unique           only lines that do not repeat
  -w, --check-chars=N    compare no more than N characters
  -z, --zero-terminated  lines end with NUL`,
	}
}

type uniquer struct {
	out            io.Writer
	fields, chars  int64
	width          int64
	fold, counted  bool
	repeated, once bool
	all            string // of -D
	group          string
	end            byte
	groups         int
}

func runUniq(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "c,count d,repeated D all-repeated:: group:: f,skip-fields: i,ignore-case s,skip-chars: u,unique w,check-chars: z,zero-terminated")
	if err != nil {
		return c.UsageError(1, err)
	}
	u := &uniquer{out: c.Out, fold: o.Has("i"), counted: o.Has("c"), repeated: o.Has("d"), once: o.Has("u"), end: terminator(o), width: math.MaxInt64}
	for name, field := range map[string]*int64{"f": &u.fields, "s": &u.chars, "w": &u.width} {
		if !o.Has(name) {
			continue
		}
		if *field, err = number(o.Value(name, ""), 0, map[string]string{"f": "number of fields to skip", "s": "number of bytes to skip", "w": "number of bytes to compare"}[name]); err != nil {
			c.Errorf("%v", err)
			return 1
		}
	}
	if err := u.modes(o); err != nil {
		return c.UsageError(1, err)
	}
	in := "-"
	if len(o.Args) > 0 {
		in = o.Args[0]
	}
	if len(o.Args) > 1 && o.Args[1] != "-" {
		f, err := c.FS.Open(c.Abs(o.Args[1]), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666&^c.Umask)
		if err != nil {
			return c.Fail(o.Args[1], err)
		}
		w := command.NewWriter(f)
		u.out = w
		defer f.Close()
		defer w.Flush()
	}
	return eachInput(ctx, c, []string{in}, func(_ string, r io.Reader) error { return u.run(ctx, c, r) })
}

func (u *uniquer) modes(o *command.Options) error {
	if len(o.Args) > 2 {
		return fmt.Errorf("extra operand '%s'", o.Args[2])
	}
	if o.Has("D", "all-repeated") {
		u.all = o.Value("all-repeated", "")
		if u.all == "" {
			u.all = "none"
		}
		if !strings.Contains(" none prepend separate ", " "+u.all+" ") {
			return fmt.Errorf("invalid argument '%s' for '--all-repeated'", u.all)
		}
	}
	if o.Has("group") {
		u.group = o.Value("group", "")
		if u.group == "" {
			u.group = "separate"
		}
		switch {
		case !strings.Contains(" separate prepend append both ", " "+u.group+" "):
			return fmt.Errorf("invalid argument '%s' for '--group'", u.group)
		case u.counted || u.repeated || u.once || u.all != "":
			return fmt.Errorf("--group is mutually exclusive with -c/-d/-D/-u")
		}
	}
	if u.all != "" && u.counted {
		return fmt.Errorf("printing all duplicated lines and repeat counts is meaningless")
	}
	return nil
}

func (u *uniquer) run(ctx context.Context, c *command.Call, r io.Reader) error {
	var first []byte // of the group
	count := int64(0)
	err := eachLine(ctx, c, r, u.end, func(line []byte, _ bool) bool {
		if count > 0 && u.equal(u.part(first), u.part(line)) {
			count++
			u.inGroup(first, line, count)
		} else {
			u.endGroup(first, count)
			first = append(first[:0], line...)
			count = 1
			u.inGroup(first, line, count)
		}
		return c.Out.Err() == nil
	})
	u.endGroup(first, count)
	if u.groups > 0 && (u.group == "append" || u.group == "both") {
		u.write(nil)
	}
	return err
}

// inGroup writes what is known as soon as the n-th line of a group is read.
func (u *uniquer) inGroup(first, line []byte, n int64) {
	switch {
	case u.group != "":
		if n == 1 {
			if u.groups > 0 || u.group == "prepend" || u.group == "both" {
				u.write(nil)
			}
			u.groups++
		}
		u.write(line)
	case u.all != "" && !u.once && n > 1:
		if n == 2 {
			if u.all == "prepend" || u.all == "separate" && u.groups > 0 {
				u.write(nil)
			}
			u.groups++
			u.write(first)
		}
		u.write(line)
	}
}

func (u *uniquer) endGroup(first []byte, n int64) {
	switch {
	case n == 0 || u.group != "" || u.all != "":
		return
	case u.repeated && u.once, u.repeated && n == 1, u.once && n > 1:
		return
	case u.counted:
		fmt.Fprintf(u.out, "%7d ", n)
	}
	u.write(first)
}

func (u *uniquer) write(line []byte) {
	_, _ = u.out.Write(line) // the writer remembers its error
	_, _ = u.out.Write([]byte{u.end})
}

// part gives what of a line is compared.
func (u *uniquer) part(line []byte) []byte {
	for range u.fields {
		line = bytes.TrimLeft(line, " \t")
		i := bytes.IndexAny(line, " \t")
		if i < 0 {
			line = nil
			break
		}
		line = line[i:]
	}
	line = line[min(u.chars, int64(len(line))):]
	return line[:min(u.width, int64(len(line)))]
}

func (u *uniquer) equal(a, b []byte) bool {
	if !u.fold {
		return bytes.Equal(a, b)
	}
	return len(a) == len(b) && compareFold(a, b) == 0
}

// compareFold compares bytes with ASCII letters as upper case.
func compareFold(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := upper(a[i]), upper(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}
