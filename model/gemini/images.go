package gemini

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// imageLimits are what the service takes: no GIF, and 20 MB for a request.
var imageLimits = model.ImageLimits{NoGIF: true, Total: 12 << 20}

// appendImages writes images, each behind the line that names it and with a comma behind.
// Call is the name of the tool whose result they belong to; "": none.
func appendImages(b []byte, list []journal.Image, call string, pics model.Pictures) []byte {
	for i := range list {
		im := &list[i]
		b = appendText(b, model.ImageLabel(im, call), nil)
		b = append(b, `{"inlineData":{"mimeType":"`...)
		b = append(b, im.Media...)
		b = append(b, `","data":"`...)
		b = pics.Append(b, im)
		b = append(b, `"}},`...)
	}
	return b
}
