package swarm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/model/limit"
)

// limiters are the limiters of a runtime, one for each key of a server: all teams and runs
// of the runtime share them. [Runtime].preparing guards them.
type limiters struct {
	of    map[string]actors.Ref // by identity of the key
	named map[string]bool       // in the tree
}

// limited gives the models of a team the limiters of their keys. A model whose provider
// asks no server has none; one whose provider the program has given itself has one when
// the team sets limits for it.
func (rt *Runtime) limited(team *Team, models map[string]agent.Model, k *keys) error {
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		m, made := team.Models[name], models[name]
		id := k.servers[name]
		if id == "" && m.Limits != (config.Limits{}) {
			id = "given " + name
		}
		if id == "" {
			continue
		}
		var err error
		if made.Limiter, err = rt.limiter(id, name, made.Kind, limit.Limits(m.Limits)); err != nil {
			return err
		}
		models[name] = made
	}
	return nil
}

// limiter gives the limiter of a key, a new one at its first use. Of limits that differ the
// lower ones count.
func (rt *Runtime) limiter(id, label, provider string, l limit.Limits) (actors.Ref, error) {
	all := &rt.limiters
	if ref, ok := all.of[id]; ok {
		rt.sys.Tell(ref, limit.Lower{Limits: l})
		return ref, nil
	}
	if all.of == nil {
		all.of, all.named = map[string]actors.Ref{}, map[string]bool{}
	}
	name := "limiter-" + label
	for n := 2; all.named[name]; n++ {
		name = fmt.Sprintf("limiter-%s-%d", label, n)
	}
	ref, err := rt.sys.Spawn(limit.Spec(name, l, rt.waits(provider)))
	if err != nil {
		return ref, err
	}
	all.of[id], all.named[name] = ref, true
	return ref, nil
}

// identity tells the keys of servers apart without holding one: a hash of the provider, the
// base URL and what is secret.
func identity(provider, baseURL string, secrets ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{provider, baseURL}, secrets...), "\x00")))
	return hex.EncodeToString(sum[:])
}
