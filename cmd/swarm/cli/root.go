package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Groups of commands in the help.
const (
	groupMake    = "make"
	groupRun     = "run"
	groupLook    = "look"
	groupTools   = "tools"
	groupOperate = "operate"
)

// later are commands of the specification that this version lacks.
var later = []string{
	"answer", "approve", "checkpoints", "deny", "export", "fork", "grants", "import",
	"inbox", "mcp", "mcp-conformance", "persist", "prune", "rewind", "serve", "simulate", "tape",
}

// laterFlags are flags of the specification that this version lacks, by command.
var laterFlags = map[string][]string{
	"check":  {"connect"},
	"run":    {"allow", "ask", "deny", "headless", "mode", "persist-version", "prompt"},
	"resume": {"add-agents", "add-calls", "add-rounds", "add-tokens", "add-usd", "add-wall", "allow", "ask", "deny", "headless", "mode", "prices"},
	"show":   {"audit"},
	"files":  {"at"},
	"diff":   {"at", "out"},
}

// root makes the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "swarm",
		Short: "Run teams of agents that survive crashes",
		Long: "swarm runs teams of agents. Every step of a run is a durable record, so that a run\n" +
			"that was stopped or killed goes on where it was.",
		Example:       "  swarm init hello\n  swarm run hello \"Say hello\"",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&a.data, "data", "", "data directory; wins over SWARM_DATA and the team's store.dir")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "machine-readable output")
	root.PersistentFlags().BoolVar(&a.quiet, "quiet", false, "no progress and no warnings")
	root.PersistentFlags().BoolVar(&a.verbose, "verbose", false, "every record as progress, and the log")
	root.AddGroup(
		&cobra.Group{ID: groupMake, Title: "Make a team:"},
		&cobra.Group{ID: groupRun, Title: "Run it:"},
		&cobra.Group{ID: groupLook, Title: "Look at runs:"},
		&cobra.Group{ID: groupTools, Title: "Try tools:"},
		&cobra.Group{ID: groupOperate, Title: "Operate:"},
	)
	root.AddCommand(a.initCommand(), a.checkCommand(), a.configCommand(), a.runCommand(), a.resumeCommand(), a.cancelCommand(),
		a.runsCommand(), a.showCommand(), a.eventsCommand(), a.versionCommand())
	root.AddCommand(a.sayCommand(), a.pauseCommand(), a.filesCommand(), a.diffCommand(), a.toolsCommand(), a.callCommand(), a.shellCommand(), a.metricsCommand(), a.doctorCommand())
	root.AddCommand(topics()...)
	root.SetHelpCommand(helpCommand())
	root.SetCompletionCommandGroupID(groupOperate)
	root.InitDefaultCompletionCmd("completion")
	refuseUnknown(root, "completion")
	refuseUnknown(root, "config")
	root.Version = swarm.Version
	root.SetVersionTemplate(versionText())
	finishHelp(root, root.UsageTemplate())
	return root
}

// refuseUnknown has a command that only has others below it refuse what it has not.
func refuseUnknown(root *cobra.Command, name string) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != name {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		}
		for _, below := range cmd.Commands() {
			below.Args = arguments()
		}
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	if slices.Contains(later, name) {
		return usage("the command %q is not in this version", name)
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return usage("there is no command %q; the nearest one is %q", name, nearest(name, names))
}

func nearest(name string, names []string) string { return tooling.Nearest(name, names, 1)[0] }

// flagError names the nearest flag of one that is not there.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return &exit{exitUsage, err}
	}
	name := missing.GetSpecifiedName()
	if slices.Contains(laterFlags[cmd.Name()], name) {
		return usage("the flag --%s is not in this version", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	dash := "--"
	if missing.GetSpecifiedShortnames() != "" {
		dash = "-"
	}
	if len(names) == 0 {
		return usage("there is no flag %s%s", dash, name)
	}
	return usage("there is no flag %s%s; the nearest one is --%s", dash, name, nearest(name, names))
}

// arguments checks the number of arguments; names are those of the usage line, optional
// ones in brackets.
func arguments(names ...string) cobra.PositionalArgs {
	least := 0
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			least++
		}
	}
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s is missing", names[len(args)])
		case len(args) > len(names):
			return usage("%q is one argument too many; put a text of several words in quotes", args[len(names)])
		}
		return nil
	}
}

// helpCommand shows the help of a command, or a topic.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|TOPIC]",
		Short:   "Help for a command, or about a topic",
		Example: "  swarm help exit-codes",
		GroupID: groupOperate,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return unknownCommand(cmd.Root(), args[0])
			case len(rest) > 0 && found.HasSubCommands():
				return unknownCommand(found, rest[0])
			case len(rest) > 0:
				return usage("%q is one argument too many", rest[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
