package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// roomStep is how many images at least make room when there are too many: the requests
// after that begin with the same bytes for a while.
const roomStep = 4

// maxNoted bounds how many images one note names.
const maxNoted = 10

// withoutGiven gives what an agent is asked, with notes for the pictures of the input that no
// model is shown.
func withoutGiven(text string, f *input.Frozen) string {
	refs := f.Unshown()
	for i, r := range refs[:min(len(refs), maxNoted)] {
		text += "\n[Image " + r.Path + " (" + r.Media + ", " + workspace.Count(r.Bytes, "byte") + ") is not shown: " + r.Unshown + ".]"
		if n := len(refs) - i - 1; i == maxNoted-1 && n > 0 {
			text += fmt.Sprintf("\n[%d more images are not shown.]", n)
		}
	}
	return text
}

// placed is an image of the history with its place.
type placed struct {
	call string
	im   *journal.Image
	at   int // message
}

func (p *Part) placed() []placed {
	var all []placed
	for i := range p.History {
		m := &p.History[i]
		for j := range m.Images {
			all = append(all, placed{"", &m.Images[j], i})
		}
		for j := range m.Results {
			for k := range m.Results[j].Images {
				all = append(all, placed{m.Results[j].Key, &m.Results[j].Images[k], i})
			}
		}
	}
	return all
}

// leaveOut gives the record that puts notes in the place of images that the model is not
// sent, none when all of them are. The oldest make room when there are too many.
func (p *Part) leaveOut() []journal.Record {
	all := p.placed()
	if len(all) == 0 {
		return nil
	}
	m := p.model()
	limits := m.Images.Defaults()
	var out []journal.LeftOut
	leave := func(x *placed, why string) {
		out = append(out, journal.LeftOut{Call: x.call, Path: x.im.Path, Hash: x.im.Hash, Why: why})
	}
	var rest []placed
	bytes := 0
	for i := range all {
		x := &all[i]
		switch {
		case !m.Vision:
			leave(x, "this model takes no images")
		case limits.NoGIF && x.im.Media == workspace.GIF:
			leave(x, "this model takes no "+x.im.Media)
		case x.im.Bytes > limits.Bytes:
			leave(x, fmt.Sprintf("it has %s bytes, and this model takes %s", workspace.Grouped(x.im.Bytes), workspace.Grouped(limits.Bytes)))
		default:
			rest = append(rest, *x)
			bytes += x.im.Bytes
		}
	}
	count, total := limits.Count, limits.Total
	if len(rest) > count || bytes > total { // some more than needed, so that the next ones have room
		count, total = max(count-roomStep, 1), max(total-total/roomStep, limits.Bytes)
	}
	for i := 0; i < len(rest) && (len(rest)-i > count || bytes > total); i++ {
		bytes -= rest[i].im.Bytes
		leave(&rest[i], "there are newer ones, and a request holds a bounded number")
	}
	return p.left(out)
}

func (p *Part) left(out []journal.LeftOut) []journal.Record {
	if len(out) == 0 {
		return nil
	}
	return []journal.Record{p.rec(journal.LeftOuts(out), p.next(), "")}
}

// refusedImages gives the record that leaves out what a server has refused: the images that
// no answer has followed yet, as it took the others before; all of them when there are none.
func (p *Part) refusedImages(e *model.Error) []journal.Record {
	if e.Code != model.ImageRefused {
		return nil
	}
	answered := -1
	for i := range p.History {
		if p.History[i].Role == model.Assistant && p.History[i].Turn > 0 {
			answered = i
		}
	}
	all := p.placed()
	fresh := slices.DeleteFunc(slices.Clone(all), func(x placed) bool { return x.at < answered })
	if len(fresh) == 0 {
		fresh = all
	}
	return p.leftAll(fresh, "the model's server refused it")
}

// crowded gives the record that leaves out all images, when nothing else makes a request fit
// the window.
func (p *Part) crowded() []journal.Record {
	return p.leftAll(p.placed(), "the model's window has no room for it")
}

func (p *Part) leftAll(list []placed, why string) []journal.Record {
	var out []journal.LeftOut
	for _, x := range list {
		out = append(out, journal.LeftOut{Call: x.call, Path: x.im.Path, Hash: x.im.Hash, Why: why})
	}
	return p.left(out)
}

// maxAttached bounds the images of one result.
const maxAttached = 20

// sound gives the images of a result that a request may have: what a tool says of them is
// not believed.
func sound(images []journal.Image) []journal.Image {
	kept := slices.DeleteFunc(slices.Clone(images), func(im journal.Image) bool { return !model.ValidImage(&im) })
	return kept[:min(len(kept), maxAttached)]
}

// foldLeftOut puts notes in the place of images.
func (p *Part) foldLeftOut(m *journal.ImagesLeftOut) error {
	list, err := m.List()
	if err != nil {
		return fault.Wrap(err, "journal.damaged", "the record of images that are left out")
	}
	gone := make(map[[3]string]string, len(list))
	for _, x := range list {
		gone[[3]string{x.Call, x.Path, x.Hash}] = x.Why
	}
	history := slices.Clone(p.History) // requests that were sent share the other one
	for i := range history {
		h := &history[i]
		if len(h.Images) == 0 && !hasImages(h.Results) {
			continue
		}
		before := model.MessageTokens(h)
		h.Text, h.Images = withoutImages(h.Text, h.Images, "", gone)
		if hasImages(h.Results) {
			h.Results = slices.Clone(h.Results)
			for j := range h.Results {
				r := &h.Results[j]
				r.Text, r.Images = withoutImages(r.Text, r.Images, r.Key, gone)
			}
		}
		more := model.MessageTokens(h) - before
		p.fit.meter.Add(more)
		if h.Role == model.Tool {
			p.fit.results += more
		}
	}
	p.History = history
	p.fit.changes++
	return nil
}

func hasImages(results []model.Result) bool {
	return slices.ContainsFunc(results, func(r model.Result) bool { return len(r.Images) > 0 })
}

// withoutImages gives a text with notes for the images that are gone, and the images that
// are left.
func withoutImages(text string, images []journal.Image, call string, gone map[[3]string]string) (string, []journal.Image) {
	var kept []journal.Image
	var whys []string
	names := map[string][]string{} // by reason
	for _, im := range images {
		why, ok := gone[[3]string{call, im.Path, im.Hash}]
		if !ok {
			kept = append(kept, im)
			continue
		}
		if names[why] == nil {
			whys = append(whys, why)
		}
		names[why] = append(names[why], fmt.Sprintf("%s (%s, %d x %d, %s)", im.Path, im.Media, im.Width, im.Height, workspace.Count(im.Bytes, "byte")))
	}
	for _, why := range whys {
		text += "\n" + imageNote(names[why], why)
	}
	return text, kept
}

// imageNote says that images are not shown.
func imageNote(names []string, why string) string {
	what, is := "Image ", " is"
	if len(names) > 1 {
		what, is = "Images ", " are"
	}
	shown := names[:min(len(names), maxNoted)]
	s := "[" + what + strings.Join(shown, ", ")
	if n := len(names) - len(shown); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s + is + " not shown: " + why + ".]"
}
