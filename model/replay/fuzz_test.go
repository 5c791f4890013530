package replay

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// FuzzCassette reads anything. What can be read is written and read again without change.
func FuzzCassette(f *testing.F) {
	for _, seed := range []string{
		`{"cassette":1,"binary":"v1","name":"default","provider":"openai","model":"m","settings":{"a":[1]}}`,
		`{"path":"root","turn":1,"attempt":2,"part":1,"run":"r","name":"n","request":{"method":"POST","url":"http://a/«secret:KEY»","headers":{"A":["b"]},"body":{"x":"{{secret:KEY}}"}},"response":{"status":200,"at_ms":1,"body":[{"at_ms":2,"data":"a\n\n"},{"at_ms":3,"base64":"/w=="}],"end_ms":4},"failed":{"kind":"cut","text":"t","at_ms":4}}`,
		`{"request":{"body":null},"failed":{"kind":"refused"}}`,
		"{\"cassette\":1}\r\n\n \n{\"cassette\":", "null", `{"cassette":{}}`, `{"request":[]}`,
	} {
		f.Add([]byte(seed))
		f.Add([]byte("{\"cassette\":1}\n" + seed + "\n" + seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		err := eachLine("f", bytes.NewReader(content), 1<<10, func(l line) error {
			if !bytes.HasPrefix(content[l.offset:], l.text) {
				t.Fatalf("line %d is not at %d", l.number, l.offset)
			}
			if l.number != 1+bytes.Count(content[:l.offset], []byte("\n")) {
				t.Fatalf("the line at %d is not %d", l.offset, l.number)
			}
			h, x, err := decode(l.text)
			var v any = h
			switch {
			case err != nil:
				return nil
			case (h == nil) == (x == nil):
				t.Fatalf("%q is %v and %v", l.text, h, x)
			case x != nil:
				v = x
				(&normaliser{}).question(x.Request, x.Run).hash()
			}
			once, err := encode(v)
			if err != nil {
				t.Fatalf("%q: %v", l.text, err)
			}
			h, x, err = decode(once)
			if v = h; x != nil {
				v = x
			}
			if err != nil {
				t.Fatalf("%q became %q: %v", l.text, once, err)
			}
			if twice, err := encode(v); err != nil || !bytes.Equal(once, twice) {
				t.Fatalf("%q became %q: %v", once, twice, err)
			}
			return nil
		})
		if err != nil && len(content) <= 1<<10 {
			t.Fatal(err)
		}
	})
}

// FuzzMaskBody streams a text with a secret in pieces of any size: it is masked as the
// whole text is.
func FuzzMaskBody(f *testing.F) {
	const key = "k3y-4f9a81c2e7d05b36"
	f.Add("it is ", " here", uint64(1))
	f.Add("ä€😀\"\\", "k3y-"+key, uint64(2))
	f.Add("", "", uint64(3))
	s := secret.New(map[string]string{"KEY": key})
	f.Fuzz(func(t *testing.T, before, after string, seed uint64) {
		text := strings.ToValidUTF8(before, "") + key + strings.ToValidUTF8(after, "")
		random := rand.New(rand.NewPCG(seed, 0))
		var parts []string
		for r := []rune(text); len(r) > 0; {
			n := 1 + random.IntN(min(len(r), 12))
			b, err := json.Marshal(map[string]any{"index": 0, "delta": map[string]string{"text": string(r[:n])}})
			if err != nil {
				t.Fatal(err)
			}
			parts, r = append(parts, "data: "+string(b)+"\n\n"), r[n:]
		}
		var got strings.Builder
		for _, part := range maskBody(s, parts) {
			var in struct{ Delta struct{ Text string } }
			if err := json.Unmarshal([]byte(strings.TrimPrefix(part, "data: ")), &in); err != nil {
				t.Fatalf("%q: %v", part, err)
			}
			got.WriteString(in.Delta.Text)
		}
		want := s.Mask(text)
		if json.Valid([]byte(text)) {
			want = string(s.MaskJSON([]byte(text)))
		}
		if got.String() != want {
			t.Fatalf("%q became %q, want %q", parts, got.String(), want)
		}
	})
}

// FuzzNode holds that a JSON text is what the nodes of it say.
func FuzzNode(f *testing.F) {
	for _, seed := range []string{`{"b":[1,-2.5e3,true,null],"a":{"":"\u00e9\ud83d\ude00\"/"}}`, ` [ { } , [ ] , "" ] `, "\"\xff\"", `1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parse(text)
		if ok != json.Valid([]byte(text)) {
			t.Fatalf("%q is JSON: %v", text, ok)
		}
		if !ok {
			return
		}
		if part, _ := parse(text[n.start:n.end]); string(part.appendTo(nil)) != string(n.appendTo(nil)) {
			t.Fatalf("%q is not at its place in %q", n.appendTo(nil), text)
		}
		n.sort()
		once := string(n.appendTo(nil))
		again, ok := parse(once)
		again.sort()
		if !ok || string(again.appendTo(nil)) != once {
			t.Fatalf("%q became %q", text, once)
		}
		if d := compare(&question{body: n}, &question{body: again}); d.count != 0 {
			t.Fatalf("%q differs from itself: %+v", once, d)
		}
		values := func(text string) string {
			var v any
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		if values(text) != values(once) {
			t.Fatalf("%q became %q", text, once)
		}
	})
}
