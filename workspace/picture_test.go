package workspace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func TestLookAt(t *testing.T) {
	t.Parallel()
	pic := func(media string, w, h int) []byte { return modeltest.Picture(media, w, h, 1) }
	png := pic(workspace.PNG, 30, 20)
	for _, row := range []struct {
		name  string
		bytes []byte
		want  workspace.Picture
		ok    bool
		says  string // of the error; "": none
	}{
		{"png", png, workspace.Picture{Media: workspace.PNG, Width: 30, Height: 20}, true, ""},
		{"jpeg", pic(workspace.JPEG, 31, 21), workspace.Picture{Media: workspace.JPEG, Width: 31, Height: 21}, true, ""},
		{"gif", pic(workspace.GIF, 32, 22), workspace.Picture{Media: workspace.GIF, Width: 32, Height: 22}, true, ""},
		{"webp", pic(workspace.WebP, 33, 23), workspace.Picture{Media: workspace.WebP, Width: 33, Height: 23}, true, ""},
		{"webp, lossy", []byte("RIFF\x1a\x00\x00\x00WEBPVP8 \x0e\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x22\x00\x18\x00\x00\x00\x00\x00"), workspace.Picture{Media: workspace.WebP, Width: 34, Height: 24}, true, ""},
		{"webp, extended", []byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x22\x00\x00\x18\x00\x00"), workspace.Picture{Media: workspace.WebP, Width: 35, Height: 25}, true, ""},
		{"the longest side", pic(workspace.PNG, 8000, 1), workspace.Picture{Media: workspace.PNG, Width: 8000, Height: 1}, true, ""},
		{"a side too long", pic(workspace.PNG, 8001, 1), workspace.Picture{Media: workspace.PNG, Width: 8001, Height: 1}, true, "8,001 x 1 pixels, the limit of a side is 8,000"},
		{"too many bytes", append(bytes.Repeat([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01"), 1<<18), "IEND"...), workspace.Picture{Media: workspace.PNG, Width: 1, Height: 1}, true, "bytes, the limit is 5,242,880"},
		{"no pixels", []byte(strings.Replace(string(png), "\x00\x00\x00\x1e", "\x00\x00\x00\x00", 1)), workspace.Picture{Media: workspace.PNG, Height: 20}, true, "it has no pixels"},
		{"an end that is missing", png[:len(png)-20], workspace.Picture{Media: workspace.PNG}, true, "its end is missing"},
		{"a beginning alone", png[:9], workspace.Picture{Media: workspace.PNG}, true, "its header is missing"},
		{"a JPEG without a frame", []byte("\xff\xd8\xff\xe0\x00\x02\xff\xda\x00\x02\xff\xd9"), workspace.Picture{Media: workspace.JPEG}, true, "no frame"},
		{"a JPEG out of step", []byte("\xff\xd8\xff\xe0\x00\x02abcd\xff\xd9"), workspace.Picture{Media: workspace.JPEG}, true, "a segment"},
		{"an SVG", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), workspace.Picture{}, false, "none of PNG"},
		{"a text", []byte("PNG"), workspace.Picture{}, false, "none of PNG"},
		{"nothing", nil, workspace.Picture{}, false, "none of PNG"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, ok, err := workspace.LookAt(row.bytes)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if got != row.want || ok != row.ok || (said == "") != (row.says == "") || !strings.Contains(said, row.says) {
				t.Errorf("%+v, %t, %q; want %+v, %t, %q", got, ok, said, row.want, row.ok, row.says)
			}
		})
	}
}

// FuzzLookAt wants no panic, and sides within the limit of whatever is said to be good.
func FuzzLookAt(f *testing.F) {
	for _, media := range []string{workspace.PNG, workspace.JPEG, workspace.GIF, workspace.WebP} {
		f.Add(modeltest.Picture(media, 3, 2, 1))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok, err := workspace.LookAt(b)
		if err == nil && (!ok || p.Width < 1 || p.Height < 1 || p.Width > workspace.MaxPictureSide || p.Height > workspace.MaxPictureSide) {
			t.Errorf("%+v", p)
		}
	})
}
