package swarm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
	modelwire "github.com/seed-cf6d8d1b/swarm/model/wire"
)

// cassette records the traffic of all models of the network, or stands in their place, and
// that of models whose team says so. The zero value does neither.
type cassette struct {
	recorder *replay.Recorder // of [Options].Record
	player   *replay.Player   // of [Options].Replay

	mu        sync.Mutex                  // of what is below
	recorders map[string]*replay.Recorder // of models, by file
	players   map[string]*replay.Player   // of models, by file and options
	proxies   []*http.Transport           // below recorders
}

// measured are the parts of requests that the runtime measures itself: the tags and sizes
// of capsules, which depend on the time that stands in them, and that time.
var measured = []string{`[0-9a-f]{8} \(\d+ characters\)`, `>>> end of \S+ [0-9a-f]{8}`, `; time: \S+`}

// onCassettes are the options of all recorders and players of a runtime.
func (rt *Runtime) onCassettes() replay.Options {
	return replay.Options{Binary: rt.o.Version, Normalise: measured, Clock: rt.o.Clock, Secrets: rt.known.all, Warn: func(kind, detail string) {
		if rt.o.Logger != nil {
			rt.o.Logger.Warn("cassette", "kind", kind, "detail", detail)
		}
	}}
}

// openCassette opens what [Options].Record or Replay names.
func (rt *Runtime) openCassette() (err error) {
	o := rt.onCassettes()
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

// settings are what else of a model decides what goes over the wire. A cassette has them, so
// that its model can be made again.
type settings struct {
	BaseURL     string        `json:"base_url,omitempty"` // as the team has it, with its references
	Stream      *bool         `json:"stream,omitempty"`
	Window      int           `json:"window,omitempty"`
	Vision      *bool         `json:"vision,omitempty"`
	MaxOutput   int           `json:"max_output,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`
	TopP        *float64      `json:"top_p,omitempty"`
	Stop        []string      `json:"stop,omitempty"`
	Reasoning   string        `json:"reasoning,omitempty"`
	Cache       string        `json:"cache,omitempty"`
	Quirks      config.Quirks `json:"quirks,omitzero"`
}

// client gives the client of a model; nil: the provider's own.
func (rt *Runtime) client(name, id string, m *config.Model, base http.RoundTripper) (*http.Client, error) {
	c := &rt.cassette
	if !c.used(m) {
		return nil, nil
	}
	said, err := json.Marshal(settings{m.BaseURL, m.Stream, m.Window, m.Vision, m.MaxOutput, m.Temperature, m.TopP, m.Stop, m.Reasoning, m.Cache, m.Quirks})
	if err != nil {
		return nil, err
	}
	of := replay.Model{Name: name, Provider: m.Provider, ID: id, Settings: said}
	var t http.RoundTripper
	if c.player != nil {
		t, err = c.player.Transport(of, nil)
	} else {
		var r *replay.Recorder
		if r, err = rt.recorderOf(m); err == nil {
			t, err = r.Transport(of, base)
		}
	}
	return &http.Client{Transport: t}, err
}

// recorderOf gives the recorder of a model: that of all models, else that of the file which
// the team names.
func (rt *Runtime) recorderOf(m *config.Model) (*replay.Recorder, error) {
	c := &rt.cassette
	if c.recorder != nil {
		return c.recorder, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.recorders[m.Record]; r != nil {
		return r, nil
	}
	r, err := replay.NewRecorder(m.Record, rt.onCassettes())
	if err != nil {
		return nil, err
	}
	if c.recorders == nil {
		c.recorders = map[string]*replay.Recorder{}
	}
	c.recorders[m.Record] = r
	return r, nil
}

// playerOf gives the player of a model that a recording answers for. Models that say the
// same of the same file share it.
func (rt *Runtime) playerOf(m *config.Model) (*replay.Player, error) {
	c := &rt.cassette
	key := fmt.Sprintf("%q %q %t %q", m.Cassette, m.Normalise, m.Exact, m.Speed)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.players[key]; p != nil {
		return p, nil
	}
	o := rt.onCassettes()
	o.Normalise, o.Exact, o.Speed = slices.Concat(measured, m.Normalise), m.Exact, m.Speed
	p, err := replay.Open(m.Cassette, o)
	if err != nil {
		return nil, err
	}
	if c.players == nil {
		c.players = map[string]*replay.Player{}
	}
	c.players[key] = p
	return p, nil
}

// recorded gives the model that a recording was made of, and what answers in its place. It
// asks nobody, and needs no key.
func (rt *Runtime) recorded(name string, m *config.Model) (*config.Model, endpoint, error) {
	p, err := rt.playerOf(m)
	if err != nil {
		return nil, endpoint{}, err
	}
	of, err := pick(p.Models(), cmp.Or(m.Model, name), m.Model != "")
	if err != nil {
		return nil, endpoint{}, fault.Wrap(err, "replay.invalid", "the cassette does not say which model it is").With("open cassette", m.Cassette)
	}
	var s settings
	if len(of.Settings) > 0 {
		if err := json.Unmarshal(of.Settings, &s); err != nil {
			return nil, endpoint{}, fault.Wrap(err, "replay.invalid", "the settings of model %s cannot be read; record it again", of.Name).With("open cassette", m.Cassette)
		}
	}
	was := *m
	was.Provider, was.Model, was.Stream, was.Window, was.Vision = of.Provider, of.ID, s.Stream, s.Window, s.Vision
	was.MaxOutput, was.Temperature, was.TopP, was.Stop = s.MaxOutput, s.Temperature, s.TopP, s.Stop
	was.Reasoning, was.Cache, was.Quirks, was.Auth = s.Reasoning, s.Cache, s.Quirks, "none"
	e := endpoint{baseURL: s.BaseURL}
	if strings.Contains(s.BaseURL, "${") { // what it stood for is not kept
		e.baseURL = "http://" + replayed + ".invalid/v1"
	}
	t, err := p.Transport(of, nil)
	e.http = &http.Client{Transport: t}
	return &was, e, err
}

// pick finds a model of a cassette by its name in the team that was recorded, or else by its
// name at the server. When the team asks for none, the only one is meant.
func pick(models []replay.Model, name string, asked bool) (replay.Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	for _, m := range models {
		if asked && m.ID == name {
			return m, nil
		}
	}
	if len(models) == 1 && !asked {
		return models[0], nil
	}
	return replay.Model{}, fmt.Errorf("there is no model %q in it; set model to one of %s", name, strings.Join(names, ", "))
}

// through gives the transport of a proxy that a recorder sends by; nil: its own one.
func (c *cassette) through(proxy string) (http.RoundTripper, error) {
	to, err := modelwire.ParseProxy(proxy)
	if to == nil || c.player != nil {
		return nil, err
	}
	t := modelwire.NewTransport(modelwire.Timeouts{})
	t.Proxy = http.ProxyURL(to)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proxies = append(c.proxies, t)
	return t, nil
}

// used says whether requests of a model must tell which attempt they belong to.
func (c *cassette) used(m *config.Model) bool {
	return c.recorder != nil || c.player != nil || m.Record != "" || m.Cassette != ""
}

func (c *cassette) close() error {
	var err error
	if c.recorder != nil {
		err = c.recorder.Close()
	}
	if c.player != nil {
		err = errors.Join(err, c.player.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(c.recorders)) {
		err = errors.Join(err, c.recorders[file].Close())
	}
	for _, key := range slices.Sorted(maps.Keys(c.players)) {
		err = errors.Join(err, c.players[key].Close())
	}
	for _, t := range c.proxies {
		t.CloseIdleConnections()
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
