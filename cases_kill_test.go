package swarm_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// scene is a run with two children that write, a commit and a handoff. Its tool poke has
// an effect that is neither idempotent nor can be looked at.
type scene struct {
	mu      sync.Mutex
	pokes   map[string]int                 // by call key
	commits map[string]string              // content by commit id
	hook    func(where string) (gone bool) // the process dies here: nothing more happens
}

func lives(string) bool { return false }

func newScene() *scene {
	return &scene{pokes: map[string]int{}, commits: map[string]string{}, hook: lives}
}

func (s *scene) options(t *testing.T, store journal.Store) setupOptions {
	poke := keyed(t, "poke", func(_ context.Context, c *tooling.Call) (string, error) {
		who, _ := c.Args.String("who")
		if s.hook("before " + who) {
			return "", context.Canceled
		}
		s.mu.Lock()
		s.pokes[c.Key]++
		s.mu.Unlock()
		s.hook("after " + who)
		return "poked", nil
	})
	return setupOptions{
		store: store,
		agents: map[string]*agent.Profile{
			"lead":   {Delegation: agent.Delegation{CanDelegate: true, CanHandoff: true}},
			"worker": child(),
			"closer": {Delegation: agent.Delegation{Callable: true, AsHandoff: true}},
		},
		tools: []swarm.Tool{poke},
		commit: func(_ context.Context, c swarm.Commit) (string, error) {
			if s.hook("before commit") {
				return "", context.Canceled
			}
			s.mu.Lock()
			s.commits[c.ID] = string(c.Content)
			s.mu.Unlock()
			s.hook("after commit")
			return "published", nil
		},
		script: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
			key := req.Path[strings.LastIndexByte(req.Path, '/')+1:]
			return swarmtest.Script{
				"lead": {
					swarmtest.Do(write("output/a.md", "A"), use("poke", "lead")),
					swarmtest.Do(delegateTo("worker"), delegateTo("worker")),
					swarmtest.Do(swarmtest.Call("workspace_write_file", `{"path":"output/a.md","content":"+","mode":"append"}`)),
					swarmtest.Do(awaitAll),
					swarmtest.Do(handoffTo("closer")),
				},
				"worker": {
					swarmtest.Do(write("output/"+key+".md", key), use("poke", key)),
					swarmtest.Do(read("output/" + key + ".md")),
					swarmtest.Do(returning("did " + key)),
				},
				"closer": {
					swarmtest.Do(read("output/a.md"), use("poke", "closer")),
					swarmtest.Do(write("output/main.md", "the answer"), swarmtest.Call("workspace_commit", ``)),
					swarmtest.Do(finish),
				},
			}.Answer(ctx, req, p)
		}),
	}
}

// checks holds what must be true of the scene at its end, however it came there.
func (s *scene) checks(b *testBundle, id string) {
	b.t.Helper()
	b.check(id)
	recs := b.records(id)
	end := payloads[*journal.RunEnded](recs)
	if len(end) != 1 || end[0].Outcome != journal.Completed || len(end[0].Commits) != 1 {
		b.t.Fatalf("the run ended %+v\n%s", end, b.dump(id))
	}
	want := map[string]string{"output/a.md": "A+", "output/worker.md": "worker", "output/worker-002.md": "worker-002", "output/main.md": "the answer"}
	got := map[string]string{}
	for path := range want {
		got[path], _ = file(recs, path)
	}
	changes := payloads[*journal.FileChanged](recs)
	if !maps.Equal(got, want) || len(changes) != 5 {
		b.t.Errorf("files %v after %d changes\n%s", got, len(changes), b.dump(id))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pokes := 0
	for _, c := range callsOf(recs, "") {
		if c.Settled == nil || c.Dispatched > 1 {
			b.t.Errorf("%s of %s: dispatched %d times, settled %+v", c.Name, c.Path, c.Dispatched, c.Settled)
			continue
		}
		if c.Name != "poke" {
			if c.Settled.Outcome == journal.Unknown {
				b.t.Errorf("%s of %s has an unknown outcome", c.Name, c.Path)
			}
			continue
		}
		pokes++
		n := s.pokes[c.Key]
		if known := c.Settled.Outcome == journal.Completed; n > 1 || known != (c.code() == "") || known && n != 1 || !known && c.code() != "tool.outcome_unknown" {
			b.t.Errorf("poke of %s ran %d times and settled %q\n%s", c.Path, n, c.code(), b.dump(id))
		}
	}
	if pokes != 4 || len(s.pokes) > 4 {
		b.t.Errorf("%d pokes, %d effects", pokes, len(s.pokes))
	}
	if len(s.commits) != 1 {
		b.t.Errorf("commits %v", s.commits)
	}
	for _, content := range s.commits {
		if content != "the answer" {
			b.t.Errorf("published %q", content)
		}
	}
}

// disk keeps the data of a store from one process to the next.
type disk interface {
	open(t *testing.T) journal.Store
	close(journal.Store)
}

type memoryDisk struct{ m *journal.Memory }

func (d *memoryDisk) open(*testing.T) journal.Store {
	if d.m == nil {
		d.m = memory()
	} else {
		d.m = d.m.Reopen()
	}
	return d.m
}

func (d *memoryDisk) close(s journal.Store) { _ = s.Close() }

type fileDisk struct{ dir string }

func (d *fileDisk) open(t *testing.T) journal.Store {
	st, err := journal.OpenSQLite(t.Context(), d.dir, journal.SQLiteOptions{Durability: "relaxed"})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func (d *fileDisk) close(s journal.Store) { _ = s.Close() }

// life is one process with the scene: it begins the run, or goes on with it, and ends
// when the run rests or the store dies. It reports the id of the run, "" when it never
// was, and whether the run has ended.
func (s *scene) life(t *testing.T, store journal.Store, id string) (string, bool) {
	t.Helper()
	b := setup(t, s.options(t, store))
	defer b.close()
	id, ended := b.lived(store, id)
	if ended {
		s.checks(b, id)
		return id, true
	}
	for _, f := range b.reqs.Faults() {
		t.Errorf("request: %s", f)
	}
	return id, false
}

// lived begins a run, or goes on with it, until it rests or the store dies. It gives the id
// of the run, "" when it never was, and whether the run is complete.
func (b *testBundle) lived(store journal.Store, id string) (string, bool) {
	b.t.Helper()
	var r *swarm.Run
	var err error
	if id == "" {
		r, err = b.rt.Start(b.t.Context(), b.team, swarm.Input{Text: "go"})
	} else {
		r, err = b.rt.Resume(b.t.Context(), id, swarm.ResumeOptions{})
	}
	if err == nil {
		_, err = b.rests(r)
	}
	if code := fault.Code(err); err != nil && code != "journal.append_failed" && code != "journal.ended" {
		b.t.Fatalf("the run stopped: %v", err)
	}
	runs, failed := store.Runs(b.t.Context())
	if failed != nil {
		b.t.Fatal(failed)
	}
	if len(runs) == 0 {
		return "", false
	}
	return runs[0].Run, runs[0].State == string(journal.Completed)
}

// killed runs the scene and kills it at append n, then at an append of the resume, then
// lets it go on. It reports whether the run had ended before append n.
func (s *scene) killed(t *testing.T, d disk, n int, stored bool) bool {
	t.Helper()
	id, whole := "", false
	for i, at := range []int{n, 1 + n%4, 0} {
		st := d.open(t)
		crash := swarmtest.NewCrash(st, at, stored != (i == 1))
		var ended bool
		id, ended = s.life(t, crash, id)
		d.close(st)
		if whole = whole || i == 0 && crash.Appends() < n; ended {
			return whole
		}
	}
	t.Errorf("append %d (stored: %t): the run did not end", n, stored)
	return true
}

// Kill at every record (durability-3): whatever append the process dies at, before it is
// stored or after, the run comes to the same end, and no write happens twice.
func TestKillAtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		disk func(*testing.T) disk
	}{
		{"memory", func(*testing.T) disk { return new(memoryDisk) }},
		{"sqlite", func(t *testing.T) disk { return &fileDisk{t.TempDir()} }},
	} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("durability-3/%s/stored=%t", row.name, stored), func(t *testing.T) {
				t.Parallel()
				n := 1
				for ; !t.Failed() && n < 200; n++ {
					if newScene().killed(t, row.disk(t), n, stored) {
						break
					}
				}
				if n < 30 {
					t.Errorf("only %d appends", n)
				}
			})
		}
	}
}

// The process also dies in the middle of effects.
func TestKillInsideEffects(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"lead", "worker", "worker-002", "closer", "commit"} {
		for _, when := range []string{"before", "after"} {
			t.Run("durability-3/"+when+" "+who, func(t *testing.T) {
				t.Parallel()
				s, d := newScene(), new(memoryDisk)
				st := d.open(t)
				crash := swarmtest.NewCrash(st, 0, false)
				s.hook = func(where string) bool {
					if where == when+" "+who {
						crash.Now()
						return true
					}
					return false
				}
				id, ended := s.life(t, crash, "")
				d.close(st)
				if ended || id == "" {
					t.Fatalf("the run %q did not die: %t", id, ended)
				}
				s.hook = lives
				st = d.open(t)
				if _, ended := s.life(t, st, id); !ended {
					t.Error("the run did not end")
				}
				d.close(st)
				if n := s.pokes; when == "before" && who != "commit" && len(n) != 3 {
					t.Errorf("an effect that never began was made up: %v", n)
				}
			})
		}
	}
}

// panicky is a store whose append of number at panics in the actor of the run, before or
// after it is stored.
type panicky struct {
	*journal.Memory
	mu     sync.Mutex
	n, at  int
	stored bool
}

// AppendNow implements [journal.Immediate].
func (p *panicky) AppendNow(b *journal.Batch) error {
	p.mu.Lock()
	p.n++
	now := p.n == p.at
	p.mu.Unlock()
	if !now {
		return p.Memory.AppendNow(b)
	}
	if p.stored {
		if err := p.Memory.AppendNow(b); err != nil {
			return err
		}
	}
	panic("the actor of the run breaks")
}

// The actor of a run fails at every append: it is made anew from its records while the
// process lives.
func TestRunActorFailsAtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("durability-3/stored=%t", stored), func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; !t.Failed() && n < 200; n++ {
				s := newScene()
				st := &panicky{Memory: memory(), at: n, stored: stored}
				b := setup(t, s.options(t, st))
				r := b.start("go")
				res, err := b.rests(r)
				if err != nil || res.Outcome != "completed" {
					t.Fatalf("append %d: %+v, %v\n%s", n, res, err, b.dump(r.ID()))
				}
				s.checks(b, r.ID())
				restarts := b.rt.Counters().Restarts
				b.close()
				if st.n < n {
					break
				}
				if restarts != 1 {
					t.Errorf("append %d: %d restarts", n, restarts)
				}
			}
			if n < 30 {
				t.Errorf("only %d appends", n)
			}
		})
	}
}
