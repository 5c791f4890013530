package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// FallsBack are the failures after which a fallback is asked, unless a model says
// otherwise. A request that is wrong by itself is wrong for every model.
func FallsBack() []model.Class {
	return []model.Class{model.ClassOverload, model.ClassTransient, model.ClassRate, model.ClassAuth, model.ClassOverflow}
}

// requested gives the record of the next request, to the profile's model ("") or a fallback.
func (p *Part) requested(fallback string) *journal.ModelRequested {
	m := p.modelNamed(fallback)
	return &journal.ModelRequested{Provider: m.Kind, Model: p.Env.Secrets.Mask(m.Name), Messages: len(p.History), Closing: p.Closing != "",
		Reserve: p.reserve(&m), Fallback: fallback, Estimate: p.Estimate()}
}

// GaveUp gives the records of a request whose model call tries no more: the same turn is
// asked of the next fallback, or the request has failed for good.
func (p *Part) GaveUp(n int, e *model.Error) []journal.Record {
	if left := p.refusedImages(e); left != nil {
		return append(p.AttemptFailed(n, e), left...)
	}
	next, skipped := p.standIn(e.Class)
	if next == "" {
		if len(skipped) > 0 {
			whole := *e
			whole.Detail = e.Detail + "; no fallback can take it: " + strings.Join(skipped, "; ")
			e = &whole
		}
		return p.Failed(n, e)
	}
	m := p.requested(next)
	m.Skipped = skipped
	return append(p.AttemptFailed(n, e), p.rec(m, p.Turn, ""))
}

// standIn gives the next fallback that can take the request after a failure of a class, "":
// none, and those that cannot, each with the reason.
func (p *Part) standIn(c model.Class) (name string, skipped []string) {
	if !p.fallsBack(c) {
		return "", nil
	}
	all := p.modelNamed("").Fallback
	if p.fallback != "" {
		all = all[lastIndex(all, p.fallback)+1:] // a name may stand there twice
	}
	now := p.model()
	for _, name := range all {
		m, ok := p.Env.Models[name]
		why := "it is not there"
		if ok {
			why = p.unfit(&now, &m, c)
		}
		if why == "" {
			return name, skipped
		}
		skipped = append(skipped, bounded(name+": "+why, maxWord))
	}
	return "", skipped
}

func lastIndex(list []string, name string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == name {
			return i
		}
	}
	return -1
}

// fallsBack says whether a failure of a class has a fallback asked, if there is one.
func (p *Part) fallsBack(c model.Class) bool {
	m := p.modelNamed("")
	on := m.FallOn
	if on == nil {
		on = FallsBack()
	}
	return len(m.Fallback) > 0 && slices.Contains(on, c)
}

// unfit says why a model cannot take the request that another one has failed; "": it can.
func (p *Part) unfit(now, m *Model, c model.Class) string {
	if c == model.ClassOverflow && (m.Window == 0 || m.Window <= now.Window) {
		return "its window is not known to be larger"
	}
	if m.Window > 0 {
		if in, out := p.estimate(); in+out > int64(m.Window) {
			return fmt.Sprintf("its window has %d tokens, and the request about %d", m.Window, in+out)
		}
	}
	if !m.Vision && len(p.placed()) > 0 {
		return "it takes no images, and the conversation has some"
	}
	if m.Provider != nil {
		if most, n := m.Provider.Capabilities(m.Name).MaxTools, len(p.Snap.Defs()); most > 0 && n > most {
			return fmt.Sprintf("it takes %d tools, and the agent has %d", most, n)
		}
	}
	return ""
}

// fallBack takes the model that a request goes to. What is opaque in the history is of the
// model before, and no other one can read it.
func (p *Part) fallBack(name string) {
	if name == p.fallback {
		return
	}
	p.fallback = name
	p.fit.window, p.fit.ceiling, p.fit.overflows, p.fit.low = 0, 0, 0, 0 // another server said that
	p.History = slices.Clone(p.History)                                  // requests that were sent share the other one
	for i := range p.History {
		p.History[i].Native = nil
	}
	p.fit.changes++
}

// fresh says whether the request under way may begin at a fallback at once: nothing was
// answered yet, and there is one that can take it.
func (p *Part) fresh() bool {
	if p.fallback != "" || p.Rounds > 0 || p.Attempts > 0 {
		return false
	}
	name, _ := p.standIn(model.ClassOverload)
	return name != ""
}
