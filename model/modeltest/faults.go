package modeltest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Refusal is a reply of a server that is no answer, and what it must be taken for.
type Refusal struct {
	Name   string
	Status int
	Header string // "name: value"
	Body   string
	Class  model.Class
	Code   string
	Wait   time.Duration
	Detail string // is in the error's text
}

// Key and query of the base URL that the servers of [Refusals] are asked with. No error
// tells them.
const (
	SecretKey    = "sk-secret-1"
	secretInURL  = "private"
	secretSuffix = "?key=" + secretInURL
)

// Refusals asks servers that refuse: one request each, the class, the wait, and no secret in
// the error. newProvider gets a base URL; its key is [SecretKey].
func Refusals(t *testing.T, path string, newProvider func(t testing.TB, base string) model.Provider, question func() *model.Request, rows []Refusal) {
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			base := Serve(t, path, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				Drop(r)
				if name, value, ok := strings.Cut(row.Header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(row.Status)
				_, _ = io.WriteString(w, row.Body)
			})
			_, err := newProvider(t, base+secretSuffix).Answer(t.Context(), question(), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Class != row.Class || e.Code != row.Code || e.RetryAfter != row.Wait || !strings.Contains(e.Detail, row.Detail) {
				t.Fatalf("%+v", err)
			}
			if strings.Contains(err.Error(), SecretKey) || strings.Contains(err.Error(), secretInURL) {
				t.Errorf("the key is told: %v", err)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// Refused wants an address where nobody listens to be a failure that passes, which names
// what was asked (behind the base URL) and no secret.
func Refused(t *testing.T, path string, newProvider func(t testing.TB, base string) model.Provider, question func() *model.Request, asked string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String() + path
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = newProvider(t, base+secretSuffix).Answer(t.Context(), question(), nil)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.ClassTransient || e.Code != "model.connection" || !strings.Contains(e.Detail, base+asked) ||
		!strings.Contains(e.Detail, "start the server, or check base_url") || strings.Contains(e.Detail, secretInURL) {
		t.Errorf("limits-8 connection refused: %v", err)
	}
}

// CancelInStream ends the context of a request in the middle of a stream, once its
// beginning, which has the text "a", was shown, and then asks once more.
func CancelInStream(t *testing.T, path, beginning string, newProvider func(t testing.TB, base string) model.Provider, question func() *model.Request) {
	t.Helper()
	p := newProvider(t, Serve(t, path, func(w http.ResponseWriter, r *http.Request) {
		Drop(r)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, beginning)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shown, ended := make(chan string, 10), make(chan error, 1)
	go func() { // ends with the request, which is waited for
		_, err := p.Answer(ctx, question(), func(d model.Delta) { shown <- d.Text })
		ended <- err
	}()
	if text := <-shown; text != "a" {
		t.Errorf("shown %q", text)
	}
	cancel()
	first := <-ended
	_, second := p.Answer(ctx, question(), nil)
	for i, err := range []error{first, second} {
		var e *model.Error
		if !errors.As(err, &e) || e.Class != model.ClassCancelled || !errors.Is(err, context.Canceled) || len(shown) > 0 {
			t.Errorf("limits-8 cancelled, %d: %v", i, err)
		}
	}
}

// Misconfigured wants options to be refused with "model.config_invalid" and these words.
func Misconfigured[O any](t *testing.T, newProvider func(O) error, rows []Misconfiguration[O]) {
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			if err := newProvider(row.Options); fault.Code(err) != "model.config_invalid" || !strings.Contains(err.Error(), row.Says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Misconfiguration is a row of [Misconfigured].
type Misconfiguration[O any] struct {
	Name    string
	Options O
	Says    string
}
