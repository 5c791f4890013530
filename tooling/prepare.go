package tooling

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Kinds of invocations.
const (
	KindRoot    = "root"
	KindChild   = "child"
	KindHandoff = "handoff"
)

// Defaults of the limits of an invocation (identity spec §11, results spec §3–§4,
// arguments spec §9), and of a tool's time.
const (
	DefaultMaxCalls        = 128
	DefaultMaxCallsPerTurn = 32
	DefaultInlineChars     = 50_000
	DefaultTurnChars       = 120_000
	DefaultMaxBadTurns     = 3
	DefaultTimeout         = 10 * time.Minute
)

// Limits bound the calls and results of one invocation. Zero fields take the defaults.
type Limits struct {
	InlineChars     int `json:"inline_chars"`
	MaxBadTurns     int `json:"max_bad_turns"`
	MaxCalls        int `json:"max_calls"`
	MaxCallsPerTurn int `json:"max_calls_per_turn"`
	TurnChars       int `json:"turn_chars"`
}

func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.InlineChars, DefaultInlineChars},
		{&l.MaxBadTurns, DefaultMaxBadTurns},
		{&l.MaxCalls, DefaultMaxCalls},
		{&l.MaxCallsPerTurn, DefaultMaxCallsPerTurn},
		{&l.TurnChars, DefaultTurnChars},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return l
}

// ToolLimit narrows one tool for an invocation. Zero fields change nothing.
type ToolLimit struct {
	MaxCalls int           `json:"calls,omitzero"`
	Timeout  time.Duration `json:"timeout,omitzero"`
}

// PrepareInput is everything that the tool set of an invocation depends on.
type PrepareInput struct {
	Tools []Descriptor // the catalogue; order and repetition of equal inputs have no influence
	Scene string       // "chat" or "session"
	Kind  string       // root, child, handoff

	// Patterns of the profile: full ids, ids that end in "*" after their colon, or bare
	// names of built-ins. A nil Allow selects the tools marked New.
	Allow  []string
	Also   []string // added to what Allow selects, by the runtime
	Deny   []string
	Expose []string

	Denied []string // patterns that authority forbids

	// Has says which conditions hold. Owner and ChildOnly follow from Kind and CanReach
	// from the other two. For a child CanDelegate holds only with nested delegation.
	Has map[Condition]bool

	DepthLimit int // the limit, when depth is what took delegation away; negative: nobody delegates; 0: it did not

	MaxTools   int // what the model takes; 0: no limit
	Limits     Limits
	ToolLimits map[string]ToolLimit // by pattern; the longest that fits a tool counts
}

// Diagnostic says why a tool is not in the set, or what else was noticed.
type Diagnostic struct {
	Code   string `json:"code"`
	Reason string `json:"reason,omitempty"`
	Step   string `json:"step"`
	ToolID string `json:"tool_id"`
}

// Binding is a tool as one invocation has it. It is data: the executor is looked up by
// ID at dispatch.
type Binding struct {
	Again       Again    `json:"again,omitempty"`
	Hash        string   `json:"descriptor_hash"`
	Description string   `json:"description"`
	Effect      Effect   `json:"effect"`
	Exposure    Exposure `json:"exposure"`
	GateKey     string   `json:"gate_key"`
	Schema      rawJSON  `json:"input_schema"`
	MaxCalls    int      `json:"max_calls,omitempty"` // 0: no limit of its own
	Name        string   `json:"model_name"`
	Raw         []string `json:"raw,omitempty"`
	TimeoutMS   int64    `json:"timeout_ms"`
	ID          string   `json:"tool_id"`

	schema *Schema
}

// Timeout is the time one call may take, never 0.
func (b *Binding) Timeout() time.Duration { return time.Duration(b.TimeoutMS) * time.Millisecond }

// Check judges arguments by the frozen schema and gives what the handler reads.
func (b *Binding) Check(o *Object) (*Object, *Invalid) { return b.schema.Check(o, b.Raw) }

// Prepare selects, narrows and names the tools of an invocation. It is a pure function:
// equal inputs in any order give equal results. Errors are load errors: a pattern that
// breaks the grammar (the codes of [ParseID], tool.pattern_invalid), a built-in that is
// not there (tool.not_in_catalog), a profile that touches the completion protocol
// (tool.protocol_violated), built-ins over the model's limit (tool.over_provider_limit).
func Prepare(in PrepareInput) ([]Binding, []Diagnostic, error) {
	p := preparation{in: in}
	if err := p.read(); err != nil {
		return nil, nil, err
	}
	if err := p.selectTools(); err != nil {
		return nil, nil, err
	}
	bindings, err := p.bind()
	return bindings, p.diagnostics, err
}

type preparation struct {
	in          PrepareInput
	tools       []Descriptor // in order
	allow       []string     // patterns as full ids; nil: the tools marked New
	also        []string
	deny        []string
	expose      []string
	denied      []string
	limits      map[string]ToolLimit
	kept        []*Descriptor
	diagnostics []Diagnostic
}

func (p *preparation) note(id, step, code, reason string) {
	p.diagnostics = append(p.diagnostics, Diagnostic{ToolID: id, Step: step, Code: code, Reason: reason})
}

// read orders the catalogue and checks the patterns.
func (p *preparation) read() error {
	switch p.in.Kind {
	case KindRoot, KindChild, KindHandoff:
	default:
		return fault.New("tool.kind_invalid", "an invocation is root, child or handoff").With("prepare tools", p.in.Kind)
	}
	p.tools = slices.Clone(p.in.Tools)
	slices.SortStableFunc(p.tools, func(a, b Descriptor) int { return order(a.ID, b.ID) })
	for _, list := range []struct {
		name string
		from []string
		to   *[]string
	}{
		{"tools.allow", p.in.Allow, &p.allow},
		{"tools.allow", p.in.Also, &p.also},
		{"tools.deny", p.in.Deny, &p.deny},
		{"tools.expose", p.in.Expose, &p.expose},
		{"authority", p.in.Denied, &p.denied},
	} {
		if list.from == nil {
			continue
		}
		*list.to = make([]string, 0, len(list.from))
		for _, text := range list.from {
			pattern, err := p.pattern(text, list.name)
			if err != nil {
				return err
			}
			*list.to = append(*list.to, pattern)
		}
	}
	own := IDFinish
	if p.in.Kind == KindChild {
		own = IDReturn
	}
	for _, pattern := range p.deny {
		if Matches(pattern, own) {
			return fault.New("tool.protocol_violated", "%q denies %s, without which this agent could not end; name the tools to deny one by one",
				pattern, own).With("read tools.deny", pattern)
		}
	}
	p.limits = make(map[string]ToolLimit, len(p.in.ToolLimits))
	for _, name := range slices.Sorted(maps.Keys(p.in.ToolLimits)) {
		limit := p.in.ToolLimits[name]
		if limit.MaxCalls < 0 || limit.Timeout < 0 {
			return fault.New("tool.limit_invalid", "a limit of a tool is above zero").With("read tool limits", name)
		}
		full, err := Pattern(name)
		if err != nil {
			return err
		}
		p.limits[full] = limit
	}
	return nil
}

// limit gives the limits of a tool: those of its id, else of the longest pattern.
func (p *preparation) limit(id string) ToolLimit {
	if l, ok := p.limits[id]; ok {
		return l
	}
	var found ToolLimit
	longest := 0
	for pattern, l := range p.limits {
		if len(pattern) > longest && Matches(pattern, id) {
			found, longest = l, len(pattern)
		}
	}
	return found
}

// pattern gives the full form of a pattern.
func (p *preparation) pattern(text, list string) (string, error) {
	full, err := Pattern(text)
	if err != nil {
		return "", err
	}
	authority := list == "authority"
	if full == IDReturn && !authority {
		return "", fault.New("tool.protocol_violated", "task.return is given to every child and to nobody else; it stands in no list of a profile").
			With("read "+list, text)
	}
	if !strings.HasPrefix(full, sourceBuiltin+":") || authority {
		if list == "tools.allow" && !p.any(full) {
			p.note(full, "allow", "tool.not_in_catalog", "no such tool is there now")
		}
		return full, nil
	}
	known := rank(full) >= 0
	if strings.HasSuffix(full, "*") {
		known = slices.ContainsFunc(table[:], func(e Entry) bool { return Matches(full, e.ID()) })
	}
	if !known {
		natives := make([]string, len(table))
		for i := range table {
			natives[i] = table[i].Native
		}
		name := strings.TrimPrefix(full, sourceBuiltin+":")
		return "", fault.New("tool.not_in_catalog", "there is no built-in tool of this name; the nearest is %s", Nearest(name, natives, 1)[0]).
			With("read "+list, text)
	}
	if list == "tools.allow" && !p.any(full) {
		return "", fault.New("tool.not_in_catalog", "this built-in tool is not in this version or not registered by this program").
			With("read "+list, text)
	}
	return full, nil
}

func (p *preparation) any(pattern string) bool {
	return slices.ContainsFunc(p.tools, func(d Descriptor) bool { return Matches(pattern, d.ID) })
}

// Pattern gives the full form of a pattern of tool ids: a full id, one that ends in "*"
// after at least its source and colon, or a bare name of a built-in.
func Pattern(text string) (string, error) {
	if !strings.Contains(text, ":") && !strings.HasSuffix(text, "*") {
		if text == "" {
			return "", fault.New("tool.id_invalid", "a tool pattern is empty")
		}
		text = builtinID(text)
	}
	before, star := strings.CutSuffix(text, "*")
	if !star {
		id, err := ParseID(text)
		return id.String(), err
	}
	source, _, found := strings.Cut(before, ":")
	if !found || !validSource(source) || strings.Contains(before, "*") {
		return "", fault.New("tool.pattern_invalid", `a pattern with "*" has it once, at the end, after at least the source and its colon, such as builtin:workspace.*`).
			With("read pattern", quoteBounded(text))
	}
	return text, nil
}

// Matches says whether a full pattern of [Pattern] names an id.
func Matches(pattern, id string) bool {
	if before, star := strings.CutSuffix(pattern, "*"); star {
		return strings.HasPrefix(id, before)
	}
	return pattern == id
}

func matchesAny(patterns []string, id string) bool {
	for _, p := range patterns {
		if Matches(p, id) {
			return true
		}
	}
	return false
}

// selectTools applies the steps of identity spec §4. The finishing tools pass by all of
// them: only the completion protocol gives and takes them.
func (p *preparation) selectTools() error {
	var finish, giveBack *Descriptor
	last := ""
	for i := range p.tools {
		d := &p.tools[i]
		if d.ID == last {
			return fault.New("tool.catalog_duplicate_id", "the catalogue holds this id twice").With("prepare tools", d.ID)
		}
		last = d.ID
		switch d.ID {
		case IDFinish:
			finish = d
		case IDReturn:
			giveBack = d
			continue
		}
		if step, code, reason := p.verdict(d); code != "" {
			p.note(d.ID, step, code, reason)
			continue
		}
		p.kept = append(p.kept, d)
	}
	if p.in.Kind == KindChild {
		if giveBack == nil {
			return fault.New("tool.not_in_catalog", "a child cannot end without this tool").With("prepare tools", IDReturn)
		}
		p.kept = append(p.kept, giveBack)
		return p.fit()
	}
	if finish == nil {
		return fault.New("tool.not_in_catalog", "an agent cannot end without this tool").With("prepare tools", IDFinish)
	}
	if giveBack != nil {
		p.note(IDReturn, "protocol", "tool.completion_protocol", "")
	}
	return p.fit()
}

// verdict says at which step a tool is dropped, and why. An empty code keeps it.
func (p *preparation) verdict(d *Descriptor) (step, code, reason string) {
	child := p.in.Kind == KindChild
	if d.ID == IDFinish {
		if child {
			return "protocol", "tool.completion_protocol", ""
		}
		return "", "", ""
	}
	exposed := matchesAny(p.expose, d.ID)
	switch {
	case len(d.Scenes) > 0 && !slices.Contains(d.Scenes, p.in.Scene):
		return "scene", "tool.not_in_scene", ""
	case (d.Exposure == DiagnosticTool || d.Exposure == RuntimeTool) && !exposed:
		return "exposure", "tool.not_exposed", ""
	case d.Exposure == UserTool && !p.allowed(d):
		return "allow", "tool.not_allowed", ""
	case matchesAny(p.deny, d.ID):
		return "deny", "tool.denied", ""
	case matchesAny(p.denied, d.ID):
		return "authority", "tool.not_authorised", ""
	case !p.holds(d.Condition):
		if isDelegation(d.ID) && p.in.DepthLimit != 0 {
			return "conditions", "agent.depth_exhausted", fmt.Sprintf("the depth limit of %d is reached: agents here cannot start agents of their own", max(p.in.DepthLimit, 0))
		}
		if d.ID == IDQuestion {
			return "conditions", "question.no_human", "no human can be reached in this run"
		}
		return "conditions", "tool.condition_unmet", string(d.Condition)
	case child && (d.ID == IDCommit || d.ID == IDHandoff):
		return "protocol", "tool.completion_protocol", ""
	case child && isDelegation(d.ID) && !p.in.Has[CanDelegate]:
		return "protocol", "tool.completion_protocol", ""
	}
	f, err := freeze(d)
	if err != nil {
		return "schema", "tool.schema_invalid", err.Error()
	}
	d.frozen = f
	return "", "", ""
}

func (p *preparation) allowed(d *Descriptor) bool {
	if matchesAny(p.also, d.ID) {
		return true
	}
	if p.allow == nil {
		return d.New
	}
	return matchesAny(p.allow, d.ID)
}

func (p *preparation) holds(c Condition) bool {
	owner := p.in.Kind != KindChild
	switch c {
	case Always:
		return true
	case Owner:
		return owner
	case ChildOnly:
		return !owner
	case CanHandoff:
		return owner && p.in.Has[CanHandoff]
	case CanReach:
		return p.in.Has[CanDelegate] || owner && p.in.Has[CanHandoff]
	}
	return p.in.Has[c]
}

// fit drops external tools from the end of the order until the model takes the rest.
func (p *preparation) fit() error {
	over := len(p.kept) - p.in.MaxTools
	if p.in.MaxTools <= 0 || over <= 0 {
		return nil
	}
	for i := len(p.kept) - 1; i >= 0 && over > 0; i-- {
		id := p.kept[i].ID
		if rank(id) >= 0 {
			continue
		}
		p.note(id, "limit", "tool.over_provider_limit", fmt.Sprintf("the model takes %d tools", p.in.MaxTools))
		p.kept = slices.Delete(p.kept, i, i+1)
		over--
	}
	if over > 0 {
		return fault.New("tool.over_provider_limit", "%d built-in tools are selected and the model takes %d", len(p.kept), p.in.MaxTools).
			With("prepare tools", "")
	}
	return nil
}

// bind names the selected tools and makes their bindings.
func (p *preparation) bind() ([]Binding, error) {
	ids := make([]string, len(p.tools))
	for i := range p.tools {
		ids[i] = p.tools[i].ID
	}
	names := Names(ids)
	bindings := make([]Binding, len(p.kept))
	for i, d := range p.kept {
		f, err := freeze(d)
		if err != nil {
			return nil, err
		}
		limit := p.limit(d.ID)
		timeout := d.Timeout
		if limit.Timeout > 0 {
			timeout = limit.Timeout
		}
		if timeout == 0 {
			timeout = DefaultTimeout
		}
		bindings[i] = Binding{
			ID: d.ID, Name: names[d.ID], Description: lineEnds(d.Description), Schema: rawJSON(f.canon),
			Effect: d.Effect, Again: d.Again, GateKey: d.GateKey, Exposure: d.Exposure, Raw: d.Raw,
			MaxCalls: limit.MaxCalls, TimeoutMS: max(1, timeout.Milliseconds()), Hash: f.hash, schema: f.schema,
		}
	}
	slices.SortFunc(p.diagnostics, func(a, b Diagnostic) int {
		return strings.Compare(a.ToolID+"\x00"+a.Step, b.ToolID+"\x00"+b.Step)
	})
	p.diagnostics = slices.Compact(p.diagnostics)
	return bindings, nil
}

// lineEnds makes every line end a single "\n", and bytes that are not UTF-8 U+FFFD.
func lineEnds(s string) string {
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
