package tooling

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

type flatIn struct {
	City  string `json:"city" desc:"Name of the \"city\"."`
	Days  int    `json:"days,omitempty"`
	Small int8   `json:"small,omitempty"`
	Celsi bool   `json:"celsius,omitempty"`
	skip  int
	Never string `json:"-"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y,omitempty"`
}

type embedded struct {
	Tag string `json:"tag" description:"A tag."`
}

type deepIn struct {
	embedded
	Points []point           `json:"points"`
	Maybe  *int              `json:"maybe"`
	Any    any               `json:"any,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	When   time.Time         `json:"when,omitempty"`
	Count  uint              `json:"count,omitempty"`
	Exact  json.Number       `json:"exact,omitempty"`
	Data   []byte            `json:"data,omitempty"`
}

func TestGoToolSchema(t *testing.T) {
	t.Parallel()
	flat, err := NewGoTool("weather", "Tells the weather.", func(context.Context, flatIn) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	want := `{"additionalProperties":false,"properties":{"celsius":{"type":"boolean"},"city":{"description":"Name of the \"city\".","type":"string"},"days":{"type":"integer"},"small":{"type":"integer"}},"required":["city"],"type":"object"}`
	if string(flat.Schema) != want {
		t.Errorf("schema %s", flat.Schema)
	}
	if flat.ID != "extension/go:weather" || flat.Effect != (Effect{Class: Write}) || flat.Again != AgainNo || flat.GateKey != SourceGo || !flat.New {
		t.Errorf("descriptor %+v", flat.Descriptor)
	}
	deep, err := NewGoTool("deep", "", func(context.Context, deepIn) (string, error) { return "", nil },
		ReadOnly(), Idempotent(), Timeout(time.Second), Gate(""), Raw("tag"))
	if err != nil {
		t.Fatal(err)
	}
	want = `{"additionalProperties":false,"properties":{"any":{},"count":{"minimum":0,"type":"integer"},"data":{"description":"Bytes as base64.","type":"string"},"exact":{"type":"number"},"labels":{"additionalProperties":{"type":"string"},"type":"object"},"maybe":{"type":"integer"},"points":{"items":{"additionalProperties":false,"properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"],"type":"object"},"type":"array"},"tag":{"description":"A tag.","type":"string"},"when":{"description":"A time as in 2030-01-31T09:00:00Z.","type":"string"}},"required":["tag","points"],"type":"object"}`
	if string(deep.Schema) != want {
		t.Errorf("schema %s", deep.Schema)
	}
	if deep.Effect != (Effect{Class: Read, Idempotent: true}) || deep.Again != AgainYes || deep.GateKey != "" || deep.Timeout != time.Second || deep.Raw[0] != "tag" {
		t.Errorf("descriptor %+v", deep.Descriptor)
	}
	if _, err := NewCatalogue(flat, deep); err != nil {
		t.Error(err)
	}
}

// run checks arguments as the gate does and calls the tool.
func run(t *testing.T, made Tool, w string) Result {
	t.Helper()
	checked, invalid := compiled(t, string(made.Schema)).Check(read(t, w), made.Raw)
	if invalid != nil {
		return invalid.Result()
	}
	return made.Handle(t.Context(), &Call{Args: checked})
}

func TestGoToolRuns(t *testing.T) {
	t.Parallel()
	flat, err := NewGoTool("flat", "", func(_ context.Context, in flatIn) (flatIn, error) {
		if in.skip != 0 || in.Never != "" {
			return in, errors.New("a field that JSON does not have was set")
		}
		return in, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	deep, err := NewGoTool("deep", "", func(_ context.Context, in deepIn) (map[string]any, error) {
		n, _ := in.Any.(json.Number)
		return map[string]any{"any": n, "points": in.Points, "maybe": in.Maybe, "exact": in.Exact, "count": in.Count}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	failing, err := NewGoTool("failing", "", func(_ context.Context, in flatIn) (string, error) {
		if in.Days == 1 {
			return "", fault.New("weather.unknown_city", "no such city")
		}
		return "", errors.New("down")
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := NewGoTool("text", "", func(_ context.Context, in flatIn) (string, error) { return in.City, nil }, Raw("city"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := NewGoTool("whole", "", func(context.Context, struct{}) (Result, error) { return Fail("a.b", "c"), nil })
	if err != nil {
		t.Fatal(err)
	}
	odd, err := NewGoTool("odd", "", func(context.Context, struct{}) (any, error) { return func() {}, nil })
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name    string
		tool    Tool
		w       string
		code    string
		content string
	}{
		{"flat", flat, `{"city":" Bern ","days":3.0,"celsius":true}`, "", `{"city":"Bern","days":3,"celsius":true}`},
		{"flat, options absent", flat, `{"city":"\u00e4","days":null}`, "", `{"city":"ä"}`},
		{"flat, too large for its type", flat, `{"city":"x","small":300}`, CodeInvalidArguments, "small is too large"},
		{"flat, unknown", flat, `{"city":"x","town":1}`, CodeInvalidArguments, "town"},
		{"raw", text, `{"city":" Bern "}`, "", ` Bern `},
		{"numbers are exact", deep, `{"tag":"x","points":[{"x":1.5},{"x":2,"y":3}],"any":9007199254740993,"exact":123456789012345678901234567890,"count":18e0}`, "", `{"any":9007199254740993,"count":18,"exact":123456789012345678901234567890,"maybe":null,"points":[{"x":1.5},{"x":2,"y":3}]}`},
		{"a value its type refuses", deep, `{"tag":"x","points":[],"when":"noon"}`, CodeInvalidArguments, "values that fit"},
		{"typed error", failing, `{"city":"x","days":1}`, "weather.unknown_city", "no such city"},
		{"other error", failing, `{"city":"x"}`, "tool.failed", "down"},
		{"a result as it is", whole, `{}`, "a.b", "c"},
		{"a result that does not encode", odd, `{}`, "tool.failed", "does not encode"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, r.tool, r.w)
			if got.Code != r.code || r.code == "" && got.Content != r.content || !strings.Contains(got.Content, r.content) {
				t.Errorf("code %q content %q, want %q %q", got.Code, got.Content, r.code, r.content)
			}
		})
	}
}
