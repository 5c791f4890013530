package files

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// backup says how a file that is about to be replaced is kept; the zero value keeps none.
type backup struct {
	kind   string // simple, numbered or existing
	suffix string
}

// backupOf reads -b, --backup and -S.
func backupOf(o *command.Options) (backup, error) {
	b := backup{suffix: o.Value("S", "~")}
	if o.Has("b", "S") {
		b.kind = "existing"
	}
	if !o.Has("backup") {
		return b, nil
	}
	switch v := o.Value("backup", ""); v {
	case "none", "off":
		b.kind = ""
	case "", "existing", "nil":
		b.kind = "existing"
	case "simple", "never":
		b.kind = "simple"
	case "numbered", "t":
		b.kind = "numbered"
	default:
		return b, fmt.Errorf("invalid argument '%s' for 'backup type'", v)
	}
	return b, nil
}

// keep renames a file that is about to be replaced.
func (b backup) keep(r *run, name string) error {
	if b.kind == "" {
		return nil
	}
	to := name + b.suffix
	if last := b.last(r, name); b.kind == "numbered" || b.kind == "existing" && last > 0 {
		to = name + ".~" + strconv.Itoa(last+1) + "~"
	}
	err := r.FS.Rename(r.Abs(name), r.Abs(to))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// last gives the highest number of a numbered backup.
func (b backup) last(r *run, name string) int {
	entries, err := r.FS.ReadDir(r.Abs(parent(name)))
	if err != nil {
		return 0
	}
	highest := 0
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), baseName(name)+".~")
		if digits, tilde := strings.CutSuffix(rest, "~"); ok && tilde {
			if n, err := strconv.Atoi(digits); err == nil {
				highest = max(highest, n)
			}
		}
	}
	return highest
}
