package anthropic

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// imageLimits are what the service takes: 5 MiB of base64 for an image, and 32 MB for a
// request.
var imageLimits = model.ImageLimits{Bytes: 5 << 20 / 4 * 3, Total: 20 << 20}

// images writes images of the user, each behind the line that names it.
func (w *writer) images(list []journal.Image) {
	for i := range list {
		w.begin("user")
		w.text(model.ImageLabel(&list[i], ""))
		w.begin("user")
		w.image(&list[i])
	}
}

func (w *writer) image(im *journal.Image) {
	w.b = append(w.b, `{"type":"image","source":{"type":"base64","media_type":"`...)
	w.b = append(w.b, im.Media...)
	w.b = append(w.b, `","data":"`...)
	w.b = w.pics.Append(w.b, im)
	w.b = append(w.b, `"}}`...)
}

// resultContent writes the content of a result: a text, or a list when it has images.
func (w *writer) resultContent(r *model.Result) {
	if len(r.Images) == 0 {
		w.b = wire.AppendString(w.b, r.Text)
		return
	}
	w.b = append(w.b, '[')
	if !blank(r.Text) {
		w.text(r.Text)
		w.b = append(w.b, ',')
	}
	for i := range r.Images {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.image(&r.Images[i])
	}
	w.b = append(w.b, ']')
}
