package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func key(n int) string { return fmt.Sprintf("%024x%040x", n+1, n+1) }

// request gives a good request with so many turns of one call each.
func request(turns int) *model.Request {
	req := &model.Request{
		Model: "m", System: "You help.", Input: "go", ToolsHash: "h", Run: "run", Path: "root",
		Tools:    []model.ToolDef{{ID: "read", Name: "read", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []model.Message{{Role: model.User, Text: "go"}},
	}
	for n := range turns {
		req.Messages = append(req.Messages, turn(n)...)
	}
	return req
}

func turn(n int) []model.Message {
	return []model.Message{
		{Role: model.Assistant, Text: "I read.", Turn: n + 1, Calls: []model.Call{{Key: key(n), ToolID: "read", Name: "read", Args: `{"path":"a.txt"}`}}},
		{Role: model.Tool, Turn: n + 1, Results: []model.Result{{Key: key(n), ToolID: "read", Name: "read", Text: "the text"}}},
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	two := func(r *model.Request) { // the last turn has two calls
		n := len(r.Messages)
		r.Messages[n-2].Calls = append(r.Messages[n-2].Calls, model.Call{Key: key(900), Name: "read", Args: "{}"})
		r.Messages[n-1].Results = append(r.Messages[n-1].Results, model.Result{Key: key(900), Name: "read", Text: "x"})
	}
	for _, row := range []struct {
		name   string
		change func(*model.Request)
		rule   string // "": good
		place  string
	}{
		{"good", func(*model.Request) {}, "", ""},
		{"good with two calls", two, "", ""},
		{"good with a host message last", func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.Host, Text: "time is short"})
		}, "", ""},
		{"good with a tool that is gone", func(r *model.Request) { r.Tools, r.ToolsHash = nil, "" }, "", ""},
		{"no messages", func(r *model.Request) { r.Messages = nil }, "order.empty", "messages"},
		{"first is the model's", func(r *model.Request) { r.Messages = r.Messages[1:] }, "order.first", "messages[0]"},
		{"last is the model's text", func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.Assistant, Text: "x"})
		}, "order.last", "messages[5]"},
		{"last calls are open", func(r *model.Request) { r.Messages = r.Messages[:4] }, "pairing.missing_result", "messages[3]"},
		{"calls answered later", func(r *model.Request) {
			r.Messages = append(r.Messages[:4:4], model.Message{Role: model.Host, Text: "x"}, r.Messages[4])
		}, "pairing.missing_result", "messages[3]"},
		{"one result missing", func(r *model.Request) {
			two(r)
			r.Messages[4].Results = r.Messages[4].Results[:1]
		}, "pairing.missing_result", "messages[4]"},
		{"one result too many", func(r *model.Request) {
			r.Messages[4].Results = append(r.Messages[4].Results, model.Result{Key: key(7), Name: "read", Text: "x"})
		}, "pairing.no_call", "messages[4].results[1]"},
		{"results without calls", func(r *model.Request) {
			r.Messages = append(r.Messages[:1:1], r.Messages[4])
		}, "pairing.no_call", "messages[1]"},
		{"results out of order", func(r *model.Request) {
			two(r)
			rs := r.Messages[4].Results
			rs[0], rs[1] = rs[1], rs[0]
		}, "pairing.order", "messages[4].results[0]"},
		{"result under another name", func(r *model.Request) { r.Messages[4].Results[0].Name = "write" }, "pairing.name", "messages[4].results[0]"},
		{"key twice in a turn", func(r *model.Request) {
			two(r)
			r.Messages[3].Calls[1].Key, r.Messages[4].Results[1].Key = key(1), key(1)
		}, "pairing.key_twice", "messages[3].calls[1]"},
		{"key of an earlier turn", func(r *model.Request) {
			r.Messages[3].Calls[0].Key, r.Messages[4].Results[0].Key = key(0), key(0)
		}, "pairing.key_twice", "messages[3].calls[0]"},
		{"key that is no id", func(r *model.Request) {
			r.Messages[3].Calls[0].Key, r.Messages[4].Results[0].Key = "a b", "a b"
		}, "pairing.key", "messages[3].calls[0]"},
		{"empty key", func(r *model.Request) {
			r.Messages[3].Calls[0].Key, r.Messages[4].Results[0].Key = "", ""
		}, "pairing.key", "messages[3].calls[0]"},
		{"arguments are a list", func(r *model.Request) { r.Messages[3].Calls[0].Args = "[]" }, "arguments.not_object", "messages[3].calls[0]"},
		{"arguments are cut", func(r *model.Request) { r.Messages[3].Calls[0].Args = `{"a":` }, "arguments.not_object", "messages[3].calls[0]"},
		{"arguments are empty", func(r *model.Request) { r.Messages[3].Calls[0].Args = "" }, "arguments.not_object", "messages[3].calls[0]"},
		{"two objects as arguments", func(r *model.Request) { r.Messages[3].Calls[0].Args = "{}{}" }, "arguments.not_object", "messages[3].calls[0]"},
		{"empty result", func(r *model.Request) { r.Messages[4].Results[0].Text = "" }, "result.empty", "messages[4].results[0]"},
		{"empty user text", func(r *model.Request) { r.Messages[0].Text = "" }, "text.empty", "messages[0]"},
		{"empty answer", func(r *model.Request) { r.Messages = append(r.Messages, model.Message{Role: model.Assistant}) }, "text.empty", "messages[5]"},
		{"two answers in a row", func(r *model.Request) {
			r.Messages = append(r.Messages[:1:1], model.Message{Role: model.Assistant, Text: "x"}, r.Messages[3], r.Messages[4])
		}, "order.alternate", "messages[2]"},
		{"role of nobody", func(r *model.Request) { r.Messages[0].Role = "system" }, "order.first", "messages[0]"},
		{"role of nobody later", func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: "system", Text: "x"})
		}, "order.role", "messages[5]"},
		{"calls of a user", func(r *model.Request) { r.Messages[0].Calls = r.Messages[1].Calls }, "order.part", "messages[0]"},
		{"text of a tool message", func(r *model.Request) { r.Messages[4].Text = "x" }, "order.part", "messages[4]"},
		{"native part of a user", func(r *model.Request) { r.Messages[0].Native = []json.RawMessage{json.RawMessage("{}")} }, "order.part", "messages[0]"},
		{"results of an answer", func(r *model.Request) { r.Messages[3].Results = r.Messages[4].Results }, "order.part", "messages[3]"},
		{"illegal name", func(r *model.Request) {
			r.Messages[3].Calls[0].Name, r.Messages[4].Results[0].Name = "a.b", "a.b"
		}, "name.illegal", "messages[3].calls[0]"},
		{"name that is too long", func(r *model.Request) { r.Tools[0].Name = strings.Repeat("a", 65) }, "name.illegal", "tools[0]"},
		{"name that begins with a digit", func(r *model.Request) { r.Tools[0].Name = "1a" }, "name.illegal", "tools[0]"},
		{"two tools of one name", func(r *model.Request) {
			r.Tools = append(r.Tools, r.Tools[0])
			r.Tools[1].Name = "READ"
		}, "name.duplicate", "tools[1]"},
		{"schema is no object", func(r *model.Request) { r.Tools[0].Schema = json.RawMessage("true") }, "schema.not_object", "tools[0]"},
		{"choice of a tool that is not there", func(r *model.Request) {
			r.Choice = model.Choice{Mode: "specific", Name: "write"}
		}, "choice.unknown_tool", "choice"},
		{"choice of nothing known", func(r *model.Request) { r.Choice.Mode = "some" }, "choice.mode", "choice"},
		{"a call is required without tools", func(r *model.Request) {
			r.Choice.Mode, r.Tools = "required", nil
		}, "choice.no_tools", "choice"},
		{"not UTF-8", func(r *model.Request) { r.Messages[4].Results[0].Text = "a\xff" }, "text.utf8", "messages[4].results[0]"},
		{"a NUL", func(r *model.Request) { r.System = "a\x00" }, "text.nul", "system"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			req := request(2)
			row.change(req)
			faults := model.Validate(req)
			if row.rule == "" {
				if faults != nil {
					t.Fatalf("good request has faults: %v", faults)
				}
				return
			}
			if len(faults) == 0 || faults[0].Rule != row.rule || faults[0].Place != row.place {
				t.Fatalf("faults %v, want first %s at %s", faults, row.rule, row.place)
			}
			// The checker and the guard see the same, also after a good beginning.
			var c model.Checker
			if f := c.Check(request(1)); f != nil {
				t.Fatal(f)
			}
			req.ToolsHash += "2"
			if f := c.Check(req); len(f) == 0 {
				t.Error("the checker that knew the first turn finds nothing")
			}
			if model.Guard(req) == nil {
				t.Error("the guard lets it pass")
			}
		})
	}
}

func TestCheckerGoesOn(t *testing.T) {
	t.Parallel()
	var c model.Checker
	req := request(0)
	for n := range 200 {
		if f := c.Check(req); f != nil {
			t.Fatalf("turn %d: %v", n, f)
		}
		if c.Checked() != len(req.Messages) {
			t.Fatalf("turn %d: %d checked of %d", n, c.Checked(), len(req.Messages))
		}
		req.Messages = append(req.Messages, turn(n)...)
	}
	// A compacted history is another one, and it is checked whole.
	short := append([]model.Message{req.Messages[0], {Role: model.Host, Text: "a summary"}}, req.Messages[len(req.Messages)-2:]...)
	req.Messages = short
	if f := c.Check(req); f != nil {
		t.Fatal(f)
	}
	req.Messages = append(short, turn(199)...) // its key is there already
	if f := c.Check(req); len(f) == 0 || f[0].Rule != "pairing.key_twice" {
		t.Fatalf("faults %v", f)
	}
	// After a fault everything is looked at again.
	if f := c.Check(req); len(f) == 0 || c.Checked() != 0 {
		t.Fatalf("second look: %v, %d checked", f, c.Checked())
	}
}

func TestGuardTrustsWhatWasChecked(t *testing.T) {
	t.Parallel()
	req := request(3)
	req.Messages[1].Calls[0].Args = "[]" // would be a fault
	if err := model.Guard(req); err == nil {
		t.Fatal("unchecked fault passes")
	}
	for _, from := range []int{3, 4, 5, len(req.Messages), 99} {
		req.Checked = from
		if err := model.Guard(req); err != nil {
			t.Errorf("checked %d: %v", from, err)
		}
	}
	req.Messages[6].Results[0].Text = ""
	req.Checked = 5
	err := model.Guard(req)
	if err == nil || !strings.Contains(err.Error(), "result.empty at messages[6].results[0]") {
		t.Errorf("error %v names neither rule nor place", err)
	}
}

func TestCheckerSteadyStateAllocates(t *testing.T) {
	var c model.Checker
	full := request(600)
	req := *full
	n := 1
	step := func() {
		req.Messages = full.Messages[:n]
		if f := c.Check(&req); f != nil {
			t.Fatal(f)
		}
		n += 2
	}
	for range 450 { // lets the map of keys grow
		step()
	}
	if got := testing.AllocsPerRun(20, step); got > 0 {
		t.Errorf("%v allocations per checked turn", got)
	}
}

func BenchmarkValidate1000(b *testing.B) {
	req := request(500)
	for b.Loop() {
		if f := model.Validate(req); f != nil {
			b.Fatal(f)
		}
	}
}

func BenchmarkGuardSteady(b *testing.B) {
	req := request(500)
	req.Checked = len(req.Messages) - 2
	b.ReportAllocs()
	for b.Loop() {
		if err := model.Guard(req); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzValidate closes random histories as the runtime does and wants them good, then
// breaks one thing and wants a fault.
func FuzzValidate(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, byte(0))
	f.Add([]byte{2, 2, 2, 0, 1, 9, 30}, byte(1))
	f.Add([]byte{}, byte(2))
	f.Fuzz(func(t *testing.T, plan []byte, harm byte) {
		plan = plan[:min(len(plan), 200)] // longer ones say nothing new
		req := request(0)
		calls := 0
		for i, b := range plan {
			m := model.Message{Role: model.Assistant, Turn: i + 1}
			res := model.Message{Role: model.Tool, Turn: i + 1}
			for range b % 4 {
				m.Calls = append(m.Calls, model.Call{Key: key(calls), Name: "read", Args: "{}"})
				res.Results = append(res.Results, model.Result{Key: key(calls), Name: "read", Text: "error tool.not_run: cut", IsError: true})
				calls++
			}
			if len(m.Calls) == 0 || b&16 != 0 {
				m.Text = "text"
			}
			req.Messages = append(req.Messages, m)
			if len(m.Calls) > 0 {
				req.Messages = append(req.Messages, res)
			}
			if len(m.Calls) == 0 || b&32 != 0 {
				req.Messages = append(req.Messages, model.Message{Role: model.Host, Text: "go on"})
			}
		}
		if faults := model.Validate(req); faults != nil {
			t.Fatalf("closed history has faults: %v", faults)
		}
		if calls == 0 {
			return
		}
		for i := range req.Messages {
			if m := &req.Messages[i]; len(m.Results) > 0 {
				switch harm % 3 {
				case 0:
					m.Results = m.Results[1:]
				case 1:
					m.Results[0].Key = "other"
				case 2:
					m.Results[0].Text = ""
				}
				break
			}
		}
		if model.Validate(req) == nil {
			t.Fatal("broken history passes")
		}
	})
}
