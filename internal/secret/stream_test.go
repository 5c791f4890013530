package secret

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces streams a text in pieces and gives everything that was shown.
func pieces(s Set, text string, size func() int) string {
	var out strings.Builder
	st := s.Stream()
	for len(text) > 0 {
		n := min(max(size(), 1), len(text))
		out.WriteString(st.Next(text[:n]))
		text = text[n:]
	}
	out.WriteString(st.End())
	return out.String()
}

func TestStreamIsMask(t *testing.T) {
	t.Parallel()
	s := New(map[string]string{"A": key, "B": longer, "ODD": odd, "AAA": "aaaaaaaaab"})
	parts := []string{key, longer, odd, "aaaaaaaaab", "aaaaaaaaaa", key[:10], longer[:27], "sk-", "a text ", "aaaa", `{"k":"`, "é…"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var text strings.Builder
		for range r.IntN(6) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		most := 1 + r.IntN(30)
		want := s.Mask(text.String())
		if got := pieces(s, text.String(), func() int { return r.IntN(most) }); got != want {
			t.Fatalf("%q: got %q, want %q", text.String(), got, want)
		}
	}
}

// TestStreamShowsWhatItCan holds that no more is held back than may be a value.
func TestStreamShowsWhatItCan(t *testing.T) {
	t.Parallel()
	st := known().Stream()
	for _, row := range []struct{ in, want string }{
		{"a text ", "a text "},
		{"sk", ""},
		{"ill", "skill"},
		{" is " + key[:10], " is "},
		{key[10:], "{{secret:KEY}}"},
		{"!", "!"},
	} {
		if got := st.Next(row.in); got != row.want {
			t.Errorf("after %q: got %q, want %q", row.in, got, row.want)
		}
	}
	if got := (Set{}).Stream().Next(key); got != key {
		t.Errorf("the empty set gives %q", got)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("x"+key+"y", uint8(3))
	f.Add(longer+key[:12], uint8(1))
	s := New(map[string]string{"A": key, "B": longer, "C": "aaaaaaaab"})
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if strings.Contains(text, ".") { // an ellipsis of dots may be split
			return
		}
		got := pieces(s, text, func() int { return int(size) })
		if strings.Contains(got, key) {
			t.Fatalf("%q shows %q", text, got)
		}
		if strings.Contains(text, "…") { // so may the bytes of one
			return
		}
		if want := s.Mask(text); got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}
