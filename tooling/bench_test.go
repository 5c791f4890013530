package tooling

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func BenchmarkNormalise(b *testing.B) {
	for _, c := range []struct{ name, w string }{
		{"small", `{"text":"12345678901234567890123456789012"}`},
		{"string", `"{\"text\":\"12345678901234567890123456789012\"}"`},
		{"spaces", `{"text": "1234567890123456", "n": 5, "list": ["a", "b"]}`},
		{"large", `{"path":"a.md","content":"` + strings.Repeat("0123456789abcdef", 16<<10) + `"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := json.RawMessage(c.w)
			b.SetBytes(int64(len(w)))
			b.ReportAllocs()
			for b.Loop() {
				if _, invalid := Normalise(w); invalid != nil {
					b.Fatal(invalid)
				}
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		o := Object{canon: `{"text":"12345678901234567890123456789012"}`}
		_ = o.Hash()
	}
}

func BenchmarkJudge(b *testing.B) {
	echo, err := NewGoTool("echo", "Gives the text back.", func(_ context.Context, in struct {
		Text string `json:"text"`
	},
	) (string, error) {
		return in.Text, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	in := rootInput()
	in.Tools = append(in.Tools, echo.Descriptor)
	s, err := Freeze("root", in)
	if err != nil {
		b.Fatal(err)
	}
	a := Ask{Call: model.AnswerCall{Name: "echo", Args: json.RawMessage(`{"text":"12345678901234567890123456789012"}`)}}
	c := &Counters{}
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := s.Judge(c, a); v.Refusal != nil {
				b.Fatal(v.Refusal.Content)
			}
		}
	})
	b.Run("judge and handle", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v := s.Judge(c, a)
			if r := echo.Handle(b.Context(), &Call{Args: v.Checked}); r.Content == "" {
				b.Fatal(r.Code)
			}
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	in := rootInput()
	handle := func(context.Context, *Call) Result { return Result{} }
	var tools []Tool
	for _, d := range in.Tools {
		tools = append(tools, Tool{Descriptor: d, Handle: handle})
	}
	c, err := NewCatalogue(tools...)
	if err != nil {
		b.Fatal(err)
	}
	in.Tools = c.Descriptors()
	s, err := Freeze("root", in)
	if err != nil {
		b.Fatal(err)
	}
	text, err := s.Encode()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("freeze", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Freeze("root", in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.WithID("root/x"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Encode(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := DecodeSnapshot(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
