package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkStart measures what a user waits for before the model is asked: from the start
// of the program on a team file, with a durable journal, to the first request at a server.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "swarm")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	asked := make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case asked <- time.Now():
		default:
		}
		http.Error(w, "enough", http.StatusBadRequest)
	}))
	defer server.Close()
	team := "version: 1\nmodels: {default: {provider: openai, model: m, auth: none, base_url: " + server.URL + "/v1}}\nagents: {lead: {prompt: Answer.}}\n"
	if err := os.WriteFile(filepath.Join(dir, "team.yaml"), []byte(team), 0o600); err != nil {
		b.Fatal(err)
	}
	var total time.Duration
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), bin, "run", dir, "hello", "--quiet")
		began := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		total += (<-asked).Sub(began)
		_ = cmd.Wait() // the refusal of the server is its exit code
	}
	b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "ms/first-request")
	b.ReportMetric(0, "ns/op")
}
