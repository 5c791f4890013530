package config

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/agent"
)

// TestFaultsAreBounded holds that of files with far more faults than are told the first
// ones are told, with their mends.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	const n = 3000
	many := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, row := range map[string]struct{ text, code string }{
		"keys":    {"version: 1\nname: t\nagents: {lead: {prompt: x}}\n" + many("unknown%d: 1\n"), "config.unknown_key"},
		"tools":   {"version: 1\nname: t\nagents:\n  lead:\n    prompt: x\n    tools:\n      allow: [" + many("workspace.red%d, ") + "]\n", "config.tool_unknown"},
		"targets": {"version: 1\nname: t\nagents:\n  lead:\n    prompt: x\n    delegation:\n      targets: [" + many("led%d, ") + "]\n", "config.target_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(row.text), "team.yaml", nil)
			fs := FaultsOf(err)
			if len(fs) != maxFaults {
				t.Fatalf("%d faults: %.300v", len(fs), err)
			}
			for _, f := range fs {
				if f.Code != row.code || f.Mend == "" {
					t.Fatalf("got %v", f)
				}
			}
		})
	}
}

// TestWarningsHideNoFault holds that a fault behind any number of warnings is told.
func TestWarningsHideNoFault(t *testing.T) {
	t.Parallel()
	l := blank()
	for range 3 * maxFaults {
		l.add(Fault{Code: "config.note", Warning: true})
	}
	if l.full() || l.broken() {
		t.Error("warnings count as faults")
	}
	for range 3 * maxFaults {
		l.add(Fault{Code: "config.type"})
	}
	if !l.full() || !l.broken() || len(l.faults) != 2*maxFaults {
		t.Errorf("%d are kept", len(l.faults))
	}
}

// TestUntoldIsNotLookedFor counts what is done for faults that are not told: places and
// mends are searched for in all of a file.
func TestUntoldIsNotLookedFor(t *testing.T) {
	t.Parallel()
	p := &agent.Profile{ID: "lead", Prompt: "x"}
	for i := range 10 * maxFaults {
		p.Delegation.Targets = append(p.Delegation.Targets, fmt.Sprint("led", i))
	}
	places, told := 0, 0
	where := func(string, string, string) Fault { places++; return Fault{} }
	check(&Team{Entry: "lead", Agents: map[string]*agent.Profile{"lead": p}}, where, func(string, string) bool { return false }, func(Fault) { told++ })
	if places != maxFaults || told != maxFaults {
		t.Errorf("%d places were looked for and %d faults told, want %d", places, told, maxFaults)
	}
	l := blank()
	in, read := l.input("team.yaml"), 0
	node := in.document([]byte(numbered(10 * maxFaults)))
	in.pairs(node, "", form{typ: "object"}, func(k, _ *yaml.Node) {
		read++
		in.fault(k, "config.unknown_key", "unknown", "")
	})
	if read != maxFaults {
		t.Errorf("%d keys were read, want %d", read, maxFaults)
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}
