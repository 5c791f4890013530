package swarm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// aPicture is what the runs of this file are given, with a text beside it and a picture that
// is damaged.
var aPicture = modeltest.Picture("image/png", 40, 30, 7)

func pictured() swarm.Input {
	return swarm.Input{Text: "What is on it?", Files: []swarm.InputFile{{Path: "a.png", Content: aPicture}, {Path: "notes.md", Content: []byte("a note")},
		{Path: "broken.png", Content: aPicture[:len(aPicture)-20]}}}
}

// lookScript sees the picture that was given, reads it as a file, and sees that too.
var lookScript = fmt.Sprintf(`version: 1
agents:
  lead:
    - {when: {turn: 1, match: "sees image/png of %[1]d bytes"}, calls: [{workspace_read_file: {path: input/a.png}}, {workspace_read_file: {path: input/broken.png}}]}
    - {when: {turn: 2, match: "sees image/png of %[1]d bytes"}, calls: [{workspace_list_files: {}}]}
    - {when: {turn: 3}, calls: [{workspace_finish: {reason: seen}}]}
    - {when: {turn: 1, match: "Image input/a.png .image/png, 40 x 30, %[1]d bytes. is not shown: this model takes no images"}, calls: [{workspace_read_file: {path: input/a.png}}]}
    - {when: {turn: 2, match: "input/a.png .image/png, 40 x 30, %[1]d bytes. is not shown"}, calls: [{workspace_list_files: {}}]}
`, len(aPicture))

// imageServer serves lookScript over one wire form. before may answer a request itself.
func imageServer(t *testing.T, provider string, before func(w http.ResponseWriter, body []byte) bool) *wireServer {
	t.Helper()
	script, err := scripted.Load([]byte(lookScript), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := newWireServer(t, provider)
	switch provider {
	case "openai":
		s.handler = modeltest.Server(script, scripted.Options{})
	case "anthropic":
		s.handler = modeltest.Messages(script, scripted.Options{})
	case "gemini":
		s.handler = modeltest.Generate(script, scripted.Options{})
	}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(r.Body); err != nil {
			return // the client has gone
		}
		r.Body = readCloser{bytes.NewReader(body.Bytes())}
		if before == nil || !before(w, body.Bytes()) {
			s.handler.ServeHTTP(w, r)
		}
	})
	return s
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// runImages runs a team of one agent that is given a picture, and gives what is recorded.
func runImages(t *testing.T, m swarm.Model, change func(*swarm.Options), more map[string]swarm.Model) []journal.Record {
	t.Helper()
	o := swarm.Options{Env: func(name string) (string, bool) { return wireKey, name == "KEY" }}
	if change != nil {
		change(&o)
	}
	rt, err := swarm.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]swarm.Model{"lead": m}
	for name, m := range more {
		models[name] = m
	}
	team := &swarm.Team{Version: 1, Name: "wire", Entry: "lead", Models: models, Agents: map[string]*swarm.Profile{"lead": {Model: "lead", Prompt: "Look."}}}
	run, err := rt.Start(t.Context(), team, pictured())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := run.Wait(ctx)
	recs, read := rt.Store().Read(ctx, run.ID(), journal.Query{})
	if err != nil || read != nil || res.Outcome != "completed" {
		t.Errorf("%+v, %v, %v", res, err, read)
	}
	for _, f := range journal.Verify(recs) {
		t.Errorf("journal: %s", f)
	}
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
	return recs
}

func imageModel(provider, url string, stream, sees bool) swarm.Model {
	return swarm.Model{Provider: provider, Model: "lead", BaseURL: url + "/v1", APIKey: "${KEY}", Stream: &stream, Vision: &sees, Retry: swarm.Retry{Base: time.Nanosecond}}
}

// A picture of the input and one that is read reach a model that sees on every wire form, by
// their bytes; one that does not see reads what they are. Either way the journal has them by
// hash, and each request begins with the bytes of the one before.
func TestImagesReachEveryModel(t *testing.T) {
	t.Parallel()
	data := []byte(base64.StdEncoding.EncodeToString(aPicture))
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		for _, stream := range []bool{true, false} {
			for _, sees := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/stream=%t/sees=%t", provider, stream, sees), func(t *testing.T) {
					t.Parallel()
					s := imageServer(t, provider, nil)
					recs := runImages(t, imageModel(provider, s.URL, stream, sees), nil, nil)
					reqs := s.handler.Requests()
					if len(reqs) != 3 {
						t.Fatalf("%d requests", len(reqs))
					}
					var before []byte
					for i, body := range reqs {
						if faults := s.judge(body); len(faults) > 0 {
							t.Errorf("request %d: %v", i+1, faults)
						}
						if !bytes.Contains(body, []byte("broken.png (image/png, ")) {
							t.Errorf("request %d does not say that a picture is damaged\n%.3000s", i+1, body)
						}
						want := []int{0, 0, 0}
						if sees {
							want = []int{1, 2, 2}
						}
						if n := bytes.Count(body, data); n != want[i] {
							t.Errorf("request %d has the picture %d times", i+1, n)
						}
						plain := bytes.TrimRight(bytes.ReplaceAll(body, []byte(`,"cache_control":{"type":"ephemeral"}`), nil), "]}")
						if !bytes.HasPrefix(plain, before) {
							t.Errorf("request %d does not begin with the one before", i+1)
						}
						before = plain
					}
					checkImages(t, recs, sees)
				})
			}
		}
	}
}

// leftOut gives the images that records say are not shown.
func leftOut(t *testing.T, recs []journal.Record) (all []journal.LeftOut) {
	t.Helper()
	for _, m := range payloads[*journal.ImagesLeftOut](recs) {
		list, err := m.List()
		if err != nil || len(list) != m.Count {
			t.Errorf("%+v, %v", m, err)
		}
		all = append(all, list...)
	}
	return all
}

// checkImages looks at what a journal says of the pictures of a run.
func checkImages(t *testing.T, recs []journal.Record, sees bool) {
	t.Helper()
	want := journal.Image{Path: "input/a.png", Media: "image/png", Hash: workspace.HashOf(aPicture), Bytes: len(aPicture), Width: 40, Height: 30}
	var got []journal.Image
	for _, m := range payloads[*journal.CallSettled](recs) {
		got = append(got, m.Images...)
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("the results have %+v", got)
	}
	out := leftOut(t, recs)
	if sees && out != nil || !sees && (len(out) != 2 || out[0].Path != "input/a.png" || out[0].Call != "" || out[1].Call == "") {
		t.Errorf("left out %+v", out)
	}
	for _, r := range recs {
		if _, given := r.Payload.(*journal.FileChanged); given {
			continue
		}
		if b, _ := json.Marshal(r.Payload); bytes.Contains(b, []byte(base64.StdEncoding.EncodeToString(aPicture[:30]))) {
			t.Errorf("%s holds the picture", r.Type())
		}
	}
}

// A recorded run with pictures is replayed; the cassette has them by hash.
func TestImagesAreReplayed(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "gemini"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := imageServer(t, provider, nil)
			m, file := imageModel(provider, s.URL, true, true), filepath.Join(t.TempDir(), "cassette.jsonl")
			runImages(t, m, func(o *swarm.Options) { o.Record = file }, nil)
			s.Close()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(data, []byte("«image sha256 "+workspace.HashOf(aPicture)+"»")); n != 5 || bytes.Contains(data, []byte(base64.StdEncoding.EncodeToString(aPicture))) {
				t.Errorf("the cassette has the hash of the picture %d times, or its bytes", n)
			}
			checkImages(t, runImages(t, m, func(o *swarm.Options) { o.Replay, o.Env = file, nil }, nil), true)
		})
	}
}

// A picture that the server refuses is replaced by a note for good, and the run goes on.
func TestRefusedImages(t *testing.T) {
	t.Parallel()
	refusals := map[string]string{
		"openai":    `{"error":{"message":"Invalid image data","type":"invalid_request_error","code":"invalid_image"}}`,
		"anthropic": `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.2.image.source.base64.data: Could not process image"}}`,
		"gemini":    `{"error":{"code":400,"message":"Unable to process input image.","status":"INVALID_ARGUMENT"}}`,
	}
	data := []byte(base64.StdEncoding.EncodeToString(aPicture))
	for provider, said := range refusals {
		for _, atTurn := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s at turn %d", provider, atTurn), func(t *testing.T) {
				t.Parallel()
				var mu sync.Mutex
				refused := 0
				s := imageServer(t, provider, func(w http.ResponseWriter, body []byte) bool {
					if bytes.Count(body, data) < atTurn {
						return false
					}
					mu.Lock()
					refused++
					mu.Unlock()
					w.WriteHeader(http.StatusBadRequest)
					_, _ = w.Write([]byte(said))
					return true
				})
				m := imageModel(provider, s.URL, true, true)
				script := strings.NewReplacer("is not shown: this model takes no images", "is not shown: the model's server refused it").Replace(lookScript)
				s.handler = handlerOf(t, provider, script)
				recs := runImages(t, m, nil, nil)
				out := leftOut(t, recs)
				wantLeft := 3 - atTurn // at turn 1 each of both is refused when it comes, at turn 2 the second one alone
				if refused != wantLeft || len(out) != wantLeft {
					t.Fatalf("%d requests were refused, %d times something was left out\n%+v", refused, len(out), out)
				}
				if last := out[len(out)-1]; last.Call == "" || last.Why != "the model's server refused it" {
					t.Errorf("left out %+v", last)
				}
				failed := payloads[*journal.ModelAttemptFailed](recs)
				if len(failed) != wantLeft || failed[0].Code != model.ImageRefused {
					t.Errorf("failed attempts %+v", failed)
				}
			})
		}
	}
}

func handlerOf(t *testing.T, provider, text string) interface {
	http.Handler
	Requests() [][]byte
} {
	t.Helper()
	script, err := scripted.Load([]byte(text), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	switch provider {
	case "openai":
		return modeltest.Server(script, scripted.Options{})
	case "anthropic":
		return modeltest.Messages(script, scripted.Options{})
	}
	return modeltest.Generate(script, scripted.Options{})
}

// A server that refuses every image, as one does whose model sees nothing, is left in peace:
// the run goes on without them, and ends in an error when it refuses that too.
func TestServerWithoutSight(t *testing.T) {
	t.Parallel()
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(`{"error":{"code":500,"message":"image input is not supported","type":"server_error"}}`))
	}))
	t.Cleanup(web.Close)
	b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Providers = nil }})
	sees := true
	b.team.Models["default"] = config.Model{Provider: "openai", BaseURL: web.URL + "/v1", Auth: "none", Model: "m", Vision: &sees}
	r, err := b.rt.Start(t.Context(), b.team, pictured())
	if err != nil {
		t.Fatal(err)
	}
	if res := b.wait(r); res.Outcome != "failed" || res.Code != model.ImageRefused || asked != 2 {
		t.Errorf("%+v after %d requests\n%s", res, asked, b.dump(r.ID()))
	}
}

// A fallback that does not see is passed over while there are pictures, with the reason; one
// that sees takes over with them.
func TestFallbackAndImages(t *testing.T) {
	t.Parallel()
	script := swarmtest.Script{"root": {swarmtest.Do(read("input/a.png")), swarmtest.Do(finish)}}
	overloaded := &model.Error{Class: model.ClassOverload, Code: "model.overloaded"}
	yes, no := true, false
	for _, row := range []struct {
		name          string
		first, second bool
		outcome       string
		skipped       string
	}{
		{"it sees", yes, yes, "completed", ""},
		{"it does not see", yes, no, "failed", "spare: it takes no images, and the conversation has some"},
		{"neither sees", no, no, "completed", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := spared(t, overloaded, setupOptions{}, script)
			for name, sees := range map[string]bool{"default": row.first, "spare": row.second} {
				m := b.team.Models[name]
				m.Vision = &sees
				b.team.Models[name] = m
			}
			r, err := b.rt.Start(t.Context(), b.team, pictured())
			if err != nil {
				t.Fatal(err)
			}
			res := b.wait(r)
			if res.Outcome != row.outcome || !strings.Contains(res.Text, row.skipped) {
				t.Fatalf("%+v\n%s", res, b.dump(res.Run))
			}
			last := b.last("root")
			n := 0
			model.EachImage(last.Messages, func(*journal.Image) { n++ })
			if want := map[string]int{"it sees": 2, "it does not see": 1}[row.name]; n != want {
				t.Errorf("%d images, want %d", n, want)
			}
		})
	}
}
