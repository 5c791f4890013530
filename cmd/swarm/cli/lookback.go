package cli

import (
	"context"
	"fmt"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// asking gives the beginning of what a run was asked, and its labels.
func asking(records []journal.Record) (text string, labels map[string]string) {
	m := creation(records)
	if m == nil {
		return "", nil
	}
	in, err := input.Decode(m.Input.Text)
	if err != nil {
		return "", m.Labels
	}
	if text = in.Text; text == "" && len(in.Messages) > 0 {
		text = in.Messages[len(in.Messages)-1].Content
	}
	if r := []rune(text); len(r) > inputHead {
		text = string(r[:inputHead]) + "…"
	}
	return text, m.Labels
}

func creation(records []journal.Record) *journal.RunCreated {
	if len(records) == 0 {
		return nil
	}
	m, _ := records[0].Payload.(*journal.RunCreated)
	return m
}

// limitOf says which budget has ended a run, and how it is raised; "" when none has.
func limitOf(st *delegate.State, records []journal.Record) string {
	m := creation(records)
	if st.Ended == nil || st.Ended.Outcome != journal.Partial || m == nil {
		return ""
	}
	team, err := config.Decode([]byte(m.Team.Text))
	if err != nil {
		return ""
	}
	whole := false // a budget of the whole run, not one of an agent
	for i := range records {
		if m, ok := records[i].Payload.(*journal.BudgetExhausted); ok && m.What == st.Ended.Reason {
			whole = true
		}
	}
	owner := ""
	if inv := st.Inv[st.Owner]; inv != nil {
		owner = inv.Profile
	}
	key, what, limit := "", "", 0
	switch p := team.Agents[owner]; {
	case st.Ended.Reason == "budget.rounds" && whole:
		key, what, limit = "budgets.rounds", "round", team.Budgets.Rounds
	case st.Ended.Reason == "budget.rounds" && p != nil:
		key, what, limit = "agents."+owner+".budgets.rounds", "round", p.Defaults().Rounds
	case st.Ended.Reason == "budget.calls":
		key, what, limit = "budgets.calls", "call", team.Budgets.Calls
	default:
		return ""
	}
	return fmt.Sprintf("%s is %s and used up; raise it in the team file, or with --set %s=N", key, count(limit, what), key)
}

// closing says on standard error what the text of a partial run is, and what ended it.
func (a *app) closing(ctx context.Context, rt *swarm.Runtime, res *swarm.Result) []string {
	st, err := rt.Inspect(ctx, res.Run)
	if err != nil {
		return nil
	}
	records, err := rt.Store().Read(ctx, res.Run, journal.Query{Types: []journal.Type{journal.TRunCreated, journal.TBudgetExhausted}})
	if err != nil {
		return nil
	}
	var lines []string
	switch {
	case st.Committed() != nil:
	case res.Text == "":
		lines = append(lines, "nothing was published")
	default:
		lines = append(lines, "nothing was published; this is its closing text")
	}
	if limit := limitOf(st, records); limit != "" {
		lines = append(lines, limit)
	}
	return lines
}
