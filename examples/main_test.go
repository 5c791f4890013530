package examples

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

func TestMain(m *testing.M) {
	swarm.ShellWorker()
	goleak.VerifyTestMain(m)
}

// testBundle is a runtime that checks its requests and journals.
type testBundle struct {
	t    *testing.T
	rt   *swarm.Runtime
	reqs swarmtest.Requests
}

func setup(t *testing.T) *testBundle {
	t.Helper()
	b := &testBundle{t: t}
	rt, err := swarm.Open(t.Context(), swarm.Options{Probe: &b.reqs})
	if err != nil {
		t.Fatal(err)
	}
	b.rt = rt
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := rt.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// team loads a team of this folder. Its scripts answer at once.
func (b *testBundle) team(dir string, o config.Options) *swarm.Team {
	b.t.Helper()
	team, err := config.LoadWith(dir, o)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, w := range team.Warnings {
		b.t.Errorf("warning: %s", w)
	}
	for name, m := range team.Models {
		m.Script = strings.Replace(m.Script, "latency: 150ms", "latency: 0s", 1)
		team.Models[name] = m
	}
	return team
}

// run runs a team to its end, which has to be a good one, and gives its records.
func (b *testBundle) run(team *swarm.Team, input string) (swarm.Result, []journal.Record) {
	b.t.Helper()
	return b.runs(team, swarm.Input{Text: input})
}

// runs is run with an input that is more than a text.
func (b *testBundle) runs(team *swarm.Team, input swarm.Input) (swarm.Result, []journal.Record) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	defer cancel()
	r, err := b.rt.Start(ctx, team, input)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := r.Wait(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	records, err := b.rt.Store().Read(ctx, r.ID(), journal.Query{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range b.reqs.Faults() {
		b.t.Errorf("request: %s", f)
	}
	for _, f := range journal.Verify(records) {
		b.t.Errorf("journal: %s", f)
	}
	if res.Outcome != "completed" {
		b.t.Fatalf("ended %s: %s %s %s", res.Outcome, res.Reason, res.Code, res.Text)
	}
	return res, records
}

// sourceTree copies the Go files of some packages of this module: enough to count in,
// and few enough for a machine that is busy.
func sourceTree(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, pkg := range []string{"actors", "tooling/builtin"} {
		from := filepath.Join("..", pkg)
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			rel, err := filepath.Rel("..", path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			write(t, filepath.Join(to, rel), string(data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
