package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
)

// withImages is a conversation in which the same image is given twice and another one is
// the result of a call.
func withImages(store modeltest.Blobs) *model.Request {
	a, b := store.Add("input/a.png", "image/png", 4, 3, 1), store.Add("output/b.jpg", "image/jpeg", 5, 3, 2)
	const key = "0123456789abcdef01234567"
	return &model.Request{Model: "m", Blobs: store, Messages: []model.Message{
		{Role: model.User, Text: "look", Images: []journal.Image{a, a}},
		{Role: model.Assistant, Calls: []model.Call{{Key: key, Name: "read", Args: "{}"}}},
		{Role: model.Tool, Results: []model.Result{{Key: key, Name: "read", Text: "b.jpg", Images: []journal.Image{b}}}},
	}}
}

func TestLoadPictures(t *testing.T) {
	t.Parallel()
	gone, stop := context.WithCancel(t.Context())
	stop()
	for _, row := range []struct {
		name   string
		ctx    context.Context
		change func(*model.Request, modeltest.Blobs)
		code   string
		says   string
	}{
		{"all are there, each once", t.Context(), func(*model.Request, modeltest.Blobs) {}, "", ""},
		{"nobody says where", t.Context(), func(r *model.Request, _ modeltest.Blobs) { r.Blobs = nil }, "model.image_missing", "where its bytes are"},
		{"one is not there", t.Context(), func(r *model.Request, s modeltest.Blobs) { delete(s, r.Messages[2].Results[0].Images[0].Hash) }, "model.image_missing", "output/b.jpg cannot be sent: there is no blob"},
		{"one is another", t.Context(), func(r *model.Request, s modeltest.Blobs) { s[r.Messages[0].Images[0].Hash] = []byte("x") }, "model.image_missing", "it has 1 bytes"},
		{"cancelled", gone, func(r *model.Request, s modeltest.Blobs) { clear(s) }, "model.cancelled", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			store := modeltest.Blobs{}
			req := withImages(store)
			row.change(req, store)
			got, err := model.LoadPictures(row.ctx, req)
			var e *model.Error
			switch {
			case row.code == "" && (err != nil || len(got) != 2):
				t.Errorf("%d images, %v", len(got), err)
			case row.code != "" && (!errors.As(err, &e) || e.Code != row.code || e.Retried() || !strings.Contains(e.Detail, row.says) || got != nil):
				t.Errorf("%d images, %v", len(got), err)
			}
		})
	}
	if got, err := model.LoadPictures(t.Context(), &model.Request{Messages: []model.Message{{Role: model.User, Text: "x"}}}); got != nil || err != nil {
		t.Errorf("without images: %v, %v", got, err)
	}
}

func TestImagesAreValidated(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*model.Request)
		rule   string
	}{
		{"good", func(*model.Request) {}, ""},
		{"of the model", func(r *model.Request) { r.Messages[1].Images = r.Messages[0].Images }, "image.part"},
		{"of the host", func(r *model.Request) { r.Messages[0].Role = model.Host }, "image.part"},
		{"without a hash", func(r *model.Request) { r.Messages[0].Images[0].Hash = "" }, "image.unknown"},
		{"of a result without bytes", func(r *model.Request) { r.Messages[2].Results[0].Images[0].Bytes = 0 }, "image.unknown"},
		{"of another kind", func(r *model.Request) { r.Messages[0].Images[0].Media = "image/svg+xml" }, "image.unknown"},
		{"whose path has a NUL", func(r *model.Request) { r.Messages[0].Images[0].Path = "a\x00" }, "text.nul"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			req := withImages(modeltest.Blobs{})
			row.change(req)
			faults := model.Validate(req)
			if row.rule == "" && faults != nil || row.rule != "" && (len(faults) == 0 || faults[0].Rule != row.rule) {
				t.Errorf("faults %v, want %q", faults, row.rule)
			}
		})
	}
}

// A history that lost an image is another history to a checker.
func TestCheckerSeesImages(t *testing.T) {
	t.Parallel()
	req := withImages(modeltest.Blobs{})
	var c model.Checker
	if faults := c.Check(req); faults != nil || c.Checked() != 3 {
		t.Fatal(faults)
	}
	req.Messages[2].Results = []model.Result{{Key: req.Messages[2].Results[0].Key, Name: "read", Text: "b.jpg"}}
	req.Messages[0].Images[0].Media = "image/x" // seen only when the whole is looked at again
	if faults := c.Check(req); len(faults) != 1 {
		t.Errorf("faults %v", faults)
	}
}

func TestImageTokens(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		w, h int
		want int64
	}{{0, 0, 1600}, {1, 1, 260}, {512, 512, 349}, {1000, 1000, 1333}, {8000, 8000, 1600}} {
		if got := model.ImageTokens(&journal.Image{Width: row.w, Height: row.h}); got != row.want {
			t.Errorf("%d x %d: %d, want %d", row.w, row.h, got, row.want)
		}
	}
	req := withImages(modeltest.Blobs{})
	with := model.MessageTokens(&req.Messages[0]) + model.MessageTokens(&req.Messages[2])
	req.Messages[0].Images, req.Messages[2].Results[0].Images = nil, nil
	if without := model.MessageTokens(&req.Messages[0]) + model.MessageTokens(&req.Messages[2]); with-without != 3*260 {
		t.Errorf("three small images have %d tokens", with-without)
	}
}

// TestImageRefusals are the words with which servers refuse an image.
func TestImageRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status int
		body   string
	}{
		{400, `{"error":{"message":"You uploaded an unsupported image. Please make sure your image is valid.","type":"invalid_request_error","code":"image_parse_error"}}`},
		{400, `{"error":{"message":"The image data you provided does not represent a valid image.","type":"invalid_request_error","code":"invalid_image_format"}}`},
		{400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error"}}`},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.2.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes"}}`},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}`},
		{400, `{"error":{"code":400,"message":"Unable to process input image. Please retry.","status":"INVALID_ARGUMENT"}}`},
		{400, `{"error":{"code":400,"message":"Unsupported MIME type: image/gif","status":"INVALID_ARGUMENT"}}`},
		{404, `{"error":{"message":"No endpoints found that support image input","code":404}}`},
		{500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`},
	} {
		e := model.Classify(model.Reply{Status: row.status, Body: []byte(row.body)})
		if e.Code != model.ImageRefused || e.Retried() {
			t.Errorf("%s: %s %s", row.body, e.Class, e.Code)
		}
	}
	for _, body := range []string{`{"error":{"message":"bad history"}}`, `{"error":{"message":"the picture of things"}}`} {
		if e := model.Classify(model.Reply{Status: 400, Body: []byte(body)}); e.Code != "model.http_400" {
			t.Errorf("%s: %s", body, e.Code)
		}
	}
}
