package swarm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// Requests with pictures are the same when the run is killed at each of its appends.
func TestImagesSurvive(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"root": {swarmtest.Do(read("input/a.png")), swarmtest.Do(nothing), swarmtest.Do(finish)}}
	sees := true
	start := func(store journal.Store) *testBundle {
		b := setup(t, setupOptions{script: script, store: store})
		m := b.team.Models["default"]
		m.Vision = &sees
		b.team.Models["default"] = m
		return b
	}
	whole := start(nil)
	r, err := whole.rt.Start(t.Context(), whole.team, pictured())
	if err != nil {
		t.Fatal(err)
	}
	whole.wait(r)
	want := whole.last("root").Messages
	n := 1
	for ; n < 100 && !t.Failed(); n++ {
		st := journal.NewMemory(journal.MemoryOptions{})
		crash := swarmtest.NewCrash(st, n, n%2 == 0)
		b := start(crash)
		r, err := b.rt.Start(t.Context(), b.team, pictured())
		if err == nil {
			_, err = b.rests(r)
		}
		ended := err == nil && crash.Appends() < n
		b.close()
		if ended {
			break
		}
		runs, err := st.Runs(t.Context())
		if err != nil || len(runs) == 0 {
			continue
		}
		b = start(st)
		r, err = b.rt.Resume(t.Context(), runs[0].Run, swarm.ResumeOptions{})
		if fault.Code(err) == "journal.ended" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if res := b.wait(r); res.Outcome != "completed" {
			t.Fatalf("append %d: %+v", n, res)
		}
		if b.reqs.Count() > 0 {
			got := b.last("root").Messages
			if len(got[0].Images) != 1 || !reflect.DeepEqual(got[0], want[0]) || len(got) > 2 && !reflect.DeepEqual(got[2].Results[0].Images, want[2].Results[0].Images) {
				t.Errorf("append %d: %+v\nwant %+v", n, got[0], want[0])
			}
		}
		b.close()
	}
	if n < 7 {
		t.Errorf("only %d appends", n)
	}
}

// A run that is given a great many pictures begins: what is not shown is named up to a bound,
// and no record is too long.
func TestVeryManyImages(t *testing.T) {
	t.Parallel()
	in := swarm.Input{Text: "go"}
	for i := range 1500 {
		in.Files = append(in.Files, swarm.InputFile{Path: fmt.Sprintf("shots/%04d.gif", i), Content: modeltest.Picture("image/gif", 2, 2, uint8(i))})
	}
	sees := true
	for _, m := range []config.Model{{Provider: "scripted", Model: "blind"}, {Provider: "scripted", Model: "seeing", Vision: &sees}} {
		b := setup(t, setupOptions{script: swarmtest.Script{"root": {swarmtest.Do(finish)}}})
		b.team.Models["default"] = m
		r, err := b.rt.Start(t.Context(), b.team, in)
		if err != nil {
			t.Fatal(err)
		}
		res := b.wait(r)
		b.outcome(res, "completed", "")
		first := b.last("root").Messages[0]
		if len(first.Text) > 3000 || m.Vision == nil && len(first.Images) != 0 || m.Vision != nil && len(first.Images) != 16 {
			t.Errorf("%s: %d images, the text has %d bytes", m.Model, len(first.Images), len(first.Text))
		}
	}
}

// Pictures are found again by their hash in a store on disk after a restart.
func TestImagesAfterRestart(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	held, asked := true, make(chan struct{}, 10)
	s := imageServer(t, "openai", func(w http.ResponseWriter, body []byte) bool {
		mu.Lock()
		hold := held && bytes.Contains(body, []byte(`"role":"tool"`))
		mu.Unlock()
		if !hold {
			return false
		}
		asked <- struct{}{}
		return refusal(w, http.StatusTooManyRequests, "Retry-After", "200")
	})
	dir := t.TempDir()
	open := func() *swarm.Runtime {
		rt, err := swarm.Open(t.Context(), swarm.Options{Dir: dir, Env: func(name string) (string, bool) { return wireKey, name == "KEY" }})
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	team := &swarm.Team{Version: 1, Name: "wire", Entry: "lead", Models: map[string]swarm.Model{"lead": imageModel("openai", s.URL, true, true)}, Agents: map[string]*swarm.Profile{"lead": {Model: "lead", Prompt: "Look."}}}
	rt := open()
	run, err := rt.Start(t.Context(), team, pictured())
	if err != nil {
		t.Fatal(err)
	}
	recv(t, asked)
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	held = false
	mu.Unlock()
	rt = open()
	defer func() { _ = rt.Close(context.Background()) }()
	again, err := rt.Resume(t.Context(), run.ID(), swarm.ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if res, err := again.Wait(ctx); err != nil || res.Outcome != "completed" {
		t.Errorf("%+v, %v", res, err)
	}
	if reqs := s.handler.Requests(); len(reqs) != 3 || bytes.Count(reqs[2], []byte(base64.StdEncoding.EncodeToString(aPicture))) != 2 {
		t.Errorf("%d requests reached the script", len(reqs))
	}
}
