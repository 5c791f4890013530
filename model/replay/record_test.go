package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

const script = `
version: 1
agents:
  lead:
    - text: I look for {{ input }}, ä€😀.
      reasoning: where may it be
      calls: [{grep: {q: "ä \"b\""}}, {grep: {n: 3}}, {grep: }]
      raw_arguments: [null, null, '{"cut":']
    - {text: after a wait, fault: {status: 429, retry_after: 2s, times: 2}}
    - {text: this is cut at first, fault: {cut_after: 7}}
    - {text: broken in the stream, fault: {code: overloaded_error}, usage: {input: 5, output: 6}}
    - {text: too much, finish: length}
`

// conversation plays all of the script, and one turn more.
func conversation(p model.Provider) [][]outcome {
	req := request("root", 1, "it")
	req.Tools = []model.ToolDef{{ID: "grep", Name: "grep", Schema: json.RawMessage(`{"type":"object"}`)}}
	var all [][]outcome
	for ; req.Turn <= 6; req.Turn++ {
		turn := attempts(context.Background(), p, *req)
		all = append(all, turn)
		a := turn[len(turn)-1].Answer
		if a == nil {
			break
		}
		m, res := model.Message{Role: model.Assistant, Text: a.Text}, model.Message{Role: model.Tool}
		for i, c := range a.Calls {
			key := fmt.Sprintf("%024d", i)
			m.Calls = append(m.Calls, model.Call{Key: key, Name: c.Name, Args: "{}"})
			res.Results = append(res.Results, model.Result{Key: key, Name: c.Name, Text: "hit"})
		}
		if len(a.Calls) == 0 {
			res = model.Message{Role: model.Host, Text: "go on"}
		}
		req.Messages = append(req.Messages, m, res)
	}
	return all
}

// TestReplayIsWhatWasRecorded records a conversation with a server, and plays it when the
// server has gone.
func TestReplayIsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprintf("stream %v", stream), func(t *testing.T) {
			t.Parallel()
			s, err := scripted.Load([]byte(script), "s")
			if err != nil {
				t.Fatal(err)
			}
			b := setup(t)
			b.with.Stream = &stream
			end := b.serve(modeltest.Server(s, scripted.Options{}))
			var recorded [][]outcome
			b.record(func(p *openai.Provider) { recorded = conversation(p) })
			if len(recorded) != 6 || len(recorded[1]) != 3 || len(recorded[2]) != 2 || len(recorded[3]) != 2 {
				t.Fatalf("the script was not played: %s", text(t, recorded))
			}
			end()
			b.opt.Exact = true
			player, p := b.player()
			played := conversation(p)
			if want, got := text(t, recorded), text(t, played); got != want {
				t.Errorf("played\n%s\nrecorded\n%s", got, want)
			}
			if err := player.Close(); err != nil {
				t.Error(err)
			}
			if m := player.Models(); len(m) != 1 || text(t, m[0]) != text(t, testModel) {
				t.Errorf("models %s", text(t, m))
			}
			if w := b.warned(); w != nil {
				t.Errorf("warned of %v", w)
			}
		})
	}
}

// echo answers with the last text and the number of its messages.
func echo(w http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	said, _ := json.Marshal(fmt.Sprintf("%d: %s", len(in.Messages), in.Messages[len(in.Messages)-1].Content))
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\n", said)
}

// TestParallelChildrenInAnotherOrder records children one way and plays them in another,
// in another run.
func TestParallelChildrenInAnotherOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	const children, turns = 16, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	all := func(p *openai.Provider, run string, order []int) {
		var wg sync.WaitGroup
		for _, child := range order {
			wg.Go(func() {
				path := fmt.Sprintf("root/child.%d", child)
				for turn := 1; turn <= turns; turn++ {
					req := request(path, turn, fmt.Sprintf("%s of %s, turn %d", path, run, turn))
					req.Run = run
					o := ask(t.Context(), p, req)
					if o.Answer == nil || o.Answer.Text != "1: "+req.Messages[0].Text {
						t.Errorf("%s turn %d of %s: %+v", path, turn, run, o)
					}
				}
			})
		}
		wg.Wait()
	}
	random := rand.New(rand.NewPCG(seed, 0))
	b.record(func(p *openai.Provider) { all(p, "run_0123456789abcdef", random.Perm(children)) })
	end()
	b.opt.Exact = true
	player, p := b.player()
	all(p, "run_zyxwvtsrqpnmkjhg", random.Perm(children))
	if err := player.Close(); err != nil {
		t.Error(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(b.content()), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d is no JSON: %s", i+1, line)
		}
	}
}

// TestSeveralRequestsOfOneAttempt holds that they are told apart, and that requests of no
// attempt are found by what they say.
func TestSeveralRequestsOfOneAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var n atomic.Int32
	end := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"%d"}}]}`, n.Add(1))
	}))
	do := func(p *openai.Provider, keyed bool) (said string) {
		req := request("root", 1, "the same")
		ctx := t.Context()
		if keyed {
			ctx = model.WithAttempt(ctx, req)
		}
		for range 3 {
			a, err := p.Answer(ctx, req, nil)
			if err != nil {
				t.Fatal(err)
			}
			said += a.Text
		}
		return said
	}
	b.record(func(p *openai.Provider) {
		if got := do(p, true) + do(p, false); got != "123456" {
			t.Fatal(got)
		}
	})
	end()
	_, p := b.player()
	if got := do(p, true) + do(p, false) + do(p, true); got != "123456123" {
		t.Errorf("played %s", got)
	}
}

// TestRecordingIsAddedTo holds that a later recording leaves what is there, and that the
// file is nobody else's.
func TestRecordingIsAddedTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	for turn := 1; turn <= 3; turn++ {
		b.record(func(p *openai.Provider) {
			if o := ask(t.Context(), p, request("root", turn, "x")); o.Answer == nil {
				t.Fatal(o.Error)
			}
		})
		if err := os.Chmod(b.file, 0o644); err != nil { // as it may come from elsewhere
			t.Fatal(err)
		}
	}
	b.record(func(*openai.Provider) {})
	info, err := os.Stat(b.file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %o", info.Mode().Perm())
	}
	if n := strings.Count(b.content(), `{"cassette":1,"binary":"v1","name":"default","provider":"openai","model":"lead","settings":{"stream":true}}`+"\n"); n != 4 {
		t.Errorf("%d headers", n)
	}
	end()
	b.opt.Exact = true
	player, p := b.player()
	for _, turn := range []int{3, 1, 2} {
		if o := ask(t.Context(), p, request("root", turn, "x")); o.Answer == nil {
			t.Error(o.Error)
		}
	}
	if err := player.Close(); err != nil {
		t.Error(err)
	}
}

// TestGivenTransport holds that a recorder uses the transport that it is given.
func TestGivenTransport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(http.HandlerFunc(echo))
	r, err := replay.NewRecorder(b.file, b.opt)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := r.Transport(testModel, transport(func(req *http.Request) (*http.Response, error) {
		rec := httptest.NewRecorder()
		echo(rec, req)
		return rec.Result(), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if o := ask(t.Context(), b.provider(rt), request("root", 1, "given")); o.Answer == nil || o.Answer.Text != "1: given" {
		t.Errorf("%+v", o)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
