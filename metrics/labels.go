package metrics

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/model/limit"
)

// Bounds of label values: how many distinct ones there may be of a kind, before further
// ones are [other]. A configuration with more has series that say less, and no more series.
const (
	maxTeams    = 200
	maxAgents   = 500
	maxHandoffs = 1000 // pairs
	maxBuiltins = 200
	maxTools    = 200 // of MCP servers and extensions
	maxModels   = 200 // pairs of provider and model
	maxGates    = 50
	maxTypes    = 100 // of records
	maxValue    = 200 // characters of one value

	maxProviders = 50   // that have a limiter
	maxCosts     = 1000 // triples of provider, model and agent
)

const (
	other   = "other"
	unknown = "unknown"
)

// names hands out label values, the first max distinct ones.
type names struct {
	max  int
	mu   sync.Mutex
	seen map[string]struct{}
}

// fits says whether a value is one of the first.
func (n *names) fits(value string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.seen[value]; ok {
		return true
	}
	if len(n.seen) >= n.max {
		return false
	}
	if n.seen == nil {
		n.seen = map[string]struct{}{}
	}
	n.seen[value] = struct{}{}
	return true
}

// label gives a value, or "other".
func (n *names) label(value string) string {
	if value = clean(value); n.fits(value) {
		return value
	}
	return other
}

// clean makes a text a label value: valid, not empty, not long.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if s == "" {
		return unknown
	}
	if utf8.RuneCountInString(s) > maxValue {
		s = string([]rune(s)[:maxValue])
	}
	return s
}

// set is a fixed list of label values; what it lacks is the last of them.
type set []string

func (s set) index(value string) int {
	for i, v := range s {
		if v == value {
			return i
		}
	}
	return len(s) - 1
}

// The fixed values. An array of series that is indexed by one of these has its length.
const (
	nOutcomes = 11
	nKinds    = 4
	nStates   = 8
	nTurns    = 4
	nEffects  = 4
	nTokens   = 5
	nClasses  = 10
	nReasons  = 6
)

var (
	outcomes = set{"completed", "failed", "cancelled", "partial", unknown, "transferred", "refused", "paused", "parked", "interrupted", other}
	kinds    = set{"root", "child", "handoff", other}
	states   = set{"created", "running", "waiting_human", "waiting_children", "waiting_slot", "waiting_limiter", "closing", other}
	turns    = set{"calls", "text", "closing", "failed"}
	effects  = set{"none", "read", "write", unknown}
	tokens   = set{"input", "output", "cache_read", "cache_write", "reasoning"}
	classes  = set{"completed", "permanent", "auth", "rate_limited", "overloaded", "transient", "context_overflow", "content_filter", "cancelled", "failed"}
	budgets  = set{"agents", "depth", "rounds", "calls", "tokens", "money", "time", "wall", other}
	reasons  = set{"none", limit.ByConcurrency, limit.ByRequests, limit.ByTokens, limit.ByRetryAfter, other} // of waits at a limiter
	found    = set{"not_dispatched", "settled", "rerun", unknown, "corrupt", other}
)

// Places in the sets that are named in code.
const (
	isCompleted = 0 // of classes
	isRefused   = 6
	isCreated   = 0
	isRunning   = 1
	isChildren  = 3
	isSlot      = 4
	isLimiter   = 5
	isClosing   = 6
	isNone      = 0 // of effects
)
