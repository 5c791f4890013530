package schema

import (
	"encoding/json"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// maxKept is how many lists of tools are remembered; a process has one for each snapshot.
const maxKept = 64

// List gives the schemas of tools in the form that is sent, and remembers them by the hash
// of the tools, so that they are made once per snapshot. The zero value is ready.
type List struct {
	// Grammar has them go through [Grammar] too.
	Grammar bool

	mu   sync.Mutex
	kept map[string][]json.RawMessage
}

// Of gives the schemas of tools. The hash is of the tools; without one nothing is remembered.
// lost is told of each tool whose schema says less than its own, when the list is made.
func (l *List) Of(hash string, tools []model.ToolDef, lost func(tool string, notes []string)) []json.RawMessage {
	l.mu.Lock()
	out, ok := l.kept[hash]
	l.mu.Unlock()
	if ok && hash != "" {
		return out
	}
	out = make([]json.RawMessage, len(tools))
	for i := range tools {
		s, notes := Common(tools[i].Schema)
		if l.Grammar {
			more := []string(nil)
			s, more = Grammar(s)
			notes = append(notes, more...)
		}
		if out[i] = s; len(notes) > 0 {
			lost(tools[i].Name, notes)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil || len(l.kept) >= maxKept {
		l.kept = map[string][]json.RawMessage{}
	}
	if hash != "" {
		l.kept[hash] = out
	}
	return out
}
