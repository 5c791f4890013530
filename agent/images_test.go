package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// seeing gives a driver of a root with a model and pictures of the input.
func seeing(t testing.TB, m Model, files ...input.FileRef) *driver {
	t.Helper()
	env := testEnv(t, nil)
	m.Provider, m.Kind, m.Name = swarmtest.Script{}, "script", "own"
	env.Models["default"] = m
	created, err := env.Invocation(Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, env: env, part: NewPart(env, testRun)}
	d.part.Given = &input.Frozen{Text: "do it", Files: files}
	d.append(journal.Record{Scope: journal.Scope{Invocation: "root"}, Payload: created})
	return d
}

func picture(n, bytes int) input.FileRef {
	return input.FileRef{Path: fmt.Sprintf("input/%02d.png", n), SHA256: fmt.Sprintf("h%d", n), Bytes: bytes, Media: "image/png", Width: 800, Height: 600}
}

func pictures(n, bytes int) (out []input.FileRef) {
	for i := range n {
		out = append(out, picture(i, bytes))
	}
	return out
}

// Which images a request has, and what stands in the place of the others.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	gif := picture(0, 9)
	gif.Media = "image/gif"
	damaged := picture(1, 9)
	damaged.Unshown = "it is damaged"
	for _, row := range []struct {
		name  string
		m     Model
		files []input.FileRef
		shown string // paths
		says  string // of the first message
	}{
		{"one that is seen", Model{Vision: true}, pictures(1, 9), "00", "do it"},
		{"nobody sees", Model{}, pictures(1, 9), "", "do it\n[Image input/00.png (image/png, 800 x 600, 9 bytes) is not shown: this model takes no images.]"},
		{"damaged", Model{Vision: true}, []input.FileRef{picture(0, 9), damaged}, "00", "do it\n[Image input/01.png (image/png, 9 bytes) is not shown: it is damaged.]"},
		{"a GIF", Model{Vision: true}, []input.FileRef{gif}, "00", "do it"},
		{"a GIF that is not taken", Model{Vision: true, Images: model.ImageLimits{NoGIF: true}}, []input.FileRef{gif, picture(1, 9)}, "01", "do it\n[Image input/00.png (image/gif, 800 x 600, 9 bytes) is not shown: this model takes no image/gif.]"},
		{"too large for this model", Model{Vision: true, Images: model.ImageLimits{Bytes: 1000}}, []input.FileRef{picture(0, 1001), picture(1, 1000)}, "01", "is not shown: it has 1,001 bytes, and this model takes 1,000.]"},
		{"as many as there may be", Model{Vision: true}, pictures(20, 9), "00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19", "do it"},
		{"one more: the oldest make room for some", Model{Vision: true}, pictures(21, 9), "05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20", "[Images input/00.png (image/png, 800 x 600, 9 bytes), input/01.png"},
		{"as many bytes as there may be", Model{Vision: true}, pictures(3, 4<<20), "00 01 02", "do it"},
		{"more bytes", Model{Vision: true}, pictures(4, 4<<20), "02 03", "are not shown: there are newer ones"},
		{"one alone may have all bytes", Model{Vision: true, Images: model.ImageLimits{Bytes: 100, Total: 100}}, pictures(2, 100), "01", "input/00.png"},
		{"very many", Model{}, pictures(30, 9), "", " and 20 more are not shown: this model takes no images.]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := seeing(t, row.m, row.files...)
			before := d.part.History
			d.ask()
			first := d.part.History[0]
			var shown []string
			for _, im := range first.Images {
				shown = append(shown, strings.TrimSuffix(strings.TrimPrefix(im.Path, "input/"), ".png"))
			}
			if got := strings.Join(shown, " "); got != row.shown {
				t.Errorf("shown %s, want %s", got, row.shown)
			}
			if !strings.Contains(first.Text, row.says) || row.says == "do it" && first.Text != row.says {
				t.Errorf("it says\n%s", first.Text)
			}
			if before[0].Text != "do it" && !strings.Contains(before[0].Text, "damaged") {
				t.Error("a history that was given away has changed")
			}
			if want := d.part.fit.base + model.MessageTokens(&first); d.part.fit.meter.Sum() != want {
				t.Errorf("the estimate is %d, want %d", d.part.fit.meter.Sum(), want)
			}
		})
	}
}

// Images of results count with those of the input, and the newest stay.
func TestLeaveOutOfResults(t *testing.T) {
	t.Parallel()
	d := seeing(t, Model{Vision: true, Images: model.ImageLimits{Count: 2}}, picture(0, 9), picture(1, 9))
	for range 3 {
		d.ask()
		d.answer(swarmtest.Do(swarmtest.Call("peek", "")))
		d.next()
		d.done(d.key(0), tooling.Result{Content: "seen", Images: []journal.Image{{Path: "output/x.png", Media: "image/png", Hash: "hx", Bytes: 9, Width: 1, Height: 1}}})
	}
	d.ask()
	if n := len(d.part.placed()); n == 0 || n > 2 {
		t.Errorf("%d images", n)
	}
	if r := d.part.newestResults().Results[0]; len(r.Images) != 1 || r.Text != "seen" {
		t.Errorf("the newest result has become %+v", r)
	}
	if first := d.part.History[0]; len(first.Images) > 0 || !strings.Contains(first.Text, "there are newer ones") {
		t.Errorf("the oldest stay: %+v", first)
	}
}

// What a server refuses is what is new; when it refuses all, the failure is final.
func TestRefused(t *testing.T) {
	t.Parallel()
	e := &model.Error{Class: model.ClassPermanent, Code: model.ImageRefused, Detail: "no"}
	d := seeing(t, Model{Vision: true}, picture(0, 9))
	d.ask()
	d.answer(swarmtest.Do(swarmtest.Call("peek", "")))
	d.next()
	d.done(d.key(0), tooling.Result{Content: "seen", Images: []journal.Image{{Path: "output/x.png", Media: "image/png", Hash: "hx", Bytes: 9}}})
	for _, want := range []struct {
		left  int
		fatal string
	}{{1, ""}, {0, ""}, {0, model.ImageRefused}} {
		d.ask()
		d.live.Asking = false
		d.append(d.part.GaveUp(d.part.Attempts+1, e)...)
		if n := len(d.part.placed()); n != want.left || d.part.Fatal != want.fatal {
			t.Errorf("%d images are left, the failure is %q; want %+v", n, d.part.Fatal, want)
		}
	}
	if first := d.part.History[0]; first.Text != "do it\n[Image input/00.png (image/png, 800 x 600, 9 bytes) is not shown: the model's server refused it.]" {
		t.Errorf("%s", first.Text)
	}
}

// What a tool says of images is not believed.
func TestSoundImages(t *testing.T) {
	t.Parallel()
	good := journal.Image{Path: "output/x.png", Media: "image/png", Hash: "hx", Bytes: 9}
	many := []journal.Image{{Media: "image/png", Hash: "h", Bytes: 9}, {Path: "a", Media: "image/svg+xml", Hash: "h", Bytes: 9}, {Path: "a", Media: "image/png", Bytes: 9}, {Path: "a\x00", Media: "image/png", Hash: "h", Bytes: 9}}
	for range 30 {
		many = append(many, good)
	}
	d := rootDriver(t, nil)
	d.turn(swarmtest.Do(swarmtest.Call("peek", "")))
	d.next()
	d.done(d.key(0), tooling.Result{Content: "seen", Images: many})
	if got := d.part.placed(); len(got) != 20 || *got[0].im != good {
		t.Errorf("%d images, the first is %+v", len(got), got[0].im)
	}
}

// When a request fits the window in no other way, its images are left out before the work
// ends.
func TestImagesMakeRoom(t *testing.T) {
	t.Parallel()
	d := seeing(t, Model{Vision: true, Window: 8000}, pictures(6, 9)...)
	d.ask()
	if d.part.Closing != "" || len(d.part.placed()) != 0 || !strings.Contains(d.part.History[0].Text, "the model's window has no room for it") {
		t.Errorf("closing %q, %d images: %s", d.part.Closing, len(d.part.placed()), d.part.History[0].Text)
	}
}

// A model with a small window that sees nothing is not charged for what it is not shown.
func TestUnseenImagesTakeNoRoom(t *testing.T) {
	t.Parallel()
	d := seeing(t, Model{Window: 8000}, pictures(20, 9)...)
	d.ask()
	if n := len(records[*journal.TurnClosed](d)); n != 0 || d.part.Closing != "" {
		t.Errorf("the work ends: %s", d.part.Closing)
	}
}
