package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Bounds of a dice formula (tools spec §10).
const (
	maxDice     = 100
	maxSides    = 1_000_000
	maxModifier = 1_000_000
)

func dice() tooling.Tool {
	return tooling.Tool{
		Descriptor: tooling.Descriptor{
			ID: tooling.IDDice,
			Description: "Rolls dice with real randomness. Use it for every roll or random choice instead of making up a number. " +
				"The result lists each die and the total.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["formula"],"properties":{
				"formula":{"type":"string","minLength":1,"maxLength":32,
					"description":"[count]d<sides>[+|-modifier], such as 2d6+3 or d20; a plain number N means 1dN. At most 100 dice; sides and modifier up to 1,000,000. No spaces inside."}}}`),
			Effect:   tooling.Effect{Class: tooling.Read},
			Again:    tooling.AgainYes,
			Exposure: tooling.UserTool,
		},
		Handle: rollDice,
	}
}

type formula struct{ count, sides, modifier int }

// parseFormula reads a formula; false when it breaks the grammar or a bound.
func parseFormula(s string) (formula, bool) {
	f := formula{count: 1}
	ok := true
	number := func(text string, limit int) int {
		n, err := strconv.Atoi(text)
		if err != nil || n > limit || strconv.Itoa(n) != text || n < 0 {
			ok = false
		}
		return n
	}
	count, rest, found := strings.Cut(strings.ToLower(s), "d")
	if !found {
		f.sides = number(s, maxSides)
		return f, ok && f.sides > 0
	}
	if count != "" {
		f.count = number(count, maxDice)
	}
	sides := rest
	if i := strings.IndexAny(rest, "+-"); i >= 0 {
		sides = rest[:i]
		f.modifier = number(rest[i+1:], maxModifier)
		if rest[i] == '-' {
			f.modifier = -f.modifier
		}
	}
	f.sides = number(sides, maxSides)
	return f, ok && f.count > 0 && f.sides > 0
}

// String is the normal form, with the count.
func (f formula) String() string {
	s := strconv.Itoa(f.count) + "d" + strconv.Itoa(f.sides)
	if f.modifier != 0 {
		s += fmt.Sprintf("%+d", f.modifier)
	}
	return s
}

// rolled is the structured result of dice.roll.
type rolled struct {
	Formula  string `json:"formula"`
	Rolls    []int  `json:"rolls"`
	Modifier int    `json:"modifier"`
	Total    int    `json:"total"`
	Min      int    `json:"min"`
	Max      int    `json:"max"`
}

func rollDice(_ context.Context, c *tooling.Call) tooling.Result {
	text, _ := c.Args.String("formula")
	f, ok := parseFormula(text)
	if !ok {
		return tooling.Fail("dice.invalid_formula", fmt.Sprintf("%s is no dice formula. Write [count]d<sides>[+|-modifier] such as 2d6+3, without spaces or leading zeros; "+
			"at most %d dice, sides from 1 to 1,000,000, modifier up to 1,000,000.", tooling.Echo(text, 32), maxDice))
	}
	r := rolled{Formula: f.String(), Modifier: f.modifier, Total: f.modifier, Min: f.count + f.modifier, Max: f.count*f.sides + f.modifier}
	shown := make([]string, f.count)
	for i := range f.count {
		n := c.Rand(f.sides) + 1
		r.Rolls = append(r.Rolls, n)
		r.Total += n
		shown[i] = strconv.Itoa(n)
	}
	content := fmt.Sprintf("%s: rolled %s", r.Formula, strings.Join(shown, ", "))
	if f.modifier != 0 {
		content += fmt.Sprintf("; modifier %+d", f.modifier)
	}
	return tooling.Result{Content: fmt.Sprintf("%s; total %d", content, r.Total), Structured: r}
}
