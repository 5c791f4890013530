package openai_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

func TestImages(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, openai.Options{BaseURL: base, Stream: off()})
	store := modeltest.Blobs{}
	a, b := store.Add("input/a.png", "image/png", 4, 3, 1), store.Add("output/b.webp", "image/webp", 5, 3, 2)
	req := &model.Request{Model: "gpt-x", Blobs: store, Messages: []model.Message{
		{Role: model.User, Text: "look", Images: []journal.Image{a}},
		{Role: model.Assistant, Calls: []model.Call{{Key: modeltest.CallKey(1), Name: "read", Args: `{}`}, {Key: modeltest.CallKey(2), Name: "read", Args: `{}`}}},
		{Role: model.Tool, Results: []model.Result{{Key: modeltest.CallKey(1), Name: "read", Text: "b", Images: []journal.Image{b}}, {Key: modeltest.CallKey(2), Name: "read", Text: "c", IsError: true}}},
		{Role: model.Host, Text: "Time: 3 min."},
	}}
	data := func(im journal.Image) string {
		return `{"type":"image_url","image_url":{"url":"data:` + im.Media + `;base64,` + base64.StdEncoding.EncodeToString(store[im.Hash]) + `"}}`
	}
	want := `{"model":"gpt-x","messages":[` +
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"text","text":"[Image input/a.png:]"},` + data(a) + `]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_000000000000000000000001","type":"function","function":{"name":"read","arguments":"{}"}},` +
		`{"id":"call_000000000000000000000002","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"call_000000000000000000000001","content":"b"},` +
		`{"role":"tool","tool_call_id":"call_000000000000000000000002","content":"c"},` +
		`{"role":"user","content":[{"type":"text","text":"[Image output/b.webp, of the result of read:]"},` + data(b) + `]},` +
		`{"role":"user","content":"Time: 3 min."}]}`
	var before []byte
	for _, n := range []int{1, 3, 4} {
		one := *req
		one.Messages = req.Messages[:n]
		modeltest.AskOK(t, p, &one)
		body := (<-got).Body
		if faults := modeltest.ValidateChat(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		if !bytes.HasPrefix(body, bytes.TrimSuffix(before, []byte("]}"))) {
			t.Errorf("%d messages: not a prefix", n)
		}
		before = body
	}
	if string(before) != want {
		t.Errorf("body\n%s\nwant\n%s", before, want)
	}
	clear(store)
	if _, err := p.Answer(t.Context(), req, nil); err == nil || !strings.Contains(err.Error(), "model.image_missing") || len(got) != 0 {
		t.Errorf("%d requests without the bytes, %v", len(got), err)
	}
}
