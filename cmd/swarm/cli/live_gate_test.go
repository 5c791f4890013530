package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// gated is a model server whose answers begin, and go on after their first pieces, when
// the test says so. Agents are found by the names of their models.
type gated struct {
	url    string
	inner  http.Handler
	begins map[string]chan struct{}
	ends   map[string]chan struct{}
}

// shownPieces of an answer come before the second wait: its beginning and two of its text.
const shownPieces = 3

func gatedServer(t *testing.T, script string, agents ...string) *gated {
	t.Helper()
	s, err := scripted.Load([]byte(script), "gated.yaml")
	if err != nil {
		t.Fatal(err)
	}
	g := &gated{inner: modeltest.Server(s, scripted.Options{}), begins: map[string]chan struct{}{}, ends: map[string]chan struct{}{}}
	for _, a := range agents {
		g.begins[a], g.ends[a] = make(chan struct{}), make(chan struct{})
	}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *gated) begin(agent string)  { close(g.begins[agent]) }
func (g *gated) finish(agent string) { close(g.ends[agent]) }

// ServeHTTP implements [http.Handler].
func (g *gated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in struct{ Model string }
	if err != nil || json.Unmarshal(body, &in) != nil {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	wait := func(gates map[string]chan struct{}) {
		select {
		case <-gates[in.Model]:
		case <-r.Context().Done():
		}
	}
	wait(g.begins)
	g.inner.ServeHTTP(&gate{ResponseWriter: w, left: shownPieces, wait: func() { wait(g.ends) }}, r)
}

// gate is one answer that stops after its first pieces.
type gate struct {
	http.ResponseWriter
	left int
	wait func()
}

// Flush implements [http.Flusher]; every piece is flushed.
func (g *gate) Flush() {
	g.ResponseWriter.(http.Flusher).Flush()
	if g.left--; g.left == 0 {
		g.wait()
	}
}
