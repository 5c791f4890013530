package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

var (
	kills    = flag.Int("kills", 50, "how often the process is killed")
	killSeed = flag.Uint64("kill.seed", 0, "seed of the moments; 0: a fresh one")
)

// A real process is killed with SIGKILL at random records and resumed, until it has been
// killed often enough. Every run ends with the same files and the same answer as one that
// nobody killed, and its journal breaks no rule.
func TestKillMinusNine(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "swarm")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	team, err := filepath.Abs("testdata/kill")
	if err != nil {
		t.Fatal(err)
	}
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-kill.seed=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	k := &killer{t: t, bin: bin, data: t.TempDir(), rng: rng}
	want := k.run(team, false)
	for k.killed < *kills {
		if got := k.run(team, true); got != want {
			t.Fatalf("seed %d: a killed run ended differently:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

type killer struct {
	t      *testing.T
	bin    string
	data   string
	rng    *rand.Rand
	killed int
}

// run runs the team to its end and gives what it left behind.
func (k *killer) run(team string, kill bool) string {
	id := ""
	args := []string{"run", team, "go", "--json", "--data", k.data}
	for range 60 {
		if k.once(args, &id, kill) {
			return k.left(id)
		}
		if id == "" {
			continue // killed before the run existed: nothing was promised
		}
		args = []string{"resume", id, "--json", "--data", k.data}
	}
	k.t.Fatalf("the run %s did not end", id)
	return ""
}

// once starts the process and kills it after a random number of records.
func (k *killer) once(args []string, id *string, kill bool) (ended bool) {
	cmd := exec.Command(k.bin, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	after := -1
	if kill {
		after = k.rng.IntN(90)
	}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<20)
	n, shot := 0, false
	for lines.Scan() {
		var rec struct {
			Run string `json:"run"`
		}
		if *id == "" && json.Unmarshal(lines.Bytes(), &rec) == nil {
			*id = rec.Run
		}
		if n++; n == after {
			for range k.rng.IntN(2000) { // some instructions later, not always right at a record
				_ = time.Now()
			}
			if cmd.Process.Kill() == nil {
				shot = true
			}
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 && shot {
		k.killed++
		return false
	}
	if strings.Contains(stderr.String(), "journal.ended") {
		return true // killed between its end and its exit
	}
	if err != nil {
		k.t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return true
}

// left gives the outcome, what was published and the files, after checking the journal.
func (k *killer) left(id string) string {
	st, err := journal.OpenSQLite(k.t.Context(), k.data, journal.SQLiteOptions{})
	if err != nil {
		k.t.Fatal(err)
	}
	defer st.Close()
	recs, err := st.Read(k.t.Context(), id, journal.Query{})
	if err != nil {
		k.t.Fatal(err)
	}
	for _, f := range journal.Verify(recs) {
		k.t.Errorf("run %s: %s", id, f)
	}
	files := map[string]string{}
	var b strings.Builder
	for i := range recs {
		switch m := recs[i].Payload.(type) {
		case *journal.FileChanged:
			files[m.Path] = m.Content.Text
		case *journal.CommitSettled:
			fmt.Fprintf(&b, "published: %s\n", m.Outcome)
		case *journal.RunEnded:
			fmt.Fprintf(&b, "%s, %d commit\n", m.Outcome, len(m.Commits))
		}
	}
	for _, p := range []string{"output/main.md", "output/writer.md", "plan/done.md"} {
		c := files[p]
		if p == "output/writer.md" { // three writers append in any order
			c = fmt.Sprint(strings.Count(c, "a"), strings.Count(c, "b"), len(c))
		}
		fmt.Fprintf(&b, "%s %q\n", p, c)
	}
	return b.String()
}
