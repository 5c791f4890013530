package tooling

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// SnapshotVersion is the format version that is written.
const SnapshotVersion = 1

// PolicyReserve is the one conflict policy of this version (identity spec §8).
const PolicyReserve = "reserve"

type rawJSON = json.RawMessage

// Snapshot is the frozen tool set of an invocation. It is data only, immutable, and safe
// for concurrent use.
type Snapshot struct {
	Bindings      []Binding    `json:"bindings"`
	CatalogueHash string       `json:"catalogue_hash"`
	Diagnostics   []Diagnostic `json:"diagnostics"`
	Hash          string       `json:"hash,omitempty"` // of the rest, encoded without it
	ID            string       `json:"id"`             // the invocation's path
	Limits        Limits       `json:"limits"`
	Policy        string       `json:"policy"`
	Scene         string       `json:"scene"`
	Version       int          `json:"version"`

	made *derived
}

// derived is what is computed of a snapshot once and shared by its copies.
type derived struct {
	byName   map[string]int
	byID     map[string]int
	names    []string
	defs     []model.ToolDef
	defsHash string
}

// Freeze prepares the tools of an invocation and freezes them. Errors are those of
// [Prepare], and tool.snapshot_invalid for a limit below zero.
func Freeze(id string, in PrepareInput) (*Snapshot, error) {
	bindings, diagnostics, err := Prepare(in)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{
		Version: SnapshotVersion, ID: id, Policy: PolicyReserve, Scene: in.Scene,
		CatalogueHash: catalogueHash(in.Tools), Bindings: bindings, Diagnostics: diagnostics,
		Limits: in.Limits.orDefault(),
	}
	if s.Diagnostics == nil {
		s.Diagnostics = []Diagnostic{}
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	if err := s.derive(); err != nil {
		return nil, err
	}
	return s, s.sign()
}

// catalogueHash is over ids and schemas in the order of the catalogue.
func catalogueHash(tools []Descriptor) string {
	p := preparation{in: PrepareInput{Tools: tools, Kind: KindRoot}}
	_ = p.read() // without patterns nothing can be wrong
	var b strings.Builder
	for i := range p.tools {
		b.WriteString(p.tools[i].ID)
		b.WriteByte(0)
		if f, err := freeze(&p.tools[i]); err == nil {
			b.WriteString(f.hash)
		}
		b.WriteByte(0)
	}
	return digest(b.String())
}

// WithID gives the snapshot of another invocation that was prepared from equal inputs.
// Bindings and everything derived of them are shared.
func (s *Snapshot) WithID(id string) (*Snapshot, error) {
	t := *s
	t.ID = id
	if err := t.validate(); err != nil {
		return nil, err
	}
	return &t, t.sign()
}

// sign sets the hash.
func (s *Snapshot) sign() error {
	s.Hash = ""
	text, err := s.encode()
	if err != nil {
		return err
	}
	s.Hash = digest(text)
	return nil
}

// Encode gives the snapshot as canonical JSON. Equal snapshots give equal bytes.
func (s *Snapshot) Encode() (string, error) { return s.encode() }

func (s *Snapshot) encode() (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", fault.Wrap(err, "tool.snapshot_invalid", "the snapshot does not encode").With("encode snapshot", s.ID)
	}
	text, err := Canonical(b.String())
	if err != nil {
		return "", fault.Wrap(err, "tool.snapshot_invalid", "the snapshot does not encode").With("encode snapshot", s.ID)
	}
	return text, nil
}

// DecodeSnapshot restores a snapshot. It is strict: tool.snapshot_version for a version
// it does not know, tool.snapshot_invalid for an unknown field, a broken invariant, a
// wrong hash or any other difference from what [Snapshot.Encode] writes.
func DecodeSnapshot(text string) (*Snapshot, error) {
	invalid := func(cause error, format string, args ...any) error {
		return fault.Wrap(cause, "tool.snapshot_invalid", format, args...).With("restore snapshot", "")
	}
	canon, err := compact(text)
	if err != nil {
		return nil, invalid(err, "it is not one JSON value")
	}
	if kindOf(canon) != kindObject {
		return nil, invalid(nil, "it is not an object")
	}
	if v, ok := object(canon).Int("version"); !ok || v != SnapshotVersion {
		raw, _ := object(canon).Raw("version")
		return nil, fault.New("tool.snapshot_version", "field version is %s; this program reads version %d",
			orNone(string(raw)), SnapshotVersion).With("restore snapshot", "")
	}
	s := new(Snapshot)
	d := json.NewDecoder(strings.NewReader(canon))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, invalid(err, "it has a field that is unknown or of another type")
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	hash := s.Hash
	if err := s.sign(); err != nil {
		return nil, err
	}
	if hash != s.Hash {
		return nil, invalid(nil, "field hash does not fit the content")
	}
	if again, err := s.encode(); err != nil || again != text {
		return nil, invalid(err, "its text is not the canonical form")
	}
	if err := s.derive(); err != nil {
		return nil, err
	}
	return s, nil
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return head(s, maxValue)
}

// validate checks the invariants; errors name the field.
func (s *Snapshot) validate() error {
	bad := func(field, format string, args ...any) error {
		e := fault.New("tool.snapshot_invalid", format, args...)
		e.Detail = "field " + field + ": " + e.Detail
		return e.With("check snapshot", s.ID)
	}
	if s.ID == "" {
		return bad("id", "is empty")
	}
	if s.Policy != PolicyReserve {
		return bad("policy", "%q is not %s", s.Policy, PolicyReserve)
	}
	l := s.Limits
	for _, f := range []struct {
		name  string
		value int
	}{
		{"inline_chars", l.InlineChars},
		{"max_bad_turns", l.MaxBadTurns},
		{"max_calls", l.MaxCalls},
		{"max_calls_per_turn", l.MaxCallsPerTurn},
		{"turn_chars", l.TurnChars},
	} {
		if f.value <= 0 {
			return bad("limits."+f.name, "is %d and must be above zero", f.value)
		}
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for i := range s.Bindings {
		b := &s.Bindings[i]
		field := "bindings[" + strconv.Itoa(i) + "]"
		if _, err := ParseID(b.ID); err != nil {
			return fault.Wrap(err, "tool.snapshot_invalid", "field %s.tool_id", field).With("check snapshot", s.ID)
		}
		lower := strings.ToLower(b.Name)
		switch {
		case ids[b.ID]:
			return bad(field+".tool_id", "%s occurs twice", b.ID)
		case !ValidName(b.Name):
			return bad(field+".model_name", "%q breaks the grammar", head(b.Name, maxValue))
		case names[lower]:
			return bad(field+".model_name", "%s occurs twice, case ignored", b.Name)
		case b.MaxCalls < 0:
			return bad(field+".max_calls", "is %d and must be above zero", b.MaxCalls)
		case b.TimeoutMS <= 0:
			return bad(field+".timeout_ms", "is %d and must be above zero", b.TimeoutMS)
		case b.ID == IDReturn && i != len(s.Bindings)-1:
			return bad(field+".tool_id", "%s is not the last", b.ID)
		case i > 0 && b.ID != IDReturn && order(s.Bindings[i-1].ID, b.ID) > 0:
			return bad(field+".tool_id", "%s is out of order", b.ID)
		}
		ids[b.ID], names[lower] = true, true
	}
	return nil
}

// derive compiles schemas that a decoded snapshot lacks and makes the look-ups.
func (s *Snapshot) derive() error {
	m := &derived{
		byName: make(map[string]int, len(s.Bindings)),
		byID:   make(map[string]int, len(s.Bindings)),
		defs:   make([]model.ToolDef, len(s.Bindings)),
	}
	var b strings.Builder
	for i := range s.Bindings {
		t := &s.Bindings[i]
		if t.schema == nil {
			schema, err := compileFor(t.ID, t.Schema)
			if err != nil {
				return fault.Wrap(err, "tool.snapshot_invalid", "field bindings[%d].input_schema", i).With("restore snapshot", s.ID)
			}
			t.schema = schema
		}
		m.byName[t.Name], m.byID[t.ID] = i, i
		m.names = append(m.names, t.Name)
		m.defs[i] = model.ToolDef{ID: t.ID, Name: t.Name, Description: t.Description, Schema: t.Schema}
		for _, part := range []string{t.ID, t.Name, t.Description, string(t.Schema)} {
			b.WriteString(part)
			b.WriteByte(0)
		}
	}
	m.defsHash = digest(b.String())
	s.made = m
	return nil
}

// Lookup finds a binding by model name, exact bytes.
func (s *Snapshot) Lookup(name string) (*Binding, bool) { return s.binding(s.made.byName, name) }

// ByID finds a binding by tool id.
func (s *Snapshot) ByID(id string) (*Binding, bool) { return s.binding(s.made.byID, id) }

func (s *Snapshot) binding(m map[string]int, key string) (*Binding, bool) {
	i, ok := m[key]
	if !ok {
		return nil, false
	}
	return &s.Bindings[i], true
}

// Defs gives the definitions for model requests, always the same slice. It must not be
// changed.
func (s *Snapshot) Defs() []model.ToolDef { return s.made.defs }

// DefsHash is a hash of [Snapshot.Defs], for caching an encoded form.
func (s *Snapshot) DefsHash() string { return s.made.defsHash }

// NameOf gives the model name of a tool, or "" when the invocation does not have it.
func (s *Snapshot) NameOf(id string) string {
	if b, ok := s.ByID(id); ok {
		return b.Name
	}
	return ""
}
