package cli

import (
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

const previewBytes = 8 << 10 // of a text that are kept: more than the rows that show it hold

// previews gathers the texts of answers that are still coming, from many goroutines.
type previews struct {
	mu    sync.Mutex
	texts map[string][]byte // by agent path
	fresh map[string]bool   // changed since they were taken
}

func newPreviews() *previews {
	return &previews{texts: map[string][]byte{}, fresh: map[string]bool{}}
}

// add implements Preview of the runtime's options.
func (p *previews) add(path string, d model.Delta) {
	if d.Text == "" && !d.Reset {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.texts[path]
	if d.Reset {
		text = text[:0]
	}
	if text = append(text, d.Text...); len(text) > 2*previewBytes {
		text = append(text[:0], text[len(text)-previewBytes:]...)
	}
	p.texts[path], p.fresh[path] = text, true
}

// drop forgets the text of an agent whose answer is there.
func (p *previews) drop(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.texts, path)
	delete(p.fresh, path)
}

// take calls do for each text that has changed, in no order.
func (p *previews) take(do func(path, text string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path := range p.fresh {
		do(path, string(p.texts[path]))
	}
	clear(p.fresh)
}
