package anthropic_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/anthropic"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

func TestImages(t *testing.T) {
	t.Parallel()
	base, got := echo(t)
	p := provider(t, anthropic.Options{BaseURL: base, Stream: off()})
	store := modeltest.Blobs{}
	a, b := store.Add("input/a.png", "image/png", 4, 3, 1), store.Add("output/b.gif", "image/gif", 5, 3, 2)
	req := &model.Request{Model: "claude-x", Blobs: store, Messages: []model.Message{
		{Role: model.User, Text: "look", Images: []journal.Image{a}},
		{Role: model.Assistant, Turn: 1, Calls: []model.Call{{Key: modeltest.CallKey(1), Name: "read", Args: `{}`}, {Key: modeltest.CallKey(2), Name: "read", Args: `{}`}}},
		{Role: model.Tool, Turn: 1, Results: []model.Result{{Key: modeltest.CallKey(1), Name: "read", Text: "b", Images: []journal.Image{b}}, {Key: modeltest.CallKey(2), Name: "read", Text: "c", IsError: true}}},
		{Role: model.Host, Text: "Time: 3 min."},
	}}
	data := func(im journal.Image) string {
		return `{"type":"image","source":{"type":"base64","media_type":"` + im.Media + `","data":"` + base64.StdEncoding.EncodeToString(store[im.Hash]) + `"}}`
	}
	want := `{"model":"claude-x","max_tokens":8192,"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"look"},{"type":"text","text":"[Image input/a.png:]"},` + data(a)[:len(data(a))-1] + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"call_000000000000000000000001","name":"read","input":{}},` +
		`{"type":"tool_use","id":"call_000000000000000000000002","name":"read","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_000000000000000000000001","content":[{"type":"text","text":"b"},` + data(b) + `]},` +
		`{"type":"tool_result","tool_use_id":"call_000000000000000000000002","content":"c","is_error":true},` +
		`{"type":"text","text":"Time: 3 min."` + mark + `}]}]}`
	var before []byte
	for _, n := range []int{1, 3, 4} {
		one := *req
		one.Messages = req.Messages[:n]
		modeltest.AskOK(t, p, &one)
		body := (<-got).Body
		if faults := modeltest.ValidateMessages(body); faults != nil {
			t.Errorf("%d messages: %v", n, faults)
		}
		plain := func(b []byte) []byte { return bytes.TrimRight(bytes.ReplaceAll(b, []byte(mark), nil), "]}") }
		if !bytes.HasPrefix(plain(body), plain(before)) {
			t.Errorf("%d messages: not a prefix", n)
		}
		before = body
	}
	if string(before) != want {
		t.Errorf("body\n%s\nwant\n%s", before, want)
	}
}

// TestImageAtItsLimit holds that an image of the largest size that is sent is one that the
// service takes.
func TestImageAtItsLimit(t *testing.T) {
	t.Parallel()
	c := provider(t, anthropic.Options{}).Capabilities("x").Images
	if n := base64.StdEncoding.EncodedLen(c.Bytes); n > 5<<20 || base64.StdEncoding.EncodedLen(c.Bytes+1) <= 5<<20 {
		t.Errorf("%d bytes are %d of base64", c.Bytes, n)
	}
}
