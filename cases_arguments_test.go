package swarm_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// taker is a tool that keeps the arguments it was called with.
type taker struct {
	mu  sync.Mutex
	got []string
}

type takes struct {
	A any    `json:"a,omitempty"`
	N *int64 `json:"n,omitempty"`
}

func (k *taker) tool(t *testing.T) swarm.Tool {
	tool := goTool(t, "take", func(context.Context, takes) (string, error) { return "taken", nil })
	inner := tool.Handle
	tool.Handle = func(ctx context.Context, c *tooling.Call) tooling.Result {
		k.mu.Lock()
		k.got = append(k.got, c.Args.Canonical())
		k.mu.Unlock()
		return inner(ctx, c)
	}
	return tool
}

func (k *taker) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.got...)
}

// raw is a call with arguments as they stand on the wire; "" are absent ones.
func raw(name, wire string) model.AnswerCall { return swarmtest.Call(name, wire) }

// replayed gives the arguments of the calls of a turn as the next request carries them.
func (b *testBundle) replayed(path string, turn int) []string {
	var out []string
	for _, m := range b.last(path).Messages {
		if m.Role == model.Assistant && m.Turn == turn {
			for i := range m.Calls {
				out = append(out, m.Calls[i].Args)
			}
		}
	}
	return out
}

// One place turns the wire form of arguments into an object, and what is neither an
// object nor nothing never reaches a tool. arguments-10 needs the chat tools, which are
// not in this version; places inside of arguments are tested in package tooling.
func TestArguments(t *testing.T) {
	t.Parallel()

	// ran runs one turn of calls of take, then finishes.
	ran := func(t *testing.T, finishReason model.Finish, calls ...model.AnswerCall) (*testBundle, *taker, []journal.Record) {
		k := &taker{}
		turn := swarmtest.Do(calls...)
		turn.Finish = finishReason
		b := setup(t, setupOptions{tools: []swarm.Tool{k.tool(t)}, script: swarmtest.Script{"root": {turn, swarmtest.Do(finish)}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		return b, k, b.records(res.Run)
	}

	t.Run("arguments-1", func(t *testing.T) {
		t.Parallel()
		forms := []string{``, `null`, `""`, `"null"`, `"{}"`, `{}`}
		var calls []model.AnswerCall
		for _, f := range forms {
			calls = append(calls, raw("take", f))
		}
		b, k, recs := ran(t, "", calls...)
		for i, c := range turnOf(recs, "root", 1) {
			if c.code() != "" || c.Invalid || c.Dispatched != 1 {
				t.Errorf("%q: %s, dispatched %d times", forms[i], c.code(), c.Dispatched)
			}
		}
		for _, args := range append(k.all(), b.replayed("root", 1)...) {
			if args != `{}` {
				t.Errorf("arguments %s", args)
			}
		}
		if len(k.all()) != 6 {
			t.Errorf("%d calls ran", len(k.all()))
		}
	})

	t.Run("arguments-2", func(t *testing.T) {
		t.Parallel()
		b, k, _ := ran(t, "", raw("take", `{"a":1}`), raw("take", `"{\"a\":1}"`), raw("take", " \n{\"a\":1}\t"), raw("take", `" \n {\"a\": 1} \t"`))
		all := append(k.all(), b.replayed("root", 1)...)
		if len(all) != 8 {
			t.Fatalf("arguments %q", all)
		}
		for _, args := range all {
			if args != `{"a":1}` {
				t.Errorf("arguments %s", args)
			}
		}
	})

	t.Run("arguments-3", func(t *testing.T) {
		t.Parallel()
		forms := []string{`[]`, `[1]`, `"[1]"`, `3`, `true`, `"hello"`}
		heads := []string{`[]`, `[1]`, `[1]`, `3`, `true`, `hello`}
		var calls []model.AnswerCall
		for _, f := range forms {
			calls = append(calls, raw("take", f))
		}
		b, k, recs := ran(t, "", calls...)
		results, replay := b.results("root", 1), b.replayed("root", 1)
		for i, c := range turnOf(recs, "root", 1) {
			if c.code() != "tool.invalid_arguments" || !c.Invalid || !c.Counted || c.Dispatched != 0 {
				t.Errorf("%s: code %q, invalid %t, counted %t, dispatched %d times", forms[i], c.code(), c.Invalid, c.Counted, c.Dispatched)
			}
			if c.Args.Text != heads[i] {
				t.Errorf("%s: the journal has %q", forms[i], c.Args.Text)
			}
			if !strings.Contains(results[i].Text, heads[i]) || !results[i].IsError {
				t.Errorf("%s: the model reads %q", forms[i], results[i].Text)
			}
			if replay[i] != `{}` {
				t.Errorf("%s: replayed as %s", forms[i], replay[i])
			}
		}
		if got := k.all(); len(got) != 0 {
			t.Errorf("the tool ran with %q", got)
		}
	})

	t.Run("arguments-4", func(t *testing.T) {
		t.Parallel()
		b, k, recs := ran(t, "", raw("take", `"\"{\\\"a\\\":1}\""`))
		b.sameCodes(recs[0].Run, turnOf(recs, "root", 1), "tool.invalid_arguments")
		if len(k.all()) != 0 {
			t.Error("the tool ran")
		}
	})

	t.Run("arguments-5", func(t *testing.T) {
		t.Parallel()
		cut := string(jsonText(`{"path":"output/main.md","content":"the beginning of a lo`))
		b, k, recs := ran(t, model.FinishLength, raw("take", `{"a":1}`), raw("workspace_write_file", cut))
		calls := turnOf(recs, "root", 1)
		b.sameCodes(recs[0].Run, calls, "model.answer_truncated", "model.answer_truncated")
		for _, c := range calls {
			text := c.Settled.Content.Text
			if c.Dispatched != 0 || !strings.Contains(text, "cut") || !strings.Contains(text, "less at once") {
				t.Errorf("dispatched %d times, %q", c.Dispatched, text)
			}
		}
		if _, ok := file(recs, "output/main.md"); ok || len(k.all()) != 0 {
			t.Errorf("something ran: %v, %q", ok, k.all())
		}
	})

	t.Run("arguments-6", func(t *testing.T) {
		t.Parallel()
		b, _, recs := ran(t, model.FinishCalls, raw("take", string(jsonText(`{"a":1,,}`))), raw("take", string(jsonText(`{"a":[1,2`))))
		b.sameCodes(recs[0].Run, turnOf(recs, "root", 1), "tool.invalid_arguments", "tool.invalid_arguments")
		results := b.results("root", 1)
		if text := results[0].Text; !strings.Contains(text, "malformed") || !strings.Contains(text, "at character 8") || strings.Contains(text, "cut off") {
			t.Errorf("malformed: %q", text)
		}
		if text := results[1].Text; !strings.Contains(text, "cut off") || strings.Contains(text, "malformed") {
			t.Errorf("cut: %q", text)
		}
	})

	t.Run("arguments-7", func(t *testing.T) {
		t.Parallel()
		cut := swarmtest.Do(raw("take", string(jsonText(`{"a":"beg`))))
		cut.Finish = model.FinishLength
		good := swarmtest.Do(raw("take", `{}`))
		for _, row := range []struct {
			name    string
			turns   []swarmtest.Turn
			outcome string
			reason  string
			asked   int
		}{
			{"always", []swarmtest.Turn{cut, cut, cut, swarmtest.Say("so far nothing")}, "partial", "bad_turns", 4},
			{"without a word", []swarmtest.Turn{cut, cut, cut, cut}, "failed", "bad_turns", 4},
			{"a good turn resets", []swarmtest.Turn{cut, cut, good, cut, cut, swarmtest.Do(finish)}, "completed", "", 6},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				k := &taker{}
				b := setup(t, setupOptions{tools: []swarm.Tool{k.tool(t)}, script: swarmtest.Script{"root": row.turns},
					agents: map[string]*agent.Profile{"root": {MaxBadTurns: 3}}})
				res := b.run("go")
				b.outcome(res, row.outcome, row.reason)
				if n := len(b.reqs.Of("root")); n != row.asked {
					t.Errorf("%d requests, want %d", n, row.asked)
				}
			})
		}
	})

	t.Run("arguments-8", func(t *testing.T) {
		t.Parallel()
		const n = int64(9007199254740993)
		var got int64
		exact := goTool(t, "exact", func(_ context.Context, in struct {
			N int64 `json:"n"`
			A any   `json:"a"`
		}) (string, error) {
			got = in.N
			if d, ok := in.A.(json.Number); !ok || d.String() != "9007199254740993" {
				t.Errorf("a is %T %v", in.A, in.A)
			}
			return "ok", nil
		})
		b := setup(t, setupOptions{tools: []swarm.Tool{exact}, script: swarmtest.Script{"root": {
			swarmtest.Do(raw("exact", `{"n":9007199254740993,"a":9007199254740993}`)), swarmtest.Do(finish),
		}}})
		b.outcome(b.run("go"), "completed", "")
		if got != n {
			t.Errorf("the tool got %d", got)
		}
		if r := b.replayed("root", 1); len(r) != 1 || r[0] != `{"n":9007199254740993,"a":9007199254740993}` {
			t.Errorf("replayed as %q", r)
		}
	})

	t.Run("arguments-9", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(9, 9))
		alphabet := []rune("abcdefghij 汉字😀éß")
		var body strings.Builder
		for body.Len() < 2<<20 {
			body.WriteRune(alphabet[rng.IntN(len(alphabet))])
		}
		args := `{"a":` + string(jsonText(body.String())) + `}`
		b := setup(t, setupOptions{store: memory(), tools: []swarm.Tool{(&taker{}).tool(t)}, script: swarmtest.Script{"root": {
			swarmtest.Do(raw("take", string(jsonText(args)))), swarmtest.Do(nothing), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		text := b.results("root", 1)[0].Text
		if len(text) > 2000 || !utf8.ValidString(text) || !strings.Contains(text, "showing 200 of") {
			t.Errorf("the echo has %d bytes: %q", len(text), text[:min(len(text), 300)])
		}
		for _, req := range b.reqs.Of("root")[1:] {
			if n := len(said(&req)); n > 60_000 {
				t.Errorf("request %d carries %d bytes", req.Turn, n)
			}
		}
		stored, err := b.rt.Store().Read(t.Context(), res.Run, journal.Query{Types: []journal.Type{journal.TCallRequested}, NoBlobs: true})
		if err != nil || len(stored) == 0 {
			t.Fatalf("%d records, %v", len(stored), err)
		}
		m := stored[0].Payload.(*journal.CallRequested)
		whole, err := b.rt.Store().GetBlob(t.Context(), m.Args.Hash)
		if err != nil || string(whole) != args {
			t.Errorf("the journal has %d bytes of %d by the hash %q: %v", len(whole), len(args), m.Args.Hash, err)
		}
	})

	t.Run("arguments-11", func(t *testing.T) {
		t.Parallel()
		needs := goTool(t, "needs", func(context.Context, struct {
			Depth int `json:"depth"`
		}) (string, error) {
			return "ran", nil
		})
		b := setup(t, setupOptions{tools: []swarm.Tool{needs}, script: swarmtest.Script{"root": {
			swarmtest.Do(raw("needs", `{}`)), swarmtest.Do(finish),
		}}})
		res := b.run("go")
		b.outcome(res, "completed", "")
		c := turnOf(b.records(res.Run), "root", 1)[0]
		if c.code() != "tool.invalid_arguments" || !c.Counted || c.Dispatched != 0 || !strings.Contains(b.results("root", 1)[0].Text, "depth") {
			t.Errorf("%+v: %+v", c.CallRequested, c.Settled)
		}
	})
}
