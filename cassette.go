package swarm

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

// cassette records the traffic of all models of the network, or stands in their place. The
// zero value does neither.
type cassette struct {
	recorder *replay.Recorder
	player   *replay.Player
}

// measured are the parts of requests that the runtime measures itself: the tags and sizes
// of capsules, which depend on the time that stands in them, and that time.
var measured = []string{`[0-9a-f]{8} \(\d+ characters\)`, `>>> end of \S+ [0-9a-f]{8}`, `; time: \S+`}

// openCassette opens what [Options].Record or Replay names.
func (rt *Runtime) openCassette() (err error) {
	o := replay.Options{Binary: rt.o.Version, Normalise: measured, Clock: rt.o.Clock, Secrets: rt.known.all, Warn: func(kind, detail string) {
		if rt.o.Logger != nil {
			rt.o.Logger.Warn("cassette", "kind", kind, "detail", detail)
		}
	}}
	switch {
	case rt.o.Record != "" && rt.o.Replay != "":
		return fault.New("replay.config_invalid", "model traffic is recorded or replayed, not both at once").With("open runtime", "")
	case rt.o.Record != "":
		rt.cassette.recorder, err = replay.NewRecorder(rt.o.Record, o)
	case rt.o.Replay != "":
		rt.cassette.player, err = replay.Open(rt.o.Replay, o)
	}
	return err
}

// client gives the client of a model; nil: the provider's own.
func (c *cassette) client(name, id string, m *config.Model) (*http.Client, error) {
	if c.recorder == nil && c.player == nil {
		return nil, nil
	}
	settings, err := json.Marshal(struct {
		Stream *bool         `json:"stream,omitempty"`
		Quirks config.Quirks `json:"quirks,omitzero"`
	}{m.Stream, m.Quirks})
	if err != nil {
		return nil, err
	}
	of := replay.Model{Name: name, Provider: m.Provider, ID: id, Settings: settings}
	var t http.RoundTripper
	if c.player != nil {
		t, err = c.player.Transport(of, nil)
	} else {
		t, err = c.recorder.Transport(of, nil)
	}
	return &http.Client{Transport: t}, err
}

// used says whether requests must tell which attempt they belong to.
func (c *cassette) used() bool { return c.recorder != nil || c.player != nil }

func (c *cassette) close() error {
	var err error
	if c.recorder != nil {
		err = c.recorder.Close()
	}
	if c.player != nil {
		err = errors.Join(err, c.player.Close())
	}
	return err
}

// replayed is the key of a model whose answers are replayed: nobody is asked.
const replayed = "replayed"

// secretOr fills in a reference, or gives a stand-in where nobody is asked.
func (c *cassette) secretOr(value string, err error) (string, error) {
	if err != nil && c.player != nil {
		return cmp.Or(value, replayed), nil
	}
	return value, err
}

// all gives the secrets of all teams so far.
func (k *known) all() secret.Set {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.set
}
