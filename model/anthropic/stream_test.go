package anthropic

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
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
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

// TestEveryStreamCut cuts every stream that leads to an answer after each byte, by an end
// or by a break in turn: what is left leads to no answer, or to the same one. Usage stands behind
// the end of an answer and may be missing.
func TestEveryStreamCut(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "deviations", "*.sse"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
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
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := read(bytes.NewReader(stream))
		if err != nil {
			continue
		}
		for at := range stream {
			end := []error{io.EOF, io.ErrUnexpectedEOF}[at%2]
			a, err := read(io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(end)))
			e, failed := err.(*model.Error)
			switch {
			case err == nil && !reflect.DeepEqual(a, want):
				t.Fatalf("%s cut after %d bytes: %+v, want %+v", file, at, a, want)
			case err != nil && (!failed || e.Code != "model.stream_incomplete" || e.Class != model.ClassTransient):
				t.Fatalf("%s cut after %d bytes: %v", file, at, err)
			}
		}
	}
}

// FuzzStream wants one outcome of a stream, however it is cut into reads: an error of its
// class, or an answer that keeps the promises of its type.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "deviations", "*.sse"))
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
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
		for _, c := range a.Calls {
			if c.Name == "" || len(c.Args) > 0 && !json.Valid(c.Args) {
				t.Fatalf("%+v", c)
			}
		}
		replayed(t, p, a)
	})
}

// replayed sends an answer back and wants a legal request, but for what a block of a kind
// that is unknown holds.
func replayed(t *testing.T, p *Provider, a *model.Answer) {
	t.Helper()
	m := model.Message{Role: model.Assistant, Text: strings.ReplaceAll(a.Text, "\x00", ""), Native: a.Native, Turn: 1}
	next := model.Message{Role: model.Tool}
	for i := range a.Calls {
		k := fmt.Sprintf("%024d", i)
		m.Calls = append(m.Calls, model.Call{Key: k, Name: "f", Args: "{}"})
		next.Results = append(next.Results, model.Result{Key: k, Name: "f", Text: "r"})
	}
	if len(a.Calls) == 0 {
		next = model.Message{Role: model.Host, Text: "go on"}
	}
	body := p.encode(&model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Text: "x"}, m, next}}, nil)
	for _, f := range modeltest.ValidateMessages(body) {
		if f.Rule != "wire.block" && f.Rule != "wire.unknown_key" && f.Rule != "text.nul" {
			t.Fatalf("%v in %s", f, body)
		}
	}
	for _, n := range a.Native {
		if !json.Valid(n) {
			t.Fatalf("%s", n)
		}
	}
}

// BenchmarkEncode encodes a history of 1,000 messages, without and with thinking in each
// answer.
func BenchmarkEncode(b *testing.B) {
	for _, thinks := range []bool{false, true} {
		b.Run(fmt.Sprintf("thinking %v", thinks), func(b *testing.B) {
			p, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			req := &model.Request{Model: "m", System: "s", Messages: []model.Message{{Role: model.User, Text: "x"}}}
			for i := range 500 {
				k := fmt.Sprintf("%024d", i)
				m := model.Message{Role: model.Assistant, Turn: i + 1, Calls: []model.Call{{Key: k, Name: "grep", Args: `{"q":"x"}`}}}
				if thinks {
					data := []byte(`{"signature":"c2ln","thinking":"` + strings.Repeat("some words ", 50) + `","type":"thinking"}`)
					m.Native = []json.RawMessage{p.part(kindThinking, native{data: data})}
				}
				req.Messages = append(req.Messages, m,
					model.Message{Role: model.Tool, Turn: i + 1, Results: []model.Result{{Key: k, Name: "grep", Text: "some lines\nof a result\n"}}})
			}
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(len(p.encode(req, nil))))
			}
		})
	}
}

// TestEncodeAllocates bounds the allocations of a long history: a few, whatever its length.
func TestEncodeAllocates(t *testing.T) {
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	req := &model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Text: "x"}}}
	part := p.part(kindThinking, native{data: []byte(`{"signature":"s","thinking":"t","type":"thinking"}`)})
	for i := range 500 {
		k := fmt.Sprintf("%024d", i)
		req.Messages = append(req.Messages,
			model.Message{Role: model.Assistant, Native: []json.RawMessage{part}, Calls: []model.Call{{Key: k, Name: "grep", Args: `{}`}}},
			model.Message{Role: model.Tool, Results: []model.Result{{Key: k, Name: "grep", Text: "r"}}})
	}
	if n := testing.AllocsPerRun(10, func() { p.encode(req, nil) }); n > 10 {
		t.Errorf("%v allocations for 1,001 messages", n)
	}
}
