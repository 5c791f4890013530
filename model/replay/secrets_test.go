package replay_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

const (
	key = "k3y-4f9a81c2e7d05b36"
	odd = `p"a\s/s+w=r&d é0`
)

func secrets() secret.Set { return secret.New(map[string]string{"KEY": key, "ODD": odd}) }

// bare is the text of a JSON string.
func bare(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// told gives all the ways in which the tests below say a secret.
func told() []string {
	var all []string
	for _, v := range []string{key, odd} {
		all = append(all, v, bare(v), bare(bare(v)), url.QueryEscape(v), url.PathEscape(v),
			base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)))
	}
	return all
}

// searched looks for secrets in every byte of a cassette, in its strings, and in the texts
// that stand in pieces of streams.
func searched(t *testing.T, content string) {
	t.Helper()
	look := func(where, text string) {
		for _, bad := range told() {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q:\n%s", where, bad, text)
			}
		}
	}
	look("the file", content)
	for i := range len(key) - 9 {
		if part := key[i : i+10]; strings.Contains(content, part) {
			t.Errorf("%s is left of the key:\n%s", part, content)
		}
	}
	for line := range strings.Lines(content) {
		var all strings.Builder
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case string:
				look("a string", v)
				for l := range strings.Lines(v) {
					var in any
					if json.Unmarshal([]byte(strings.TrimPrefix(l, "data: ")), &in) == nil {
						walk(in)
					}
				}
				all.WriteString(v)
			case []any:
				for _, one := range v {
					walk(one)
				}
			case map[string]any:
				for name, one := range v {
					look("a name", name)
					if raw, ok := one.(string); ok && name == "base64" {
						b, err := base64.StdEncoding.DecodeString(raw)
						if err != nil {
							t.Error(err)
						}
						one = string(b)
					}
					walk(one)
				}
			}
		}
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		walk(v)
		look("the pieces of a text", all.String())
	}
}

// delta is an event with a piece of text.
func delta(piece string) string {
	b, _ := json.Marshal(piece)
	return `data: {"choices":[{"index":0,"delta":{"content":` + string(b) + `}}]}` + "\n\n"
}

// two is an event with pieces of two texts.
func two(content, reasoning string) string {
	b, _ := json.Marshal(map[string]string{"content": content, "reasoning_content": reasoning})
	return `data: {"choices":[{"index":0,"delta":` + string(b) + `}]}` + "\n\n"
}

const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

// pieces cuts a text into pieces of n characters.
func pieces(s string, n int) (out string) {
	for r := []rune(s); len(r) > 0; r = r[min(n, len(r)):] {
		out += delta(string(r[:min(n, len(r))]))
	}
	return out
}

func TestNoSecretIsRecorded(t *testing.T) {
	t.Parallel()
	arguments := func(index int, piece string) string {
		b, _ := json.Marshal(piece)
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":%s}}]}}]}`+"\n\n", index, index, b)
	}
	const kept = "{{secret:KEY}}"
	for _, row := range []struct {
		name   string
		status int
		body   string
		says   string // in the outcome of the replay; as the model sees it
	}{
		{"a JSON body", 200, `{"choices":[{"message":{"content":"it is ` + key + `"}}]}`, `"Text": "it is ` + kept},
		{"a name", 200, `{"` + key + `":1,"choices":[{"message":{"content":"x"}}]}`, `"Text": "x"`},
		{"an error", 401, `{"error":{"message":"bad key ` + key + `"}}`, "bad key " + kept},
		{"an error that is cut", 401, "bad key " + key[:12] + "…", "bad key " + kept},
		{"a text", 500, "no " + bare(odd) + " here", "no {{secret:ODD}} here"},
		{"base64 of it", 500, base64.StdEncoding.EncodeToString([]byte("user:" + key)), kept},
		{"bytes that are no text", 500, "\xff" + key, kept},
		{"an event", 200, delta("it is "+key+"!") + stop, `"Text": "it is ` + kept + `!"`},
		{"escapes", 200, strings.Replace(delta("it is "+key), "k3y", `k\u0033y`, 1) + stop, `"Text": "it is ` + kept + `"`},
		{"a comment", 200, ": " + key + "\n\n" + delta("x") + stop, `"Text": "x"`},
		{"one character each", 200, pieces("it is "+key+", and "+odd+".", 1) + stop, `"Text": "it is ` + kept + `, and {{secret:ODD}}."`},
		{"five characters each", 200, pieces("it is "+key+", and "+odd+".", 5) + stop, `"Text": "it is ` + kept + `, and {{secret:ODD}}."`},
		{"halves", 200, delta(key[:10]) + delta(key[10:]) + stop, `"Text": "` + kept + `"`},
		{"halves beside other pieces", 200, delta("ä"+key[:12]) + ": wait\n\n" + delta("") + delta(key[12:]+"€") + delta("end") + stop, `"Text": "ä` + kept + `€end"`},
		{"twice, in pieces", 200, pieces(key+key, 7) + stop, `"Text": "` + kept + kept + `"`},
		{"two texts at once", 200, two("it is "+key[:9], key[:7]) + two(key[9:]+".", key[7:]) + stop, `"Reasoning": "` + kept + `"`},
		{"interleaved arguments", 200, arguments(0, `{"a":"`+key[:9]) + arguments(1, `{"b":"x`+key[:6]) + arguments(0, key[9:]+`"}`) + arguments(1, key[6:]+`"}`) + stop,
			`"{\"b\":\"x` + kept},
		{"arguments with escapes", 200, arguments(0, `{"a":"`+bare(odd)[:5]) + arguments(0, bare(odd)[5:]+`"}`) + stop, `{\"a\":\"{{secret:ODD}}\"}`},
		{"cut in the second half", 200, delta("it is "+key[:9]) + strings.TrimSuffix(delta(key[9:]), "\"}}]}\n\n"), "stream_incomplete"},
		{"cut in the first half", 200, delta("it is " + key[:15]), "stream_incomplete"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.opt.Secrets = secrets
			b.with.APIKey = key
			b.with.Headers = map[string]string{"Accept": odd, "X-Other": key}
			end := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("X-Ratelimit-Limit", key)
				w.Header().Set("X-Request-Id", key)
				w.WriteHeader(row.status)
				_, _ = io.WriteString(w, row.body)
			}))
			b.base += "/" + url.PathEscape(key) + "?key=" + url.QueryEscape(odd) + "&other=sk-0123456789abcdefgh"
			say := "I tell " + strings.Join(told(), " and ")
			b.record(func(p *openai.Provider) { ask(t.Context(), p, request("root", 1, say)) })
			end()
			content := b.content()
			searched(t, content)
			for _, good := range []string{"«secret:KEY»", "«secret:ODD»", "«secret:unknown»"} {
				if !strings.Contains(content, good) {
					t.Errorf("no %s:\n%s", good, content)
				}
			}
			for _, bad := range []string{"Authorization", "X-Other", "X-Request-Id", "sk-0", "{{secret"} {
				if strings.Contains(content, bad) {
					t.Errorf("%s is recorded:\n%s", bad, content)
				}
			}
			// Once with the value in the request, once as the runtime masks it.
			for _, said := range []string{say, secrets().Mask(say)} {
				_, p := b.player()
				b.with.APIKey = ""
				o := ask(t.Context(), p, request("root", 1, said))
				if got := text(t, o); !strings.Contains(got, row.says) {
					t.Errorf("no %s in\n%s\nof\n%s", row.says, got, content)
				}
			}
		})
	}
}

// TestASecretThatIsLeftIsAnError holds that nothing is written then, and that the run goes on.
func TestASecretThatIsLeftIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.opt.Secrets = secrets
	b.serve(http.HandlerFunc(echo))
	r, p := b.recorder()
	for _, path := range []string{"root/" + key, "root"} {
		if o := ask(t.Context(), p, request(path, 1, "hello")); o.Answer == nil {
			t.Error(o.Error)
		}
	}
	err := r.Close()
	if fault.Code(err) != "replay.secret_left" || !strings.Contains(err.Error(), "1 of 2") || !strings.Contains(err.Error(), "the secret KEY") || strings.Contains(err.Error(), key) {
		t.Errorf("error %v", err)
	}
	searched(t, b.content())
	if n := strings.Count(b.content(), `"attempt"`); n != 1 {
		t.Errorf("%d interactions:\n%s", n, b.content())
	}
	if w := b.warned(); len(w) != 1 || !strings.HasPrefix(w[0], "not_recorded: ") || strings.Contains(w[0], key) {
		t.Errorf("warned of %q", w)
	}
}

// TestSecretsOfAHeader are masked, too.
func TestSecretsOfAHeader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.opt.Secrets = secrets
	r, err := replay.NewRecorder(b.file, b.opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Transport(replay.Model{Name: key, ID: key, Settings: json.RawMessage(`{"a":"` + bare(odd) + `"}`)}, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	searched(t, b.content())
	info, err := os.Stat(b.file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	p, err := replay.Open(b.file, b.opt)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Models(); m[0].ID != "{{secret:KEY}}" || string(m[0].Settings) != `{"a":"{{secret:ODD}}"}` {
		t.Errorf("%+v", m)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
