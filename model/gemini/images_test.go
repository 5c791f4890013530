package gemini_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/gemini"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

func TestImages(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, gemini.Options{BaseURL: base, Stream: off()})
	store := modeltest.Blobs{}
	a, b := store.Add("input/a.png", "image/png", 4, 3, 1), store.Add("output/b.jpg", "image/jpeg", 5, 3, 2)
	req := &model.Request{Model: "gemini-x", Blobs: store, Messages: []model.Message{
		{Role: model.User, Text: "look", Images: []journal.Image{a}},
		{Role: model.Assistant, Calls: []model.Call{{Key: modeltest.CallKey(1), Name: "read", Args: `{}`}, {Key: modeltest.CallKey(2), Name: "grep", Args: `{}`}}},
		{Role: model.Tool, Results: []model.Result{{Key: modeltest.CallKey(1), Name: "read", Text: "b", Images: []journal.Image{b}}, {Key: modeltest.CallKey(2), Name: "grep", Text: "c", IsError: true}}},
		{Role: model.Host, Text: "Time: 3 min."},
	}}
	data := func(im journal.Image) string {
		return `{"inlineData":{"mimeType":"` + im.Media + `","data":"` + base64.StdEncoding.EncodeToString(store[im.Hash]) + `"}}`
	}
	want := `{"contents":[` +
		`{"role":"user","parts":[{"text":"look"},{"text":"[Image input/a.png:]"},` + data(a) + `]},` +
		`{"role":"model","parts":[{"functionCall":{"name":"read","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"grep","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"b"}}},{"functionResponse":{"name":"grep","response":{"error":"c"}}},` +
		`{"text":"[Image output/b.jpg, of the result of read:]"},` + data(b) + `,{"text":"Time: 3 min."}]}]}`
	var before []byte
	for _, n := range []int{1, 3, 4} {
		one := *req
		one.Messages = req.Messages[:n]
		modeltest.AskOK(t, p, &one)
		body := (<-got).Body
		if faults := modeltest.ValidateGenerate(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		if !bytes.HasPrefix(body, bytes.TrimRight(before, "]}")) {
			t.Errorf("%d messages: not a prefix", n)
		}
		before = body
	}
	if string(before) != want {
		t.Errorf("body\n%s\nwant\n%s", before, want)
	}
	if c := p.Capabilities("x").Images; !c.NoGIF {
		t.Error("the service takes no GIF")
	}
}
