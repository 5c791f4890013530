package cli

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// foldedLive folds the records of a run as the live tree does, so that both use the same
// words. alive says that a process works on the run.
func foldedLive(records []journal.Record, alive bool) *liveState {
	s := newLiveState()
	for i := range records {
		s.fold(&records[i])
	}
	if !alive && !s.rests { // after a crash the work had ended with the newest record
		s.rest(s.word, s.last)
	}
	return s
}

// failedAttempts counts requests to models that had no answer, by agent path.
func failedAttempts(records []journal.Record) map[string]int {
	n := map[string]int{}
	for i := range records {
		if _, ok := records[i].Payload.(*journal.ModelAttemptFailed); ok {
			n[records[i].Scope.Invocation]++
		}
	}
	return n
}

// viewAgents makes the tree of the agents of a run: invocations below the one that gave
// them their task, handoff targets below the one that handed over, and queued tasks.
func viewAgents(st *delegate.State, live *liveState, failed map[string]int, now time.Time) []*agentView {
	views := make(map[string]*agentView, len(st.Order))
	var roots []*agentView
	place := func(v *agentView, parent string) {
		if p := views[parent]; p != nil {
			p.Below = append(p.Below, v)
			return
		}
		roots = append(roots, v)
	}
	say := func(v *agentView, a *liveAgent) {
		if a == nil {
			return
		}
		if v.State = live.state(a); !a.ended {
			v.Doing = live.doing(a, now)
		}
	}
	for _, path := range st.Order {
		inv := st.Inv[path]
		v := &agentView{Path: path, Agent: inv.Profile, Turns: inv.Turn, Calls: inv.NCalls, Usage: inv.Usage, Failed: failed[path]}
		if t := st.Tasks[inv.Task]; t != nil {
			v.Task = t.ID
		}
		say(v, live.byPath[path])
		views[path] = v
		place(v, inv.Parent)
	}
	for _, id := range st.TaskIDs {
		t := st.Tasks[id]
		if t.Inv != "" {
			continue
		}
		v := &agentView{Path: t.Path(), Agent: t.Agent, Task: t.ID, State: t.State}
		say(v, live.byTask[id])
		place(v, t.Parent)
	}
	for _, v := range roots {
		v.sum()
	}
	return roots
}

// sum adds up the usage of a subtree.
func (v *agentView) sum() {
	agent.AddUsage(&v.Subtree, v.Usage)
	for _, one := range v.Below {
		one.sum()
		agent.AddUsage(&v.Subtree, one.Subtree)
	}
}
