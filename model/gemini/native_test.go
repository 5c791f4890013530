package gemini_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// answer gives what a byte file leads to, as an answer of the endpoint of base.
func answer(t testing.TB, base, name string) *model.Answer {
	t.Helper()
	from := modeltest.Serve(t, "/v1beta", modeltest.Play(modeltest.ByteFile(t, name), label(name), nil))
	a, err := provider(t, gemini.Options{BaseURL: from}).Answer(t.Context(), question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Native {
		a.Native[i] = bytes.Replace(a.Native[i], []byte(host(t, from)), []byte(host(t, base)), 1)
	}
	// A journal keeps native parts in a list.
	kept, err := json.Marshal(a.Native)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(kept, &a.Native); err != nil {
		t.Fatal(err)
	}
	return a
}

func host(t testing.TB, base string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// message makes the message of an answer; keys of its calls count from n.
func message(a *model.Answer, n int) model.Message {
	m := model.Message{Role: model.Assistant, Text: a.Text, Native: a.Native}
	for i, c := range a.Calls {
		m.Calls = append(m.Calls, model.Call{Key: modeltest.CallKey(n + i), Name: c.Name, Args: string(c.Args)})
	}
	return m
}

// TestNativeParts sends answers back: signatures, unknown parts and the order of parts come
// to their old place, when they came from this endpoint and nobody has changed them.
func TestNativeParts(t *testing.T) {
	t.Parallel()
	const (
		skip = `,"thoughtSignature":"skip_thought_signature_validator"`
		call = `{"functionCall":{"name":"weather","args":{"city":"Paris"}}`
		rome = `{"functionCall":{"name":"weather","args":{"city":"Rome"}}`
	)
	changed := func(old, new string) func(*model.Message) {
		return func(m *model.Message) {
			found := false
			for i := range m.Native {
				found = found || bytes.Contains(m.Native[i], []byte(old))
				m.Native[i] = bytes.Replace(m.Native[i], []byte(old), []byte(new), 1)
			}
			if !found {
				panic("nothing has " + old) // the row is wrong
			}
		}
	}
	signed := `{"text":"Well, "},{"text":"so ","thoughtSignature":"dGV4dC1h"},{"text":"it is."},` + call + `,"thoughtSignature":"Y2FsbC1h"},` + rome + `,"thoughtSignature":"Y2FsbC1i"}`
	for _, row := range []struct {
		name   string
		file   string
		change func(*model.Message)
		want   string // parts
		warned bool
	}{
		{"all in their places", "good_signatures", nil, signed + `,{"text":"","thoughtSignature":"bGFzdA=="}`, false},
		{"a call after thoughts", "good_calls", nil, `{"text":"I look."},` + call + `,"thoughtSignature":"c2lnLWE="},` + strings.Replace(rome, "weather", "time", 1) + `}`, false},
		{"text after a call", "D21_text_after_call", nil, `{"text":"a"},` + call + skip + `},{"text":"b"}`, false},
		{"unknown parts", "D20_unknown_part", nil, `{"text":"Hel"},{"executableCode":{"language":"PYTHON","code":"a \u003c b"}},{"thought":true,"hologram":{"id":1}},{"text":"lo"}`, false},
		{"a signed thought", "D23_signed_thought", nil, `{"text":"I think","thought":true,"thoughtSignature":"dGhvdWdodA=="},{"text":"Hello"}`, false},
		{"unsigned thoughts are not sent", "D23_thoughts", nil, `{"text":"Hello"}`, false},
		{"unknown events are not sent", "D20_unknown_event", nil, `{"text":"Hello"}`, false},
		{"no signature from the server", "D14_stop_with_calls", nil, call + skip + `}`, false},
		{"the last signature with an empty text and no other", "good_signatures", func(m *model.Message) { m.Native = m.Native[3:] },
			`{"text":"Well, so it is."},` + call + skip + `},` + rome + `},{"text":"","thoughtSignature":"bGFzdA=="}`, false},
		{"another endpoint", "good_signatures", changed(`/v1beta"`, `/v1"`),
			`{"text":"Well, so it is."},` + call + skip + `},` + rome + `}`, false},
		{"another provider", "good_signatures", changed(`"gemini"`, `"anthropic"`), `{"text":"Well, so it is."},` + call + skip + `},` + rome + `}`, false},
		{"a signature that was masked", "good_signatures", changed("Y2FsbC1h", "***"),
			strings.Replace(signed, "Y2FsbC1h", "skip_thought_signature_validator", 1) + `,{"text":"","thoughtSignature":"bGFzdA=="}`, true},
		{"a signed text that was masked", "good_signatures", func(m *model.Message) { m.Text = "Well, ** it is." },
			`{"text":"Well, ** it is."},` + call + `,"thoughtSignature":"Y2FsbC1h"},` + rome + `,"thoughtSignature":"Y2FsbC1i"},{"text":"","thoughtSignature":"bGFzdA=="}`, true},
		{"a text that became shorter", "D21_text_after_call", func(m *model.Message) { m.Text = "" }, call + skip + `}`, false},
		{"a text that is cut inside a character", "D21_text_after_call", func(m *model.Message) { m.Text = "🐝b" }, call + skip + `},{"text":"🐝b"}`, false},
		{"numbers that are none", "good_signatures", changed(`"calls":1`, `"calls":1e9`),
			`{"text":"Well, "},{"text":"so ","thoughtSignature":"dGV4dC1h"},{"text":"it is."},` + call + `,"thoughtSignature":"Y2FsbC1h"},` + rome + `},{"text":"","thoughtSignature":"bGFzdA=="}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			base, got := echo(t)
			warned := false
			p := provider(t, gemini.Options{BaseURL: base, Warn: func(kind, _ string) { warned = warned || kind == "native_changed" }})
			m := message(answer(t, base, row.file), 1)
			if row.change != nil {
				row.change(&m)
			}
			req := question()
			req.Messages = append(req.Messages, m)
			if len(m.Calls) > 0 {
				res := model.Message{Role: model.Tool}
				for _, c := range m.Calls {
					res.Results = append(res.Results, model.Result{Key: c.Key, Name: c.Name, Text: "done"})
				}
				req.Messages = append(req.Messages, res)
			} else {
				req.Messages = append(req.Messages, model.Message{Role: model.Host, Text: "Go on."})
			}
			modeltest.AskOK(t, p, req)
			body := (<-got).Body
			if want := `{"role":"model","parts":[` + row.want + `]}`; !strings.Contains(string(body), want) {
				t.Errorf("body\n%s\nlacks\n%s", body, want)
			}
			if faults := modeltest.ValidateGenerate(body); faults != nil {
				t.Error(faults)
			}
			if warned != row.warned {
				t.Errorf("warned: %v", warned)
			}
		})
	}
}
