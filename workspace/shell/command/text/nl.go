package text

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
)

func nlCommand() *command.Command {
	return &command.Command{
		Name: "nl", Group: "text", Short: "number lines", Run: runNl,
		Usage: `Usage: nl [OPTION]... [FILE]...
Write the FILEs with numbers before their lines.

  -b, --body-numbering=STYLE    a all lines, t those that are not empty, n none, pBRE those
                                that match; -f footer and -h header likewise
  -d, --section-delimiter=CC    the two characters of the lines that part pages; \:
  -i, --line-increment=N        count in steps of N
  -l, --join-blank-lines=N      count N empty lines in a row as one
  -n, --number-format=FORMAT    ln left, rn right, rz right with zeros
  -p, --no-renumber             go on counting on the next page
  -s, --number-separator=TEXT   after the number; tab
  -v, --starting-line-number=N  the first number
  -w, --number-width=N          width of the numbers; 6`,
	}
}

type numberer struct {
	style          [3]byte // header, body, footer: a, t, n or p
	match          [3]*regex.Regexp
	delimiter      string
	step, start, n int64
	join, blanks   int64
	width          int
	format, sep    string
	keep           bool
	section        int
}

func runNl(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "b,body-numbering: f,footer-numbering: h,header-numbering: d,section-delimiter: i,line-increment: l,join-blank-lines: n,number-format: p,no-renumber s,number-separator: v,starting-line-number: w,number-width:")
	if err != nil {
		return c.UsageError(1, err)
	}
	k, err := newNumberer(c, o)
	if err != nil {
		return c.UsageError(1, err)
	}
	return eachInput(ctx, c, o.Args, func(_ string, r io.Reader) error {
		return eachLine(ctx, c, r, '\n', func(line []byte, _ bool) bool {
			k.write(c.Out, line)
			return c.Out.Err() == nil
		})
	})
}

func newNumberer(c *command.Call, o *command.Options) (*numberer, error) {
	k := &numberer{style: [3]byte{'n', 't', 'n'}, section: 1, format: o.Value("n", "rn"), sep: o.Value("s", "\t"), keep: o.Has("p")}
	for i, name := range []string{"h", "b", "f"} {
		if !o.Has(name) {
			continue
		}
		style := o.Value(name, "")
		switch {
		case style == "a" || style == "t" || style == "n":
			k.style[i] = style[0]
		case strings.HasPrefix(style, "p"):
			k.style[i] = 'p'
			var err error
			if k.match[i], err = regex.Compile(style[1:], regex.Options{Budget: c.Budget}); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("invalid %s numbering style: '%s'", []string{"header", "body", "footer"}[i], style)
		}
	}
	k.delimiter = o.Value("d", `\:`)
	if len(k.delimiter) == 1 {
		k.delimiter += ":"
	}
	if !strings.Contains(" ln rn rz ", " "+k.format+" ") {
		return nil, fmt.Errorf("invalid line numbering format: '%s'", k.format)
	}
	var width int64
	for _, n := range []struct {
		name   string
		field  *int64
		normal string
		least  int64
		what   string
	}{
		{"i", &k.step, "1", -1 << 62, "line number increment"}, {"v", &k.start, "1", -1 << 62, "starting line number"},
		{"l", &k.join, "1", 1, "line number of blank lines"}, {"w", &width, "6", 1, "line number field width"},
	} {
		value := o.Value(n.name, n.normal)
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil || v < n.least {
			return nil, fmt.Errorf("invalid %s: '%s'", n.what, value)
		}
		*n.field = v
	}
	k.width = int(min(width, 1<<16))
	k.n = k.start
	return k, nil
}

func (k *numberer) write(w *command.Writer, line []byte) {
	if section := k.delimits(string(line)); section >= 0 {
		k.section = section
		if !k.keep && (section == 0 || section == 1 || section == 2) {
			k.n = k.start
		}
		w.WriteByte('\n')
		return
	}
	if !k.numbered(line) {
		fmt.Fprintf(w, "%*s%s\n", k.width+len(k.sep), "", line)
		return
	}
	switch k.format {
	case "ln":
		fmt.Fprintf(w, "%-*d", k.width, k.n)
	case "rz":
		fmt.Fprintf(w, "%0*d", k.width, k.n)
	default:
		fmt.Fprintf(w, "%*d", k.width, k.n)
	}
	w.WriteString(k.sep)
	w.Write(line)
	w.WriteByte('\n')
	k.n += k.step
}

// delimits gives the section that a line begins, or -1.
func (k *numberer) delimits(line string) int {
	if k.delimiter == "" {
		return -1
	}
	switch line {
	case strings.Repeat(k.delimiter, 3):
		return 0
	case strings.Repeat(k.delimiter, 2):
		return 1
	case k.delimiter:
		return 2
	}
	return -1
}

func (k *numberer) numbered(line []byte) bool {
	switch k.style[k.section] {
	case 'a':
		if k.join > 1 {
			if len(line) > 0 {
				k.blanks = 0
				return true
			}
			if k.blanks++; k.blanks < k.join {
				return false
			}
			k.blanks = 0
		}
		return true
	case 't':
		return len(line) > 0
	case 'p':
		return k.match[k.section].Match(line)
	}
	return false
}
