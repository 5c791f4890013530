package gemini_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server for one test.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/v1beta"
}

// provider makes a provider that ends with the test.
func provider(t testing.TB, opt gemini.Options) *gemini.Provider {
	t.Helper()
	p, err := gemini.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func question() *model.Request {
	return &model.Request{Model: "gemini-x", Messages: []model.Message{{Role: model.User, Text: "hello"}}}
}

// drop reads a request and forgets it.
func drop(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }

func off() *bool { no := false; return &no }
