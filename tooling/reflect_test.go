package tooling

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Types of the tests below.
type (
	loop     struct{ Next *loop }
	loopList struct {
		Name string
		Kids []loopList `json:"kids"`
	}
	loopMap struct {
		Deep struct{ By map[string]*loopMap }
	}
	selfEmbed struct{ *selfEmbed }
	base      struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	Outer struct {
		Extra int `json:"extra"`
	}
	withBase struct {
		base
		*Outer
		Name int `json:"name"`
	}
	twin     struct{ A, B twinPart }
	twinPart struct{ X int }
	color    string
	hidden   struct{ X int }
)

// The schema of one field, by what its type and tags are.
func TestFieldSchemas(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		in   any
		want string // schema of the properties
	}{
		{"string", struct{ A string }{}, `{"A":{"type":"string"}}`},
		{"named string", struct{ A color }{}, `{"A":{"type":"string"}}`},
		{"pointer to pointer", struct{ A **int }{}, `{"A":{"type":"integer"}}`},
		{"unsigned", struct{ A uint8 }{}, `{"A":{"minimum":0,"type":"integer"}}`},
		{"list of lists", struct{ A [][]bool }{}, `{"A":{"items":{"items":{"type":"boolean"},"type":"array"},"type":"array"}}`},
		{"map of structs", struct{ A map[string]base }{}, `{"A":{"additionalProperties":{"additionalProperties":false,"properties":{"id":{"type":"string"},"name":{"type":"string"}},"required":["id","name"],"type":"object"},"type":"object"}}`},
		{"map with named keys", struct{ A map[color]int }{}, `{"A":{"additionalProperties":{"type":"integer"},"type":"object"}}`},
		{"a type twice, not within itself", twin{}, `{"A":{"additionalProperties":false,"properties":{"X":{"type":"integer"}},"required":["X"],"type":"object"},"B":{"additionalProperties":false,"properties":{"X":{"type":"integer"}},"required":["X"],"type":"object"}}`},
		{"time", struct{ A time.Time }{}, `{"A":{"description":"A time as in 2030-01-31T09:00:00Z.","type":"string"}}`},
		{"duration", struct{ A time.Duration }{}, `{"A":{"description":"A duration in nanoseconds.","type":"integer"}}`},
		{"raw", struct{ A json.RawMessage }{}, `{"A":{}}`},
		{"any", struct{ A any }{}, `{"A":{}}`},
		{"left out", struct {
			A int `json:"-"`
			B int
			c int
		}{}, `{"B":{"type":"integer"}}`},
		{"number as text", struct {
			A int `json:",string"`
		}{}, `{"A":{"type":"string"}}`},
		{"description wins over the form", struct {
			A time.Time `desc:"When <it> began."`
		}{}, `{"A":{"description":"When <it> began.","type":"string"}}`},
		{"enum", struct {
			A color `enum:"red|light blue"`
		}{}, `{"A":{"enum":["red","light blue"],"type":"string"}}`},
		{"enum of numbers", struct {
			A int `enum:"1|2|40"`
		}{}, `{"A":{"enum":[1,2,40],"type":"integer"}}`},
		{"enum of a list", struct {
			A []color `enum:"red|blue" min:"1" max:"2"`
		}{}, `{"A":{"items":{"enum":["red","blue"],"type":"string"},"maxItems":2,"minItems":1,"type":"array"}}`},
		{"bounds of a number", struct {
			A float64 `min:"-0.5" max:"1e3"`
		}{}, `{"A":{"maximum":1e3,"minimum":-0.5,"type":"number"}}`},
		{"bounds of an unsigned number", struct {
			A uint `min:"3"`
		}{}, `{"A":{"minimum":3,"type":"integer"}}`},
		{"bounds of a text", struct {
			A string `min:"1" max:"20"`
		}{}, `{"A":{"maxLength":20,"minLength":1,"type":"string"}}`},
		{"embedded, the outer name wins", withBase{}, `{"extra":{"type":"integer"},"id":{"type":"string"},"name":{"type":"integer"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, err := schemaOf(reflect.TypeOf(row.in))
			if err != nil {
				t.Fatal(err)
			}
			var got struct{ Properties json.RawMessage }
			if err := json.Unmarshal(s, &got); err != nil || string(got.Properties) != row.want {
				t.Errorf("got  %s\nwant %s\n%v", got.Properties, row.want, err)
			}
			if _, err := CompileSchema(s); err != nil {
				t.Error(err)
			}
		})
	}
}

// What is optional: pointers, what may be left out, and all of an embedded pointer.
func TestRequiredFields(t *testing.T) {
	t.Parallel()
	s, err := schemaOf(reflect.TypeFor[withBase]())
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Required []string }
	if err := json.Unmarshal(s, &got); err != nil || strings.Join(got.Required, " ") != "id name" {
		t.Errorf("required %q, %v", got.Required, err)
	}
}

// What has no schema says where, what and the mend.
func TestNoSchema(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		in   reflect.Type
		want []string
	}{
		{"no struct", reflect.TypeFor[string](), []string{"is a struct, not string"}},
		{"pointer", reflect.TypeFor[*base](), []string{"is a struct, not *tooling.base"}},
		{"time", reflect.TypeFor[time.Time](), []string{"is a struct, not time.Time"}},
		{"recursion", reflect.TypeFor[loop](), []string{"field Next", "tooling.loop contains itself", "json.RawMessage"}},
		{"recursion through a list", reflect.TypeFor[loopList](), []string{"field kids[]", "contains itself"}},
		{"recursion through a map", reflect.TypeFor[loopMap](), []string{"field Deep.By{}", "contains itself"}},
		{"embeds itself", reflect.TypeFor[selfEmbed](), []string{"cannot be filled"}},
		{"channel", reflect.TypeFor[struct{ C chan int }](), []string{"field C", "chan int has no JSON schema"}},
		{"function in a list", reflect.TypeFor[struct{ L []func() }](), []string{"field L[]", "func() has no"}},
		{"interface", reflect.TypeFor[struct{ E error }](), []string{"field E", "error"}},
		{"keys", reflect.TypeFor[struct{ M map[int]string }](), []string{"field M", "not strings"}},
		{"two of a name", reflect.TypeFor[struct {
			twinPart
			hidden
		}](), []string{"field X", "two fields"}},
		{"unexported pointer", reflect.TypeFor[struct{ *hidden }](), []string{"field hidden", "embed it by value"}},
		{"enum word", reflect.TypeFor[struct {
			A string `enum:"a||b"`
		}](), []string{"field A", "empty word"}},
		{"enum number", reflect.TypeFor[struct {
			A int `enum:"1|two"`
		}](), []string{`"two"`, "no number"}},
		{"enum of a boolean", reflect.TypeFor[struct {
			A bool `enum:"true"`
		}](), []string{"field A", "enum is for"}},
		{"bound of a map", reflect.TypeFor[struct {
			A map[string]int `min:"1"`
		}](), []string{"field A", "min is for"}},
		{"bound that is none", reflect.TypeFor[struct {
			A int `max:"many"`
		}](), []string{"field A", `max holds "many"`}},
		{"length below zero", reflect.TypeFor[struct {
			A string `min:"-1"`
		}](), []string{"field A", `min holds "-1"`}},
		{"length with a zero in front", reflect.TypeFor[struct {
			A string `min:"01"`
		}](), []string{`min holds "01"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := schemaOf(row.in)
			if fault.Code(err) != "tool.schema_invalid" {
				t.Fatalf("got %v", err)
			}
			for _, w := range row.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is missing in: %v", w, err)
				}
			}
		})
	}
}

// A tool that cannot be made is an error and no panic.
func TestGoToolRefuses(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, flatIn) (string, error) { return "", nil }
	never := func(context.Context, string) (Happened, error) { return NotDone, nil }
	for _, row := range []struct {
		name    string
		tool    string
		fn      func(context.Context, flatIn) (string, error)
		options []GoOption
		code    string
		want    string
	}{
		{"empty name", "", fn, nil, "tool.native_name_empty", ""},
		{"name with a line break", "a\nb", fn, nil, "tool.native_name_invalid", ""},
		{"nil function", "x", nil, nil, "tool.descriptor_invalid", "function is nil"},
		{"nil option", "x", fn, []GoOption{nil}, "tool.descriptor_invalid", "option"},
		{"probe without a function", "x", fn, []GoOption{Probe(nil)}, "tool.descriptor_invalid", "option"},
		{"timeout below zero", "x", fn, []GoOption{Timeout(-1)}, "tool.descriptor_invalid", "timeout"},
		{"scene", "x", fn, []GoOption{Scenes("chat", "opera")}, "tool.descriptor_invalid", `"opera"`},
		{"probe of a reader", "x", fn, []GoOption{Probe(never), ReadOnly()}, "tool.descriptor_invalid", "probe"},
		{"probe of an idempotent one", "x", fn, []GoOption{Idempotent(), Probe(never)}, "tool.descriptor_invalid", "probe"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewGoTool(row.tool, "", row.fn, row.options...)
			if fault.Code(err) != row.code || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Tags are checked before the function runs, and values of special types reach it.
func TestGoToolChecksTags(t *testing.T) {
	t.Parallel()
	type in struct {
		Unit  string          `json:"unit" enum:"km|mile"`
		Top   uint            `json:"top,omitempty" min:"2" max:"9"`
		When  time.Time       `json:"when,omitzero"`
		Extra json.RawMessage `json:"extra,omitempty"`
		Count int             `json:"count,string,omitempty"`
		Map   map[string]int  `json:"map,omitempty"`
	}
	tool, err := NewGoTool("tags", "", func(_ context.Context, v in) (in, error) { return v, nil }, Scenes("chat"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(tool.Scenes, ",") != "chat" {
		t.Errorf("scenes %q", tool.Scenes)
	}
	for _, row := range []struct{ name, w, code, want string }{
		{"good", `{"unit":"km","top":9,"when":"2030-01-31T09:00:00Z","extra":[1],"count":"7","map":{"a":1}}`, "", `{"unit":"km","top":9,"when":"2030-01-31T09:00:00Z","extra":[1],"count":"7","map":{"a":1}}`},
		{"enum", `{"unit":"inch"}`, CodeInvalidArguments, "one of km, mile"},
		{"below", `{"unit":"km","top":1}`, CodeInvalidArguments, "from 2 to 9"},
		{"above", `{"unit":"km","top":10}`, CodeInvalidArguments, "from 2 to 9"},
		{"time", `{"unit":"km","when":"noon"}`, CodeInvalidArguments, "values that fit"},
		{"value of a map", `{"unit":"km","map":{"a":"b"}}`, CodeInvalidArguments, "values that fit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tool, row.w)
			if got.Code != row.code || !strings.Contains(got.Content, row.want) {
				t.Errorf("code %q content %q", got.Code, got.Content)
			}
		})
	}
}
