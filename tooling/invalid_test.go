package tooling

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRefusalTexts(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name   string
		w      string
		says   []string
		silent []string
	}{
		{"arguments-5 truncated", str(`{"path":"x","content":"Once`), []string{"cut off", "27 characters arrived", "less at once", "append", "`{\"path\":\"x\",\"content\":\"Once`"}, []string{"malformed", "showing"}},
		{"arguments-6 malformed", str(`{"a":1,,}`), []string{"malformed", "at character 8", "a member name in double quotes"}, []string{"cut", "less", "append"}},
		{"arguments-3 not an object", `[1]`, []string{"must be one JSON object, not an array", "`[1]`"}, []string{"cut"}},
		{"arguments-3 number", `3`, []string{"not a number"}, nil},
		{"duplicate", `{"a":1,"a":2}`, []string{"- a: the name occurs twice"}, nil},
		{"too deep", nested(65), []string{"64 levels"}, nil},
		{"arguments-9 too large", str(strings.Repeat("汉", 700_000)), []string{"1 MiB", "700,000 characters arrived", "showing 200 of 700,000 characters"}, nil},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			_, invalid := Normalise(json.RawMessage(r.w))
			if invalid == nil {
				t.Fatal("accepted")
			}
			res := invalid.Result()
			if res.Code != CodeInvalidArguments || !strings.Contains(res.Content, "Nothing was run") {
				t.Errorf("code %s, text %q", res.Code, res.Content)
			}
			for _, part := range r.says {
				if !strings.Contains(res.Content, part) {
					t.Errorf("text %.300q lacks %q", res.Content, part)
				}
			}
			for _, part := range r.silent {
				if strings.Contains(res.Content, part) {
					t.Errorf("text %.300q has %q", res.Content, part)
				}
			}
			if n := utf8.RuneCountInString(res.Content); n > 700 {
				t.Errorf("%d characters of text", n)
			}
		})
	}
}

func TestRefusalStructured(t *testing.T) {
	t.Parallel()
	_, invalid := Normalise(json.RawMessage(str(`{"a":1,,}` + strings.Repeat("ü", 300))))
	b, err := json.Marshal(invalid.Result().Structured)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"error":{"code":"tool.invalid_arguments","reason":"malformed","expected":"a member name in double quotes","position":8,"receivedChars":309,"shownChars":200}}`
	if string(b) != want {
		t.Errorf("structured %s, want %s", b, want)
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"199 characters", strings.Repeat("x", 199), 200, "`" + strings.Repeat("x", 199) + "`"},
		{"200 characters", strings.Repeat("x", 200), 200, "`" + strings.Repeat("x", 200) + "`"},
		{"201 characters", strings.Repeat("x", 201), 200, "`" + strings.Repeat("x", 200) + "` (showing 200 of 201 characters)"},
		{"astral characters at the cut", strings.Repeat("😀", 5312), 200, "`" + strings.Repeat("😀", 200) + "` (showing 200 of 5,312 characters)"},
		{"the delimiter in the text", "a`b``c", 200, "```a`b``c```"},
		{"the delimiter at the ends", "`x`", 200, "`` `x` ``"},
		{"only delimiters", "```", 200, "```` ``` ````"},
		{"a delimiter that is cut away does not count", "ab````", 2, "`ab` (showing 2 of 6 characters)"},
		{"control characters", "a\nb\r\t\x00\x1b\u0085\u2028", 200, "`" + `a\nb\r\t\x00\x1b\x85\u2028` + "`"},
		{"bytes that are not UTF-8", "a\xffb", 200, "`a\uFFFDb`"},
		{"empty", "", 200, "``"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if got := Echo(r.text, r.limit); got != r.want {
				t.Errorf("echo %q, want %q", got, r.want)
			}
		})
	}
}

func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	s := compiled(t, props(`"a":{"type":"integer"}`))
	_, invalid := s.Check(read(t, `{"`+strings.Repeat("x", 5000)+`":1,"a b\n":2}`), nil)
	if n := len(invalid.Place); n > 200 {
		t.Errorf("place of %d bytes", n)
	}
	if got := invalid.Also[0].Place; got != "[`a b\\n`]" {
		t.Errorf("place %q", got)
	}
}
