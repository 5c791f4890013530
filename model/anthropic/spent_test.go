package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// What was used before an attempt fails goes with the failure, of all requests of a turn
// that was paused.
func TestSpentByFailedAttempts(t *testing.T) {
	t.Parallel()
	const begins = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":20,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\n\n"
	for _, row := range []struct {
		name, first, second string // what the server sends; "": a 500
		requests            int
		input, output       int64
	}{
		{"a stream that is cut", begins, "", 1, 25, 1},
		{"one that is refused", "", "", 0, 0, 0},
		{"refused after a pause", fmt.Sprintf(paused, 1, 1), "", 1, 12, 3},
		{"cut after a pause", fmt.Sprintf(paused, 1, 1), begins, 2, 37, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				body := row.first
				if n.Add(1) > 1 {
					body = row.second
				}
				if body == "" {
					w.WriteHeader(http.StatusInternalServerError)
				}
				_, _ = io.WriteString(w, body)
			})
			_, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			var e *model.Error
			if !errors.As(err, &e) || e.Usage.Requests != row.requests {
				t.Fatalf("got %v, %+v", err, e)
			}
			if u := e.Usage; row.requests > 0 && (*u.Input != row.input || *u.Output != row.output) {
				t.Errorf("used %d and %d", *u.Input, *u.Output)
			}
		})
	}
}
