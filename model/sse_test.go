package model_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-cf6d8d1b/swarm/model"
)

type event struct {
	name, data string
	last       bool
}

func readAll(r io.Reader) ([]event, int, error) {
	lines := 0
	s := model.NewSSE(r, func() { lines++ })
	var all []event
	for {
		ev, err := s.Next()
		if err != nil {
			return all, lines, err
		}
		all = append(all, event{ev.Name, string(ev.Data), ev.Last})
	}
}

func TestSSE(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in string
		want     []event
	}{
		{"one event", "data: a\n\n", []event{{"", "a", false}}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []event{{"", "a", false}, {"", "b", false}}},
		{"CR alone", "data: a\r\rdata: b\r\r", []event{{"", "a", false}, {"", "b", false}}},
		{"several data lines", "data: {\ndata:  \"a\":1}\n\n", []event{{"", "{\n \"a\":1}", false}}},
		{"comments, ids and blanks", ": ping\n\n\nid: 7\nretry: 9\ndata:a\n\n: end\n", []event{{"", "a", false}}},
		{"a name", "event: error\ndata: x\n\n", []event{{"error", "x", false}}},
		{"a name without data is forgotten", "event: ping\n\ndata: x\n\n", []event{{"", "x", false}}},
		{"empty data", "data\n\n", []event{{"", "", false}}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []event{{"", "a", false}}},
		{"no blank line at the end", "data: a\n\ndata: [DONE]\n", []event{{"", "a", false}, {"", "[DONE]", true}}},
		{"no line end at the end", "data: [DONE]", []event{{"", "[DONE]", true}}},
		{"nothing", "", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole":    strings.NewReader(row.in),
				"one byte": iotest.OneByteReader(strings.NewReader(row.in)),
				"err+data": iotest.DataErrReader(strings.NewReader(row.in)),
			} {
				got, _, err := readAll(r)
				if err != io.EOF {
					t.Fatalf("%s: %v", name, err)
				}
				if len(got) != len(row.want) {
					t.Fatalf("%s: %+v, want %+v", name, got, row.want)
				}
				for i := range got {
					if got[i] != row.want[i] {
						t.Errorf("%s: event %d is %+v, want %+v", name, i, got[i], row.want[i])
					}
				}
			}
		})
	}
}

// endless gives the same bytes for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func TestSSEBounds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		r    io.Reader
	}{
		{"one line", io.MultiReader(strings.NewReader("data: "), endless("aaaaaaaa"))},
		{"one event of many lines", endless("data: " + strings.Repeat("a", 2000) + "\n")},
		{"a body of comments", endless(": " + strings.Repeat("a", 2000) + "\n")},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := readAll(row.r); !errors.Is(err, model.ErrTooLarge) {
				t.Fatalf("error %v", err)
			}
		})
	}
}

func TestSSETellsOfLines(t *testing.T) {
	t.Parallel()
	if _, lines, _ := readAll(strings.NewReader(": a\n: b\ndata: x\n\n")); lines != 4 {
		t.Errorf("%d lines told, want 4", lines)
	}
	broken := iotest.ErrReader(errors.New("reset"))
	got, _, err := readAll(io.MultiReader(strings.NewReader("data: x\n"), broken))
	if err == nil || err == io.EOF || len(got) != 1 || !got[0].last {
		t.Errorf("%+v, %v", got, err)
	}
}

// chunked reads at most a random number of bytes at once.
type chunked struct {
	r    io.Reader
	rand *rand.Rand
}

func (c chunked) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), 1+c.rand.IntN(7))]) }

// FuzzSSE wants one reading of a stream, however it is cut into reads.
func FuzzSSE(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "data: ä\r\n\r\n", "\xef\xbb\xbfevent: x\rdata: 1\rdata: 2\r\r", ":\n\ndata", "data:\xf0\x9f\x90\x9d\n\n"} {
		f.Add(s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		whole, _, err := readAll(strings.NewReader(in))
		if err != io.EOF {
			t.Fatal(err)
		}
		parts, _, err := readAll(chunked{strings.NewReader(in), rand.New(rand.NewPCG(seed, 1))})
		if err != io.EOF {
			t.Fatal(err)
		}
		if len(whole) != len(parts) {
			t.Fatalf("%+v, in parts %+v", whole, parts)
		}
		for i := range whole {
			if whole[i] != parts[i] {
				t.Fatalf("event %d: %+v, in parts %+v", i, whole[i], parts[i])
			}
		}
	})
}
