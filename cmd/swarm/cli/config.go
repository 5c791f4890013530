package cli

import (
	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm/config"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Say what team files and agent files may hold",
		Example: "  swarm config schema",
		GroupID: groupMake,
	}
	cmd.AddCommand(a.schemaCommand())
	return cmd
}

func (a *app) schemaCommand() *cobra.Command {
	var agent bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of team files",
		Long: "Prints the JSON Schema (draft 2020-12) of team files, or with --agent that of the front\n" +
			"matter of agent files. Editors complete and check files by it. What only a whole team\n" +
			"can tell, such as names of agents, is for swarm check.",
		Example: "  swarm config schema > team.schema.json",
		Args:    arguments(),
		RunE: func(*cobra.Command, []string) error {
			schema := config.TeamSchema()
			if agent {
				schema = config.AgentSchema()
			}
			_, err := a.out.Write(schema)
			return err
		},
	}
	cmd.Flags().BoolVar(&agent, "agent", false, "of the front matter of agent files")
	return cmd
}
