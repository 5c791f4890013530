package input

import (
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// refer names a file of the input, and says of a picture what a model is shown of it.
func refer(c *workspace.Change) FileRef {
	r := FileRef{Path: c.Path, SHA256: c.New, Bytes: c.Size}
	switch pic, ok, err := workspace.LookAt([]byte(c.Content)); {
	case err == nil:
		r.Media, r.Width, r.Height = pic.Media, pic.Width, pic.Height
	case ok:
		r.Media, r.Unshown = pic.Media, err.Error()
	}
	return r
}

// Images gives the pictures among the files that the first agent is shown with what it is
// asked, in the order of the files. What they are was found at the start of the run, by the
// bytes.
func (f *Frozen) Images() []journal.Image {
	var out []journal.Image
	if f == nil {
		return nil
	}
	for i := range f.Files {
		if r := &f.Files[i]; r.Media != "" && r.Unshown == "" {
			out = append(out, journal.Image{Path: r.Path, Media: r.Media, Hash: r.SHA256, Bytes: r.Bytes, Width: r.Width, Height: r.Height})
		}
	}
	return out
}

// Unshown gives the files that begin like a picture and are damaged or too large to be
// shown.
func (f *Frozen) Unshown() []FileRef {
	var out []FileRef
	if f == nil {
		return nil
	}
	for i := range f.Files {
		if f.Files[i].Unshown != "" {
			out = append(out, f.Files[i])
		}
	}
	return out
}
