package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// formatVersion is the version of the lines below.
const formatVersion = 1

// Model is what the header of a cassette says of a model.
type Model struct {
	Name     string          `json:"name,omitempty"`     // in the team
	Provider string          `json:"provider,omitempty"` // kind of the adapter, such as "openai"
	ID       string          `json:"model,omitempty"`    // as its server knows it
	Settings json.RawMessage `json:"settings,omitempty"` // of the adapter, in the form of whoever records; may be nil
}

// header is the first line of a cassette. Further ones stand before the interactions of
// other models, and of later recordings.
type header struct {
	Cassette int    `json:"cassette"` // version of the format
	Binary   string `json:"binary,omitempty"`
	Model
}

// Key says which request of a run an interaction is.
type Key struct {
	Path    string `json:"path"` // invocation path
	Turn    int    `json:"turn"`
	Attempt int    `json:"attempt"`
	Part    int    `json:"part,omitempty"` // requests of the same attempt before it
}

// keyOf gives the key of a request, and its run.
func keyOf(ctx context.Context) (k Key, run string) {
	if a := model.AttemptOf(ctx); a != nil {
		return Key{Path: a.Path, Turn: a.Turn, Attempt: a.Number, Part: a.Part()}, a.Run
	}
	return Key{}, ""
}

// String implements [fmt.Stringer].
func (k Key) String() string {
	if k == (Key{}) {
		return "a request of no attempt"
	}
	s := fmt.Sprintf("%s turn %d attempt %d", k.Path, k.Turn, k.Attempt)
	if k.Part > 0 {
		s += fmt.Sprintf(" request %d", k.Part+1)
	}
	return s
}

// interaction is a line of a cassette: a request and what came of it. A response that has
// broken off has failed too; with none, only failed is there.
type interaction struct {
	Key
	Run      string    `json:"run,omitempty"`
	Name     string    `json:"name,omitempty"` // of the model, as its header says
	Request  *request  `json:"request"`
	Response *response `json:"response,omitempty"`
	Failed   *failure  `json:"failed,omitempty"`
}

type request struct {
	Method  string          `json:"method"`
	URL     string          `json:"url"`
	Headers http.Header     `json:"headers,omitempty"`
	Body    json.RawMessage `json:"body"` // a text when it was no JSON
}

// response is what a server sent. Times count from the sending of the request.
type response struct {
	Status  int         `json:"status"`
	Headers http.Header `json:"headers,omitempty"`
	AtMS    int64       `json:"at_ms"` // of the headers
	Body    []chunk     `json:"body,omitempty"`
	EndMS   int64       `json:"end_ms"` // of the end of the body
}

// chunk is a part of a body: one event of a stream with the blank line behind it, or all.
type chunk struct {
	AtMS   int64  `json:"at_ms"`
	Data   string `json:"data,omitempty"`
	Base64 []byte `json:"base64,omitempty"` // in place of data that is no UTF-8
}

func newChunk(at int64, text string) chunk {
	if utf8.ValidString(text) {
		return chunk{AtMS: at, Data: text}
	}
	return chunk{AtMS: at, Base64: []byte(text)}
}

func (c *chunk) text() string {
	if c.Base64 != nil {
		return string(c.Base64)
	}
	return c.Data
}

// failure is why a request had no answer, or why that broke off; see the kinds.
type failure struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	AtMS int64  `json:"at_ms"`
}

// In a cassette the placeholders of secrets have a form of their own.
var (
	inProgram = regexp.MustCompile(`\{\{secret:([A-Za-z0-9_.-]+)\}\}`)
	inFile    = regexp.MustCompile(`«secret:([A-Za-z0-9_.-]+)»`)
)

// encode gives a header or an interaction as a line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return inProgram.ReplaceAll(b.Bytes(), []byte("«secret:$1»")), nil
}

// decode reads a line: one of both results is not nil. Its errors are for people.
func decode(line []byte) (*header, *interaction, error) {
	line = inFile.ReplaceAll(line, []byte("{{secret:$1}}"))
	var kind struct {
		Cassette *json.RawMessage `json:"cassette"`
		Request  *json.RawMessage `json:"request"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, nil, fmt.Errorf("the line is no JSON object of a cassette: %w", err)
	}
	switch {
	case kind.Cassette != nil && kind.Request != nil:
		return nil, nil, fmt.Errorf("the line is a header and an interaction at once")
	case kind.Cassette != nil:
		h := new(header)
		if err := json.Unmarshal(line, h); err != nil {
			return nil, nil, fmt.Errorf("the header cannot be read: %w", err)
		}
		return h, nil, h.check()
	case kind.Request != nil:
		x := new(interaction)
		if err := json.Unmarshal(line, x); err != nil {
			return nil, nil, fmt.Errorf("the interaction cannot be read: %w", err)
		}
		return nil, x, x.check()
	}
	return nil, nil, fmt.Errorf("the line is neither a header nor an interaction")
}

func (h *header) check() error {
	if h.Cassette != formatVersion {
		return fmt.Errorf("the cassette has version %d and this program reads version %d; record it again", h.Cassette, formatVersion)
	}
	return nil
}

func (x *interaction) check() error {
	r := x.Response
	switch {
	case x.Turn < 0 || x.Attempt < 0 || x.Part < 0:
		return fmt.Errorf("turn, attempt and part are no negative numbers")
	case x.Request.Body == nil:
		return fmt.Errorf("the request has no body")
	case r == nil && x.Failed == nil:
		return fmt.Errorf("the interaction has neither a response nor a failure")
	case x.Failed != nil && !x.Failed.known():
		return fmt.Errorf("%q is no kind of failure", x.Failed.Kind)
	case x.Failed != nil && x.Failed.AtMS < 0:
		return fmt.Errorf("the failure was before the request")
	case r == nil:
		return nil
	case r.Status < 100 || r.Status > 999:
		return fmt.Errorf("%d is no status", r.Status)
	}
	at := int64(0)
	for i := range r.Body {
		c := &r.Body[i]
		if c.Data != "" && c.Base64 != nil {
			return fmt.Errorf("part %d of the body has both data and base64", i)
		}
		if c.AtMS < at {
			return fmt.Errorf("part %d of the body is earlier than what stands before it", i)
		}
		at = c.AtMS
	}
	if r.AtMS < 0 || r.EndMS < at {
		return fmt.Errorf("the end of the body is earlier than its parts")
	}
	return nil
}
