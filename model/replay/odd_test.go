package replay_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

// TestReplayOfOddServers is the same for what no script does: one request each.
func TestReplayOfOddServers(t *testing.T) {
	t.Parallel()
	says := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	cut := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			says(200, "text/event-stream", body)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	stall := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	const piece = `data: {"choices":[{"index":0,"delta":{"content":"ä"}}]}`
	const last = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	for _, row := range []struct {
		name   string
		server http.HandlerFunc // nil: nobody listens
		limit  time.Duration    // to the first token
		says   string           // in the outcome
		file   string           // in the cassette
	}{
		{"line ends CRLF", says(200, "text/event-stream", piece+"\r\n\r\n: c\r\n\r\n"+last+"\r\n\r\ndata: [DONE]\r\n\r\n"), 0, `"Text": "ä"`, `\"}}]}\r\n\r\n"},{`},
		{"line ends CR", says(200, "text/event-stream", piece+"\r\r"+last+"\r\r"), 0, `"Text": "ä"`, `\"}}]}\r\r"},{`},
		{"no blank line at the end", says(200, "text/event-stream", piece+"\n\n"+last), 0, `"Text": "ä"`, `\"stop\"}]}"}]`},
		{"a stream of another type", says(200, "text/plain", piece+"\n\n"+last+"\n\n"), 0, `"Text": "ä"`, `text/plain`},
		{"bytes that are no text", says(200, "text/event-stream", piece+"\n\n: \xff\xfe\n\n"+last+"\n\n"), 0, `"Text": "ä"`, `"base64":"OiD//goK"`},
		{"no text at all", says(200, "text/html", "\xff<html>"), 0, "model.invalid_upstream", `"base64":"/zxodG1sPg=="`},
		{"an empty body", says(200, "text/event-stream", ""), 0, "the response is empty: EOF", `"status":200`},
		{"a JSON body", says(200, "application/json", `{"choices":[{"message":{"content":"ä"}}]}`), 0, `"Text": "ä"`, `"data":"{\"choices\"`},
		{"an error", says(503, "application/json", `{"error":{"message":"be patient"}}`), 0, "overloaded model.overloaded 503", `be patient`},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/x", http.StatusTemporaryRedirect)
		}, 0, "elsewhere.example", `"Location"`},
		{"cut after an event", cut(piece + "\n\n"), 0, "broke off: unexpected EOF", `"kind":"cut"`},
		{"cut inside an event", cut(piece + "\n\n" + last[:40]), 0, "broke off inside an event", `"kind":"cut"`},
		{"cut before the headers", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "model.connection", `"kind":"eof"`},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "what do you want\r\n\r\n")
				_ = conn.Close()
			}
		}, 0, "malformed HTTP", `"kind":"other"`},
		{"nobody listens", nil, 0, "nothing listens at 127.0.0.1", `"kind":"refused"`},
		{"too slow", stall, 20 * time.Millisecond, "transient model.timeout 0 0s time limit first_token of 20ms is over", `"kind":"timeout"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.with.Timeouts.FirstToken = row.limit
			end := b.serve(row.server)
			if row.server == nil {
				end()
			}
			var recorded, played outcome
			b.record(func(p *openai.Provider) { recorded = ask(t.Context(), p, request("root", 1, "hello")) })
			end()
			player, p := b.player()
			b.with.Timeouts.FirstToken = 0
			played = ask(t.Context(), p, request("root", 1, "hello"))
			if want, got := text(t, recorded), text(t, played); got != want || !strings.Contains(got, row.says) {
				t.Errorf("played\n%s\nrecorded\n%s", got, want)
			}
			if c := b.content(); !strings.Contains(c, row.file) {
				t.Errorf("%s is not in the cassette:\n%s", row.file, c)
			}
			if err := player.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// unresolved is a network on which nobody knows an address.
type unresolved struct{}

func (unresolved) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true}}
}

// TestReplayOfAnUnknownName says what to do about it as the recording did.
func TestReplayOfAnUnknownName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.base = "http://models.invalid/v1"
	r, _ := b.recorder()
	over, err := r.Transport(testModel, unresolved{})
	if err != nil {
		t.Fatal(err)
	}
	recorded := text(t, ask(t.Context(), b.provider(over), request("root", 1, "hello")))
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	_, p := b.player()
	if played := text(t, ask(t.Context(), p, request("root", 1, "hello"))); played != recorded || !strings.Contains(played, "the address of models.invalid is not known: check base_url") {
		t.Errorf("played\n%s\nrecorded\n%s", played, recorded)
	}
	if c := b.content(); !strings.Contains(c, `"kind":"unknown"`) {
		t.Errorf("the cassette has\n%s", c)
	}
}

// TestReplayOfACancelledAttempt plays what had come, and then waits to be cancelled again.
func TestReplayOfACancelledAttempt(t *testing.T) {
	t.Parallel()
	for _, begun := range []bool{false, true} {
		t.Run(fmt.Sprintf("begun %v", begun), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			came := make(chan struct{}, 1)
			end := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if begun {
					_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
					_ = http.NewResponseController(w).Flush()
				} else {
					came <- struct{}{}
				}
				<-r.Context().Done()
			}))
			do := func(p *openai.Provider, cancelNow bool) outcome {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var o outcome
				done := make(chan struct{})
				shown := make(chan struct{}, 1)
				req := request("root", 1, "hello")
				go func() {
					defer close(done)
					a, err := p.Answer(model.WithAttempt(ctx, req), req, func(model.Delta) { shown <- struct{}{} })
					o = outcome{Answer: a, Error: fmt.Sprint(err)}
				}()
				switch {
				case begun:
					<-shown
				case cancelNow:
					<-came
				}
				cancel()
				<-done
				return o
			}
			var recorded outcome
			b.record(func(p *openai.Provider) { recorded = do(p, true) })
			end()
			_, p := b.player()
			if played := do(p, false); text(t, played) != text(t, recorded) || !strings.Contains(played.Error, "model.cancelled") {
				t.Errorf("played %+v, recorded %+v", played, recorded)
			}
			if !strings.Contains(b.content(), `"kind":"cancelled"`) {
				t.Error(b.content())
			}
		})
	}
}
