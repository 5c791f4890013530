package config

import (
	"bytes"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// What a model costs: its own price, the given table, the table of the program.
func TestPriceOf(t *testing.T) {
	t.Parallel()
	given, err := price.Parse([]byte(`[{"provider": "openai", "match": "m*", "input": 1, "output": 2, "window": 9000, "as_of": "2026-01-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	one := price.Rate(7)
	for _, row := range []struct {
		name   string
		m      Model
		id     string
		input  price.Rate // -1: not known
		window int
	}{
		{"the service", Model{Provider: OpenAI}, "gpt-5-mini", 250_000_000, 400_000},
		{"a name of the service elsewhere", Model{Provider: OpenAI, BaseURL: "http://127.0.0.1:1/v1"}, "gpt-5-mini", -1, 0},
		{"the given table", Model{Provider: OpenAI, BaseURL: "http://127.0.0.1:1/v1"}, "m7", 1e9, 9000},
		{"its own price", Model{Provider: OpenAI, Price: &price.Price{Input: &one, Output: &one}}, "m7", 7, 9000},
		{"scripted", Model{Provider: Scripted}, "", 0, 0},
		{"scripted with a price", Model{Provider: Scripted, Price: &price.Price{Input: &one, Output: &one}}, "", 7, 0},
		{"nobody knows", Model{Provider: OpenAI}, "unheard-of", -1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			team := &Team{Prices: given}
			p, known := team.PriceOf(&row.m, row.id)
			got := price.Rate(-1)
			if p != nil {
				got = *p.Input
			}
			if got != row.input || known.Window != row.window {
				t.Errorf("input %d, window %d", got, known.Window)
			}
		})
	}
}

// A team keeps its prices, so that a run that is resumed reckons as before.
func TestPricesAreKept(t *testing.T) {
	t.Parallel()
	file := `[{"provider": "openai", "match": "m*", "input": 1, "output": 2.5, "as_of": "2026-01-01"}]`
	text := "version: 1\nmodels: {default: {provider: openai, model: m1, price: {input: 0.25, output: 2, cache_read: 0.025}}, other: {provider: openai, model: m2, price: free}}\n" +
		"agents: {lead: {prompt: Lead., budgets: {tokens: 1000, usd: 0.5}}}\nbudgets: {tokens: 5_000, usd: 2, wall: 1h, unpriced: allow}\n"
	team, err := (&loader{read: func(string) ([]byte, error) { return []byte(file), nil }}).load([]byte(text), "team.yaml", Options{Prices: "prices.json"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(team.Canonical())
	if err != nil || !bytes.Equal(again.Canonical(), team.Canonical()) {
		t.Fatalf("%v\n%s", err, team.Canonical())
	}
	m := again.Models["default"]
	if p := m.Price; *p.Input != 250_000_000 || *p.Output != 2e9 || *p.CacheRead != 25_000_000 || p.CacheWrite != nil {
		t.Errorf("price %+v", p)
	}
	if p, _ := again.PriceOf(&Model{Provider: OpenAI}, "m9"); p == nil || *p.Output != 2_500_000_000 {
		t.Errorf("the given table says %+v", p)
	}
	if b := again.Budgets; b.Tokens != 5000 || b.Money != 2e9 || b.Wall.Hours() != 1 || !b.Unpriced {
		t.Errorf("budgets %+v", b)
	}
	if p := again.Agents["lead"]; p.Tokens != 1000 || p.Money != 5e8 {
		t.Errorf("profile %+v", p)
	}
}
