package builtin

import (
	"encoding/json"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Core gives the built-ins that need neither files nor a host: agents, plan, dice, and
// what a run was given.
func Core() []tooling.Tool {
	return append(agents(), chatSearch(), chatRead(), loreRead(), updatePlan(), dice())
}

// Collect joins sets of built-ins into the order of the table and checks each of them:
// the id stands in the table, its exposure is the table's, and its schema compiles and is
// closed. A fault here is a programmer's and stops the program at its start; codes are
// those of [tooling.NewCatalogue].
func Collect(sets ...[]tooling.Tool) ([]tooling.Tool, error) {
	tools := slices.Concat(sets...)
	for i := range tools {
		id, err := tooling.ParseID(tools[i].ID)
		if err != nil {
			return nil, err
		}
		if !id.IsBuiltin() {
			return nil, fault.New("tool.descriptor_invalid", "only built-ins are collected").With("register tool", tools[i].ID)
		}
		var top struct {
			AdditionalProperties *bool `json:"additionalProperties"`
		}
		if err := json.Unmarshal(tools[i].Schema, &top); err != nil || top.AdditionalProperties == nil || *top.AdditionalProperties {
			return nil, fault.Wrap(err, "tool.schema_invalid", "the schema of a built-in is closed").With("register tool", tools[i].ID)
		}
	}
	c, err := tooling.NewCatalogue(tools...)
	if err != nil {
		return nil, err
	}
	return slices.Clone(c.Tools()), nil
}
