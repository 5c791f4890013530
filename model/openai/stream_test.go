package openai

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// reading gives a provider, and what reads a stream for it.
func reading(t testing.TB) (*Provider, modeltest.ReadStream) {
	t.Helper()
	p, err := New(Options{Quirks: Quirks{ReasoningField: "think"}})
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
	_, read := reading(f)
	modeltest.FuzzStreams(f, read, nil)
}

func BenchmarkEncode(b *testing.B) {
	p, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	req := &model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Text: "x"}}}
	for i := range 500 {
		k := fmt.Sprintf("%024d", i)
		req.Messages = append(req.Messages,
			model.Message{Role: model.Assistant, Calls: []model.Call{{Key: k, Name: "grep", Args: `{"q":"x"}`}}},
			model.Message{Role: model.Tool, Results: []model.Result{{Key: k, Name: "grep", Text: "some lines\nof a result\n"}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		p.encode(req, nil)
	}
}
