package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// pieces gives at most a random number of bytes at once.
type pieces struct {
	r    io.Reader
	rand *rand.Rand
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 1+p.rand.IntN(9))]) }

func readBytes(p *Provider, r io.Reader) string {
	a, err := p.client.ReadStream(context.Background(), r, newAssembly(p, nil))
	if err != nil {
		return err.Error()
	}
	b, err := json.Marshal(a)
	return fmt.Sprintf("%s %v", b, err)
}

// streams gives the byte files by name.
func streams(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "deviations", "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	out := map[string][]byte{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".sse")] = b
	}
	return out
}

// TestEveryStreamCut cuts every stream that leads to an answer after each byte, by an end
// or by a break in turn: what is left leads to no answer, or to the same one. Usage may
// stand behind the end of an answer and be missing. Where every piece has a finish reason,
// nobody can tell which one is the last.
func TestEveryStreamCut(t *testing.T) {
	t.Parallel()
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(r io.Reader) (*model.Answer, error) {
		a, err := p.client.ReadStream(context.Background(), r, newAssembly(p, nil))
		if a != nil {
			a.Usage = journal.Usage{}
		}
		return a, err
	}
	tried := 0
	for name, stream := range streams(t) {
		want, err := read(bytes.NewReader(stream))
		if err != nil || name == "D14_every_piece" {
			continue
		}
		tried++
		for at := range stream {
			end := []error{io.EOF, io.ErrUnexpectedEOF}[at%2]
			a, err := read(io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(end)))
			e, failed := err.(*model.Error)
			switch {
			case err == nil && !reflect.DeepEqual(a, want):
				t.Fatalf("%s cut after %d bytes: %+v, want %+v", name, at, a, want)
			case err != nil && (!failed || e.Code != "model.stream_incomplete" || e.Class != model.ClassTransient):
				t.Fatalf("%s cut after %d bytes: %v", name, at, err)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d streams lead to an answer", tried)
	}
}

// FuzzStream wants one outcome of a stream, however it is cut into reads: an error of its
// class, or an answer that keeps the promises of its type and can be sent back.
func FuzzStream(f *testing.F) {
	for _, b := range streams(f) {
		f.Add(b, uint64(1))
	}
	p, err := New(Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		whole := readBytes(p, bytes.NewReader(stream))
		if cut := readBytes(p, pieces{bytes.NewReader(stream), rand.New(rand.NewPCG(seed, 2))}); cut != whole {
			t.Fatalf("whole: %s\nin pieces: %s", whole, cut)
		}
		a, err := p.client.ReadStream(context.Background(), bytes.NewReader(stream), newAssembly(p, func(model.Delta) {}))
		if err != nil {
			if e, ok := err.(*model.Error); !ok || e.Class == "" || e.Code == "" || a != nil {
				t.Fatalf("%v, %#v", a, err)
			}
			return
		}
		if a.Finish == "" || len(a.Calls) > maxCalls {
			t.Fatalf("%+v", a)
		}
		m := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native}
		for _, c := range a.Calls {
			if c.Name == "" || len(c.Args) > 0 && !json.Valid(c.Args) {
				t.Fatalf("%+v", c)
			}
			m.Calls = append(m.Calls, model.Call{Name: c.Name, Args: "{}"})
		}
		for _, n := range a.Native {
			if !json.Valid(n) {
				t.Fatalf("%s", n)
			}
		}
		sameParts(t, p, a, &m)
	})
}

// sameParts wants the text and the calls of an answer in what is sent back of it.
func sameParts(t *testing.T, p *Provider, a *model.Answer, m *model.Message) {
	t.Helper()
	if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
		return // never a part of a history
	}
	body := p.appendContents(nil, []model.Message{*m})
	var out struct {
		Parts []struct {
			Text    string
			Thought bool
			Call    *struct{ Name string } `json:"functionCall"`
		}
	}
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	text, calls := "", 0
	for _, part := range out.Parts {
		if !part.Thought {
			text += part.Text
		}
		if part.Call != nil {
			if calls == len(a.Calls) || part.Call.Name != a.Calls[calls].Name {
				t.Fatalf("call %d: %s", calls, body)
			}
			calls++
		}
	}
	if text != a.Text || calls != len(a.Calls) {
		t.Fatalf("%q with %d calls became %s", a.Text, len(a.Calls), body)
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, signed := range []bool{false, true} {
		b.Run(fmt.Sprintf("signed %v", signed), func(b *testing.B) {
			p, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			req := &model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Text: "x"}}}
			signature, _ := json.Marshal(strings.Repeat("c2lnbmVk", 200))
			for i := range 500 {
				k := fmt.Sprintf("%024d", i)
				m := model.Message{Role: model.Assistant, Calls: []model.Call{{Key: k, Name: "grep", Args: `{"q":"x"}`}}}
				if signed {
					m.Native = []json.RawMessage{p.part(native{kind: kindCall, data: signature}, "")}
				}
				req.Messages = append(req.Messages, m,
					model.Message{Role: model.Tool, Results: []model.Result{{Key: k, Name: "grep", Text: "some lines\nof a result\n"}}})
			}
			b.ReportAllocs()
			for b.Loop() {
				p.encode(req)
			}
		})
	}
}
