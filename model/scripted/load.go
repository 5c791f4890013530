package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// MaxScript is the largest script in bytes: far above what a person writes.
const MaxScript = 4 << 20

// Load reads a script. The file is its name in error texts. The error, of code
// "model.script_invalid", names every fault with file, line and column, one a line.
func Load(data []byte, file string) (*Script, error) {
	invalid := func(text string) error {
		return fault.New("model.script_invalid", "%s", text).With("read script", file)
	}
	if len(data) > MaxScript {
		return nil, invalid(fmt.Sprintf("%d bytes; a script has at most %d", len(data), MaxScript))
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, invalid(file + ": " + err.Error())
	}
	r := &reader{file: file}
	s := &Script{file: file, agents: make(map[string][]*step), usage: usage{kind: "auto"}}
	if len(doc.Content) == 0 {
		r.faults = append(r.faults, file+":1:1: the script is empty; it needs version and agents")
	} else {
		r.script(doc.Content[0], s)
	}
	if len(r.faults) > 0 {
		return nil, invalid(strings.Join(r.faults, "\n"))
	}
	return s, nil
}

func (r *reader) script(n *yaml.Node, s *Script) {
	seen := r.mapping(n, "script", keys{
		{"version", func(_, v *yaml.Node) {
			if r.integer(v, "version", 1) > 1 {
				r.fault(v, "version %s is not in this version; write version: 1", v.Value)
			}
		}},
		{"defaults", func(_, v *yaml.Node) {
			r.mapping(v, "defaults", keys{
				{"latency", func(_, v *yaml.Node) { s.latency = r.duration(v, "latency") }},
				{"usage", func(_, v *yaml.Node) { s.usage = r.usage(v) }},
			})
		}},
		{"agents", func(_, v *yaml.Node) { r.agents(v, s) }},
		{"on_unmatched", func(_, v *yaml.Node) {
			s.finishUnmatched = r.choice(v, "on_unmatched", "error", "finish") == "finish"
		}},
		{"require_all", func(_, v *yaml.Node) { s.requireAll = r.boolean(v, "require_all") }},
	})
	for _, k := range []string{"version", "agents"} {
		if n.Kind == yaml.MappingNode && !seen[k] {
			r.fault(n, "%s is missing", k)
		}
	}
}

func (r *reader) agents(n *yaml.Node, s *Script) {
	r.pairs(n, "agents", func(k, v *yaml.Node) {
		if _, twice := s.agents[k.Value]; twice {
			r.fault(k, "agent %s is there twice", k.Value)
			return
		}
		s.order = append(s.order, k.Value)
		s.agents[k.Value] = r.steps(v, k.Value)
	})
}

func (r *reader) steps(n *yaml.Node, agent string) []*step {
	n = r.real(n)
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "file" {
				r.fault(n, "agent %s: scripts in files of their own (JavaScript) are not in this version; write its steps here", agent)
				return nil
			}
		}
	}
	if n.Kind != yaml.SequenceNode {
		r.fault(n, "agent %s needs a list of steps", agent)
		return nil
	}
	steps := make([]*step, 0, len(n.Content))
	for i, v := range n.Content {
		st := &step{number: i + 1, line: v.Line, times: 1}
		st.native = []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"provider":%q,"step":%d}`, providerName, i+1))}
		r.step(v, st)
		steps = append(steps, st)
	}
	return steps
}

func (r *reader) step(n *yaml.Node, st *step) {
	var raw *yaml.Node
	seen := r.mapping(n, "step", keys{
		{"when", func(_, v *yaml.Node) { st.when = r.condition(v) }},
		{"times", func(_, v *yaml.Node) { st.times = r.times(v) }},
		{"text", func(_, v *yaml.Node) { st.text = r.text(v, "text") }},
		{"reasoning", func(_, v *yaml.Node) { st.reasoning = r.text(v, "reasoning") }},
		{"calls", func(_, v *yaml.Node) { st.calls = r.calls(v) }},
		{"raw_arguments", func(_, v *yaml.Node) { raw = v }},
		{"finish", func(_, v *yaml.Node) { st.finish = r.finish(v) }},
		{"latency", func(_, v *yaml.Node) { d := r.duration(v, "latency"); st.latency = &d }},
		{"usage", func(_, v *yaml.Node) { u := r.usage(v); st.usage = &u }},
		{"fault", func(_, v *yaml.Node) { st.fault = r.failure(v) }},
	})
	if raw != nil {
		r.rawArguments(raw, st)
	}
	if !seen["text"] && !seen["calls"] && !seen["fault"] && !seen["finish"] {
		r.fault(n, "a step says something: text, calls, finish or fault")
	}
}

func (r *reader) finish(n *yaml.Node) model.Finish {
	f := model.Finish(r.scalar(n, "finish"))
	switch f {
	case model.FinishStop, model.FinishCalls, model.FinishLength, model.FinishFilter, model.FinishOverflow, model.FinishBadCall:
	default:
		if !strings.HasPrefix(string(f), "unknown:") {
			r.fault(n, "finish %q is not stop, calls, length, content_filter, context_overflow, malformed_call or unknown:…", f)
		}
	}
	return f
}

func (r *reader) calls(n *yaml.Node) []call {
	n = r.real(n)
	if n.Kind != yaml.SequenceNode {
		r.fault(n, "calls is a list of {tool: arguments}")
		return nil
	}
	calls := make([]call, 0, len(n.Content))
	for _, v := range n.Content {
		v = r.real(v)
		c := call{line: v.Line}
		switch {
		case v.Kind == yaml.ScalarNode && v.Value != "":
			c.tool = v.Value
		case v.Kind == yaml.MappingNode && len(v.Content) == 2:
			c.tool = v.Content[0].Value
			c.args = r.arguments(v.Content[1])
		default:
			r.fault(v, "a call is {tool: arguments} with one tool")
			continue
		}
		if strings.HasPrefix(c.tool, "=") {
			c.tool, c.exact = c.tool[1:], true
		}
		calls = append(calls, c)
	}
	return calls
}

func (r *reader) rawArguments(n *yaml.Node, st *step) {
	n = r.real(n)
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	if len(list) > len(st.calls) {
		r.fault(n, "raw_arguments has %d texts for %d calls", len(list), len(st.calls))
		return
	}
	for i, v := range list {
		v = r.real(v)
		if v.Kind != yaml.ScalarNode {
			r.fault(v, "raw_arguments is a text, or a list of texts and nulls")
		} else if v.ShortTag() != "!!null" {
			st.calls[i].raw = &v.Value
		}
	}
}

func (r *reader) usage(n *yaml.Node) usage {
	n = r.real(n)
	if n.Kind == yaml.ScalarNode {
		return usage{kind: r.choice(n, "usage", "auto", "none")}
	}
	u := usage{kind: "given", given: journal.Usage{Requests: 1}}
	number := func(to **int64) func(_, v *yaml.Node) {
		return func(_, v *yaml.Node) { i := int64(r.integer(v, "usage", 0)); *to = &i }
	}
	r.mapping(n, "usage", keys{
		{"input", number(&u.given.Input)},
		{"output", number(&u.given.Output)},
		{"cache_read", number(&u.given.CacheRead)},
		{"cache_write", number(&u.given.CacheWrite)},
		{"reasoning", number(&u.given.Reasoning)},
	})
	return u
}

func (r *reader) failure(n *yaml.Node) *failure {
	f := &failure{cutAfter: -1, times: 1}
	seen := r.mapping(n, "fault", keys{
		{"status", func(_, v *yaml.Node) { f.status = r.integer(v, "status", 300) }},
		{"code", func(_, v *yaml.Node) { f.code = r.scalar(v, "code") }},
		{"retry_after", func(_, v *yaml.Node) { f.retryAfter = r.duration(v, "retry_after") }},
		{"cut_after", func(_, v *yaml.Node) { f.cutAfter = r.integer(v, "cut_after", 0) }},
		{"times", func(_, v *yaml.Node) { f.times = r.times(v) }},
	})
	if !seen["status"] && !seen["code"] && !seen["cut_after"] {
		r.fault(n, "a fault has status, code or cut_after")
	}
	if f.status > 599 {
		r.fault(n, "status %d is no HTTP status", f.status)
	}
	return f
}

func (r *reader) times(n *yaml.Node) int {
	if n = r.real(n); n.Value == "any" {
		return unlimited
	}
	return r.integer(n, "times", 1)
}

func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(r.scalar(n, what))
	if err != nil || d < 0 {
		r.fault(n, "%s is a duration such as 200ms or 2s, not %q", what, n.Value)
		return 0
	}
	return d
}
