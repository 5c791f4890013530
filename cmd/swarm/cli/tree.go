package cli

import (
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// doing is what the agents of a run do now, as far as their records tell.
type doing struct {
	waits  map[string]string   // cause by path
	asks   map[string]string   // model by path
	calls  map[string][]string // open calls by path: keys
	names  map[string]string   // by call key
	failed map[string]int      // model attempts by path
}

func newDoing(records []journal.Record) *doing {
	d := &doing{waits: map[string]string{}, asks: map[string]string{}, calls: map[string][]string{}, names: map[string]string{}, failed: map[string]int{}}
	for i := range records {
		r := &records[i]
		p := r.Scope.Invocation
		switch m := r.Payload.(type) {
		case *journal.InvocationWaiting:
			d.waits[p] = m.Cause
		case *journal.InvocationContinued:
			delete(d.waits, p)
		case *journal.ModelRequested:
			d.asks[p] = m.Model
			if m.Model == "" {
				d.asks[p] = m.Provider
			}
		case *journal.ModelAttemptFailed:
			d.failed[p]++
		case *journal.ModelAnswered, *journal.ModelFailed:
			delete(d.asks, p)
		case *journal.CallRequested:
			d.names[r.Scope.Call] = m.Name
			d.calls[p] = append(d.calls[p], r.Scope.Call)
		case *journal.CallSettled:
			d.calls[p] = slices.DeleteFunc(d.calls[p], func(k string) bool { return k == r.Scope.Call })
		}
	}
	return d
}

// of says what an agent waits for or does.
func (d *doing) of(path string) (waiting bool, text string) {
	if cause := d.waits[path]; cause != "" {
		return true, "for " + cause
	}
	if m := d.asks[path]; m != "" {
		return false, "asks " + plain(m, 40)
	}
	var names []string
	for _, key := range d.calls[path] {
		names = append(names, plain(d.names[key], 40))
	}
	if len(names) > 0 {
		return false, "calls " + strings.Join(names, ", ")
	}
	return false, ""
}

// viewAgents makes the tree of the agents of a run: invocations below the one that gave
// them their task, handoff targets below the one that handed over, and queued tasks.
func viewAgents(st *delegate.State, now *doing, alive bool) []*agentView {
	views := make(map[string]*agentView, len(st.Order))
	var roots []*agentView
	place := func(v *agentView, parent string) {
		if p := views[parent]; p != nil {
			p.Below = append(p.Below, v)
			return
		}
		roots = append(roots, v)
	}
	for _, path := range st.Order {
		inv := st.Inv[path]
		v := &agentView{Path: path, Agent: inv.Profile, State: "running", Turns: inv.Turn, Calls: inv.NCalls, Usage: inv.Usage, Failed: now.failed[path]}
		if t := st.Tasks[inv.Task]; t != nil {
			v.Task = t.ID
		}
		switch waiting, text := now.of(path); {
		case inv.Ended:
			v.State = string(inv.Outcome)
		case waiting:
			v.State, v.Doing = "waiting", text
		default:
			v.Doing = text
		}
		if !alive && !inv.Ended {
			v.State = "resting"
		}
		views[path] = v
		place(v, inv.Parent)
	}
	for _, id := range st.TaskIDs {
		t := st.Tasks[id]
		if t.Inv != "" {
			continue
		}
		v := &agentView{Path: t.Parent + "/" + t.Key, Agent: t.Agent, Task: t.ID, State: t.State, Doing: "waits for a place"}
		if t.State == "ended" {
			v.State, v.Doing = string(t.Outcome), ""
		}
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
