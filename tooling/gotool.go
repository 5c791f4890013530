package tooling

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// GoOption changes a tool made by [NewGoTool].
type GoOption func(*Tool)

// ReadOnly says that the tool changes nothing: it runs beside other readers and is run
// again after a crash.
func ReadOnly() GoOption {
	return func(t *Tool) { t.Effect.Class, t.Again = Read, AgainYes }
}

// Idempotent says that repeating a call with the same key is harmless, so that it is run
// again when its end was not seen.
func Idempotent() GoOption {
	return func(t *Tool) { t.Effect.Idempotent, t.Again = true, AgainYes }
}

// Timeout is the time one call may take; the default is 10 minutes.
func Timeout(d time.Duration) GoOption { return func(t *Tool) { t.Timeout = d } }

// Gate sets the key on which writers wait for each other; the default is one key for all
// Go tools, and "" means that calls never wait.
func Gate(key string) GoOption { return func(t *Tool) { t.GateKey = key } }

// Scenes narrows the tool to runs of these scenes, "chat" and "session"; the default is all.
func Scenes(names ...string) GoOption {
	return func(t *Tool) { t.Scenes = append(t.Scenes, names...) }
}

// Raw names string parameters that keep their outer white space.
func Raw(names ...string) GoOption {
	return func(t *Tool) { t.Raw = append(t.Raw, names...) }
}

// NewGoTool makes a tool of the embedding program, with the id "extension/go:" + name.
// The input schema is derived from In, a struct: names by json tags, descriptions by desc
// tags, required unless omitempty or a pointer. Unknown parameters are refused before fn
// runs. What fn returns is the result: a string as it is, a [Result] whole, anything else
// as JSON. An error is a result the model reads: its code when it is a *fault.Error,
// else tool.failed. Unless options say otherwise the tool is of class write and not
// idempotent. fn may be called concurrently when it is read only.
//
// Errors: those of [ParseID], tool.schema_invalid for a type that has no schema, and
// tool.descriptor_invalid for a nil function or option and for options that contradict
// each other.
func NewGoTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error), options ...GoOption) (Tool, error) {
	id, err := ParseID(SourceGo + ":" + name)
	if err != nil {
		return Tool{}, err
	}
	bad := func(text string) (Tool, error) {
		return Tool{}, fault.New("tool.descriptor_invalid", "%s", text).With("make tool", id.String())
	}
	if fn == nil {
		return bad("its function is nil")
	}
	in := reflect.TypeFor[In]()
	schema, err := schemaOf(in)
	if err != nil {
		return Tool{}, fault.Wrap(err, "tool.schema_invalid", "the input type has no schema").With("make tool", id.String())
	}
	t := Tool{Descriptor: Descriptor{
		ID: id.String(), Description: description, Schema: schema, Effect: Effect{Class: Write}, Again: AgainNo,
		GateKey: SourceGo, Exposure: UserTool, New: true,
	}}
	decode := decoderOf(in)
	t.Handle = func(ctx context.Context, c *Call) Result {
		var v In
		if err := decode(c.Args, &v); err != nil {
			return (&Invalid{Reason: ReasonWrongValue, Expected: "values that fit the tool's types (" + err.Error() + ")"}).Result()
		}
		out, err := fn(keyed{ctx, c.Key}, v)
		if err != nil {
			return errorResult(err)
		}
		return valueResult(any(out))
	}
	for _, o := range options {
		if o == nil {
			return bad("one of its options is nil, or a probe without a function")
		}
		o(&t)
	}
	if t.probe != nil {
		if t.Effect != (Effect{Class: Write}) {
			return bad("a probe is for a tool that writes and is not idempotent: any other is run again")
		}
		t.Again, t.Handle = AgainProbe, probed(t.probe, t.Handle)
	}
	for _, s := range t.Scenes {
		if s != "chat" && s != "session" {
			return bad("there is no scene " + quoteBounded(s) + "; there are chat and session")
		}
	}
	if err := t.validate(); err != nil {
		return Tool{}, err
	}
	if _, err := freeze(&t.Descriptor); err != nil {
		return Tool{}, err
	}
	return t, nil
}

// keyed is the context of one call.
type keyed struct {
	context.Context
	key string
}

type keyOf struct{}

// Value implements [context.Context].
func (k keyed) Value(key any) any {
	if key == (keyOf{}) {
		return k.key
	}
	return k.Context.Value(key)
}

// CallKey gives the key of the call whose function runs with ctx: equal for every attempt
// of this call and unique else, so that the outside world can be asked to do it once. ""
// when ctx is not that of a call.
func CallKey(ctx context.Context) string {
	key, _ := ctx.Value(keyOf{}).(string)
	return key
}

func errorResult(err error) Result {
	var f *fault.Error
	if errors.As(err, &f) && f.Code != "" {
		text := f.Detail
		if text == "" {
			text = f.Error()
		}
		return Fail(f.Code, text)
	}
	return Fail("tool.failed", err.Error())
}

func valueResult(out any) Result {
	switch v := out.(type) {
	case nil:
		return Result{}
	case string:
		return Result{Content: v}
	case Result:
		return v
	}
	b, err := json.Marshal(out)
	if err != nil {
		return Fail("tool.failed", "the tool's result does not encode: "+err.Error())
	}
	return Result{Content: string(b), Structured: json.RawMessage(b)}
}

// decodeFunc fills the pointer to an input value.
type decodeFunc func(o *Object, into any) error

// decoderOf chooses the way to read a type. A struct of plain strings, numbers of whole
// value and booleans is filled member by member; everything else goes through JSON, with
// number texts kept in values of type any.
func decoderOf(t reflect.Type) decodeFunc {
	if fields, ok := flatFields(t); ok {
		return func(o *Object, into any) error { return fillFlat(o, reflect.ValueOf(into).Elem(), fields) }
	}
	return func(o *Object, into any) error {
		d := json.NewDecoder(strings.NewReader(o.Canonical()))
		d.UseNumber()
		return d.Decode(into)
	}
}

type flatField struct {
	index int
	name  string
	kind  reflect.Kind
}

func flatFields(t reflect.Type) ([]flatField, bool) {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return nil, false
	}
	var fields []flatField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, use := fieldName(f)
		if !use {
			continue
		}
		if f.Anonymous || decodesItself(f.Type) || strings.Contains(options, "string") {
			return nil, false
		}
		switch k := f.Type.Kind(); k {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			fields = append(fields, flatField{i, name, k})
		default:
			return nil, false
		}
	}
	return fields, true
}

func fillFlat(o *Object, v reflect.Value, fields []flatField) error {
	for _, f := range fields {
		switch f.kind {
		case reflect.String:
			if s, ok := o.String(f.name); ok {
				v.Field(f.index).SetString(s)
			}
		case reflect.Bool:
			if b, ok := o.Bool(f.name); ok {
				v.Field(f.index).SetBool(b)
			}
		default:
			n, ok := o.Int(f.name)
			if !ok {
				continue
			}
			if v.Field(f.index).OverflowInt(n) {
				return fault.New("tool.value_overflow", "%s is too large", f.name)
			}
			v.Field(f.index).SetInt(n)
		}
	}
	return nil
}
