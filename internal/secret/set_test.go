package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func encoded(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(b), `"`)
}

func TestMask(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + key))
	for name, row := range map[string]struct{ in, want string }{
		"nothing":                 {"a text without a value", "a text without a value"},
		"as it is":                {"the key is " + key + ".", "the key is {{secret:KEY}}."},
		"the whole":               {key, "{{secret:KEY}}"},
		"twice":                   {key + key, "{{secret:KEY}}{{secret:KEY}}"},
		"two":                     {numeric + " " + key, "{{secret:NUMERIC}} {{secret:KEY}}"},
		"odd characters":          {"<" + odd + ">", "<{{secret:ODD}}>"},
		"escaped in JSON":         {`{"a":"` + encoded(t, odd) + `"}`, `{"a":"{{secret:ODD}}"}`},
		"escaped twice":           {encoded(t, encoded(t, odd)), "{{secret:ODD}}"},
		"query":                   {"?k=" + url.QueryEscape(odd) + "&", "?k={{secret:ODD}}&"},
		"path":                    {"/" + url.PathEscape(odd) + "/", "/{{secret:ODD}}/"},
		"small digits":            {lowerHex(url.QueryEscape(odd)), "{{secret:ODD}}"},
		"base64":                  {base64.StdEncoding.EncodeToString([]byte(key)), "{{secret:KEY}}"},
		"base64 of an odd length": {base64.StdEncoding.EncodeToString([]byte(numeric)), "{{secret:NUMERIC}}"},
		"base64 without padding":  {base64.RawURLEncoding.EncodeToString([]byte(odd)), "{{secret:ODD}}"},
		"cut at the end":          {"invalid key " + key[:20], "invalid key {{secret:KEY}}"},
		"cut before an ellipsis":  {"invalid key " + key[:20] + "…; asked", "invalid key {{secret:KEY}}…; asked"},
		"cut short":               {"invalid key " + key[:11], "invalid key " + key[:11]},
		"not cut":                 {key[:20] + " is no key", key[:20] + " is no key"},
		"almost":                  {key[:len(key)-1] + "X", key[:len(key)-1] + "X"},
		"a placeholder":           {"{{secret:KEY}}", "{{secret:KEY}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := known().Mask(row.in)
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if again := known().Mask(got); again != got {
				t.Errorf("masked again it is %q", again)
			}
		})
	}
	t.Run("base64 of a longer text", func(t *testing.T) {
		t.Parallel()
		for shift := range 3 {
			in := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", 3+shift) + key + "tail"))
			got := known().Mask(in)
			if !strings.Contains(got, "{{secret:KEY}}") {
				t.Errorf("shift %d: %q is not masked", shift, in)
			}
			for n := 12; n+12 < len(in); n++ { // no run of characters of the value is left
				part := in[n : n+8]
				if raw, err := base64.StdEncoding.DecodeString(in[n/4*4 : n/4*4+8]); err == nil && strings.Contains(key, string(raw)) && strings.Contains(got, part) {
					t.Errorf("shift %d: %q is left in %q", shift, part, got)
				}
			}
		}
		if got := known().Mask("Basic " + basic); !strings.Contains(got, "{{secret:KEY}}") {
			t.Errorf("%q is not masked", got)
		}
	})
}

func TestLongestFormCounts(t *testing.T) {
	t.Parallel()
	s := New(map[string]string{"A": key, "B": longer})
	for in, want := range map[string]string{
		longer:             "{{secret:B}}",
		key:                "{{secret:A}}",
		longer + key:       "{{secret:B}}{{secret:A}}",
		key + "-and-mere":  "{{secret:A}}-and-mere",
		longer[:30] + "…":  "{{secret:B}}…",
		longer + " " + key: "{{secret:B}} {{secret:A}}",
	} {
		if got := s.Mask(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := New(map[string]string{"B": key, "A": key, "SHORT": "1234567", "NONE": "", "B/C \"d\"": odd, "OTHER": "secret:A"})
	if got := s.Mask(key + " " + odd + " 1234567"); got != "{{secret:A}} {{secret:B_C__d_}} 1234567" {
		t.Errorf("got %q", got)
	}
	if got := s.Unseen(); !slices.Equal(got, []string{"OTHER", "SHORT"}) {
		t.Errorf("unseen are %q", got)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	a := New(map[string]string{"KEY": key})
	b := New(map[string]string{"KEY": odd, "N": numeric})
	both := a.With(b)
	if got := both.Mask(key + " " + odd + " " + numeric); got != "{{secret:KEY}} {{secret:KEY.2}} {{secret:N}}" {
		t.Errorf("got %q", got)
	}
	if again := both.With(a); again.of() != both.of() {
		t.Error("a set that knows all was made anew")
	}
	if a.Mask(odd) != odd || b.Mask(key) != key {
		t.Error("a set that was added to has changed")
	}
	if (Set{}).With(a).of() != a.of() || a.With(Set{}).of() != a.of() {
		t.Error("the empty set adds something")
	}
}

// TestNothingPrintsAValue holds for every way that a set could come into a text.
func TestNothingPrintsAValue(t *testing.T) {
	t.Parallel()
	type holder struct {
		Set    Set
		hidden Set
	}
	s := known()
	h := holder{s, s}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		for _, v := range []any{s, &s, h, &h, []Set{s}, map[string]Set{"a": s}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	for _, v := range []any{s, &s, h, map[string]any{"a": s}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	for _, hd := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(hd).Info("set", "s", s, "p", &s, "h", h, slog.Group("g", "s", s))
	}
	for _, v := range []string{key, odd, numeric, fmt.Sprintf("%x", key)} {
		if strings.Contains(out.String(), v) {
			t.Errorf("%q is printed:\n%s", v, out.String())
		}
	}
	if !strings.Contains(out.String(), "secrets(3)") {
		t.Errorf("the number is not told:\n%s", out.String())
	}
}

func TestEmptyIsFree(t *testing.T) {
	var s Set
	text, raw := strings.Repeat("a text ", 100), json.RawMessage(`{"a":"\u0041"}`)
	if n := testing.AllocsPerRun(100, func() {
		if s.Mask(text) != text || len(s.MaskJSON(raw)) != len(raw) || s.Error(nil) != nil {
			t.Error("something was masked")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	full := known()
	if n := testing.AllocsPerRun(100, func() { _ = full.Mask(text) }); n != 0 {
		t.Errorf("%v allocations for a text without a value", n)
	}
	if !s.Empty() || s.Unseen() != nil || fmt.Sprint(s) != "secrets(0)" || !New(nil).Empty() || !New(map[string]string{"S": "short"}).Empty() {
		t.Error("an empty set is not empty")
	}
}

func BenchmarkMask(b *testing.B) {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog, and {\"json\": [1, 2, 3]} follows it.\n", 1<<20/80)[:1<<20]
	for name, values := range map[string]int{"1 value": 1, "20 values": 20} {
		all := map[string]string{}
		for i := range values {
			all[fmt.Sprintf("KEY_%d", i)] = fmt.Sprintf("sk-%d-%032x", i, i*7919)
		}
		s := New(all)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(prose)))
			b.ReportAllocs()
			for b.Loop() {
				if s.Mask(prose) != prose {
					b.Fatal("a hit")
				}
			}
		})
	}
	b.Run("empty", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = Set{}.Mask(prose)
		}
	})
}
