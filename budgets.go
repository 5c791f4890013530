package swarm

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// NanoDollars is an amount of money: what a run may cost in [Budgets], and what it has cost
// in [Usage].
type NanoDollars = price.Nano

// Dollar is one dollar, for [Budgets].
const Dollar NanoDollars = 1e9

// Dollars reads a decimal amount of dollars such as "0.25", with at most nine decimals.
func Dollars(amount string) (NanoDollars, error) { return price.ParseDollars(amount) }

// priced refuses a limit of money beside a model whose price is not known, or says that it
// does not hold for that model when the team allows it.
func (rt *Runtime) priced(env *agent.Env) error {
	used, limited := map[string]bool{}, env.Budgets.Money > 0
	for _, p := range env.Profiles { // a set, so order does not matter
		limited = limited || p.Money > 0
		used[p.Model] = true
		if p.CompactionModel != "" { // which is asked for summaries, and charged
			used[p.CompactionModel] = true
		}
		for _, name := range env.Models[p.Model].Fallback {
			used[name] = true
		}
	}
	if !limited {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if env.Models[name].Price != nil {
			continue
		}
		if !env.Budgets.Unpriced {
			return fault.New("config.unpriced", "the price of model %s is not known, so a limit of money cannot be held; give it a price, or set budgets.unpriced: allow", name).With("prepare team", env.Team)
		}
		if rt.o.Logger != nil {
			rt.o.Logger.Warn("the price of a model is not known: no limit of money holds for it", slog.String("team", env.Team), slog.String("model", name))
		}
	}
	return nil
}
