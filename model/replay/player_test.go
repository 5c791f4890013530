package replay_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

// played opens a cassette and gives its transport.
func (b *bundle) played() http.RoundTripper {
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
	return rt
}

func post(t *testing.T, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://a/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCloseEndsAWait holds that a body that is closed is read no further, also by whoever
// waits for it to be cancelled.
func TestCloseEndsAWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.put(head + "\n" + `{"request":{"url":"/completions","body":1},"response":{"status":200},"failed":{"kind":"cancelled"}}` + "\n")
	for _, before := range []bool{true, false} {
		resp, err := b.played().RoundTrip(post(t, "1"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		read := func() {
			_, err := resp.Body.Read(make([]byte, 9))
			done <- err
		}
		if !before {
			go read()
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if before {
			read()
		}
		if err := <-done; !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("before %v: %v", before, err)
		}
	}
}

// TestWhatIsNoJSON is compared as a text.
func TestWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.put(head + "\n" + `{"request":{"url":"/completions","body":"{no JSON"},"response":{"status":204}}` + "\n")
	rt := b.played()
	resp, err := rt.RoundTrip(post(t, "{no JSON"))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); resp.StatusCode != 204 || resp.Status != "204 No Content" || len(body) > 0 || err != nil {
		t.Errorf("%s %q %v", resp.Status, body, err)
	}
	var m *replay.Mismatch
	if _, err := rt.RoundTrip(post(t, "{none")); !errors.As(err, &m) || m.Pointer != "" || m.Now != `"{none"` || !strings.Contains(m.Error(), `the first difference is at the whole: recorded "{no JSON"`) {
		t.Errorf("%v", err)
	}
	if _, err := rt.RoundTrip(post(t, "")); !errors.As(err, &m) {
		t.Errorf("%v", err)
	}
}

// TestACassetteThatChangesIsSaid holds for one that is overwritten while it is played.
func TestACassetteThatChangesIsSaid(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ content, says string }{
		{head + "\n" + strings.Repeat("x", len(good)), "replay.invalid"},
		{head, "replay.file"},
	} {
		b := setup(t)
		b.put(head + "\n" + good + "\n")
		_, p := b.player()
		if err := os.WriteFile(b.file, []byte(row.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := ask(t.Context(), p, request("root", 1, "x")); !strings.HasPrefix(o.Error, "permanent "+row.says) || !strings.Contains(o.Error, b.file+":2") {
			t.Errorf("%+v", o)
		}
	}
}
