package replay_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

const (
	head   = `{"cassette":1,"binary":"v1","name":"default","provider":"openai","model":"lead"}`
	asked  = `"path":"root","turn":1,"attempt":1,"request":{"method":"POST","url":"http://a/v1/chat/completions","body":{"model":"lead","messages":[{"role":"user","content":"x"}]}}`
	answer = `"response":{"status":200,"at_ms":1,"body":[{"at_ms":2,"data":"{\"choices\":[{\"message\":{\"content\":\"y\"}}]}"}],"end_ms":3}`
	good   = `{` + asked + `,` + answer + `}`
)

// put writes a cassette.
func (b *bundle) put(content string) {
	b.t.Helper()
	if err := os.WriteFile(b.file, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.base = "http://127.0.0.1:1/v1"
	whole := false
	b.with.Stream = &whole
}

func TestDamagedCassettes(t *testing.T) {
	t.Parallel()
	swap := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("no %s", from)
		}
		return strings.Replace(good, from, to, 1)
	}
	for _, row := range []struct {
		name, content string
		line          string // ":n", "" for the file
		says          string
	}{
		{"empty", "", "", "the cassette is empty"},
		{"blank lines", "\n \n", "", "the cassette is empty"},
		{"something else", "# Notes\n", ":1", "no JSON object of a cassette"},
		{"JSON of another kind", `{"a":1}` + "\n", ":1", "neither a header nor an interaction"},
		{"no object", "[1]\n", ":1", "no JSON object of a cassette"},
		{"no header", good + "\n", ":1", "no header stands before"},
		{"header cut off", head[:20], ":1", "no JSON object"},
		{"header of a later version", `{"cassette":2}` + "\n", ":1", "version 2 and this program reads version 1; record it again"},
		{"header with a version that is none", `{"cassette":"1"}` + "\n", ":1", "the header cannot be read"},
		{"header and interaction at once", head + "\n" + swap(`{"path"`, `{"cassette":1,"path"`) + "\n", ":2", "at once"},
		{"damaged in the middle", head + "\n\n" + good[:70] + "\n" + good + "\n", ":3", "unexpected end"},
		{"damaged at the end", head + "\n" + good + "\n" + good[:70] + "\n", ":3", "unexpected end"},
		{"turn that is no number", head + "\n" + swap(`"turn":1`, `"turn":"1"`) + "\n", ":2", "the interaction cannot be read"},
		{"negative turn", head + "\n" + swap(`"turn":1`, `"turn":-1`) + "\n", ":2", "no negative numbers"},
		{"request without a body", head + "\n" + swap(`"body":{"model":"lead","messages":[{"role":"user","content":"x"}]}`, `"x":1`) + "\n", ":2", "the request has no body"},
		{"request that is null", head + "\n" + `{"path":"root","turn":1,"attempt":1,"request":null,` + answer + "}\n", ":2", "neither a header nor an interaction"},
		{"no response", head + "\n{" + asked + "}\n", ":2", "neither a response nor a failure"},
		{"status", head + "\n" + swap(`"status":200`, `"status":20`) + "\n", ":2", "20 is no status"},
		{"failure of no kind", head + "\n{" + asked + `,"failed":{"kind":"odd"}}` + "\n", ":2", `"odd" is no kind of failure`},
		{"failure before the request", head + "\n{" + asked + `,"failed":{"kind":"cut","at_ms":-1}}` + "\n", ":2", "before the request"},
		{"time that runs back", head + "\n" + swap(`"body":[`, `"body":[{"at_ms":9,"data":"z"},`) + "\n", ":2", "part 1 of the body is earlier"},
		{"end before its parts", head + "\n" + swap(`"end_ms":3`, `"end_ms":1`) + "\n", ":2", "the end of the body is earlier"},
		{"data twice", head + "\n" + swap(`"at_ms":2,`, `"at_ms":2,"base64":"eA==",`) + "\n", ":2", "both data and base64"},
		{"base64 that is none", head + "\n" + swap(`"at_ms":2,"data"`, `"at_ms":2,"base64":"?","x"`) + "\n", ":2", "the interaction cannot be read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.put(row.content)
			_, err := replay.Open(b.file, b.opt)
			if fault.Code(err) != "replay.invalid" || !strings.Contains(err.Error(), b.file+row.line+":") || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestCutLastLine is passed over when reading, and taken away when writing.
func TestCutLastLine(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, content string
		warned        bool
	}{
		{"whole", head + "\n" + good + "\n", false},
		{"without its end of line", head + "\n" + good, false},
		{"blank lines", head + "\n\n" + good + "\n \n", false},
		{"CRLF", head + "\r\n" + good + "\r\n", false},
		{"cut", head + "\n" + good + "\n" + good[:len(good)-1], true},
		{"cut after a byte", head + "\n" + good + "\n{", true},
		{"a cut header", head + "\n" + good + "\n" + head[:30], true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.put(row.content)
			b.opt.Exact = true
			player, p := b.player()
			if o := ask(t.Context(), p, request("root", 1, "x")); o.Answer == nil || o.Answer.Text != "y" {
				t.Errorf("%+v", o)
			}
			if err := player.Close(); err != nil {
				t.Error(err)
			}
			if w := b.warned(); (len(w) > 0) != row.warned || row.warned && !strings.HasPrefix(w[0], "cut_line: "+b.file+":3") {
				t.Errorf("warned of %q", w)
			}

			b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"new"}}]}`)
			}))
			b.record(func(p *openai.Provider) { ask(t.Context(), p, request("root", 2, "x")) })
			if w := b.warned(); len(w) != 0 != row.warned || row.warned && len(w) != 2 {
				t.Errorf("warned of %q", w)
			}
			player, p = b.player()
			for turn, want := range []string{"y", "new"} {
				if o := ask(t.Context(), p, request("root", turn+1, "x")); o.Answer == nil || o.Answer.Text != want {
					t.Errorf("%+v", o)
				}
			}
			if err := player.Close(); err != nil {
				t.Error(err)
			}
			lines := strings.Split(b.content(), "\n")
			if i := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" && !json.Valid([]byte(l)) }); i >= 0 {
				t.Errorf("line %d is damaged: %s", i+1, lines[i])
			}
		})
	}
}

// TestOtherFilesAreLeftAlone holds that nothing is appended to what is no cassette.
func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"# Notes", "{\"a\":1}\n", good + "\n", "{\"cassette\":2}\n"} {
		b := setup(t)
		b.put(content)
		if _, err := replay.NewRecorder(b.file, b.opt); fault.Code(err) != "replay.invalid" || !strings.Contains(err.Error(), b.file) {
			t.Errorf("%q: %v", content, err)
		}
		if b.content() != content {
			t.Errorf("%q became %q", content, b.content())
		}
	}
	dir := t.TempDir()
	for _, row := range []struct{ file, code string }{
		{dir, "replay.file"},
		{filepath.Join(dir, "none", "x"), "replay.file"},
		{os.DevNull, "replay.invalid"},
	} {
		if _, err := replay.NewRecorder(row.file, replay.Options{}); fault.Code(err) != row.code {
			t.Errorf("%s: %v", row.file, err)
		}
	}
	if _, err := replay.Open(filepath.Join(dir, "none"), replay.Options{}); fault.Code(err) != "replay.file" {
		t.Errorf("error %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.put(head + "\n")
	for _, row := range []struct {
		opt  replay.Options
		says string
	}{
		{replay.Options{OnMiss: "ask"}, `on_miss is error or record, not "ask"`},
		{replay.Options{Speed: "fast"}, `speed is at_once or recorded, not "fast"`},
		{replay.Options{MaxBody: -1}, "-1 bytes"},
		{replay.Options{Normalise: []string{"("}}, "missing closing )"},
		{replay.Options{Normalise: []string{`\d*`}}, "fits an empty text"},
	} {
		if _, err := replay.Open(b.file, row.opt); fault.Code(err) != "replay.config_invalid" || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%+v: %v", row.opt, err)
		}
	}
}

// TestBounds holds that what is too large is not recorded whole, is said, and never hurts
// the traffic.
func TestBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	for _, row := range []struct {
		name          string
		question      string
		answer        string
		closed, plays string // error of the recording, what the replay says
	}{
		{"a long question", long, "y", "1 of 1 interactions were not recorded: root turn 1 attempt 1: the request is longer than 1000 bytes [replay.too_large]", "replay.too_large"},
		{"a long answer", "x", long, "", "permanent replay.too_large 0 0s the response is recorded up to 1000 bytes only"},
		{"an answer that just fits", "x", strings.Repeat("y", 1000-len(`{"choices":[{"message":{"content":""}}]}`)), "", `"Text": "yyy`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.put(head + "\n")
			b.opt.MaxBody = 1000
			end := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`+row.answer+`"}}]}`)
			}))
			r, p := b.recorder()
			if o := ask(t.Context(), p, request("root", 1, row.question)); o.Answer == nil || o.Answer.Text != row.answer {
				t.Fatalf("%+v", o)
			}
			if err := r.Close(); row.closed == "" && err != nil || row.closed != "" && (err == nil || !strings.Contains(err.Error(), row.closed)) {
				t.Errorf("close: %v", err)
			}
			end()
			if n := len(b.content()); n > 3000 {
				t.Errorf("the cassette has %d bytes", n)
			}
			_, p = b.player()
			if o := ask(t.Context(), p, request("root", 1, row.question)); !strings.Contains(text(t, o), row.plays) {
				t.Errorf("%+v", o)
			}
		})
	}
	t.Run("a long line", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.put(head + "\n" + strings.Repeat(" ", 2<<20) + "\n")
		b.opt.MaxBody = 1000
		if _, err := replay.Open(b.file, b.opt); fault.Code(err) != "replay.too_large" || !strings.Contains(err.Error(), b.file+":2") {
			t.Errorf("error %v", err)
		}
	})
}

// TestLateAnswersAreSaid holds that an answer that ends after the recording is an error
// that is told, and none of the traffic.
func TestLateAnswersAreSaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.serve(http.HandlerFunc(echo))
	r, p := b.recorder()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if o := ask(t.Context(), p, request("root", 1, "x")); o.Answer == nil {
		t.Error(o.Error)
	}
	if w := b.warned(); len(w) != 1 || !strings.Contains(w[0], "replay.closed") {
		t.Errorf("warned of %q", w)
	}
}
