package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

const (
	checkTeam = "team"

	liveLimit = 30 * time.Second // for the answer of one model
)

// team looks at a team and what it needs on this machine. It gives nil for one that cannot
// be loaded.
func (d *doctor) team(path string, o config.Options) *swarm.Team {
	t, err := config.LoadWith(path, o)
	if err != nil {
		fs := config.FaultsOf(err)
		for _, f := range fs {
			d.fault(f)
		}
		if fs == nil {
			d.add(checkTeam, broken, "", "%v", err)
		}
		return nil
	}
	d.add(checkTeam, fine, "", "%s", t.Summary())
	for _, name := range slices.Sorted(maps.Keys(t.Models)) {
		d.model(t, name)
	}
	faults := append(slices.Clone(t.Warnings), d.a.beyond(t)...)
	for _, f := range faults {
		switch f.Code {
		case "config.variable_missing", "config.key_file", "config.secret_short": // told with the model
		default:
			d.fault(f)
		}
	}
	d.mounts(t)
	return t
}

func (d *doctor) fault(f config.Fault) {
	state, mend := broken, f.Mend
	if f.Warning {
		state = warns
	}
	f.Mend, f.Warning = "", false
	d.add(checkTeam, state, mend, "%s", f)
}

// model looks whether a model could be asked. What its references stand for is never told.
func (d *doctor) model(t *swarm.Team, name string) {
	m, check := t.Models[name], "model "+name
	if m.Provider == config.Scripted {
		d.add(check, fine, "", "answers from the script %s", m.ScriptFile)
		return
	}
	if m.Provider == config.Replay {
		if err := playable(m.Cassette); err != nil {
			d.add(check, broken, "record it again, or name another file", "%s", sentence(err))
			return
		}
		d.add(check, fine, "", "answers from the recording %s", m.Cassette)
		return
	}
	before := len(d.found)
	fill := func(where, text string) string {
		v, err := config.Expand(text, d.a.env)
		var e *fault.Error
		if errors.As(err, &e) {
			mend := "set it in the environment of swarm"
			if where == "api_key" {
				mend = mends["config.variable_missing"]
			}
			d.add(check, broken, mend, "%s: %s", where, e.Detail)
		}
		return v
	}
	fill("model", m.Model)
	d.address(check, &m, fill("base_url", m.BaseURL))
	fill("proxy", m.Proxy)
	key := "no key"
	switch {
	case m.Auth == "none":
	case m.APIKeyFile != "":
		key = "key from " + m.APIKeyFile
		d.keyFile(check, m.APIKeyFile)
	default:
		key = "key from " + m.APIKey
		fill("api_key", m.APIKey)
	}
	for _, h := range slices.Sorted(maps.Keys(m.Headers)) {
		fill("headers."+h, m.Headers[h])
	}
	for _, f := range d.a.shortSecretsOf(t, name) {
		d.add(check, warns, f.Mend, "%s", strings.TrimPrefix(f.Text, "models."+name+": "))
	}
	if !slices.ContainsFunc(d.found[before:], func(f finding) bool { return f.State == broken }) {
		at := m.BaseURL
		if at == "" {
			at = "the default address"
		}
		d.add(check, fine, "", "%s %s at %s, %s", m.Provider, m.Model, at, key)
	}
}

// playable says why a recording cannot be played, nil: it can.
func playable(file string) error {
	p, err := replay.Open(file, replay.Options{})
	if err != nil {
		return err
	}
	return p.Close()
}

// address looks at a filled-in base_url; what was not filled in is told already.
func (d *doctor) address(check string, m *config.Model, base string) {
	if base == "" {
		return
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		d.add(check, broken, "give the address of the server with its version part, such as https://HOST/v1", "base_url %s is no http or https URL", m.BaseURL)
	}
}

// keyFile looks at a key file.
func (d *doctor) keyFile(check, path string) {
	key, err := config.ReadKeyFile(path)
	var info os.FileInfo
	if err == nil {
		info, err = os.Stat(path)
	}
	switch {
	case err != nil:
		d.add(check, broken, "put the key into it, with mode 0600, or name another file", "%s", sentence(err))
	case key == "":
		d.add(check, broken, "put the key into it", "the key file %s is empty", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		d.add(check, warns, "chmod 600 "+quoteArg(path), "other users of this machine can read the key file %s: mode %04o", path, info.Mode().Perm())
	}
}

// mounts looks whether the directories that a team mounts can be read. Those that are not
// there are told already.
func (d *doctor) mounts(t *swarm.Team) {
	for _, m := range t.Mounts {
		info, err := os.Stat(m.Host)
		if err != nil || !info.IsDir() {
			continue
		}
		f, err := os.Open(m.Host)
		if err == nil {
			_, err = f.Readdirnames(1)
			_ = f.Close() // it was only read
			if errors.Is(err, io.EOF) {
				err = nil
			}
		}
		if err != nil {
			d.add("mount "+m.At, broken, "give this user access to it", "%s cannot be read: %v", m.Host, reason(err))
			continue
		}
		d.add("mount "+m.At, fine, "", "%s", m.Host)
	}
}

// live asks each model of a team one question, all at once, but those that cannot be asked.
func (d *doctor) live(ctx context.Context, t *swarm.Team) {
	rt, err := swarm.Open(ctx, swarm.Options{Env: d.a.env})
	if err != nil {
		d.add("live", broken, "", "%v", err)
		return
	}
	defer func() { _ = shut(rt) }() // nothing was begun
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.Models)) {
		known := func(f finding) bool { return f.Check == "model "+name && f.State == broken }
		if p := t.Models[name].Provider; p != config.Scripted && p != config.Replay && !slices.ContainsFunc(d.found, known) {
			names = append(names, name)
		}
	}
	answers, errs := make([]swarm.Pong, len(names)), make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, liveLimit)
			defer cancel()
			answers[i], errs[i] = rt.Ping(ctx, t, name)
		})
	}
	all.Wait()
	for i, name := range names {
		d.answered("live "+name, answers[i], errs[i])
	}
}

func (d *doctor) answered(check string, p swarm.Pong, err error) {
	if err == nil {
		text := "answered in " + short(p.Took)
		if p.Model != "" {
			text += ", as " + p.Model
		}
		d.add(check, fine, "", "%s", text)
		return
	}
	var e *swarm.ModelError
	if !errors.As(err, &e) {
		d.add(check, broken, mends[fault.Code(err)], "%v", err)
		return
	}
	mend := map[model.Class]string{
		swarm.ClassAuth:      "check the key, and that it may use this model",
		swarm.ClassRate:      "wait, or ask the service for more",
		swarm.ClassOverload:  "wait: the server is busy",
		swarm.ClassTransient: "check base_url, the network, and that the server runs",
		swarm.ClassPermanent: "check the name of the model and base_url",
		swarm.ClassCancelled: fmt.Sprintf("the server has %s to answer; check base_url, the network, and its load", liveLimit),
	}[e.Class]
	d.add(check, broken, mend, "%s after %s: %s", e.Code, short(p.Took), e.Detail)
}
