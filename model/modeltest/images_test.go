package modeltest_test

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// TestWrongImages sends what no service takes past each strict validator.
func TestWrongImages(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString(modeltest.Picture("image/png", 2, 2, 1))
	large := base64.StdEncoding.EncodeToString(append(modeltest.Picture("image/png", 2, 2, 1), make([]byte, 5<<20)...))
	forms := map[string]func(media, data string) []model.Fault{
		"chat": func(media, data string) []model.Fault {
			return modeltest.ValidateChat([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:` + media + `;base64,` + data + `"}}]}]}`))
		},
		"messages": func(media, data string) []model.Fault {
			return modeltest.ValidateMessages([]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"` + media + `","data":"` + data + `"}}]}]}`))
		},
		"generate": func(media, data string) []model.Fault {
			return modeltest.ValidateGenerate([]byte(`{"contents":[{"role":"user","parts":[{"text":"a"},{"inlineData":{"mimeType":"` + media + `","data":"` + data + `"}}]}]}`))
		},
	}
	for _, row := range []struct{ name, media, data, rule string }{
		{"good", "image/png", good, ""},
		{"of a type that is none", "image/svg+xml", good, "image.media"},
		{"of another type than it says", "image/jpeg", good, "image.media"},
		{"no base64", "image/png", "a-_b", "image.base64"},
		{"cut base64", "image/png", good[:len(good)-3], "image.base64"},
		{"too large", "image/png", large, "image.size"},
		{"nothing", "image/png", "", ""},
	} {
		for form, validate := range forms {
			if row.name == "too large" && form != "messages" { // one check serves all, and reading so much takes a while
				continue
			}
			faults := validate(row.media, row.data)
			found := slices.ContainsFunc(faults, func(f model.Fault) bool { return f.Rule == row.rule })
			if row.name == "nothing" {
				found = len(faults) > 0
			}
			if row.name == "good" && faults != nil || row.name != "good" && !found {
				t.Errorf("%s, %s: %v", form, row.name, faults)
			}
		}
	}
	one := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + good + `"}},`
	for name, body := range map[string]string{
		"image.count":      `{"model":"m","messages":[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(one, 21), ",") + `]}]}`,
		"image.url":        `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/b.png"}}]}]}`,
		"wire.unknown_key": `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"uri":"x"}}]}]}`,
		"wire.part":        `{"model":"m","messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`,
		"wire.range":       `{"model":"m","messages":[{"role":"user","content":[]}]}`,
		"wire.string":      `{"model":"m","messages":[{"role":"system","content":[` + strings.TrimSuffix(one, ",") + `]},{"role":"user","content":"a"}]}`,
	} {
		if faults := modeltest.ValidateChat([]byte(body)); !slices.ContainsFunc(faults, func(f model.Fault) bool { return f.Rule == name }) {
			t.Errorf("%s: %v", name, faults)
		}
	}
	block := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + good + `"}}`
	history := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},` +
		`{"role":"user","content":[%s]}]}`
	for name, content := range map[string]string{
		"image.error":         `{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"e"},` + block + `]}`,
		"order.results_first": block + `,{"type":"tool_result","tool_use_id":"a","content":"r"}`,
		"image.source":        `{"type":"tool_result","tool_use_id":"a","content":[` + strings.Replace(block, "base64", "url", 1) + `]}`,
		"wire.block":          `{"type":"tool_result","tool_use_id":"a","content":[{"type":"document"}]}`,
	} {
		if faults := modeltest.ValidateMessages(fmt.Appendf(nil, history, content)); !slices.ContainsFunc(faults, func(f model.Fault) bool { return f.Rule == name }) {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// TestServersSeeImages asks each server with an image of the user and one of a result: the
// script is told of both.
func TestServersSeeImages(t *testing.T) {
	t.Parallel()
	store := modeltest.Blobs{}
	a, b := store.Add("input/a.png", "image/png", 4, 3, 1), store.Add("output/b.jpg", "image/jpeg", 5, 3, 2)
	s, err := scripted.Load([]byte(fmt.Sprintf(`
version: 1
agents:
  lead:
    - {when: {match: "sees image/png of %d bytes"}, calls: [{read: {}}]}
    - {when: {match: "sees image/jpeg of %d bytes"}, text: both are seen}
`, a.Bytes, b.Bytes)), "s")
	if err != nil {
		t.Fatal(err)
	}
	chat, messages, generate := httptest.NewServer(modeltest.Server(s, scripted.Options{})), httptest.NewServer(modeltest.Messages(s, scripted.Options{})), httptest.NewServer(modeltest.Generate(s, scripted.Options{}))
	for _, web := range []*httptest.Server{chat, messages, generate} {
		t.Cleanup(web.Close)
	}
	openAI, err1 := openai.New(openai.Options{BaseURL: chat.URL + "/v1"})
	claude, err2 := anthropic.New(anthropic.Options{BaseURL: messages.URL + "/v1"})
	google, err3 := gemini.New(gemini.Options{BaseURL: generate.URL + "/v1beta"})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	t.Cleanup(func() { openAI.Close(); claude.Close(); google.Close() })
	for name, p := range map[string]model.Provider{"openai": openAI, "anthropic": claude, "gemini": google} {
		req := &model.Request{Model: "lead", Blobs: store, Tools: []model.ToolDef{{ID: "read", Name: "read", Schema: []byte(`{"type":"object"}`)}},
			Messages: []model.Message{{Role: model.User, Text: "look", Images: []journal.Image{a}}}}
		first, err := p.Answer(t.Context(), req, nil)
		if err != nil || len(first.Calls) != 1 {
			t.Errorf("%s: %+v, %v", name, first, err)
			continue
		}
		key := "000000000001000000000000"
		req.Messages = append(req.Messages, model.Message{Role: model.Assistant, Turn: 1, Native: first.Native, Calls: []model.Call{{Key: key, Name: "read", Args: "{}"}}},
			model.Message{Role: model.Tool, Turn: 1, Results: []model.Result{{Key: key, Name: "read", Text: "b", Images: []journal.Image{b}}}})
		if second, err := p.Answer(t.Context(), req, nil); err != nil || second.Text != "both are seen" {
			t.Errorf("%s: %+v, %v", name, second, err)
		}
	}
}
