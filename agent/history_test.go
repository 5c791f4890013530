package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// teller makes random answers, results and interruptions of one invocation.
type teller struct {
	*driver
	r     *rand.Rand
	views []view // at each append
}

var someText = []string{"", "fine", "thinking\naloud", "😀 汉", "a\x00b", "\xff", strings.Repeat("long ", 500)}

func (h *teller) text() string { return someText[h.r.IntN(len(someText))] }

func (h *teller) call() model.AnswerCall {
	r := h.r
	names := []string{"peek", "poke", "again", "workspace_list_files", "workspace_commit", "agent_await", "agent_handoff", "workspace_finish", "task_return", "update_plan", "nope", "ünknown", ""}
	args := []string{"", "null", "{}", "[]", `{"reason":"x"}`, `"{\"reason\":\"x\"}"`, `{"plan":[{"step":"a","status":"pending"}]}`, `{"broken`, `{"agentId":"second","handoff":{"objective":"go"}}`, `"\u0000"`}
	name := names[r.IntN(len(names))]
	switch name { // often what fits
	case "update_plan":
		if r.IntN(3) > 0 {
			return swarmtest.Call(name, args[6])
		}
	case "agent_handoff":
		if r.IntN(3) > 0 {
			return swarmtest.Call(name, args[8])
		}
	}
	if r.IntN(3) > 0 {
		return swarmtest.Call(name, "")
	}
	raw := args[r.IntN(len(args))]
	if raw != "" && !json.Valid([]byte(raw)) {
		b, _ := json.Marshal(raw)
		raw = string(b)
	}
	return swarmtest.Call(name, raw)
}

func (h *teller) turn() swarmtest.Turn {
	t := swarmtest.Turn{Text: h.text()}
	for range h.r.IntN(5) {
		t.Calls = append(t.Calls, h.call())
	}
	if h.r.IntN(10) == 0 {
		t.Finish = model.FinishLength
	}
	return t
}

func (h *teller) result() tooling.Result {
	res := tooling.Result{Content: h.text()}
	if h.r.IntN(3) == 0 {
		res.Code = "tool.failed"
	}
	if h.r.IntN(4) == 0 {
		res.Observed = []journal.Observed{{Path: "output/a", Hash: fmt.Sprint(h.r.IntN(3)), Start: h.r.IntN(10), End: 10 + h.r.IntN(10), Full: h.r.IntN(2) == 0}}
		res.Changes = []workspace.Change{{Path: fmt.Sprintf("output/%d", h.r.IntN(3)), Op: "write", New: "h", Content: "x"}}
	}
	for i := range h.r.IntN(6) - 3 {
		res.Images = append(res.Images, journal.Image{Path: fmt.Sprintf("output/%d.gif", i), Media: []string{workspace.GIF, workspace.PNG}[h.r.IntN(2)], Hash: fmt.Sprint(h.r.IntN(9)), Bytes: 1 + h.r.IntN(3<<20), Width: h.r.IntN(900), Height: h.r.IntN(900)})
	}
	return res
}

// summary gives what a model says when it is asked for one.
func (h *teller) summary() []journal.Record {
	switch h.r.IntN(5) {
	case 0:
		return h.part.Unsummarised(&model.Error{Class: model.ClassTransient, Code: "model.http_500"})
	case 1:
		return h.part.Summarised(&model.Answer{Text: h.text(), Finish: model.FinishLength})
	case 2:
		return h.part.Summarised(&model.Answer{Finish: model.FinishCalls, Calls: []model.AnswerCall{h.call()}})
	}
	in := int64(h.r.IntN(5000))
	return h.part.Summarised(&model.Answer{Text: ">>> end of record\n" + h.text(), Finish: model.FinishStop, Usage: journal.Usage{Requests: 1, Input: &in}})
}

// tell plays one invocation until it has ended or the steps are used up.
func (h *teller) tell(steps int) {
	for range steps {
		ops, cmds := h.next()
		if h.part.Phase == Ended {
			return
		}
		work := slices.Concat(mapped(ops, func(o Op) any { return o }), mapped(cmds, func(c Command) any { return c }))
		h.r.Shuffle(len(work), func(i, j int) { work[i], work[j] = work[j], work[i] })
		if h.r.IntN(12) == 0 { // the process dies with all that is under way
			h.crash()
			h.append(h.part.Recover()...)
			continue
		}
		if len(work) == 0 {
			h.wait()
		}
		for _, w := range work {
			switch w := w.(type) {
			case Op:
				h.op(w)
			case Command:
				h.do(w)
			}
		}
		if h.r.IntN(60) == 0 && h.live.Halt == nil {
			h.halt(Halt{Close: h.r.IntN(2) == 0, Reason: "budget.time"})
		}
	}
}

// wait lets something that is under way end.
func (h *teller) wait() {
	for key, lc := range h.live.Calls {
		if lc.State == Running {
			h.done(key, h.result())
			return
		}
		if lc.State == Deciding {
			h.settle(key, h.result())
			return
		}
	}
}

func (h *teller) op(op Op) {
	if op.Kind == OpEnd {
		h.append(h.part.rec(&journal.InvocationEnded{Outcome: op.End.Outcome, Reason: op.End.Reason}, 0, ""))
		return
	}
	switch {
	case op.Tool == FinishTool && h.r.IntN(2) == 0, op.Tool == HandoffTool && h.r.IntN(2) == 0:
		for i := range h.part.Calls {
			if c := &h.part.Calls[i]; c.State != Settled {
				h.settle(c.Key, tooling.Result{Content: "done"})
			}
		}
		h.append(h.part.rec(&journal.InvocationEnded{Outcome: journal.Completed}, 0, ""))
	case h.r.IntN(3) > 0:
		h.settle(op.Call, h.result())
	}
}

func (h *teller) do(c Command) {
	if h.part.Phase == Ended {
		return
	}
	switch lc := h.live.Calls[c.Call]; c.Kind {
	case Summarise:
		h.live.Asking, h.live.Summing = false, false
		_, req := h.part.SummaryRequest()
		for _, f := range model.Validate(&req) {
			h.t.Errorf("summary: %s", f)
		}
		h.append(h.summary()...)
	case AskModel:
		h.valid()
		switch n := h.r.IntN(14); {
		case n == 11 && len(h.part.placed()) > 0:
			h.append(h.part.GaveUp(1, &model.Error{Class: model.ClassPermanent, Code: model.ImageRefused, Detail: h.text()})...)
			h.live.Asking = false
		case n == 12:
			h.append(h.part.Failed(1, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "maximum context length is 5000 tokens"})...)
			h.live.Asking = false
		case n == 0:
			h.append(h.part.AttemptFailed(1, &model.Error{Class: model.ClassTransient, Code: "model.http_500", Detail: h.text()})...)
			h.live.Asking = false
		case n == 1:
			h.append(journal.Record{Scope: journal.Scope{Invocation: "root", Task: "task_1"}, Payload: &journal.TaskDelivered{Via: "auto", Text: journal.Text("a result")}})
			h.live.Asking = false
		default:
			h.answer(h.turn())
		}
	case Enter:
		if lc != nil {
			lc.State = Admitted
		}
	case Look:
		if lc != nil {
			lc.State = Prepared
		}
	case Execute, Stop:
		if lc != nil && h.r.IntN(3) > 0 {
			h.done(c.Call, h.result())
		} else if c.Call == "" {
			h.live.Asking = false
		}
	}
}

// stored gives records as a store gives them back.
func stored(t testing.TB, recs []journal.Record) []journal.Record {
	t.Helper()
	mem := journal.NewMemory(journal.MemoryOptions{RoundTrip: true})
	defer mem.Close()
	epoch, err := mem.Acquire(t.Context(), testRun, false)
	if err != nil {
		t.Fatal(err)
	}
	batch := journal.Batch{Run: testRun, Epoch: epoch}
	for i, r := range recs {
		r.V, r.Run, r.Epoch, r.Seq, r.Prev, r.At = 1, testRun, epoch, int64(i+1), int64(i), time.Unix(0, 0)
		batch.Records = append(batch.Records, r)
	}
	if err := mem.AppendNow(&batch); err != nil {
		t.Fatal(err)
	}
	out, err := mem.Read(t.Context(), testRun, journal.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkHistory plays a seed: every request is valid, every prefix of the records at the
// border of an append folds to what the live part was there, and a journal gives it back.
func checkHistory(t testing.TB, seed uint64, steps int) []journal.Record {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	env := testEnv(t, func(p *Profile) {
		p.Rounds, p.InlineChars = 4+r.IntN(12), 2000
		p.NeedCommit = r.IntN(2) == 0
		p.TurnChars = []int{0, 1500, 4000}[r.IntN(3)]
	})
	small := env.Models["default"]
	small.Window = []int{0, 0, 3000, 5500, 8000, 12000}[r.IntN(6)]
	small.Vision, small.Images = r.IntN(3) > 0, model.ImageLimits{NoGIF: r.IntN(2) == 0, Count: 1 + r.IntN(6), Bytes: 2 << 20, Total: 5 << 20}
	env.Models["default"] = small
	birth := Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do it"}
	if r.IntN(3) == 0 {
		birth = Birth{Kind: "child", Profile: "worker", Path: "root/worker", Parent: "root", Task: "task_1", Depth: 1, Brief: "do it"}
	}
	h := &teller{driver: newDriver(t, env, birth), r: r}
	h.views = append(h.views, viewOf(h.part))
	h.reports = func() journal.Usage {
		in, out := h.part.fit.meter.Sum()*int64(2+r.IntN(8))/6, int64(r.IntN(300))
		return journal.Usage{Requests: 1, Input: &in, Output: &out}
	}
	h.appended = func() { h.views = append(h.views, viewOf(h.part)) }
	h.tell(steps)
	if len(h.views) != len(h.bounds) {
		t.Fatalf("seed %d: %d views of %d appends", seed, len(h.views), len(h.bounds))
	}
	fold := func(what string, recs []journal.Record) {
		p := NewPart(env, testRun)
		at := 0
		for i, bound := range h.bounds {
			if err := p.FoldAll(recs[at:bound]); err != nil {
				t.Fatal(err)
			}
			at = bound
			if got, want := viewOf(p), h.views[i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, append %d, %s:\n%+v\nlive:\n%+v", seed, i, what, got, want)
			}
		}
	}
	fold("folded anew", h.log)
	fold("from a store", stored(t, h.log))
	return h.log
}

func TestHistoryIsAFold(t *testing.T) {
	t.Parallel()
	n := uint64(150)
	if testing.Short() {
		n = 50
	}
	seen := map[journal.Type]int{}
	for seed := range n {
		for _, r := range checkHistory(t, seed, 60) {
			seen[r.Type()]++
		}
	}
	for _, typ := range []journal.Type{journal.TResultsShown, journal.TResultsSwept, journal.TImagesLeftOut, journal.TCompactionRequested, journal.THistoryCompacted, journal.TContextWarned, journal.TTurnClosed} {
		if seen[typ] == 0 {
			t.Errorf("never: %s (%v)", typ, seen)
		}
	}
}

func FuzzHistory(f *testing.F) {
	for _, seed := range []uint64{1, 7, 99, 12345} {
		f.Add(seed, uint8(60))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) { checkHistory(t, seed, int(steps)) })
}
