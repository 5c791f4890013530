package replay

import (
	"errors"
	"net/http"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Recorder writes model traffic to a cassette. What cannot be written is an error of
// [Recorder.Close], and does not disturb the traffic. There is one recorder for a file.
type Recorder struct {
	o    Options
	sink *sink

	mu     sync.Mutex
	own    *http.Transport // of models that came without one; nil until one is needed
	seen   int             // interactions
	missed int             // of them not written
	first  error           // why the first one was not
}

// NewRecorder opens a cassette to add to it, and makes the file when it is not there; its
// folder must be. The file is readable by its owner only. Errors: "replay.config_invalid",
// "replay.file", and "replay.invalid" for a file that is something else.
func NewRecorder(file string, o Options) (*Recorder, error) {
	if err := o.complete(file); err != nil {
		return nil, err
	}
	s, err := openSink(file, &o)
	if err != nil {
		return nil, err
	}
	return &Recorder{o: o, sink: s}, nil
}

// Transport gives a transport of one model, which records what passes through base. With a
// nil base it is one like a provider's own, and ends with the recorder. Errors:
// "replay.file" and "replay.secret_left".
func (r *Recorder) Transport(m Model, base http.RoundTripper) (http.RoundTripper, error) {
	s := r.o.Secrets()
	m.Name, m.Provider, m.ID, m.Settings = s.Mask(m.Name), s.Mask(m.Provider), s.Mask(m.ID), s.MaskJSON(m.Settings)
	if err := r.write(&header{formatVersion, r.o.Binary, m}, "the header of model "+m.Name); err != nil {
		return nil, err
	}
	if base == nil {
		base = r.transport()
	}
	return &recording{r, m.Name, base}, nil
}

func (r *Recorder) transport() *http.Transport {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own == nil {
		r.own = wire.NewTransport(wire.Timeouts{})
	}
	return r.own
}

// Close ends the recording, once all requests have ended, and says how many interactions
// are missing in it and why the first one is: "replay.file", "replay.secret_left",
// "replay.too_large". A second call does nothing.
func (r *Recorder) Close() error {
	err := r.sink.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own != nil {
		r.own.CloseIdleConnections()
	}
	if r.first != nil {
		err = errors.Join(fault.Wrap(r.first, fault.Code(r.first), "%d of %d interactions were not recorded", r.missed, r.seen), err)
		r.first = nil
	}
	return err
}

// record writes an interaction, and keeps the error when it cannot.
func (r *Recorder) record(x *interaction, err error) {
	if err == nil {
		x.mask(r.o.Secrets())
		err = r.write(x, x.Key.String())
	}
	r.mu.Lock()
	r.seen++
	if err != nil {
		r.missed++
		if r.first == nil {
			r.first = err
		}
	}
	r.mu.Unlock()
	if err != nil {
		r.o.Warn("not_recorded", r.o.Secrets().Mask(err.Error()))
	}
}

// write appends a header or an interaction.
func (r *Recorder) write(v any, what string) error {
	line, err := encode(v)
	if err != nil {
		return fault.Wrap(err, "replay.file", "%s cannot be encoded", what).With("write cassette", r.sink.name)
	}
	if err := left(r.o.Secrets(), inFile.ReplaceAll(line, []byte("{{secret:$1}}")), r.o.Secrets().Mask(what)); err != nil {
		return err
	}
	return r.sink.add(line)
}

// recording is the transport of one model.
type recording struct {
	r    *Recorder
	name string
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	key, run := keyOf(req.Context())
	return t.roundTrip(req, key, run)
}

func (t *recording) roundTrip(req *http.Request, key Key, run string) (*http.Response, error) {
	x := &interaction{Key: key, Run: run, Name: t.name,
		Request: &request{Method: req.Method, URL: req.URL.String(), Headers: listed(req.Header)}}
	req, body, err := split(req, t.r.o.MaxBody)
	if errors.Is(err, errLongBody) {
		t.r.record(x, fault.New("replay.too_large", "%s: the request is longer than %d bytes", key, t.r.o.MaxBody))
		return t.base.RoundTrip(req)
	} else if err != nil {
		return nil, err
	}
	x.Request.Body = byHash(asJSON(body))
	begin := t.r.o.Clock.Now()
	resp, err := t.base.RoundTrip(req)
	ms := t.r.o.Clock.Now().Sub(begin).Milliseconds()
	if err != nil {
		x.Failed = newFailure(req.Context(), err, ms)
		t.r.record(x, nil)
		return nil, err
	}
	x.Response = &response{Status: resp.StatusCode, Headers: listed(resp.Header), AtMS: ms}
	resp.Body = &tap{ReadCloser: resp.Body, t: t, ctx: req.Context(), x: x, begin: begin}
	return resp, nil
}
