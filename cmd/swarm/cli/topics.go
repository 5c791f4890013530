package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm/config"
)

// topics are pages of help without a command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "team-file", Short: "The keys of a team file", Long: "A team is a file team.yaml, a directory that holds one, or a directory of agent files.\n" +
			"swarm check TEAM says what is wrong; docs/team-file.md has examples.\n" + keyText(config.TeamKeys(), "")},
		{Use: "agent-file", Short: "The keys of an agent", Long: "An agent is a Markdown file: front matter between lines of ---, then its prompt. The same\n" +
			"keys may stand in the team file below agents.ID and win there. Fields of agent files of\n" +
			"other programs are read too, see docs/team-file.md.\n" + keyText(config.AgentKeys(), "")},
		{Use: "permissions", Short: "What agents may do", Long: permissionsTopic + keyText(config.AgentKeys(), "tools", "workspace", "delegation.can_", "delegation.target", "delegation.deny", "delegation.allow")},
		{Use: "budgets", Short: "What bounds a run", Long: "Budgets of the team hold for the whole run, those of an agent for each of its invocations.\n" +
			"When one ends, the agent has one closing turn without tools, and the run ends partial,\n" +
			"exit code 4.\n\nOf the team:\n" + keyText(config.TeamKeys(), "budgets") + "\nOf an agent:\n" + keyText(config.AgentKeys(), "budgets", "turns", "tools.limits", "delegation.max_", "delegation.task_deadline")},
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitText()},
		{Use: "json", Short: "What --json prints", Long: jsonTopic},
	}
}

// exitMeaning is what an exit code means.
type exitMeaning struct {
	code    int
	meaning string
}

// exitCodes are all of them; docs/operations.md has the same table.
var exitCodes = []exitMeaning{
	{exitDone, "completed; any other command: done, also when nobody reads what it prints"},
	{exitFailed, "failed; no such run or data; the run is held by another process; an error of the store"},
	{exitUsage, "bad usage, a bad team or agent file, a bad input, a load error"},
	{exitPaused, "paused, or shut down"},
	{exitPartial, "partial: a budget ended, or it ended without finishing"},
	{exitRefused, "refused: `swarm call` of a tool that the agent may not use"},
	{exitParked, "parked, a damaged journal, or ended with an unknown outcome: it needs a decision"},
	{exitCancelled, "cancelled, or interrupted by Ctrl-C"},
}

func exitText() string {
	var b strings.Builder
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %-4d %s\n", e.code, strings.ReplaceAll(e.meaning, "`", ""))
	}
	return strings.TrimRight(b.String(), "\n")
}

const permissionsTopic = `This version asks no human. What an agent may do is decided before a run begins: it has
the tools that its profile allows less those that it denies, and nobody below it gets what
it denies itself. It reads the directories that the team file mounts, and writes only into
the workspace of its run. swarm tools TEAM AGENT shows what is left; swarm call --explain
says which rule decides about one call. docs/permissions.md has all of it.
`

// keyText lists keys that begin with one of some words, each with its meaning below.
func keyText(keys []config.KeyDoc, begins ...string) string {
	var b strings.Builder
	for _, k := range keys {
		for _, w := range begins {
			if !strings.HasPrefix(k.Key, w) {
				continue
			}
			def := ""
			if k.Default != "" {
				def = " (" + k.Default + ")"
			}
			fmt.Fprintf(&b, "\n  %s: %s%s\n      %s\n", k.Key, strings.ReplaceAll(k.Value, "`", ""), strings.ReplaceAll(def, "`", ""), strings.ReplaceAll(k.Meaning, "`", ""))
			break
		}
	}
	return b.String()
}
