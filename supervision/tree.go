package supervision

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// ActorView is a live actor of a run, as an operator sees it.
type ActorView struct {
	Path        string    `json:"path"` // below the run, e.g. root/model; the run's own is "."
	Kind        string    `json:"kind"`
	State       string    `json:"state"`
	Incarnation int       `json:"incarnation"` // 1 until the first restart
	Restarts    int       `json:"restarts"`    // within the window of its supervisor
	Mailbox     int64     `json:"mailbox"`     // messages queued
	WaitsFor    string    `json:"waits_for,omitempty"`
	Since       time.Time `json:"since,omitzero"` // of the last change of state
}

// ViewRun picks the actors of one run out of the tree of a runtime, in order of their
// paths. None: the run is not here.
func ViewRun(tree []actors.Node, run string) []ActorView {
	var out []ActorView
	for i := range tree {
		n := &tree[i]
		path, ok := strings.CutPrefix(n.Path, "runs/"+run+"/run")
		if !ok {
			continue
		}
		if path = strings.TrimPrefix(path, "/"); path == "" {
			path = "."
		}
		out = append(out, ActorView{Path: path, Kind: n.Kind, State: n.State, Incarnation: n.Incarnation, Restarts: n.Restarts,
			Mailbox: n.Mailbox, WaitsFor: n.WaitsFor, Since: n.Since.UTC()})
	}
	return out
}

// tree answers who asks for the actors of a run. No actor of the run is asked, so that one
// that is stuck is shown like any other.
func (s *runs) tree(c *actors.Context, cmd journal.Command) {
	store, sys := s.store, s.sys
	c.Effect("tree", func(ctx context.Context) (any, error) {
		answer, err := json.Marshal(ViewRun(sys.Tree(), cmd.Run))
		if err != nil {
			return nil, err
		}
		return nil, store.Reply(ctx, cmd.ID, string(answer))
	})
}
