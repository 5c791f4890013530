package swarm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// given is an input of every kind. Its conversation is longer than a record takes inline.
func given() swarm.Input {
	return swarm.Input{
		Text: "When does it close?",
		Messages: []swarm.ChatMessage{
			{Role: "assistant", Content: "Welcome to the port."}, {Role: "user", Content: "Where is the harbour?", Name: "Ann"},
			{Role: "system", Content: "Night falls."}, {Role: "assistant", Content: "Here. " + strings.Repeat("wäter ", 4000)},
		},
		Lore:  []swarm.LoreEntry{{UID: "7", Name: "Harbour", Keys: []string{"harbour"}, Content: "It closes at nine."}, {UID: "8", Keys: []string{"castle"}, Content: "Never."}},
		Files: []swarm.InputFile{{Path: "plan.md", Content: []byte("# Plan\n")}, {Path: "data/big.bin", Content: []byte(strings.Repeat("\x00\xff", 40_000))}},
	}
}

// givenTeam is a team whose members all look at what the run was given.
func givenTeam(store journal.Store) setupOptions {
	look := func(calls ...model.AnswerCall) swarmtest.Turn {
		return swarmtest.Do(append(calls, swarmtest.Call("chat_search", `{"query":"harbour"}`), swarmtest.Call("chat_read_messages", `{"messages":[{"index":1}]}`),
			swarmtest.Call("worldinfo_read_activated", `{"entries":[{"ref":"7"}]}`), read("input/plan.md"))...)
	}
	return setupOptions{
		store: store,
		agents: map[string]*agent.Profile{
			"lead":   {Delegation: agent.Delegation{CanDelegate: true, CanHandoff: true}},
			"worker": child(),
			"closer": {Delegation: agent.Delegation{Callable: true, AsHandoff: true}},
		},
		script: swarmtest.Script{
			"lead":   {look(write("input/plan.md", "mine")), swarmtest.Do(delegateTo("worker")), swarmtest.Do(awaitAll), swarmtest.Do(handoffTo("closer"))},
			"worker": {look(), swarmtest.Do(returning("done"))},
			"closer": {look(), swarmtest.Do(finish)},
		},
	}
}

// told gives the messages of a request as one text.
func told(req *model.Request, n int) string {
	var b strings.Builder
	for _, m := range req.Messages[:n] {
		fmt.Fprintf(&b, "%s| %s\n", m.Role, m.Text)
	}
	return b.String()
}

// What a run is given is the same for everybody in it and in every process, also when it
// is killed at each of its appends (durability-3).
func TestInputSurvives(t *testing.T) {
	t.Parallel()
	whole := setup(t, givenTeam(nil))
	r, err := whole.rt.Start(t.Context(), whole.team, given())
	if err != nil {
		t.Fatal(err)
	}
	if res := whole.wait(r); res.Outcome != "completed" || len(res.Files) > 0 {
		t.Fatalf("%+v\n%s", res, whole.dump(res.Run))
	}
	first := whole.reqs.Of("root")[0]
	want := told(&first, len(first.Messages))
	roles := []model.Role{model.Host, model.Assistant, model.User, model.Assistant, model.User}
	if !slices.EqualFunc(first.Messages, roles, func(m model.Message, r model.Role) bool { return m.Role == r }) {
		t.Fatalf("the first request is\n%.2000s", want)
	}
	for _, s := range []string{"host| [Background", "It closes at nine.", "assistant| Welcome", "user| Where is the harbour?\n\n[Message 2 of the conversation, of the role system:]\nNight falls.", "user| When does it close?"} {
		if !strings.Contains(want, s) {
			t.Errorf("the first request does not say %q", s)
		}
	}
	whole.checkGiven(r.ID(), want)
	if len(whole.reqs.Of("root/worker")) != 2 || len(whole.reqs.Of("root/closer")) != 2 {
		t.Errorf("%d requests", whole.reqs.Count())
	}

	for _, row := range []struct {
		name string
		disk func() disk
		step int // a disk is slow: not every append is tried
	}{
		{"memory", func() disk { return new(memoryDisk) }, 1},
		{"sqlite", func() disk { return &fileDisk{t.TempDir()} }, 4},
	} {
		n := 1
		for ; n < 200 && !t.Failed(); n += row.step {
			if killedGiven(t, row.disk(), n, want) {
				break
			}
		}
		if n < 10 {
			t.Errorf("%s: only %d appends", row.name, n)
		}
	}
}

// killedGiven runs the team, kills it at append n, and lets it go on. It reports whether
// the run had ended before.
func killedGiven(t *testing.T, d disk, n int, want string) bool {
	t.Helper()
	st := d.open(t)
	crash := swarmtest.NewCrash(st, n, n%2 == 0)
	b := setup(t, givenTeam(crash))
	r, err := b.rt.Start(t.Context(), b.team, given())
	if err == nil {
		_, err = b.rests(r)
	}
	runs, listed := st.Runs(t.Context())
	if listed != nil {
		t.Fatal(listed)
	}
	ended := err == nil && crash.Appends() < n
	b.close()
	d.close(st)
	if ended || len(runs) == 0 {
		return ended
	}
	st = d.open(t)
	defer d.close(st)
	b = setup(t, givenTeam(st))
	defer b.close()
	switch r, err = b.rt.Resume(t.Context(), runs[0].Run, swarm.ResumeOptions{}); {
	case fault.Code(err) == "journal.ended":
		return false // its last record was stored
	case err != nil:
		t.Fatalf("append %d: %v", n, err)
	}
	if res := b.wait(r); res.Outcome != "completed" {
		t.Fatalf("append %d: %+v", n, res)
	}
	b.checkGiven(r.ID(), want)
	return false
}

// checkGiven holds what must be true of a run that was given something, however often it
// was interrupted.
func (b *testBundle) checkGiven(id, want string) {
	b.t.Helper()
	for _, req := range b.reqs.Of("root") {
		if got := told(&req, 5); got != want {
			b.t.Fatalf("a request of the root begins with\n%.2000s", got)
		}
	}
	for _, path := range []string{"root/worker", "root/closer"} {
		for _, req := range b.reqs.Of(path) {
			if strings.Contains(req.Messages[0].Text, "harbour") {
				b.t.Errorf("%s was told of the conversation: %s", path, req.Messages[0].Text)
			}
		}
	}
	recs := b.records(id)
	codes := map[string]int{}
	for _, c := range callsOf(recs, "") {
		if c.Settled == nil {
			b.t.Fatalf("%s of %s was not settled", c.Name, c.Path)
		}
		codes[c.Name+" "+c.code()]++
		switch c.Name {
		case "chat_search", "chat_read_messages", "worldinfo_read_activated":
			if s := c.Settled.Content.Text; !strings.Contains(strings.ToLower(s), "harbour") {
				b.t.Errorf("%s of %s gave %s", c.Name, c.Path, s)
			}
		}
	}
	for _, call := range []string{"chat_search ", "chat_read_messages ", "worldinfo_read_activated ", "workspace_read_file "} {
		if codes[call] != 3 {
			b.t.Errorf("calls %v\n%s", codes, b.dump(id))
		}
	}
	if codes["workspace_write_file workspace.path_not_writable"] != 1 {
		b.t.Errorf("calls %v", codes)
	}
	for path, content := range map[string]string{"input/plan.md": "# Plan\n", "input/data/big.bin": strings.Repeat("\x00\xff", 40_000)} {
		if got, ok := file(recs, path); !ok || got != content {
			b.t.Errorf("%s holds %d bytes", path, len(got))
		}
	}
	if n := len(payloads[*journal.FileChanged](recs)); n != 2 {
		b.t.Errorf("%d changes of files", n)
	}
}

func TestStartRefusesInput(t *testing.T) {
	t.Parallel()
	b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
	for _, row := range []struct {
		name, code, says string
		in               swarm.Input
	}{
		{"nothing", "input.empty", "give it a text", swarm.Input{}},
		{"an answer comes last", "input.empty", "ends with the user", swarm.Input{Messages: []swarm.ChatMessage{{Role: "assistant", Content: "x"}}}},
		{"faults", "input.invalid", `messages[0].role: "bot" is no role`, swarm.Input{Text: "x", Messages: []swarm.ChatMessage{{Role: "bot"}}}},
		{"an escape", "input.invalid", `files[0] "../x"`, swarm.Input{Text: "x", Files: []swarm.InputFile{{Path: "../x"}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := b.rt.Start(t.Context(), b.team, row.in)
			if fault.Code(err) != row.code || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
	if runs, err := b.rt.Runs(t.Context()); err != nil || len(runs) > 0 {
		t.Errorf("runs %v %v", runs, err)
	}
}

// A run whose frozen input is damaged is parked, never guessed.
func TestDamagedInputParks(t *testing.T) {
	t.Parallel()
	first := memory()
	b := setup(t, givenTeam(swarmtest.NewCrash(first, 4, true)))
	r, err := b.rt.Start(t.Context(), b.team, given())
	if err != nil {
		t.Fatal(err)
	}
	b.dies(r)
	first = first.Reopen()
	recs, err := first.Read(t.Context(), r.ID(), journal.Query{})
	if err != nil {
		t.Fatal(err)
	}
	second := memory()
	epoch, err := second.Acquire(t.Context(), r.ID(), false)
	if err != nil {
		t.Fatal(err)
	}
	created := *recs[0].Payload.(*journal.RunCreated)
	created.Input = journal.Text(strings.Replace(created.Input.Text, `"messages"`, `"mesages"`, 1))
	recs[0].Payload = &created
	for i := range recs {
		recs[i].Epoch = epoch
	}
	if errs := second.Append(t.Context(), []journal.Batch{{Run: r.ID(), Epoch: epoch, Records: recs}}); errs[0] != nil {
		t.Fatal(errs[0])
	}
	b = setup(t, givenTeam(reborn(second)))
	res, err := b.rests(b.resume(r.ID()))
	if res.Outcome != "parked" || res.Code != "journal.damaged" || !strings.Contains(res.Reason, "record 1") {
		t.Errorf("%+v %v", res, err)
	}
}

// The profile says how much of the conversation its agent begins with.
func TestContextMessages(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{-1: 5, 0: 1, 1: 3, 2: 3, 100: 5} {
		b := setup(t, setupOptions{agents: map[string]*agent.Profile{"root": {Messages: &n}}, script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
		r, err := b.rt.Start(t.Context(), b.team, given())
		if err != nil {
			t.Fatal(err)
		}
		b.wait(r)
		if got := b.reqs.Of("root")[0].Messages; len(got) != want {
			t.Errorf("%d: %d messages", n, len(got))
		}
	}
}

// Lore is searched as far back as the team says.
func TestLoreScan(t *testing.T) {
	t.Parallel()
	for scan, want := range map[int]bool{0: true, 1: false, 3: true} {
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
		b.team.LoreScan = scan
		r, err := b.rt.Start(t.Context(), b.team, given())
		if err != nil {
			t.Fatal(err)
		}
		b.wait(r)
		created := payloads[*journal.RunCreated](b.records(r.ID()))[0].Input.Text
		if got := strings.Contains(created, `"reason":"key \"harbour\" in message 1"`); got != want {
			t.Errorf("scan %d: %.300s", scan, created)
		}
	}
}
