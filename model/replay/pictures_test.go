package replay_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

// A cassette has images by the hash of their bytes. The same ones play, and another one is
// a mismatch that names its place and both hashes.
func TestPictures(t *testing.T) {
	t.Parallel()
	store := modeltest.Blobs{}
	one, other := store.Add("input/a.png", "image/png", 40, 30, 1), store.Add("input/a.png", "image/png", 40, 30, 2)
	asks := func(im journal.Image, text string) *model.Request {
		req := request("root", 1, text)
		req.Blobs, req.Messages[0].Images = store, []journal.Image{im}
		return req
	}
	raw := base64.StdEncoding.EncodeToString(store[one.Hash])
	long := "a text that speaks of iVBORw0KGgo and /9j/ and of " + raw[:40]
	b := setup(t)
	end := b.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), raw) {
			t.Error("the server does not get the bytes")
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"seen"},"finish_reason":"stop"}]}`)
	}))
	b.record(func(p *openai.Provider) {
		if o := ask(t.Context(), p, asks(one, long)); o.Answer == nil {
			t.Fatal(o.Error)
		}
	})
	end()
	if c := b.content(); strings.Contains(c, raw) || strings.Count(c, `"data:image/png;base64,«image sha256 `+one.Hash+`»"`) != 1 || !strings.Contains(c, long) {
		t.Errorf("the cassette is\n%s", c)
	}
	_, p := b.player()
	if o := ask(t.Context(), p, asks(one, long)); o.Answer == nil || o.Answer.Text != "seen" {
		t.Errorf("the same picture: %+v", o)
	}
	o := ask(t.Context(), p, asks(other, long))
	for _, part := range []string{"replay.mismatch", "/messages/0/content/2/image_url/url", one.Hash[:12], other.Hash[:12]} {
		if !strings.Contains(o.Error, part) {
			t.Errorf("%q does not say %s", o.Error, part)
		}
	}
}
