package price

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func n(v int64) *int64 { return &v }

func TestCost(t *testing.T) {
	t.Parallel()
	table, err := Parse([]byte(`[
		{"provider":"p","match":"m*","input":2,"output":"8.5","cache_read":0.5,"cache_write":2.5,"cache_write_1h":4,
		 "tiers":[{"above":1000,"input":4,"output":17}],"as_of":"2026-01-01"},
		{"provider":"p","match":"odd","input":0.0375,"output":0,"as_of":"2026-01-01"},
		{"provider":"p","match":"unpriced","window":10,"as_of":"2026-01-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, model string
		use         journal.Usage
		long        bool
		want        string // "?": unknown
	}{
		{"input and output", "m1", journal.Usage{Input: n(1000), Output: n(100)}, false, "0.00285"},
		{"cached", "m1", journal.Usage{Input: n(1000), CacheRead: n(400), CacheWrite: n(100), Output: n(0)}, false, "0.00145"},
		{"cached for an hour", "m1", journal.Usage{Input: n(1000), CacheRead: n(400), CacheWrite: n(100), Output: n(0)}, true, "0.0016"},
		{"reasoning is part of the output", "m1", journal.Usage{Input: n(0), Output: n(100), Reasoning: n(90)}, false, "0.00085"},
		{"above the tier", "m1", journal.Usage{Input: n(1001), Output: n(100)}, false, "0.005704"},
		{"below a nano-dollar", "odd", journal.Usage{Input: n(1), Output: n(5)}, false, "0.000000038"},
		{"output unknown", "m1", journal.Usage{Input: n(1000)}, false, "?"},
		{"no price", "unpriced", journal.Usage{Input: n(1000), Output: n(1)}, false, "?"},
		{"beyond all", "m1", journal.Usage{Input: n(1 << 62), Output: n(0)}, false, "9007199.254740992"},
		{"beyond all, in all parts", "m1", journal.Usage{Input: n(1 << 62), CacheRead: n(1 << 61), CacheWrite: n(1 << 61), Output: n(1 << 62)}, false, "9007199.254740992"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, ok := table.Find("p", row.model).Cost(&row.use, row.long)
			if text := got.String(); ok != (row.want != "?") || ok && text != row.want {
				t.Errorf("%s %v, want %s", text, ok, row.want)
			}
		})
	}
	if got, ok := Free().Cost(new(journal.Usage), false); got != 0 || !ok {
		t.Errorf("free costs %v %v", got, ok)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ provider, model, want string }{
		{"openai", "gpt-5", "gpt-5*"},
		{"openai", "gpt-5-2025-08-07", "gpt-5*"},
		{"openai", "gpt-5-mini-2025-08-07", "gpt-5-mini*"},
		{"openai", "o3", "o3"},
		{"openai", "o3-pro", ""},
		{"openai", "claude-sonnet-4-0", ""},
		{"anthropic", "claude-sonnet-4-0", "claude-sonnet-4*"},
		{"gemini", "gemini-2.5-flash-lite", "gemini-2.5-flash-lite*"},
	} {
		got := ""
		if e := Known().Find(row.provider, row.model); e != nil {
			got = e.Match
		}
		if got != row.want {
			t.Errorf("%s %s: %q, want %q", row.provider, row.model, got, row.want)
		}
	}
	over, err := Parse([]byte(`[{"provider":"openai","match":"gpt-5*","input":7,"output":8,"as_of":"2026-01-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if e := Known().With(over).Find("openai", "gpt-5"); Nano(*e.Input).String() != "7" {
		t.Errorf("input %v", *e.Input)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte(`[{"provider":"p","match":"a*b"},{"provider":"p","match":"a","input":-1,"output":2},
		{"provider":"p","match":"a","output":2},{"provider":"p","match":"a","colour":1},{"provider":"p","match":"x"},
		{"provider":"p","match":"w","window":-1},
		{"provider":"p","match":"t","input":1,"output":1,"tiers":[{"above":5,"input":1}]},
		{"provider":"p","match":"t","input":1,"output":1,"tiers":[{"above":5,"input":1,"output":1},{"above":5,"input":1,"output":1}]},
		{"provider":"p","match":"t","input":1,"output":1,"tiers":[{"input":1,"output":1}]},
		{"provider":"p","match":"t","input":1,"output":1,"tiers":[{"above":5,"input":1,"output":1,"tiers":[]},{"above":6,"input":1,"output":1,"tiers":[{"above":7}]}]},
		{"provider":"p","match":"t","tiers":[{"above":5,"input":1,"output":1}]},
		{"provider":"p","match":"t","input":"1e3","output":1},{"provider":"p","match":"t","input":1e3,"output":1},{"provider":"p","match":"t","input":"","output":1},
		{"provider":"p","match":"t","input":1.0000000001,"output":1},{"provider":"p","match":"t","input":1000000.1,"output":1}]`))
	want := `entry 1: it needs a provider, and a match that has * at its end at most
entry 2: -1 is no price in dollars for a million tokens
entry 3: it has a price for input or for output alone
entry 4: json: unknown field "colour"
entry 6: window and max_output are numbers of tokens, not below 0
entry 7: tier 1 needs a price for input and for output
entry 8: tier 2 begins above 5 tokens; tiers rise, from above 0
entry 9: tier 1 begins above 0 tokens; tiers rise, from above 0
entry 10: tier 2 has tiers of its own
entry 11: it has tiers and no price below them
entry 12: "1e3" is no price in dollars for a million tokens
entry 13: 1e3 is no price in dollars for a million tokens
entry 14: "" is no price in dollars for a million tokens
entry 15: 1.0000000001 is no price in dollars for a million tokens
entry 16: 1000000.1 is no price in dollars for a million tokens`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
