package modeltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Deviations plays the byte files of testdata/deviations to a provider (models spec §5, §19):
// whole, byte by byte, in random pieces, and cut.
type Deviations struct {
	Rows     map[string]Outcome // one for every byte file
	Path     string             // of a base URL, such as /v1
	New      func(t testing.TB, base, name string) model.Provider
	Question func() *model.Request
	Label    func(name string) string   // content type of a file
	Natives  func(*model.Answer) string // see [Outcome.Check]
	Ends     string                     // what the reason of an end stands behind, such as "finish_reason":"
	Late     bool                       // usage comes behind the end, and may be missing
}

// Play wants the outcome of each file, however it comes.
func (d *Deviations) Play(t *testing.T) {
	names := byteFiles(t)
	if len(names) != len(d.Rows) {
		t.Fatalf("%d files for %d rows", len(names), len(d.Rows))
	}
	for _, name := range names {
		want, ok := d.Rows[name]
		if !ok {
			t.Fatalf("%s has no row", name)
		}
		t.Run(strings.TrimSpace(want.ID+" "+name), func(t *testing.T) {
			t.Parallel()
			content := ByteFile(t, name)
			random := rand.New(rand.NewPCG(1, uint64(len(content))))
			for way, sizes := range map[string]func(int) int{
				"whole":        nil,
				"byte by byte": func(int) int { return 1 },
				"at random":    func(n int) int { return min(n, 1+random.IntN(40)) },
			} {
				p := d.New(t, Serve(t, d.Path, Play(content, d.Label(name), sizes)), name)
				a, err := p.Answer(t.Context(), d.Question(), nil)
				if diff := want.Check(a, err, d.Natives); diff != "" {
					t.Errorf("%s: %s", way, diff)
				}
			}
		})
	}
}

// Cut cuts these files after each byte and wants the right answer or none: what breaks off
// anywhere never gives another answer. Files that are no stream begin with D19.
func (d *Deviations) Cut(t *testing.T, names ...string) {
	for _, name := range names {
		t.Run("pairing-5 "+name, func(t *testing.T) {
			t.Parallel()
			content, want := ByteFile(t, name), d.Rows[name]
			late := want
			if d.Late {
				late.Usage = ""
			}
			body := strings.HasPrefix(name, "D19_")
			at := 0
			p := d.New(t, Serve(t, d.Path, func(w http.ResponseWriter, r *http.Request) {
				Drop(r)
				w.Header().Set("Content-Type", d.Label(name))
				if at%2 == 0 { // every other time the connection breaks, else it ends
					w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				}
				_, _ = w.Write(content[:at])
			}), name)
			answers := 0
			for ; at < len(content); at++ {
				a, err := p.Answer(t.Context(), d.Question(), nil)
				var e *model.Error
				switch {
				case err == nil && (want.Check(a, nil, d.Natives) == "" || late.Check(a, nil, d.Natives) == ""):
					answers++
				case err == nil:
					t.Fatalf("cut after %d bytes: wrong answer %+v", at, a)
				case !errors.As(err, &e) || !e.Retried() || e.Code != "model.stream_incomplete" && (!body || e.Code != "model.invalid_upstream"):
					t.Fatalf("cut after %d bytes: %v", at, err)
				}
			}
			tail := len(content) - bytes.LastIndex(content, []byte(d.Ends))
			if !body && (answers == 0 || answers > tail) {
				t.Errorf("%d cut streams gave an answer; the reason of the end stands %d bytes before it", answers, tail)
			}
		})
	}
}

// Preview joins what is shown while these files come, and wants the answer. Of a call
// without arguments nothing need be shown.
func (d *Deviations) Preview(t *testing.T, names ...string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := d.New(t, Serve(t, d.Path, Play(ByteFile(t, name), d.Label(name), nil)), name)
			var text, thought strings.Builder
			args := make(map[int]string)
			a, err := p.Answer(t.Context(), d.Question(), func(p model.Delta) {
				text.WriteString(p.Text)
				thought.WriteString(p.Reasoning)
				args[p.Call] += p.Args
			})
			if err != nil {
				t.Fatal(err)
			}
			if text.String() != a.Text || thought.String() != a.Reasoning {
				t.Errorf("shown %q %q", text.String(), thought.String())
			}
			for i, c := range a.Calls {
				whole := string(c.Args)
				var s string
				if json.Unmarshal(c.Args, &s) == nil {
					whole = s
				}
				if args[i] != whole && (whole != "{}" || args[i] != "") {
					t.Errorf("call %d: shown %q, is %q", i, args[i], whole)
				}
			}
		})
	}
}
