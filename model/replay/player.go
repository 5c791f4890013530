package replay

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Player answers requests from a cassette.
type Player struct {
	o        Options
	name     string
	file     *os.File
	normal   *normaliser
	recorder *Recorder // with OnMissRecord; else nil
	models   []Model
	entries  []*entry
	byKey    map[Key][]*entry

	mu sync.Mutex // of used
}

// entry is what is known of an interaction without reading it again.
type entry struct {
	Key
	line   int
	offset int64
	size   int
	hash   [sha256.Size]byte // of the request
	used   bool
}

// Open reads a cassette to play it. A last line that was cut off is passed over, and said.
// With [OnMissRecord] the file need not be there. Errors: "replay.config_invalid",
// "replay.file", "replay.too_large", and "replay.invalid" with the line.
func Open(file string, o Options) (*Player, error) {
	if err := o.complete(file); err != nil {
		return nil, err
	}
	p := &Player{o: o, name: file, byKey: map[Key][]*entry{}}
	var err error
	if p.normal, err = newNormaliser(o.Normalise); err != nil {
		return nil, err
	}
	if o.OnMiss == OnMissRecord { // which mends a last line that was cut off
		if p.recorder, err = NewRecorder(file, o); err != nil {
			return nil, err
		}
	}
	if p.file, err = os.Open(file); err != nil {
		err = ioFault(err, "open cassette", file)
	} else {
		err = p.read()
	}
	if err != nil {
		return nil, errors.Join(err, p.shut())
	}
	return p, nil
}

// read goes through the file once.
func (p *Player) read() error {
	headed := false
	err := eachLine(p.name, p.file, p.o.maxLine(), func(l line) error {
		h, x, err := decode(l.text)
		switch {
		case err != nil && !l.ended && headed:
			p.o.Warn("cut_line", at(p.name, l.number)+": the last line was cut off, and is passed over")
			return nil
		case err == nil && x != nil && !headed:
			err = errors.New("no header stands before the first interaction")
		}
		if err != nil {
			return fault.Wrap(err, "replay.invalid", "the cassette is damaged, or of another kind").With("read cassette", at(p.name, l.number))
		}
		if h != nil {
			headed = true
			p.headed(h.Model)
			return nil
		}
		e := &entry{Key: x.Key, line: l.number, offset: l.offset, size: len(l.text), hash: p.normal.question(x.Request, x.Run).hash()}
		p.entries = append(p.entries, e)
		p.byKey[e.Key] = append(p.byKey[e.Key], e)
		return nil
	})
	if err == nil && !headed && p.o.OnMiss != OnMissRecord {
		return fault.New("replay.invalid", "the cassette is empty").With("read cassette", p.name)
	}
	return err
}

// headed takes a header. The newest of a model counts.
func (p *Player) headed(m Model) {
	for i := range p.models {
		if p.models[i].Name == m.Name {
			p.models[i] = m
			return
		}
	}
	p.models = append(p.models, m)
}

// Models gives the models of the cassette, in the order in which they were recorded first.
func (p *Player) Models() []Model { return append([]Model(nil), p.models...) }

// Transport gives a transport of one model. Only with [OnMissRecord] are m and base used,
// as those of [Recorder.Transport] are. A request that is not in the cassette fails with a
// permanent [*model.Error] of code "replay.mismatch", whose cause is a [*Mismatch].
func (p *Player) Transport(m Model, base http.RoundTripper) (http.RoundTripper, error) {
	t := &playing{p: p}
	if p.recorder == nil {
		return t, nil
	}
	onMiss, err := p.recorder.Transport(m, base)
	if err != nil {
		return nil, err
	}
	t.onMiss = onMiss.(*recording)
	return t, nil
}

// Close ends the playing, once all requests have ended. With Exact it says which
// interactions were not asked for: "replay.unused". It gives the errors of
// [Recorder.Close] too. A second call says the first of both again.
func (p *Player) Close() error {
	var unused error
	if p.o.Exact {
		unused = p.unused()
	}
	return errors.Join(unused, p.shut())
}

// maxListed bounds how many interactions an error lists.
const maxListed = 10

func (p *Player) unused() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	n := 0
	for _, e := range p.entries {
		if e.used {
			continue
		}
		if n++; n <= maxListed {
			list = append(list, e.place())
		}
	}
	if n == 0 {
		return nil
	}
	if n > maxListed {
		list = append(list, fmt.Sprintf("and %d more", n-maxListed))
	}
	return fault.New("replay.unused", "%d of %d interactions were not asked for: %s", n, len(p.entries), strings.Join(list, ", ")).With("replay", p.name)
}

func (p *Player) shut() error {
	var err error
	if p.recorder != nil {
		err = p.recorder.Close()
	}
	if p.file != nil {
		err = errors.Join(err, ignoreClosed(p.file.Close()))
	}
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

// place names an interaction for people.
func (e *entry) place() string { return fmt.Sprintf("%s (line %d)", e.Key, e.line) }

// find takes the interaction of a request: one that was not used yet, else one that was,
// as an attempt may be made again by whoever has forgotten its answer.
func (p *Player) find(key Key, hash [sha256.Size]byte) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found *entry
	for _, e := range p.byKey[key] {
		if e.hash == hash && (found == nil || found.used && !e.used) {
			found = e
		}
	}
	if found != nil {
		found.used = true
	}
	return found
}

// load reads an interaction again.
func (p *Player) load(e *entry) (*interaction, error) {
	line := make([]byte, e.size)
	if _, err := p.file.ReadAt(line, e.offset); err != nil {
		return nil, ioFault(err, "read cassette", at(p.name, e.line))
	}
	_, x, err := decode(line)
	if x == nil || err != nil {
		return nil, fault.Wrap(err, "replay.invalid", "the cassette was changed while it was played").With("read cassette", at(p.name, e.line))
	}
	return x, nil
}

// playing is the transport of one model.
type playing struct {
	p      *Player
	onMiss *recording // may be nil
}

// RoundTrip implements [http.RoundTripper].
func (t *playing) RoundTrip(req *http.Request) (*http.Response, error) {
	p := t.p
	begin := p.o.Clock.Now()
	key, run := keyOf(req.Context())
	req, body, err := split(req, p.o.MaxBody)
	if err != nil {
		if errors.Is(err, errLongBody) {
			err = errors.Join(&model.Error{Class: model.ClassPermanent, Code: "replay.too_large",
				Detail: fmt.Sprintf("%s: the request is longer than %d bytes", key, p.o.MaxBody)}, req.Body.Close())
		}
		return nil, err
	}
	asked := &request{URL: req.URL.String(), Body: byHash(asJSON(body))}
	asked.mask(p.o.Secrets())
	now := p.normal.question(asked, run)
	e := p.find(key, now.hash())
	switch {
	case e == nil && t.onMiss != nil:
		return t.onMiss.roundTrip(req, key, run)
	case e == nil:
		return nil, p.mismatch(key, now)
	}
	x, err := p.load(e)
	if err != nil {
		return nil, &model.Error{Class: model.ClassPermanent, Code: fault.Code(err), Detail: err.Error(), Cause: err}
	}
	return p.play(req, x, run, begin)
}
