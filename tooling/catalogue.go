package tooling

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Catalogue is the set of tools of the moment, in order: built-ins as in the table of
// the specification, then all others by the bytes of their ids. It is immutable and safe
// for concurrent use.
type Catalogue struct {
	tools       []Tool
	descriptors []Descriptor
	index       map[string]int
}

// frozen is what is made of a descriptor once.
type frozen struct {
	canon  json.RawMessage // canonical schema
	schema *Schema
	hash   string // of id and schema
}

// NewCatalogue makes a catalogue. The order of the tools given has no influence. Errors:
// those of [ParseID], tool.catalog_duplicate_id, tool.schema_invalid, and
// tool.descriptor_invalid for a descriptor that contradicts itself.
func NewCatalogue(tools ...Tool) (*Catalogue, error) {
	c := &Catalogue{tools: slices.Clone(tools), index: make(map[string]int, len(tools))}
	slices.SortStableFunc(c.tools, func(a, b Tool) int { return order(a.ID, b.ID) })
	for i := range c.tools {
		t := &c.tools[i]
		if err := t.validate(); err != nil {
			return nil, err
		}
		if _, twice := c.index[t.ID]; twice {
			return nil, fault.New("tool.catalog_duplicate_id", "a tool of this id is registered already").With("register tool", t.ID)
		}
		f, err := freeze(&t.Descriptor)
		if err != nil {
			return nil, err
		}
		t.frozen, t.Schema = f, f.canon
		c.index[t.ID] = i
		c.descriptors = append(c.descriptors, t.Descriptor)
	}
	return c, nil
}

// With gives a catalogue that also holds the tools given.
func (c *Catalogue) With(tools ...Tool) (*Catalogue, error) {
	return NewCatalogue(append(slices.Clone(c.tools), tools...)...)
}

// Lookup finds a tool by its id.
func (c *Catalogue) Lookup(id string) (*Tool, bool) {
	i, ok := c.index[id]
	if !ok {
		return nil, false
	}
	return &c.tools[i], true
}

// Find is Lookup with an error: those of [ParseID], or tool.not_in_catalog with the
// nearest id.
func (c *Catalogue) Find(id string) (*Tool, error) {
	if t, ok := c.Lookup(id); ok {
		return t, nil
	}
	if _, err := ParseID(id); err != nil {
		return nil, err
	}
	e := fault.New("tool.not_in_catalog", "there is no such tool").With("look up tool", id)
	if near := Nearest(id, c.ids(), 1); len(near) > 0 {
		e.Detail += "; the nearest is " + near[0]
	}
	return nil, e
}

// Tools gives the tools in order. The slice must not be changed.
func (c *Catalogue) Tools() []Tool { return c.tools }

// Descriptors gives the descriptors in order. The slice must not be changed.
func (c *Catalogue) Descriptors() []Descriptor { return c.descriptors }

func (c *Catalogue) ids() []string {
	ids := make([]string, len(c.tools))
	for i := range c.tools {
		ids[i] = c.tools[i].ID
	}
	return ids
}

// order compares two ids: built-ins by the table, then others by bytes.
func order(a, b string) int {
	builtinA, builtinB := strings.HasPrefix(a, sourceBuiltin+":"), strings.HasPrefix(b, sourceBuiltin+":")
	switch {
	case builtinA && !builtinB:
		return -1
	case builtinB && !builtinA:
		return 1
	case builtinA:
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// validate checks what a descriptor must be for the rest of the runtime.
func (t *Tool) validate() error {
	id, err := ParseID(t.ID)
	if err != nil {
		return err
	}
	bad := func(format string, args ...any) error {
		return fault.New("tool.descriptor_invalid", format, args...).With("register tool", t.ID)
	}
	switch {
	case id.IsBuiltin() && rank(t.ID) < 0:
		return bad("no built-in of this name is in the table")
	case t.Effect.Class != None && t.Effect.Class != Read && t.Effect.Class != Write:
		return bad("the effect class %q is not none, read or write", t.Effect.Class)
	case t.Again != "" && t.Again != AgainYes && t.Again != AgainAppend && t.Again != AgainNo && t.Again != AgainProbe:
		return bad("%q is not one of yes, append, no, probe", t.Again)
	case t.Exposure != UserTool && t.Exposure != SystemTool && t.Exposure != DiagnosticTool && t.Exposure != RuntimeTool:
		return bad("the exposure %q is unknown", t.Exposure)
	case t.Timeout < 0:
		return bad("the timeout is negative")
	case id.IsBuiltin() && table[rank(t.ID)].Exposure != t.Exposure:
		return bad("the exposure %s is not that of the table, %s", t.Exposure, table[rank(t.ID)].Exposure)
	case t.Handle == nil && t.Effect.Class == Write:
		return bad("a tool of class write needs a handler")
	}
	return nil
}

// freeze makes the shared form of a descriptor, or gives the one that is there.
func freeze(d *Descriptor) (*frozen, error) {
	if d.frozen != nil {
		return d.frozen, nil
	}
	canon, err := Canonical(string(d.Schema))
	if err != nil {
		return nil, fault.Wrap(err, "tool.schema_invalid", "the input schema is not JSON").With("register tool", d.ID)
	}
	schema, err := compileFor(d.ID, json.RawMessage(canon))
	if err != nil {
		return nil, err
	}
	f := &frozen{canon: json.RawMessage(canon), schema: schema}
	f.hash = digest(d.ID + "\x00" + canon)
	return f, nil
}

// compileFor compiles a schema as its source asks: closed and judged whole for built-ins
// and tools of the embedding program, the top level only for others.
func compileFor(id string, canon json.RawMessage) (*Schema, error) {
	if strings.HasPrefix(id, sourceBuiltin+":") || strings.HasPrefix(id, SourceGo+":") {
		s, err := CompileSchema(canon)
		if err != nil {
			return nil, fault.Wrap(err, "tool.schema_invalid", "the input schema does not compile").With("register tool", id)
		}
		return s, nil
	}
	s, err := CompileExternal(canon)
	if err != nil {
		return nil, fault.Wrap(err, "tool.schema_invalid", "the input schema does not compile").With("register tool", id)
	}
	return s, nil
}
