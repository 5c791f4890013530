package text

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
)

func grepCommand() *command.Command {
	return &command.Command{
		Name: "grep", Aliases: []string{"egrep", "fgrep"}, Group: "text", Short: "find lines that match a pattern", Run: runGrep,
		Usage: `Usage: grep [OPTION]... PATTERNS [FILE]...
Write the lines of each FILE that match one of PATTERNS, which are parted by line breaks.

Patterns:
  -E, --extended-regexp   -F, --fixed-strings   -G, --basic-regexp   -P, --perl-regexp
  -e, --regexp=PATTERNS   these patterns        -f, --file=FILE      patterns from FILE
  -i, --ignore-case       --no-ignore-case      -w, --word-regexp    -x, --line-regexp
  -z, --null-data         lines end with NUL
Output:
  -b, --byte-offset   -c, --count   -H, --with-filename   -h, --no-filename   --label=NAME
  -l, --files-with-matches   -L, --files-without-match   -m, --max-count=N   -n, --line-number
  -o, --only-matching   -q, --quiet, --silent   -s, --no-messages   -T, --initial-tab
  -v, --invert-match   -Z, --null   --color[=WHEN]   --line-buffered
  -A, --after-context=N   -B, --before-context=N   -C, --context=N   -N
  --group-separator=TEXT   --no-group-separator
Files:
  -r, --recursive   -R, --dereference-recursive   -d, --directories=read|recurse|skip
  --include=GLOB   --exclude=GLOB   --exclude-dir=GLOB   --exclude-from=FILE
  -a, --text   -I   --binary-files=binary|text|without-match   -D, -U   ignored
Exit status: 0 a line was selected, 1 none, 2 an error.`,
	}
}

const grepSpec = "E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp: f,file: i,ignore-case y no-ignore-case w,word-regexp x,line-regexp " +
	"z,null-data b,byte-offset c,count H,with-filename h,no-filename label: l,files-with-matches L,files-without-match m,max-count: n,line-number " +
	"o,only-matching q,quiet silent s,no-messages T,initial-tab v,invert-match Z,null color:: colour:: line-buffered A,after-context: B,before-context: " +
	"C,context: 0 1 2 3 4 5 6 7 8 9 group-separator: no-group-separator r,recursive R,dereference-recursive d,directories: D,devices: include: exclude: " +
	"exclude-dir: exclude-from: a,text I binary-files: U,binary u,unix-byte-offsets V,version"

// grepper is one run of grep.
type grepper struct {
	c    *command.Call
	re   *regex.Regexp
	none bool // there is no pattern at all

	end                           byte
	invert, count, list, listNot  bool
	quiet, only, names, numbers   bool
	offsets, tab, color, buffered bool
	noMessages                    bool
	nameEnd                       byte // NUL with -Z
	label                         string
	max                           int64 // -1: all
	before, after                 int
	context                       bool   // -A, -B or -C was given
	separator                     string // between groups
	separate                      bool
	binary                        string // binary, text or without-match
	directories                   string
	follow                        bool
	include, exclude, excludeDir  []string

	code    int // 1 until a line is selected
	failed  bool
	visited int
	wrote   bool // a line of output, so that the next group is parted from it
}

const grepUsage = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n"

// grepUsageError tells what is wrong as GNU does: 2 lines.
func grepUsageError(c *command.Call, err error) int {
	if err != nil {
		fmt.Fprintf(c.Err, "%s: %v\n", path.Base(c.Args[0]), err)
	}
	fmt.Fprint(c.Err, grepUsage)
	return 2
}

func runGrep(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, grepSpec)
	if err != nil {
		return grepUsageError(c, err)
	}
	if o.Has("V") {
		c.Out.WriteString("grep (GNU grep) 3.8\n")
		return 0
	}
	g := &grepper{c: c, code: 1}
	if err := g.options(ctx, o); err != nil {
		c.Errorf("%v", err)
		return 2
	}
	patterns, given, err := g.patterns(ctx, o)
	if err != nil {
		c.Errorf("%v", err)
		return 2
	}
	files := o.Args
	if !given {
		if len(files) == 0 {
			return grepUsageError(c, nil)
		}
		patterns = strings.Split(files[0], "\n")
		files = files[1:]
	}
	if err := g.compile(o, patterns); err != nil {
		c.Errorf("%v", err)
		return 2
	}
	if g.max == 0 {
		return 1
	}
	g.run(ctx, o, files)
	if g.failed && (!g.quiet || g.code != 0) {
		return 2
	}
	return g.code
}

func (g *grepper) options(ctx context.Context, o *command.Options) error {
	g.end = terminator(o)
	g.invert, g.count, g.quiet, g.only = o.Has("v"), o.Has("c"), o.Has("q", "silent"), o.Has("o")
	g.list, g.listNot = o.Last("l", "L") == "l", o.Last("l", "L") == "L"
	g.numbers, g.offsets, g.tab, g.buffered, g.noMessages = o.Has("n"), o.Has("b"), o.Has("T"), o.Has("line-buffered"), o.Has("s")
	g.label = o.Value("label", "(standard input)")
	g.binary = "binary"
	g.directories = "read"
	g.separator, g.separate = o.Value("group-separator", "--"), o.Last("group-separator", "no-group-separator") != "no-group-separator"
	if g.nameEnd = ':'; o.Has("Z") {
		g.nameEnd = 0
	}
	g.max = -1
	defaultContext := -1
	digits := ""
	g.before, g.after = -1, -1
	for _, s := range o.Seen() {
		if len(s.Name) == 1 && s.Name[0] >= '0' && s.Name[0] <= '9' {
			digits += s.Name
			n, err := strconv.Atoi(digits)
			if err != nil {
				n = 1 << 30
			}
			defaultContext = n
			continue
		}
		digits = ""
		if err := g.option(ctx, s, &defaultContext); err != nil {
			return err
		}
	}
	g.context = max(g.before, g.after, defaultContext) > 0
	if g.before < 0 {
		g.before = max(defaultContext, 0)
	}
	if g.after < 0 {
		g.after = max(defaultContext, 0)
	}
	if o.Has("r", "R") {
		g.directories = "recurse"
		g.follow = o.Last("r", "R") == "R"
	}
	return nil
}

// option takes an option with a value or one of which the last counts.
func (g *grepper) option(ctx context.Context, s command.Seen, defaultContext *int) (err error) {
	switch s.Name {
	case "A":
		g.after, err = contextLength(s.Value)
	case "B":
		g.before, err = contextLength(s.Value)
	case "C":
		*defaultContext, err = contextLength(s.Value)
	case "m":
		if g.max, err = strconv.ParseInt(s.Value, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return errors.New("invalid max count")
		}
		return nil
	case "a":
		g.binary = "text"
	case "I":
		g.binary = "without-match"
	case "binary-files":
		if g.binary = s.Value; !strings.Contains(" binary text without-match ", " "+s.Value+" ") {
			return errors.New("unknown binary-files type")
		}
	case "d":
		if g.directories = s.Value; !strings.Contains(" read recurse skip ", " "+s.Value+" ") {
			return fmt.Errorf("invalid argument '%s' for '--directories'", s.Value)
		}
	case "color", "colour":
		if s.Joined && !strings.Contains(" always never auto yes no force none tty if-tty ", " "+s.Value+" ") {
			return fmt.Errorf("invalid argument '%s' for '--color'", s.Value)
		}
		g.color = s.Value == "always" || s.Value == "yes" || s.Value == "force"
	case "include":
		g.include = append(g.include, s.Value)
	case "exclude":
		g.exclude = append(g.exclude, s.Value)
	case "exclude-dir":
		g.excludeDir = append(g.excludeDir, strings.TrimRight(s.Value, "/"))
	case "exclude-from":
		data, err := readAll(ctx, g.c, s.Value)
		if err != nil {
			return &command.PathError{Path: s.Value, Err: err}
		}
		g.exclude = append(g.exclude, strings.Fields(string(data))...)
	}
	return err
}

func contextLength(s string) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 1 << 30, nil
	case err != nil || n < 0:
		return 0, fmt.Errorf("%s: invalid context length argument", s)
	}
	return min(n, 1<<30), nil
}

// patterns gives those of -e and -f.
func (g *grepper) patterns(ctx context.Context, o *command.Options) (list []string, given bool, err error) {
	for _, s := range o.Seen() {
		switch s.Name {
		case "e":
			list = append(list, strings.Split(s.Value, "\n")...)
			given = true
		case "f":
			given = true
			data, err := readAll(ctx, g.c, s.Value)
			if err != nil {
				return nil, false, &command.PathError{Path: s.Value, Err: err}
			}
			if len(data) > 0 {
				list = append(list, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")...)
			}
		}
	}
	return list, given, nil
}

func (g *grepper) compile(o *command.Options, patterns []string) error {
	ro := regex.Options{
		Records: true, Terminator: g.end, Word: o.Has("w"), Whole: o.Has("x"), Budget: g.c.Budget,
		FoldCase: o.Last("i", "y", "no-ignore-case") != "" && o.Last("i", "y", "no-ignore-case") != "no-ignore-case",
	}
	switch path.Base(g.c.Args[0]) {
	case "egrep":
		ro.Syntax = regex.Extended
	case "fgrep":
		ro.Syntax = regex.Fixed
	}
	switch o.Last("E", "F", "G", "P") {
	case "E":
		ro.Syntax = regex.Extended
	case "F":
		ro.Syntax = regex.Fixed
	case "G":
		ro.Syntax = regex.Basic
	case "P":
		ro.Syntax = regex.Perl
	}
	if o.Has("P") && o.Has("E", "F", "G") {
		return errors.New("conflicting matchers specified")
	}
	if ro.Syntax == regex.Perl && len(patterns) > 1 {
		return errors.New("the -P option only supports a single pattern")
	}
	if g.none = len(patterns) == 0; g.none {
		patterns = []string{""}
	}
	re, err := regex.CompileAny(patterns, ro)
	if err != nil {
		return err
	}
	for _, w := range re.Warnings() {
		g.c.Errorf("warning: %s", w)
	}
	g.re = re
	return nil
}
