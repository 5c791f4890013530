package gemini

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
	modeltest.CutStreams(t, 30, read, "D14_every_piece")
}

func FuzzStream(f *testing.F) {
	p, read := reading(f)
	modeltest.FuzzStreams(f, read, func(t *testing.T, a *model.Answer) { sameParts(t, p, a) })
}

// sameParts wants the text and the calls of an answer in what is sent back of it.
func sameParts(t *testing.T, p *Provider, a *model.Answer) {
	t.Helper()
	m := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native}
	for _, c := range a.Calls {
		m.Calls = append(m.Calls, model.Call{Name: c.Name, Args: "{}"})
	}
	if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
		return // never a part of a history
	}
	body := p.appendContents(nil, []model.Message{m}, nil)
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
				p.encode(req, nil)
			}
		})
	}
}
