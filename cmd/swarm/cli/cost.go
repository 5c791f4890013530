package cli

import (
	"encoding/json"
	"fmt"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// dollars writes what requests have cost: "$0.0125", with "+?" when the cost of some of them
// is not known, and "?" when that of none is.
func dollars(u journal.Usage) string {
	switch {
	case u.Cost != nil && u.CostComplete():
		return "$" + swarm.NanoDollars(*u.Cost).String()
	case u.Cost != nil && *u.Cost > 0:
		return "$" + swarm.NanoDollars(*u.Cost).String() + "+?"
	case u.CostComplete():
		return "-"
	}
	return "?"
}

// spent says what requests have cost, after a comma; nothing when all of them were free.
func spent(u journal.Usage) string {
	switch known := u.Cost != nil && *u.Cost > 0; {
	case u.CostComplete() && !known:
		return ""
	case u.CostComplete():
		return ", " + dollars(u)
	case known:
		return fmt.Sprintf(", $%s and what %s cost, which is not known", swarm.NanoDollars(*u.Cost), count(u.CostMissing, "request"))
	}
	return ", cost not known"
}

// costUSD gives the known cost as a JSON number; nil: nothing of it is known.
func costUSD(u journal.Usage) *json.Number {
	n := json.Number("0")
	switch {
	case u.Cost != nil:
		n = json.Number(swarm.NanoDollars(*u.Cost).String())
	case !u.CostComplete():
		return nil
	}
	return &n
}
