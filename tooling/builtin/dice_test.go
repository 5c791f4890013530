package builtin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

func roll(t testing.TB, formula string, random func(int) int) tooling.Result {
	t.Helper()
	b, err := json.Marshal(map[string]string{"formula": formula})
	if err != nil {
		t.Fatal(err)
	}
	d := dice()
	o, invalid := checked(t, &d, string(b))
	if invalid != nil {
		return invalid.Result()
	}
	return d.Handle(t.Context(), &tooling.Call{Args: o, Rand: random})
}

func TestDice(t *testing.T) {
	t.Parallel()
	highest := func(n int) int { return n - 1 }
	rows := []struct {
		name, formula, structured, content string
	}{
		{"count, sides, modifier", "2d6+3", `{"formula":"2d6+3","rolls":[6,6],"modifier":3,"total":15,"min":5,"max":15}`, "2d6+3: rolled 6, 6; modifier +3; total 15"},
		{"no count", "d20", `{"formula":"1d20","rolls":[20],"modifier":0,"total":20,"min":1,"max":20}`, "1d20: rolled 20; total 20"},
		{"upper case", "1D4-1", `{"formula":"1d4-1","rolls":[4],"modifier":-1,"total":3,"min":0,"max":3}`, "1d4-1: rolled 4; modifier -1; total 3"},
		{"plain number", "6", `{"formula":"1d6","rolls":[6],"modifier":0,"total":6,"min":1,"max":6}`, "1d6: rolled 6; total 6"},
		{"outer space", " d2 ", `{"formula":"1d2","rolls":[2],"modifier":0,"total":2,"min":1,"max":2}`, "1d2: rolled 2; total 2"},
		{"modifier of zero", "d2+0", `{"formula":"1d2","rolls":[2],"modifier":0,"total":2,"min":1,"max":2}`, "1d2: rolled 2; total 2"},
		{"largest sides", "d1000000-1000000", `{"formula":"1d1000000-1000000","rolls":[1000000],"modifier":-1000000,"total":0,"min":-999999,"max":0}`, "1d1000000-1000000: rolled 1000000; modifier -1000000; total 0"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got := roll(t, r.formula, highest)
			b, err := json.Marshal(got.Structured)
			if err != nil {
				t.Fatal(err)
			}
			if got.Code != "" || string(b) != r.structured || got.Content != r.content {
				t.Errorf("code %q, %s, %q", got.Code, b, got.Content)
			}
		})
	}
}

func TestDiceRefuses(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, formula, code string }{
		{"words", "two dice", "dice.invalid_formula"},
		{"inner space", "2 d6", "dice.invalid_formula"},
		{"leading zero of the count", "02d6", "dice.invalid_formula"},
		{"leading zero of the sides", "2d06", "dice.invalid_formula"},
		{"leading zero of the modifier", "2d6+01", "dice.invalid_formula"},
		{"no dice", "0d6", "dice.invalid_formula"},
		{"no sides", "2d0", "dice.invalid_formula"},
		{"zero", "0", "dice.invalid_formula"},
		{"sides missing", "2d", "dice.invalid_formula"},
		{"only d", "d", "dice.invalid_formula"},
		{"modifier missing", "2d6+", "dice.invalid_formula"},
		{"two modifiers", "2d6+1+1", "dice.invalid_formula"},
		{"two signs", "2d6+-1", "dice.invalid_formula"},
		{"plain negative", "-6", "dice.invalid_formula"},
		{"plain with modifier", "6+1", "dice.invalid_formula"},
		{"count over its limit", "101d6", "dice.invalid_formula"},
		{"sides over their limit", "d1000001", "dice.invalid_formula"},
		{"modifier over its limit", "d6+1000001", "dice.invalid_formula"},
		{"number over 64 bits", "d99999999999999999999", "dice.invalid_formula"},
		{"other digits", "２d６", "dice.invalid_formula"},
		{"blank", "  ", tooling.CodeInvalidArguments},
		{"too long", strings.Repeat("1", 33), tooling.CodeInvalidArguments},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got := roll(t, r.formula, func(int) int { t.Error("rolled"); return 0 })
			if got.Code != r.code || got.Content == "" {
				t.Errorf("code %q, %q", got.Code, got.Content)
			}
		})
	}
}

func FuzzFormula(f *testing.F) {
	for _, s := range []string{"2d6+3", "d20", "20", "1D4-1", "0d6", "2d6+-1", "d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := parseFormula(s)
		if !ok {
			return
		}
		again, ok := parseFormula(d.String())
		if !ok || again != d {
			t.Fatalf("%q reads as %v, its normal form %q as %v", s, d, d.String(), again)
		}
		r := rand.New(rand.NewPCG(1, 1))
		if len(s) > 32 {
			return
		}
		got := roll(t, s, r.IntN)
		if got.Code != "" {
			t.Fatalf("%q: %s", s, got.Content)
		}
		v := got.Structured.(rolled)
		if v.Total < v.Min || v.Total > v.Max || len(v.Rolls) != d.count {
			t.Fatalf("%q gives %s", s, fmt.Sprint(v))
		}
	})
}
