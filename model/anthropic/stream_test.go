package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// reading gives a provider, and what reads a stream for it.
func reading(t testing.TB) (*Provider, modeltest.ReadStream) {
	t.Helper()
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, func(r io.Reader, preview func(model.Delta)) (*model.Answer, error) {
		return p.client.ReadStream(context.Background(), r, newAssembly(p, preview))
	}
}

func TestEveryStreamCut(t *testing.T) {
	t.Parallel()
	_, read := reading(t)
	modeltest.CutStreams(t, 40, read)
}

func FuzzStream(f *testing.F) {
	p, read := reading(f)
	modeltest.FuzzStreams(f, read, func(t *testing.T, a *model.Answer) { replayed(t, p, a) })
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
	body := p.encode(&model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Text: "x"}, m, next}}, nil, nil)
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
				b.SetBytes(int64(len(p.encode(req, nil, nil))))
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
	if n := testing.AllocsPerRun(10, func() { p.encode(req, nil, nil) }); n > 10 {
		t.Errorf("%v allocations for 1,001 messages", n)
	}
}
