package swarm_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// chatServer is a model server of the test: what it was sent, and what it answers.
type chatServer struct {
	url    string
	script http.Handler
	mu     sync.Mutex
	bodies [][]byte
}

// serve starts a server. refuse may answer the n-th request (from 1) itself; what it leaves
// is answered by the script, in which the name of a model is the agent.
func serve(t *testing.T, script string, refuse func(n int, w http.ResponseWriter, r *http.Request) bool) *chatServer {
	t.Helper()
	s, err := scripted.Load([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := &chatServer{script: modeltest.Server(s, scripted.Options{})}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		c.mu.Lock()
		c.bodies = append(c.bodies, body)
		n := len(c.bodies)
		c.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		if refuse == nil || !refuse(n, w, r) {
			c.script.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	c.url = srv.URL + "/v1"
	return c
}

func (c *chatServer) requests() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}

// model is a model of the server.
func (c *chatServer) model(name string) config.Model {
	return config.Model{Provider: "openai", BaseURL: c.url, Auth: "none", Model: name}
}

// refusal answers with a status and no more.
func refusal(w http.ResponseWriter, status int, header ...string) bool {
	for i := 0; i < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, `{"error":{"message":"no"}}`)
	return true
}

const alone = `
version: 1
agents:
  root:
    - calls: [{workspace_finish: {reason: ready}}]
`

// asking sets a runtime up whose one agent asks a server, on a clock of the test.
func asking(t *testing.T, m config.Model) (*testBundle, *swarmtest.Clock) {
	t.Helper()
	clock := swarmtest.NewClock()
	b := setup(t, setupOptions{opts: func(o *swarm.Options) { o.Clock, o.Providers = clock, nil }})
	b.team.Models["default"] = m
	return b, clock
}

// waits has a run wait so many times, each time with so many timers, and ends it.
func (b *testBundle) waits(r *swarm.Run, clock *swarmtest.Clock, times, set int, d time.Duration) swarm.Result {
	b.t.Helper()
	for range times {
		timers(b.t, clock, set)
		clock.Advance(d)
	}
	return b.wait(r)
}

// pauses moves the clock by a second whenever the limiter has a key pause, until the run
// rests, and gives how often.
func (b *testBundle) pauses(rested <-chan struct{}, clock *swarmtest.Clock) int {
	limiter := func() swarm.Node {
		for _, n := range b.rt.Tree() {
			if n.Kind == "limiter" {
				return n
			}
		}
		return swarm.Node{}
	}
	n := 0
	for {
		select {
		case <-rested:
			return n
		default:
		}
		if limiter().WaitsFor == "retry_after" {
			n++
			clock.Advance(time.Second)
			for limiter().Mailbox > 0 { // until it has heard of that
				runtime.Gosched()
			}
		}
		runtime.Gosched()
	}
}

// A wait for another attempt has one timer. At a limiter there are two: one ends the pause
// of the key, the other the patience for rate limits.
const (
	byItself  = 1
	atLimiter = 2
)
