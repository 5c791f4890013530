package delegate

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// The links and empty directories that a call leaves are those that the fold of its records
// has.
func TestFoldOfLinks(t *testing.T) {
	t.Parallel()
	p := newPlay(t, testEnv(t, agent.Budgets{}, lead(agent.Delegation{})))
	p.holds["root"] = true
	p.do("root", swarmtest.Call("poke", ``))
	p.done("root", p.held["root"][0], tooling.Result{Content: "poked", Changes: []workspace.Change{
		{Path: "output/d", Kind: workspace.KindDir, Op: workspace.OpWrite, New: workspace.HashOf(nil)},
		{Path: "output/l", Kind: workspace.KindLink, Op: workspace.OpWrite, New: workspace.HashOf([]byte("d/x")), Size: 3, Chars: 3, Content: "d/x"},
	}})
	dir, _ := p.st.Files.Get("output/d")
	link, _ := p.st.Files.Get("output/l")
	if dir.Kind != workspace.KindDir || link.Kind != workspace.KindLink || link.Target != "d/x" || link.At.IsZero() {
		t.Errorf("got %+v and %+v", dir, link)
	}
	if n := p.count(journal.TFileChanged); n != 2 {
		t.Errorf("%d records", n)
	}
	p.verify()
}
