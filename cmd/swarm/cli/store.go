package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// defaultData is the data directory of a command that names no team.
const defaultData = ".swarm"

// dataDir gives the data directory: the flag, else SWARM_DATA, else that of the team,
// else the default one of this folder.
func (a *app) dataDir(team *swarm.Team) string {
	if a.data != "" {
		return a.data
	}
	if dir, ok := a.env("SWARM_DATA"); ok && dir != "" {
		return dir
	}
	if team != nil {
		return team.StoreDir
	}
	return defaultData
}

// dataHint gives the flag by which a later command finds the data directory.
func (a *app) dataHint(dir string) string {
	if dir == a.dataDir(nil) && a.data == "" {
		return ""
	}
	want, err1 := filepath.Abs(dir)
	have := defaultData
	if env, ok := a.env("SWARM_DATA"); ok && env != "" {
		have = env
	}
	have, err2 := filepath.Abs(have)
	if err1 == nil && err2 == nil && want == have {
		return ""
	}
	return " --data " + quoteArg(dir)
}

// quoteArg quotes an argument for a shell when it needs that.
func quoteArg(s string) string {
	for _, r := range s {
		if r != '/' && r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	if s == "" {
		return "''"
	}
	return s
}

// open starts a runtime on a data directory.
func (a *app) open(ctx context.Context, o swarm.Options) (*swarm.Runtime, error) {
	o.Env = a.env
	if a.verbose {
		o.Logger = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	o.Dir = dir
	return swarm.Open(ctx, o)
}

// openRun starts a runtime on the data directory of a run, which must be there, and gives
// what it knows of the run. The id may be the beginning of one that no other run has, also
// without run_; that of the summary is whole.
func (a *app) openRun(ctx context.Context, id string, o swarm.Options) (*swarm.Runtime, journal.Summary, error) {
	rt, err := a.openData(ctx, o)
	if err != nil {
		return nil, journal.Summary{}, err
	}
	sum, err := rt.Store().Summary(ctx, id)
	if fault.Code(err) == "journal.run_not_found" && id != "" {
		sum, err = byPrefix(ctx, rt, id, err)
	}
	if err != nil {
		return nil, sum, errors.Join(err, shut(rt))
	}
	return rt, sum, nil
}

// byPrefix finds the only run whose id begins with a text; missing is the error when there
// is none.
func byPrefix(ctx context.Context, rt *swarm.Runtime, id string, missing error) (journal.Summary, error) {
	list, err := rt.Runs(ctx)
	if err != nil {
		return journal.Summary{}, err
	}
	var found []journal.Summary
	var ids []string
	for _, s := range list {
		if strings.HasPrefix(s.Run, id) || strings.HasPrefix(s.Run, "run_"+id) {
			found, ids = append(found, s), append(ids, s.Run)
		}
	}
	switch {
	case len(found) == 0:
		return journal.Summary{}, missing
	case len(found) > 1:
		if n := len(ids); n > 5 {
			ids = append(ids[:5], fmt.Sprintf("%d more", n-5))
		}
		return journal.Summary{}, usage("%q begins the ids of %d runs: %s; give more of it", id, len(found), strings.Join(ids, ", "))
	}
	return found[0], nil
}

// openData starts a runtime on a data directory that is there: who only looks makes none.
func (a *app) openData(ctx context.Context, o swarm.Options) (*swarm.Runtime, error) {
	o.Dir = a.dataDir(nil)
	if _, _, err := journal.Format(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, a.noData(o.Dir)
	}
	return a.open(ctx, o)
}

// noData says that a directory holds no runs, and which one below it does.
func (a *app) noData(dir string) error {
	what := "there are no runs in " + dir
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		what = "there is no data directory " + dir
	}
	mend := "name another one with --data DIR, or begin a run"
	below := filepath.Join(dir, defaultData)
	if _, _, err := journal.Format(below); err == nil {
		mend = "did you mean --data " + quoteArg(below) + "?"
	}
	return &exit{exitFailed, fmt.Errorf("%s; %s", what, mend)}
}

// closeTime is how long the end of the program waits for what has begun.
const closeTime = 25 * time.Second

// shut closes a runtime, also when the context of the command has ended.
func shut(rt *swarm.Runtime) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return rt.Close(ctx)
}
