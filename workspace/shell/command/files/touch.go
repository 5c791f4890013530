package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const touchUsage = `
Usage: touch [OPTION]... FILE...
Set the access and modification time of files to now; make those that do not exist.

  -a, -m                 only the access time; only the modification time
  --time=WORD            access, atime, use: as -a; modify, mtime: as -m
  -c, --no-create        make nothing
  -d, --date=TEXT        this time: a date, "2 days ago", @SECONDS
  -t [[CC]YY]MMDDhhmm[.ss]   this time
  -r, --reference=FILE   the times of this file; with -d relative to them
`

func touchCommand() *command.Command {
	return &command.Command{Name: "touch", Group: "files", Short: "change times of files, make empty ones", Usage: touchUsage, Run: runTouch}
}

func runTouch(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "a m c,no-create d,date: t: r,reference: time: f h,no-dereference", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return c.UsageError(1, errors.New("missing file operand"))
	}
	if r.opt.Has("h") {
		return c.UsageError(1, errors.New("invalid option -- 'h': the times of a link cannot be set"))
	}
	accessed, modified, err := r.touchTimes()
	if err != nil {
		r.failed("%v", err)
		return r.code
	}
	word := r.opt.Value("time", "")
	onlyAccess := r.opt.Has("a") || word == "access" || word == "atime" || word == "use"
	onlyModified := r.opt.Has("m") || word == "modify" || word == "mtime"
	if word != "" && !onlyAccess && !onlyModified {
		return c.UsageError(1, fmt.Errorf("invalid argument '%s' for '--time'", word))
	}
	if onlyAccess != onlyModified {
		if onlyAccess {
			modified = time.Time{}
		} else {
			accessed = time.Time{}
		}
	}
	for _, name := range r.opt.Args {
		if err := r.touch(name, accessed, modified); err != nil {
			r.failed("cannot touch '%s': %s", name, text(err))
		}
	}
	return r.code
}

func (r *run) touch(name string, accessed, modified time.Time) error {
	if name == "-" { // standard output, which is no file here
		return nil
	}
	p, err := r.path(name)
	if err != nil {
		return err
	}
	if _, err := r.FS.Stat(p); errors.Is(err, fs.ErrNotExist) {
		if r.opt.Has("c") {
			return nil
		}
		f, err := r.FS.Open(p, os.O_WRONLY|os.O_CREATE, 0o666&^r.Umask)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	return r.FS.Chtimes(p, accessed, modified)
}

// touchTimes gives the times that are to be set.
func (r *run) touchTimes() (accessed, modified time.Time, err error) {
	now := r.Now().In(zone(r.Call))
	accessed, modified = now, now
	if ref := r.opt.Value("r", ""); r.opt.Has("r") {
		info, err := r.stat(ref)
		if err != nil {
			return now, now, fmt.Errorf("failed to get attributes of '%s': %s", ref, text(err))
		}
		accessed, modified = timeOf(info, 'a').In(now.Location()), info.ModTime().In(now.Location())
	}
	if r.opt.Has("t") {
		t, err := parseTouch(r.opt.Value("t", ""), now)
		return t, t, err
	}
	if date := r.opt.Value("d", ""); r.opt.Has("d") {
		accessed, err = parseWhen(date, accessed)
		if err == nil {
			modified, err = parseWhen(date, modified)
		}
		if err != nil {
			return now, now, fmt.Errorf("invalid date format '%s'", date)
		}
	}
	return accessed, modified, nil
}

// parseTouch reads [[CC]YY]MMDDhhmm[.ss].
func parseTouch(s string, now time.Time) (time.Time, error) {
	fail := func() (time.Time, error) { return now, fmt.Errorf("invalid date format '%s'", s) }
	date, secs, dotted := strings.Cut(s, ".")
	for _, c := range date + secs {
		if !isDigit(c) {
			return fail()
		}
	}
	year := now.Year()
	switch len(date) {
	case 12:
		year, _ = strconv.Atoi(date[:4])
		date = date[4:]
	case 10:
		year, _ = strconv.Atoi(date[:2])
		if year += 2000; year >= 2069 {
			year -= 100
		}
		date = date[2:]
	case 8:
	default:
		return fail()
	}
	if dotted && len(secs) != 2 {
		return fail()
	}
	part := func(s string) int { n, _ := strconv.Atoi(s); return n }
	month, day, hour, minute, second := part(date[:2]), part(date[2:4]), part(date[4:6]), part(date[6:8]), part(secs)
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, now.Location())
	if int(t.Month()) != month || t.Day() != day || hour > 23 || minute > 59 || second > 60 {
		return fail()
	}
	return t, nil
}
