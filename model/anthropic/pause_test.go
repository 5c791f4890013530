package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

const (
	paused = `{"id":"msg_%d","type":"message","model":"claude-x","content":[{"type":"text","text":"I look.\n"},` +
		`{"type":"server_tool_use","id":"srvtoolu_%d","name":"web_search","input":{"query":"x"}}],"stop_reason":"pause_turn","usage":{"input_tokens":10,"cache_read_input_tokens":2,"output_tokens":3}}`
	pausedText = `{"type":"message","content":[{"type":"text","text":"I look. \n"}],"stop_reason":"pause_turn"}`
	ended      = `{"id":"msg_9","type":"message","content":[{"type":"web_search_tool_result","tool_use_id":"srvtoolu_%d","content":[]},` +
		`{"type":"text","text":"Found."}],"stop_reason":"end_turn","usage":{"input_tokens":20,"cache_read_input_tokens":1,"output_tokens":4}}`
)

// TestPause lets a server pause: the request is sent again with what it has said, at most
// three times, and all of it is one answer.
func TestPause(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		pauses   int // that the server makes
		requests int32
		text     string
		finish   model.Finish
		native   int
		usage    string
		warned   string
	}{
		{"once", 1, 2, "I look.\nFound.", model.FinishStop, 2, "2 33 3 7", "[block:server_tool_use block:web_search_tool_result]"},
		{"three times", 3, 4, strings.Repeat("I look.\n", 3) + "Found.", model.FinishStop, 4, "4 57 7 13", "[block:server_tool_use block:web_search_tool_result]"},
		{"for ever", 99, 4, strings.Repeat("I look.\n", 4), "unknown:pause_turn", 4, "4 48 8 12", "[block:server_tool_use paused:server_tool_use finish:pause_turn]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int32
			var last []byte
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				last, _ = io.ReadAll(r.Body)
				i := int(n.Add(1))
				if i > row.pauses {
					_, _ = fmt.Fprintf(w, ended, i-1)
					return
				}
				_, _ = fmt.Fprintf(w, paused, i, i)
			})
			var told []string
			var shown strings.Builder
			p := provider(t, anthropic.Options{BaseURL: base, Stream: off(), Warn: func(kind, _ string) { told = append(told, kind) }})
			a, err := p.Answer(t.Context(), question(), func(d model.Delta) { shown.WriteString(d.Text) })
			if err != nil {
				t.Fatal(err)
			}
			u := a.Usage
			usage := fmt.Sprint(u.Requests, " ", *u.Input, " ", *u.CacheRead, " ", *u.Output)
			if n.Load() != row.requests || a.Text != row.text || a.Finish != row.finish || len(a.Native) != row.native || usage != row.usage || shown.String() != a.Text {
				t.Errorf("%d requests, usage %s, shown %q, %+v", n.Load(), usage, shown.String(), a)
			}
			if fmt.Sprint(told) != row.warned {
				t.Errorf("told %v", told)
			}
			if faults := modeltest.ValidateMessages(last); faults != nil {
				t.Errorf("%v in %s", faults, last)
			}
			one := `{"type":"text","text":"I look.\n"},{"id":"srvtoolu_1","input":{"query":"x"},"name":"web_search","type":"server_tool_use"}`
			if !strings.Contains(string(last), `{"role":"user","content":[{"type":"text","text":"hello"`+mark+`}]},{"role":"assistant","content":[`+one) {
				t.Errorf("the last request is %s", last)
			}
		})
	}
}

// TestPauseEnds looks at other ends of a paused turn.
func TestPauseEnds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		bodies []string
		text   string
		code   string
		last   string // is in the last request
	}{
		{"white space at the end is not sent", []string{pausedText, `{"type":"message","content":[{"type":"text","text":"Found."}],"stop_reason":"end_turn","usage":{"input_tokens":9}}`}, "I look. \nFound.", "", `{"type":"text","text":"I look."}]}]}`},
		{"nothing was said before", []string{`{"type":"message","content":[],"stop_reason":"pause_turn"}`, `{"type":"message","content":[{"type":"text","text":"Found."}],"stop_reason":"end_turn"}`}, "Found.", "", `"text":"hello"` + mark + `}]}]}`},
		{"nothing is said after all", []string{`{"type":"message","content":[],"stop_reason":"pause_turn"}`, `{"type":"message","content":[],"stop_reason":"end_turn"}`}, "", "model.empty_answer", ``},
		{"a later request fails", []string{pausedText, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, "", "model.overloaded", ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			next := make(chan string, 2)
			for _, b := range row.bodies {
				next <- b
			}
			var last []byte
			base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
				last, _ = io.ReadAll(r.Body)
				_, _ = io.WriteString(w, <-next)
			})
			a, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
			var e *model.Error
			switch {
			case row.code != "" && (!errors.As(err, &e) || e.Code != row.code || a != nil):
				t.Errorf("%+v, %v", a, err)
			case row.code == "" && (err != nil || a.Text != row.text || a.Usage.Requests != 2 || a.Usage.Input != nil): // the first request did not say
				t.Errorf("%+v, %v", a, err)
			case len(next) != 0 || !strings.Contains(string(last), row.last):
				t.Errorf("%d left, last request %s", len(next), last)
			}
		})
	}
}

// TestPauseStreamed pauses a stream whose indexes begin anew afterwards, and which goes on
// without the beginning of a block: nothing joins a block of the request before.
func TestPauseStreamed(t *testing.T) {
	t.Parallel()
	const end = `data: {"type":"message_delta","delta":{"stop_reason":"%s"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	next := make(chan string, 2)
	next <- `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I look."}}` + "\n\n" +
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}` + "\n\n" + fmt.Sprintf(end, "pause_turn")
	next <- `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Found."}}` + "\n\n" +
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"Good","signature":"c2ln"}}` + "\n\n" + fmt.Sprintf(end, "end_turn")
	base := modeltest.Serve(t, "/v1", func(w http.ResponseWriter, r *http.Request) {
		modeltest.Drop(r)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, <-next)
	})
	a, err := provider(t, anthropic.Options{BaseURL: base}).Answer(t.Context(), question(), nil)
	if err != nil || a.Text != "I look.Found." || len(a.Native) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	for i, place := range []string{`"kind":"server_tool_use","text":7,"calls":0,`, `"kind":"thinking","text":13,"calls":0,`} {
		if !strings.Contains(string(a.Native[i]), place) {
			t.Errorf("part %d is %s, want %s", i, a.Native[i], place)
		}
	}
}
