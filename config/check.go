package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// Validate checks a team that a program has built, as loading checks one of files. The
// error has code "config.invalid" and [Faults] as its cause.
func (t *Team) Validate() error {
	if t == nil {
		return invalid("", Faults{{Code: "config.missing", Text: "there is no team"}})
	}
	var fs Faults
	add := func(f Fault) {
		if !f.Warning && len(fs) < maxFaults {
			fs = append(fs, f)
		}
	}
	nowhere := func(string, string, string) Fault { return Fault{} }
	if t.Version != Version {
		add(Fault{Code: "config.version", Text: fmt.Sprintf("version is %d in this version of swarm, not %d", Version, t.Version)})
	}
	if !validID(t.Name) {
		add(Fault{Code: "config.value", Text: fmt.Sprintf("name is %s, not %q", idGrammar, t.Name)})
	}
	if len(t.Agents) == 0 {
		add(Fault{Code: "config.missing", Text: "a team has at least one agent"})
	}
	if t.LoreScan < 0 {
		add(Fault{Code: "config.value", Text: fmt.Sprintf("LoreScan is a number from 1, or 0 for its default, not %d", t.LoreScan)})
	}
	for _, name := range t.PlainEnv {
		if !validVariable(name) {
			add(Fault{Code: "config.value", Text: fmt.Sprintf("PlainEnv holds names of letters, digits and _, not %q", name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Models)) {
		checkModel(t, name, add)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Agents)) {
		switch p := t.Agents[id]; {
		case p == nil:
			add(Fault{Code: "config.missing", Text: fmt.Sprintf("agent %q is nil", id)})
			return invalid(t.Name, fs)
		case p.ID != id:
			add(Fault{Code: "config.agent_id", Text: fmt.Sprintf("the id %q of an agent is not its key %q", p.ID, id), Mend: "make the two equal; each agent has an id of its own"})
		case !validID(id):
			add(Fault{Code: "config.agent_id", Text: fmt.Sprintf("the id %q of an agent is not %s", id, idGrammar), Mend: mendID(id)})
		case id == "human" || id == "self":
			add(Fault{Code: "config.agent_id", Text: fmt.Sprintf("the id %q is reserved", id), Mend: "give the agent another one"})
		}
	}
	if len(t.Agents) > 0 {
		check(t, nowhere, func(string, string) bool { return false }, add)
	}
	return invalid(t.Name, fs)
}

func checkModel(t *Team, name string, add func(Fault)) {
	m := t.Models[name]
	bad := func(code, format string, args ...any) {
		add(Fault{Code: code, Text: "model " + name + ": " + fmt.Sprintf(format, args...)})
	}
	switch m.Provider {
	case OpenAI, Anthropic, Gemini:
		if m.Model == "" {
			bad("config.missing", "model is missing")
		}
		if names, ok := references(m.APIKey); m.APIKey != "" && (!ok || len(names) == 0) {
			bad("config.literal_secret", "api_key is a reference ${NAME}, never a key")
		}
	case Scripted:
		if _, err := scripted.Load([]byte(m.Script), m.ScriptFile); err != nil {
			for line := range strings.SplitSeq(plainText(err), "\n") {
				bad("config.script_invalid", "%s", line)
			}
		}
	case Replay:
		if m.Cassette == "" {
			bad("config.missing", "cassette is missing")
		}
	default:
		bad("config.value", "provider is openai, anthropic, gemini, scripted or replay, not %q", m.Provider)
	}
	if m.Window < 0 {
		bad("config.value", "window is a number of tokens, not %d", m.Window)
	}
	for _, f := range []*float64{m.Temperature, m.TopP} {
		if f != nil && (math.IsNaN(*f) || math.IsInf(*f, 0)) {
			bad("config.value", "temperature and top_p are finite numbers")
		}
	}
}

// checker applies the rules between the parts of a team (delegation spec §2). The same
// rules hold for files and for teams made by a program; where tells places, and doubt what
// of an agent could not be read.
type checker struct {
	t     *Team
	ids   []string
	where func(id, path, item string) Fault
	doubt func(id, path string) bool
	add   func(Fault)
	told  int // faults
}

// nearest names the agent that is likely meant, as long as faults are told.
func (c *checker) nearest(name string) string {
	if c.told >= maxFaults {
		return ""
	}
	return nearest(name, c.ids)
}

func check(t *Team, where func(id, path, item string) Fault, doubt func(id, path string) bool, add func(Fault)) {
	c := checker{t: t, ids: slices.Sorted(maps.Keys(t.Agents)), where: where, doubt: doubt, add: add}
	c.entry()
	c.plain()
	c.unpriced()
	c.fallbacks()
	for _, id := range c.ids {
		c.agent(t.Agents[id])
	}
}

func (c *checker) fault(id, path, item, code, text, mend string) {
	if c.told++; c.told > maxFaults { // its place would be looked for among all others
		return
	}
	f := c.where(id, path, item)
	f.Code, f.Text, f.Mend = code, text, mend
	c.add(f)
}

func (c *checker) entry() {
	if c.t.Entry == "" { // told already, or a team of a program
		if len(c.ids) > 1 {
			return
		}
		c.fault("", "entry", "", "config.entry_missing", "entry is missing", "name the agent that begins")
		return
	}
	if c.t.Agents[c.t.Entry] == nil && !c.doubt("", "") {
		c.fault("", "entry", "", "config.entry_unknown", fmt.Sprintf("the entry %q is no agent of the team", c.t.Entry), nearest(c.t.Entry, c.ids))
	}
}

// plain finds keys that plain_env would show.
func (c *checker) plain() {
	for _, name := range slices.Sorted(maps.Keys(c.t.Models)) {
		m := c.t.Models[name]
		secrets := map[string]string{"api_key": m.APIKey}
		for h, value := range m.Headers {
			if isSecretHeader(h) {
				secrets["headers."+h] = value
			}
		}
		for _, at := range slices.Sorted(maps.Keys(secrets)) {
			variables, _ := references(secrets[at])
			for _, v := range variables {
				if slices.Contains(c.t.PlainEnv, v) {
					c.fault("", "plain_env", v, "config.plain_secret", fmt.Sprintf("plain_env names %s, which models.%s.%s has for a key", v, name, at), "remove it from plain_env")
				}
			}
		}
	}
}

func (c *checker) agent(p *agent.Profile) {
	id, d := p.ID, &p.Delegation
	say := func(path, item, code, text, mend string) { c.fault(id, path, item, code, "agent "+id+": "+text, mend) }
	if id == "root" && c.t.Entry != "root" {
		say("", "", "config.agent_id", "the id root is for the entry only", "rename the agent")
	}
	if p.Prompt == "" {
		say("prompt", "", "config.missing", "the prompt is empty", "write it as the body of the agent file, or as prompt")
	}
	if name := p.Model; name != "" && name != DefaultModel && c.t.Models[name].Provider == "" {
		names := slices.Sorted(maps.Keys(c.t.Models))
		say("model", "", "config.model_unknown", fmt.Sprintf("there is no model %q; there are %s", name, listed(names)), "name one of these, or PROVIDER/MODEL")
	}
	c.context(p, say)
	if !slices.Contains([]string{"", "live", "status", "quiet"}, p.Presentation) {
		say("presentation", "", "config.value", fmt.Sprintf("presentation is live or status or quiet, not %q", p.Presentation), "")
	}
	if p.Messages != nil && *p.Messages < -1 {
		say("context.messages", "", "config.value", fmt.Sprintf("context.messages is a whole number from -1, not %d", *p.Messages), "write -1 for all")
	}
	uses := d.AsChild || d.AsHandoff
	switch {
	case c.doubt(id, "delegation"):
	case d.Callable && !uses:
		say("delegation.callable", "", "config.callable_without_use", "it is callable, but neither as_child nor as_handoff_target", "say for what it may be called")
	case uses && !d.Callable:
		path := "delegation.as_child"
		if !d.AsChild {
			path = "delegation.as_handoff_target"
		}
		say(path, "", "config.use_without_callable", "it is as_child or as_handoff_target, but not callable", "add callable: true")
	}
	if d.Callable && p.Description == "" && d.Description == "" && !c.doubt(id, "description") && !c.doubt(id, "delegation") {
		say("delegation.callable", "", "config.description_missing", "it is callable and has no description", "say in one line what it is for")
	}
	if d.AllowedCallers != nil && len(d.AllowedCallers) == 0 {
		say("delegation.allowed_callers", "", "config.callers_empty", "allowed_callers is empty, so nobody could call it", "name its callers, or remove callable")
	}
	for _, other := range d.AllowedCallers {
		if other != "*" && c.t.Agents[other] == nil && !c.doubt("", "") {
			say("delegation.allowed_callers", other, "config.caller_unknown", fmt.Sprintf("allowed_callers names %q, which is no agent of the team", other), c.nearest(other))
		}
	}
	if !c.doubt(id, "delegation") {
		c.targets(p, say)
	}
	if d.AllowNested && c.t.Budgets.Depth < 2 && c.t.Budgets.Depth != 0 {
		f := c.where(id, "delegation.allow_nested", "")
		f.Code, f.Text, f.Warning = "config.nested_depth", fmt.Sprintf("agent %s: allow_nested has no effect with budgets.depth below 2", id), true
		c.add(f)
	}
}

// context checks what an agent says of the size of its conversation.
func (c *checker) context(p *agent.Profile, say func(path, item, code, text, mend string)) {
	if name := p.CompactionModel; name != "" && c.t.Models[name].Provider == "" {
		names := slices.Sorted(maps.Keys(c.t.Models))
		say("context.compaction_model", "", "config.model_unknown", fmt.Sprintf("there is no model %q; there are %s", name, listed(names)), "name one of these, or openai/MODEL")
	}
	if p.TurnChars < 0 {
		say("context.turn_chars", "", "config.value", fmt.Sprintf("context.turn_chars is a whole number from 1000, not %d", p.TurnChars), "")
	}
	for _, n := range []struct {
		name        string
		is          float64
		least, most float64
	}{{"history_share", p.HistoryShare, 0.1, 0.9}, {"compact_at", p.CompactAt, 0.3, 0.95}} {
		if n.is != 0 && !(n.is >= n.least && n.is <= n.most) {
			say("context."+n.name, "", "config.value", fmt.Sprintf("context.%s is a number from %g to %g, not %g", n.name, n.least, n.most, n.is), "")
		}
	}
	name := p.Model
	if name == "" {
		name = DefaultModel
	}
	m := c.t.Models[name]
	longest := p.MaxOutput
	if longest == 0 {
		longest = m.MaxOutput
	}
	if m.Window > 0 && longest >= m.Window {
		say("max_output", "", "config.value", fmt.Sprintf("max_output is %d, and the window of model %s has %d tokens for request and answer together", longest, name, m.Window), "lower max_output, or raise window")
	}
}

// targets checks whom an agent names, and that somebody is left to be called.
func (c *checker) targets(p *agent.Profile, say func(path, item, code, text, mend string)) {
	d := &p.Delegation
	good, tell := true, say
	say = func(path, item, code, text, mend string) { good = false; tell(path, item, code, text, mend) }
	for _, other := range d.DenyTargets {
		if other != "*" && c.t.Agents[other] == nil && !c.doubt("", "") {
			say("delegation.deny_targets", other, "config.target_unknown", fmt.Sprintf("deny_targets names %q, which is no agent of the team", other), c.nearest(other))
		}
	}
	for _, other := range d.Targets {
		const path = "delegation.targets"
		target := c.t.Agents[other]
		switch {
		case other == "*":
		case other == "self" || other == p.ID:
			if !d.AllowSelf {
				say(path, other, "config.target_self", "targets names the agent itself", "add allow_self: true")
			}
		case other == "human":
			say(path, other, "config.not_in_this_version", "the target human is not in this version", "remove it")
		case target == nil && c.doubt("", "") || target != nil && c.doubt(other, "delegation"):
		case target == nil:
			say(path, other, "config.target_unknown", fmt.Sprintf("targets names %q, which is no agent of the team", other), c.nearest(other))
		case !target.Delegation.Callable:
			say(path, other, "config.target_not_callable", fmt.Sprintf("targets names %s, which is not callable", other), "add callable: true and as_child: true to it")
		case !admits(&target.Delegation, p.ID):
			say(path, other, "config.target_refuses", fmt.Sprintf("targets names %s, whose allowed_callers do not hold %s", other, p.ID), "add it there")
		}
	}
	if !good || c.doubt("", "") || slices.ContainsFunc(c.ids, func(id string) bool { return c.doubt(id, "delegation") }) {
		return // whom it reaches follows from what it names, and from what was not read
	}
	if d.CanDelegate && !d.AllowSelf && !c.reaches(p, false) {
		say("delegation.can_delegate", "", "config.no_child_target", "it may delegate, but there is no agent that it could give a task", "make another agent callable and as_child, or remove can_delegate")
	}
	if d.CanHandoff && !c.reaches(p, true) {
		say("delegation.can_handoff", "", "config.no_handoff_target", "it may hand over, but there is no agent that could take over", "make another agent callable and as_handoff_target, or remove can_handoff")
	}
}

func admits(d *agent.Delegation, caller string) bool {
	return d.AllowedCallers == nil || slices.Contains(d.AllowedCallers, "*") || slices.Contains(d.AllowedCallers, caller)
}

func (c *checker) reaches(p *agent.Profile, handoff bool) bool {
	caller := p.Defaults()
	return slices.ContainsFunc(c.ids, func(id string) bool {
		target := c.t.Agents[id].Defaults()
		return caller.Delegation.May(p.ID, &target, handoff)
	})
}
