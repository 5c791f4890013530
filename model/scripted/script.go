package scripted

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Script is a script that was read and found right. It is immutable.
type Script struct {
	file            string
	agents          map[string][]*step
	order           []string // ids of agents as written
	latency         time.Duration
	usage           usage
	finishUnmatched bool
	requireAll      bool
}

// RequireAll says whether the script wants every step used.
func (s *Script) RequireAll() bool { return s.requireAll }

// Agents gives the ids of the agents that the script names, in its order.
func (s *Script) Agents() []string { return append([]string(nil), s.order...) }

// steps gives the steps for an agent and the id that they stand under.
func (s *Script) steps(agent string) ([]*step, string) {
	if steps, ok := s.agents[agent]; ok {
		return steps, agent
	}
	return s.agents[anyAgent], anyAgent
}

const (
	anyAgent  = "*"
	unlimited = 0 // of times
)

// step is one entry of an agent's list.
type step struct {
	number    int // from 1 within its agent
	line      int
	when      condition
	times     int // unlimited: 0
	text      *text
	reasoning *text
	calls     []call
	finish    model.Finish
	latency   *time.Duration
	usage     *usage
	fault     *failure
	native    []json.RawMessage // the part that says this step answered
}

// condition is what must hold for a step; zero members ask for nothing.
type condition struct {
	turns    []span
	match    *regexp.Regexp
	notMatch *regexp.Regexp
	after    string
	isError  *bool
	hasTool  string
	path     string
}

// span is a range of turns; to is 0 when it has no end.
type span struct{ from, to int }

func (s span) has(n int) bool { return n >= s.from && (s.to == 0 || n <= s.to) }

// call is a call as a script writes it.
type call struct {
	tool  string
	exact bool // send the name as it stands
	args  *arguments
	raw   *string
	line  int
}

// usage says what an answer reports.
type usage struct {
	kind  string // auto, none, given
	given journal.Usage
}

// failure is what the first attempts of a step end with.
type failure struct {
	status     int
	code       string
	retryAfter time.Duration
	cutAfter   int // characters; -1: does not break off
	times      int // unlimited: 0
}
