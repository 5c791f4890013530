package data

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

const patchUsage = `Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
Apply a patch, the output of diff in unified, context or normal form, to files.

  -p, --strip=NUM         leave out NUM leading directories of the names in the patch
  -i, --input=PATCHFILE   read the patch from PATCHFILE, not from standard input
  -R, --reverse           the patch has old and new files swapped
  -N, --forward           leave out patches that are applied already
  -F, --fuzz=LINES        lines of context that may differ, 2 when not given
  -l, --ignore-whitespace
  -o, --output=FILE       write the result to FILE
  -r, --reject-file=FILE  write what does not fit to FILE
  -b, --backup            keep the file as it was as FILE.orig
  -z, --suffix=SUFFIX     instead of .orig
      --no-backup-if-mismatch
  -E, --remove-empty-files
  -d, --directory=DIR     change into DIR first
      --dry-run           say what would happen, and change nothing
  -s, --quiet, --silent   say only what goes wrong
  -f, --force             ask nothing, and take the patch as it is
  -t, --batch             ask nothing, and reverse patches that are applied already
  -u, -c, -n              the form of the patch, which is found out anyway

Exit status: 0 all hunks were applied, 1 some were not, 2 trouble.`

const patchOptions = "p,strip: i,input: R,reverse N,forward F,fuzz: l,ignore-whitespace o,output: r,reject-file: b,backup z,suffix: backup-if-mismatch no-backup-if-mismatch " +
	"E,remove-empty-files d,directory: dry-run s,quiet silent f,force t,batch u,unified c,context n,normal verbose binary"

// patcher is one run of patch.
type patcher struct {
	c                              *command.Call
	strip                          int // -1: the last segment only
	fuzz                           int
	reverse, forward, force, batch bool
	dry, silent, backup, spaces    bool
	keepMismatch, removeEmpty      bool
	output, rejectFile, suffix     string
	target                         string // the file to patch, "" for those in the patch
	written                        bool   // to -o
	code                           int
}

func runPatch(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, patchOptions)
	if err != nil {
		return c.UsageError(2, err)
	}
	p := &patcher{
		c: c, strip: -1, fuzz: 2, reverse: o.Has("R"), forward: o.Has("N"), force: o.Has("f"), batch: o.Has("t"), dry: o.Has("dry-run"), silent: o.Has("s", "silent"),
		backup: o.Has("b"), spaces: o.Has("l"), keepMismatch: !o.Has("no-backup-if-mismatch"), removeEmpty: o.Has("E"),
		output: o.Value("o", ""), rejectFile: o.Value("r", ""), suffix: o.Value("z", ".orig"),
	}
	for _, number := range []struct {
		name string
		to   *int
	}{{"p", &p.strip}, {"F", &p.fuzz}} {
		if o.Has(number.name) {
			n, err := strconv.Atoi(o.Value(number.name, ""))
			if err != nil || n < 0 {
				return p.fatal(fmt.Sprintf("%s is not a number", quoteArg(o.Value(number.name, ""))))
			}
			*number.to = n
		}
	}
	input := o.Value("i", "-")
	switch len(o.Args) {
	case 0:
	case 1, 2:
		p.target = o.Args[0]
		if len(o.Args) == 2 {
			input = o.Args[1]
		}
	default:
		return c.UsageError(2, fmt.Errorf("%s: extra operand", o.Args[2]))
	}
	if o.Has("d") {
		dir := c.Abs(o.Value("d", ""))
		if info, err := c.FS.Stat(dir); err != nil || !info.IsDir() {
			return p.fatal(fmt.Sprintf("Can't change to directory %s : %s", o.Value("d", ""), view.Text(cmpErr(err, fs.ErrNotExist))))
		}
		c.Dir = dir
	}
	text, err := readAll(c, input)
	if err != nil {
		return p.fatal(fmt.Sprintf("Can't open patch file %s : %s", input, view.Text(err)))
	}
	return p.all(ctx, text)
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func (p *patcher) fatal(text string) int {
	p.c.Errorf("**** %s", text)
	return 2
}

func (p *patcher) say(format string, args ...any) {
	if !p.silent {
		fmt.Fprintf(p.c.Out, format+"\n", args...)
	}
}

// all applies the patches of all files.
func (p *patcher) all(ctx context.Context, text string) int {
	r := &patchReader{lines: splitLines(text)}
	found := false
	for ctx.Err() == nil {
		f := r.next()
		if r.err != "" {
			if f != nil {
				if name, _ := p.choose(f); name != "" {
					p.say("patching file %s", quoteName(name))
				}
			}
			return p.fatal(r.err)
		}
		if f == nil {
			break
		}
		found = true
		if code := p.file(f); code != 0 {
			return code
		}
	}
	if !found && text != "" {
		return p.fatal("Only garbage was found in the patch input.")
	}
	return p.code
}

// file applies the patch of one file. The code is not 0 when all must end.
func (p *patcher) file(f *filePatch) int {
	if p.reverse {
		for i := range f.hunks {
			f.hunks[i] = f.hunks[i].reverse()
		}
		f.oldNone, f.newNone = f.newNone, f.oldNone
	}
	name, exists := p.choose(f)
	if name == "" {
		p.lost(f)
		return 0
	}
	old, mode := "", fs.FileMode(0o644)
	if exists {
		var err error
		if old, err = readAll(p.c, name); err != nil {
			p.code = 1
			p.c.Fail(name, err)
			return 0
		}
		if info, err := p.c.FS.Stat(p.c.Abs(name)); err == nil {
			mode = info.Mode().Perm()
		}
	} else if !f.oldNone && len(f.hunks) > 0 && !onlyAdds(f) {
		return p.fatal(fmt.Sprintf("Can't reopen file %s : No such file or directory", name))
	}
	if strings.HasSuffix(f.mode, "755") && !p.reverse {
		mode = 0o755
	}
	verb, to := "patching", name
	if p.dry {
		verb = "checking"
	}
	switch {
	case p.output != "":
		p.say("%s file %s (read from %s)", verb, p.output, name)
	case (f.rename || f.copy) && p.target == "":
		if to = p.stripped(f.newName); p.reverse {
			to = p.stripped(f.oldName)
		}
		p.say("%s file %s (%s from %s)", verb, to, map[bool]string{true: "renamed", false: "copied"}[f.rename], name)
	default:
		p.say("%s file %s", verb, quoteName(name))
	}
	result := p.apply(f, old, exists)
	return p.finish(f, name, to, old, exists, mode, result)
}

func onlyAdds(f *filePatch) bool {
	for _, h := range f.hunks {
		if h.oldCount > 0 {
			return false
		}
	}
	return true
}

// quoteName shows a name as patch does.
func quoteName(name string) string {
	if strings.ContainsAny(name, " \t\n'\"\\$`*?") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// apply puts the hunks in, and once more reversed when -t finds that they are in already.
func (p *patcher) apply(f *filePatch, old string, exists bool) applied {
	run := func(detect bool) applied {
		a := &applier{lines: splitLines(old), fuzz: p.fuzz, spaces: p.spaces, detect: detect}
		return a.apply(f.hunks)
	}
	if f.oldNone && exists && old != "" && !p.force && onlyAdds(f) && len(f.hunks) > 0 {
		return applied{text: old, reversed: true}
	}
	result := run(!p.force)
	if !result.reversed || !p.batch {
		return result
	}
	p.say("%s  %s", p.detected(), map[bool]string{false: "Assuming -R.", true: "Ignoring -R."}[p.reverse])
	for i := range f.hunks {
		f.hunks[i] = f.hunks[i].reverse()
	}
	f.oldNone, f.newNone = f.newNone, f.oldNone
	result = run(false)
	result.mismatch = true
	return result
}

func (p *patcher) detected() string {
	if p.reverse {
		return "Unreversed patch detected!"
	}
	return "Reversed (or previously applied) patch detected!"
}
