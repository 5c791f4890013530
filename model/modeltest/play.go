package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Serve starts a server for one test and gives its base URL with a path behind it.
func Serve(t testing.TB, path string, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + path
}

// Drop reads a request and forgets it.
func Drop(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }

// Play answers every request with bytes of a content type. sizes gives how many of the next
// n bytes are sent at once; nil: all of them.
func Play(content []byte, label string, sizes func(n int) int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		Drop(r)
		if label != "" {
			w.Header().Set("Content-Type", label)
		}
		for rest := content; len(rest) > 0; {
			n := len(rest)
			if sizes != nil {
				n = sizes(n)
			}
			_, _ = w.Write(rest[:n])
			w.(http.Flusher).Flush()
			rest = rest[n:]
		}
	}
}

// Seen is a request as a server got it.
type Seen struct {
	Header http.Header
	Path   string
	Body   []byte
}

// Echo starts a server that keeps each request, and answers with the first of these bodies
// that was not sent yet; the last one is sent again and again. A body that begins with
// "data:" or "event:" is a stream.
func Echo(t testing.TB, path string, bodies ...string) (base string, got chan Seen) {
	t.Helper()
	got = make(chan Seen, 100)
	next := make(chan string, len(bodies))
	for _, b := range bodies {
		next <- b
	}
	last := bodies[len(bodies)-1]
	return Serve(t, path, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- Seen{r.Header.Clone(), r.URL.String(), b}
		body := last
		select {
		case body = <-next:
		default:
		}
		if strings.HasPrefix(body, "data:") || strings.HasPrefix(body, "event:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		_, _ = io.WriteString(w, body)
	}), got
}

// AskOK asks a provider and wants the text "ok".
func AskOK(t testing.TB, p model.Provider, req *model.Request) {
	t.Helper()
	if a, err := p.Answer(t.Context(), req, nil); err != nil || a.Text != "ok" {
		t.Fatalf("%+v, %v", a, err)
	}
}

// CallKey makes the n-th call key of a test.
func CallKey(n int) string { return fmt.Sprintf("%024x%040x", n, n) }

// deviationsFolder is where the byte files of a provider are.
var deviationsFolder = filepath.Join("testdata", "deviations")

// ByteFile reads a byte file of the package under test.
func ByteFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(deviationsFolder, name+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// byteFiles gives the names of all byte files, in order.
func byteFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(deviationsFolder, "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d byte files in %s: %v", len(files), deviationsFolder, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".sse")
	}
	return files
}
