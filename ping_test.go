package swarm_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestPing(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server hears of a client that went away
		asked <- r.Header.Get("Authorization")
		if r.Header.Get("X-More") == "" {
			<-r.Context().Done()
			return
		}
		_, _ = w.Write([]byte(`{"model":"m-1","choices":[{"message":{"content":"here"},"finish_reason":"stop"}]}`))
	}))
	t.Cleanup(server.Close)
	rt, err := swarm.Open(t.Context(), swarm.Options{Env: environment(map[string]string{"THE_KEY": theKey, "MORE": otherKey, "MODEL": theModel})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close(context.WithoutCancel(t.Context())) })
	team := gossipTeam(server.URL)
	p, err := rt.Ping(t.Context(), team, swarm.DefaultModel)
	if err != nil || p.Model != "m-1" || recv(t, asked) != "Bearer "+theKey {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := rt.Ping(t.Context(), team, "none"); fault.Code(err) != "config.model_unknown" {
		t.Errorf("an unknown model: %v", err)
	}
	changeModel(team, func(m *swarm.Model) { m.Headers = nil })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	var e *swarm.ModelError
	if _, err := rt.Ping(ctx, team, swarm.DefaultModel); !errors.As(err, &e) || e.Class != swarm.ClassCancelled {
		t.Errorf("a server that does not answer: %v", err)
	}
	changeModel(team, func(m *swarm.Model) { m.BaseURL = "ftp://${THE_KEY}" })
	if _, err := rt.Ping(t.Context(), team, swarm.DefaultModel); fault.Code(err) != "model.config_invalid" || strings.Contains(err.Error(), theKey) {
		t.Errorf("an address that is none: %v", err)
	}
	changeModel(team, func(m *swarm.Model) { m.APIKey = otherKey })
	if _, err := rt.Ping(t.Context(), team, swarm.DefaultModel); fault.Code(err) != "config.literal_secret" {
		t.Errorf("a literal key: %v", err)
	}
	runs, err := rt.Runs(t.Context())
	if err != nil || len(runs) > 0 {
		t.Errorf("%d runs are recorded, %v", len(runs), err)
	}
}
