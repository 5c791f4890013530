package openai

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// imageLimits are what the service takes, whose requests have at most 50 MB.
var imageLimits = model.ImageLimits{Total: 20 << 20}

// appendParts writes the content of a message of the user that has images.
func appendParts(b []byte, m *model.Message, pics model.Pictures) []byte {
	b = append(b, `[{"type":"text","text":`...)
	b = wire.AppendString(b, m.Text)
	b = append(b, '}')
	for i := range m.Images {
		b = append(b, ',')
		b = appendImage(b, &m.Images[i], "", pics)
	}
	return append(b, ']')
}

// appendShown writes the images of results in one message of the user with a comma behind,
// as a tool message carries text only; nothing when there are none.
func appendShown(b []byte, m *model.Message, pics model.Pictures) []byte {
	open := false
	for i := range m.Results {
		r := &m.Results[i]
		for j := range r.Images {
			if open {
				b = append(b, ',')
			} else {
				b = append(b, `{"role":"user","content":[`...)
				open = true
			}
			b = appendImage(b, &r.Images[j], r.Name, pics)
		}
	}
	if open {
		b = append(b, `]},`...)
	}
	return b
}

// appendImage writes an image behind the line that names it.
func appendImage(b []byte, im *journal.Image, call string, pics model.Pictures) []byte {
	b = append(b, `{"type":"text","text":`...)
	b = wire.AppendString(b, model.ImageLabel(im, call))
	b = append(b, `},{"type":"image_url","image_url":{"url":"data:`...)
	b = append(b, im.Media...)
	b = append(b, `;base64,`...)
	b = pics.Append(b, im)
	return append(b, `"}}`...)
}
