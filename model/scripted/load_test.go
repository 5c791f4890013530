package scripted_test

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

func TestLoadFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, script string
		want         []string // each in the text
	}{
		{"empty", "", []string{"s.yaml:1:1", "empty"}},
		{"no YAML", "a: [", []string{"s.yaml", "line 1"}},
		{"a list", "- a", []string{"s.yaml:1:1: script is a mapping"}},
		{"members are missing", "on_unmatched: error", []string{"version is missing", "agents is missing"}},
		{"a later version", "version: 2\nagents: {}", []string{"s.yaml:1:10: version 2 is not in this version"}},
		{"all faults at once", `version: 1
agents:
  lead:
    - whn: {}
      text: a
    - when: {turn: soon, match: "(", error: perhaps, other: 1}
      text: '{{ nothing }}'
    - times: 0
      text: '{{ range }}'
      latency: -1s
      usage: {inputs: 3}
    - {}
on_unmatched: stop
`, []string{
			`s.yaml:4:7: step has no key "whn"; it has when, times`,
			"s.yaml:6:20: turn is a number", "s.yaml:6:33: match:", "s.yaml:6:45: error is true or false", `when has no key "other"`,
			`s.yaml:7:13: text: text:1: function "nothing" not defined`,
			"s.yaml:8:14: times is a whole number from 1", "s.yaml:9:13: text:", "s.yaml:10:16: latency is a duration", `usage has no key "inputs"`,
			"s.yaml:12:7: a step says something", "s.yaml:13:15: on_unmatched is error or finish",
		}},
		{"JavaScript", "version: 1\nagents:\n  critic: {file: critic.script.js}", []string{"s.yaml:3:11", "JavaScript", "not in this version"}},
		{"agent twice", "version: 1\nagents: {a: [], a: []}", []string{"agent a is there twice"}},
		{"no list of steps", "version: 1\nagents: {a: x}", []string{"agent a needs a list of steps"}},
		{"call of two tools", "version: 1\nagents: {a: [{calls: [{x: {}, y: {}}]}]}", []string{"a call is {tool: arguments}"}},
		{"more raw texts than calls", "version: 1\nagents: {a: [{calls: [x], raw_arguments: [a, b]}]}", []string{"2 texts for 1 calls"}},
		{"fault without a fault", "version: 1\nagents: {a: [{fault: {times: 2}}]}", []string{"a fault has status, code or cut_after"}},
		{"fault of a later version", "version: 1\nagents: {a: [{fault: {status: 500, stall: 1s}}]}", []string{`fault has no key "stall"`}},
		{"argument key twice", "version: 1\nagents: {a: [{calls: [{x: {k: 1, k: 2}}]}]}", []string{"each there once"}},
		{"number that JSON has not", "version: 1\nagents: {a: [{calls: [{x: {k: .inf}}]}]}", []string{"no number of JSON"}},
		{"finish of nobody", "version: 1\nagents: {a: [{text: x, finish: done}]}", []string{`finish "done" is not`}},
		{"any is false", "version: 1\nagents: {a: [{text: x, when: {any: false}}]}", []string{"any is true or absent"}},
		{"bad path pattern", "version: 1\nagents: {a: [{text: x, when: {path: '['}}]}", []string{"is no pattern"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Load([]byte(row.script), "s.yaml")
			if fault.Code(err) != "model.script_invalid" {
				t.Fatalf("error %v", err)
			}
			for _, w := range row.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

func TestLoadBounds(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, row := range []struct{ name, script, want string }{
		{"too large", strings.Repeat("#", scripted.MaxScript+1), "a script has at most"},
		{"too deep", "version: 1\nagents: {a: [{calls: [{x: " + deep + "}]}]}", "nested or repeated too deeply"},
		{"too much repeated", `version: 1
agents:
  a:
    - calls:
        - x: {a: &a [1,1,1,1,1,1,1,1,1,1], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b],
              d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d], f: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]}
`, "nested or repeated too deeply"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.Load([]byte(row.script), "s.yaml")
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestLoadKeepsOrder(t *testing.T) {
	t.Parallel()
	s, err := scripted.Load([]byte("version: 1\nagents: {b: [], a: [], c: []}\nrequire_all: true\n"), "s")
	if err != nil || strings.Join(s.Agents(), "") != "bac" || !s.RequireAll() {
		t.Errorf("%v, %v", s, err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(investigation)
	f.Add("version: 1\nagents: {lead: [{text: a, times: any, fault: {status: 500}}]}\non_unmatched: finish")
	f.Add("version: 1\nagents: &a {x: *a}")
	f.Add("version: 1\nagents: {x: [{calls: [{t: &a [*a]}]}]}")
	f.Add("a: &a\n  <<: *a")
	f.Add("version: 1\nagents: {x: [{calls: [{t: !!binary aGk=}], raw_arguments: x, usage: {input: 1}}]}")
	f.Fuzz(func(t *testing.T, script string) {
		s, err := scripted.Load([]byte(script), "s")
		if (s == nil) == (err == nil) {
			t.Fatalf("%v, %v", s, err)
		}
		if err != nil && fault.Code(err) != "model.script_invalid" {
			t.Fatal(err)
		}
	})
}
