package agent

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// model gives the model that the invocation asks now.
func (p *Part) model() Model { return p.modelNamed(p.fallback) }

// modelNamed gives a fallback, or the profile's own model for "".
func (p *Part) modelNamed(name string) Model {
	if name == "" {
		name = p.Profile.Model
	}
	if m, ok := p.Env.Models[name]; ok {
		return m
	}
	return p.Env.Models["default"]
}

// gateKey gives the key of the gate that a call enters, or "". Read-only mounts have
// no writers, hence no gate.
func (e *Env) gateKey(b *tooling.Binding) string {
	if b.GateKey == "mount" {
		return ""
	}
	return b.GateKey
}

// GateKeys lists the gates that a run needs.
func (e *Env) GateKeys() []string {
	var keys []string
	seen := map[string]bool{"": true, "mount": true}
	for _, d := range e.Catalogue.Descriptors() {
		if !seen[d.GateKey] {
			seen[d.GateKey] = true
			keys = append(keys, d.GateKey)
		}
	}
	return keys
}

func (p *Part) timeout(c *Call) time.Duration {
	if c.Binding != nil && c.Binding.TimeoutMS > 0 {
		return c.Binding.Timeout()
	}
	return tooling.DefaultTimeout
}
