package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// fails is a transport that fails.
type fails struct{ err error }

func (f fails) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// A server that is not there is an error that says what to do about it.
func TestNoServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	at := strings.TrimPrefix(gone.URL, "http://")
	for _, row := range []struct {
		name string
		o    wire.Options
		says string
	}{
		{"limits-8 refused", wire.Options{BaseURL: gone.URL}, "nothing listens at " + at + ": start the server, or check base_url"},
		{"limits-8 a name that nobody knows", wire.Options{BaseURL: "http://models.invalid/v1", HTTP: &http.Client{Transport: fails{&net.OpError{Op: "dial", Net: "tcp",
			Err: &net.DNSError{Err: "no such host", Name: "models.invalid", IsNotFound: true}}}}},
			"no such host; the address of models.invalid is not known: check base_url, or the network"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, row.o).Attempt(t.Context(), "m", nil, new(words))
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassTransient || e.Code != "model.connection" || !strings.Contains(e.Detail, row.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What the server has reported before an attempt fails is in the error, however it fails.
func TestSpentBeforeTheFailure(t *testing.T) {
	t.Parallel()
	stream := func(events string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, events)
		}
	}
	const used = "data: {\"used\":7}\n\n"
	for _, row := range []struct {
		name  string
		serve http.HandlerFunc
		code  string
		want  int64
	}{
		{"nothing was said", stream("data: {\"text\":\"a\"}\n\n"), "model.stream_incomplete", 0},
		{"the stream ends too soon", stream(used + "data: {\"text\":\"a\"}\n\n"), "model.stream_incomplete", 7},
		{"the connection is cut", func(w http.ResponseWriter, r *http.Request) {
			stream(used)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "model.stream_incomplete", 7},
		{"an event that is none", stream(used + "data: no\n\n"), "model.invalid_upstream", 7},
		{"a body without an end", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"used":7}`) }, "model.stream_incomplete", 7},
		{"a refusal", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }, "model.http_400", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(row.serve)
			t.Cleanup(s.Close)
			_, err := client(t, wire.Options{BaseURL: s.URL, Stream: true}).Attempt(t.Context(), "m", nil, new(words))
			spent(t, err, row.code, row.want)
		})
	}
	t.Run("limits-8 cancelled in the stream", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			stream(used)(w, r)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		t.Cleanup(s.Close)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := client(t, wire.Options{BaseURL: s.URL, Stream: true}).Attempt(ctx, "m", nil, &ending{end: cancel})
		spent(t, err, "model.cancelled", 7)
	})
}

// ending ends the context of its attempt with the first event.
type ending struct {
	words
	end func()
}

func (e *ending) Event(ev model.Event) (bool, error) {
	defer e.end()
	return e.words.Event(ev)
}

func spent(t *testing.T, err error, code string, want int64) {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	got := int64(0)
	if e.Usage.Input != nil {
		got = *e.Usage.Input
	}
	if got != want || (e.Usage.Requests == 0) != (want == 0) {
		t.Errorf("used %+v, want %d", e.Usage, want)
	}
}

// keyed is a server that knows one key, and counts by key what it is asked.
type keyed struct {
	mu    sync.Mutex
	key   string
	asked []string
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	k.asked = append(k.asked, got)
	if got != k.key {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, got)
		return
	}
	_, _ = io.WriteString(w, `{"text":"fine","end":true}`)
}

// A key that the server refuses is read again: once for each key, and only after a 401.
func TestKeyIsReadAgain(t *testing.T) {
	t.Parallel()
	const first, second = "first-key-1", "second-key-2"
	for _, row := range []struct {
		name    string
		valid   string
		file    func() (string, error) // what the key file holds by now; nil: the key has no file
		renewed bool
		says    string
		then    string // what the second attempt brings
	}{
		{"limits-8 another key", second, func() (string, error) { return second, nil }, true, "the key file holds another key by now", "fine"},
		{"limits-8 the same key", second, func() (string, error) { return first, nil }, false, "holds no other key: put a valid one into it", ""},
		{"limits-8 no key", second, func() (string, error) { return "", nil }, false, "holds no other key", ""},
		{"limits-8 the file is gone", second, func() (string, error) { return "", errors.New("gone") }, false, "holds no other key", ""},
		{"limits-8 a key that cannot be sent", second, func() (string, error) { return "a\nb", nil }, false, "holds no other key", ""},
		{"limits-8 a key without a file", second, nil, false, "bad key «key»", ""},
		{"limits-8 another wrong key", "third", func() (string, error) { return second, nil }, true, "another key", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			k := &keyed{key: row.valid}
			s := httptest.NewServer(k)
			t.Cleanup(s.Close)
			reads := 0
			o := wire.Options{BaseURL: s.URL, APIKey: first}
			if row.file != nil {
				o.Renew = func() (string, error) { reads++; return row.file() }
			}
			c := client(t, o)
			_, err := c.Attempt(t.Context(), "m", nil, new(words))
			var e *model.Error
			if !errors.As(err, &e) || e.Class != model.ClassAuth || e.Renewed != row.renewed || !strings.Contains(e.Detail, row.says) || strings.Contains(e.Detail, first) {
				t.Fatalf("got %+v", err)
			}
			if len(k.asked) != 1 || row.file != nil && reads != 1 {
				t.Errorf("asked %q, read %d times", k.asked, reads)
			}
			a, err := c.Attempt(t.Context(), "m", nil, new(words))
			if (err == nil) != (row.then != "") || err == nil && a.Text != row.then {
				t.Errorf("then %+v, %v", a, err)
			}
		})
	}
	t.Run("limits-8 who was refused meanwhile has the new key", func(t *testing.T) {
		t.Parallel()
		k := &keyed{key: second}
		both, come := make(chan struct{}), make(chan struct{}, 2)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			come <- struct{}{}
			<-both
			k.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		reads := 0
		c := client(t, wire.Options{BaseURL: s.URL, APIKey: first, Renew: func() (string, error) { reads++; return second, nil }})
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				_, err := c.Attempt(t.Context(), "m", nil, new(words))
				var e *model.Error
				if !errors.As(err, &e) || !e.Renewed {
					t.Errorf("got %v", err)
				}
			})
		}
		<-come
		<-come
		close(both)
		group.Wait()
		if reads != 1 {
			t.Errorf("read %d times", reads)
		}
	})
}

func TestProxy(t *testing.T) {
	t.Parallel()
	var through []string
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.URL.String())
		_, _ = io.WriteString(w, `{"text":"fine","end":true}`)
	}))
	t.Cleanup(p.Close)
	a, err := client(t, wire.Options{BaseURL: "http://models.invalid/v1", Proxy: p.URL}).Attempt(t.Context(), "m", nil, new(words))
	if err != nil || a.Text != "fine" || len(through) != 1 || through[0] != "http://models.invalid/v1/ask" {
		t.Errorf("got %+v, %v by way of %q", a, err, through)
	}
	for _, bad := range []string{"127.0.0.1:1", "ftp://me:secret@127.0.0.1", "http://", "://"} {
		_, err := wire.New(wire.Options{Provider: "test", Endpoint: "/ask", BaseURL: "http://x", Proxy: bad})
		if err == nil || !strings.Contains(err.Error(), "proxy is an http, https or socks5 URL") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
