package swarm_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// The stated class of each failure: what is tried again, and how often.
func TestClassesOfFailures(t *testing.T) {
	t.Parallel()
	const permanent, auth, transient, overloaded, limited = "permanent", "auth", "transient", "overloaded", "rate_limited"
	status := func(n int, header ...string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { refusal(w, n, header...) }
	}
	for _, row := range []struct {
		name     string
		answer   func(w http.ResponseWriter) // nil: nobody is there
		class    string
		code     string
		attempts int
	}{
		{"400", status(400), permanent, "model.http_400", 1},
		{"401", status(401), auth, "model.auth", 1},
		{"403", status(403), auth, "model.auth", 1},
		{"404", status(404), permanent, "model.http_404", 1},
		{"408", status(408), transient, "model.http_408", 5},
		{"409", status(409), permanent, "model.http_409", 1},
		{"422", status(422), permanent, "model.http_422", 1},
		// Every 70 s, and the fourteenth time would be after the 15 minutes of retry.total.
		{"429", status(429, "Retry-After", "70"), limited, "model.rate_limited", 13},
		{"500", status(500), transient, "model.http_500", 5},
		{"503", status(503), overloaded, "model.overloaded", 5},
		{"529", status(529), overloaded, "model.overloaded", 5},
		{"connection refused", nil, transient, "model.connection", 5},
		{"cut body", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hal\"}}]}\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, transient, "model.stream_incomplete", 5},
	} {
		t.Run("limits-8/"+row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, alone, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				row.answer(w)
				return true
			})
			m := s.model("root")
			if row.answer == nil {
				m.BaseURL = "http://" + unused(t) + "/v1"
			}
			b, clock := asking(t, m)
			set, d := byItself, time.Minute
			if row.class == limited {
				set, d = atLimiter, 70*time.Second
			}
			res := b.waits(b.start("go"), clock, row.attempts-1, set, d)
			b.outcome(res, "failed", "")
			failed := payloads[*journal.ModelFailed](b.records(res.Run))
			if len(failed) != 1 || failed[0].Class != row.class || failed[0].Code != row.code || failed[0].Attempts != row.attempts {
				t.Errorf("%+v\n%s", failed, b.dump(res.Run))
			}
			if n := len(s.requests()); n != row.attempts && row.answer != nil {
				t.Errorf("%d requests", n)
			}
			for i, m := range payloads[*journal.ModelAttemptFailed](b.records(res.Run)) {
				if m.Class != row.class || m.Attempt != i+1 {
					t.Errorf("attempt %d: %+v", i+1, m)
				}
			}
		})
	}
	t.Run("limits-8/cancelled context", func(t *testing.T) {
		t.Parallel()
		begun := make(chan struct{}, 1)
		s := serve(t, alone, func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			begun <- struct{}{}
			<-r.Context().Done()
			return true
		})
		b, _ := asking(t, s.model("root"))
		r := b.start("go")
		recv(t, begun)
		if err := r.Cancel(t.Context(), "no need"); err != nil {
			t.Fatal(err)
		}
		b.outcome(b.wait(r), "cancelled", "")
		if n := len(s.requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("limits-9", func(t *testing.T) {
		t.Parallel()
		var clock *swarmtest.Clock
		var at []time.Time
		s := serve(t, alone, func(n int, w http.ResponseWriter, _ *http.Request) bool {
			at = append(at, clock.Now())
			return refusal(w, 429, "Retry-After", []string{"20", "4000"}[n-1])
		})
		var b *testBundle
		b, clock = asking(t, s.model("root"))
		res := b.waits(b.start("go"), clock, 1, atLimiter, 20*time.Second)
		b.outcome(res, "failed", "")
		if len(at) != 2 || at[1].Sub(at[0]) != 20*time.Second {
			t.Errorf("asked at %v", at)
		}
		failed := payloads[*journal.ModelFailed](b.records(res.Run))[0]
		if failed.Class != "rate_limited" || !strings.Contains(failed.Detail, "asks to wait 1h6m40s") {
			t.Errorf("%+v", failed)
		}
	})
}
