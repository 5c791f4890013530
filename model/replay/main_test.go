package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bundle is a cassette and what is done with it.
type bundle struct {
	t    *testing.T
	file string
	base string         // of the server, which may be gone
	opt  replay.Options // of recorder and player
	with openai.Options

	mu    sync.Mutex
	warns []string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, file: filepath.Join(t.TempDir(), "run.jsonl")}
	b.opt.Binary = "v1"
	b.opt.Warn = func(kind, detail string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.warns = append(b.warns, kind+": "+detail)
	}
	return b
}

func (b *bundle) warned() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.warns)
}

// serve starts a server. What ends it may be called before the test ends.
func (b *bundle) serve(h http.Handler) (end func()) {
	s := httptest.NewServer(h)
	b.base = s.URL + "/v1"
	b.t.Cleanup(s.Close)
	return s.Close
}

// provider makes a provider over a transport.
func (b *bundle) provider(rt http.RoundTripper) *openai.Provider {
	b.t.Helper()
	o := b.with
	o.BaseURL, o.HTTP = b.base, &http.Client{Transport: rt}
	p, err := openai.New(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

var testModel = replay.Model{Name: "default", Provider: "openai", ID: "lead", Settings: json.RawMessage(`{"stream":true}`)}

// recorder opens the cassette to record.
func (b *bundle) recorder() (*replay.Recorder, *openai.Provider) {
	b.t.Helper()
	r, err := replay.NewRecorder(b.file, b.opt)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = r.Close() })
	rt, err := r.Transport(testModel, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return r, b.provider(rt)
}

// player opens the cassette to play it.
func (b *bundle) player() (*replay.Player, *openai.Provider) {
	b.t.Helper()
	p, err := replay.Open(b.file, b.opt)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = p.Close() })
	rt, err := p.Transport(testModel, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return p, b.provider(rt)
}

// record does something with a provider that is recorded.
func (b *bundle) record(do func(*openai.Provider)) {
	b.t.Helper()
	r, p := b.recorder()
	do(p)
	if err := r.Close(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) content() string {
	b.t.Helper()
	data, err := os.ReadFile(b.file)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// request asks something as an invocation would.
func request(path string, turn int, text string) *model.Request {
	return &model.Request{Model: "lead", Run: "run_0123456789abcdef", Path: path, Turn: turn, Attempt: 1,
		Messages: []model.Message{{Role: model.User, Text: text}}}
}

// outcome is all that came of an attempt.
type outcome struct {
	Answer *model.Answer
	Deltas []model.Delta
	Error  string // class, code, status, wait and detail
}

func ask(ctx context.Context, p model.Provider, req *model.Request) outcome {
	var o outcome
	var err error
	o.Answer, err = p.Answer(model.WithAttempt(ctx, req), req, func(d model.Delta) { o.Deltas = append(o.Deltas, d) })
	var e *model.Error
	switch {
	case errors.As(err, &e):
		o.Error = fmt.Sprint(e.Class, " ", e.Code, " ", e.Status, " ", e.RetryAfter, " ", e.Detail)
	case err != nil:
		o.Error = "untyped: " + err.Error()
	}
	return o
}

// attempts asks until an answer comes or nothing is worth another try.
func attempts(ctx context.Context, p model.Provider, req model.Request) []outcome {
	var all []outcome
	for req.Attempt = 1; req.Attempt <= 4; req.Attempt++ {
		o := ask(ctx, p, &req)
		all = append(all, o)
		if o.Answer != nil || strings.HasPrefix(o.Error, string(model.ClassPermanent)) {
			break
		}
	}
	return all
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
