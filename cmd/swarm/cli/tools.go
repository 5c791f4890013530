package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// kinds of invocations, as --kind takes them.
var kinds = []string{"root", "child", "handoff"}

func checkKind(kind string) error {
	if kind != "" && !slices.Contains(kinds, kind) {
		return usage("--kind is one of %s, not %q", strings.Join(kinds, ", "), kind)
	}
	return nil
}

func (a *app) toolsCommand() *cobra.Command {
	var flags teamFlags
	var kind string
	var prompt bool
	cmd := &cobra.Command{
		Use:   "tools TEAM [AGENT]",
		Short: "Show the tools as an agent sees them",
		Long: "Shows the tools of every agent of a team, or those of AGENT with their schemas and with\n" +
			"the reason why others are left out. An agent that can be several kinds is shown as the\n" +
			"entry if it is that, else as a child, else as a handoff target. Nothing is run, and no\n" +
			"model needs its key.",
		Example: "  swarm tools hello critic",
		GroupID: groupTools,
		Args:    arguments("TEAM", "[AGENT]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKind(kind); err != nil {
				return err
			}
			if args = append(args, ""); prompt && args[1] == "" && !a.json {
				return usage("--prompt is about one agent; name it")
			}
			return a.tools(cmd.Context(), args[0], args[1], kind, prompt, flags.Options)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "as what the agent is called: root, child or handoff")
	cmd.Flags().BoolVar(&prompt, "prompt", false, "the exact prompt and tools as they are sent to the model")
	return cmd
}

// toolsView is what tools prints with --json.
type toolsView struct {
	Team   string             `json:"team"`
	Agents []swarm.AgentTools `json:"agents"`
}

// aside opens a runtime that stores nothing, for a team that is only looked at. Mounts
// leave out the data directory that a run of the team would have.
func (a *app) aside(ctx context.Context, path string, o config.Options) (*swarm.Runtime, *swarm.Team, error) {
	team, err := config.LoadWith(path, o)
	if err != nil {
		return nil, nil, err
	}
	if gone := missingMounts(team); len(gone) > 0 {
		return nil, nil, &exit{exitUsage, config.Faults(gone)}
	}
	dir, err := filepath.Abs(a.dataDir(team))
	if err != nil {
		return nil, nil, err
	}
	rt, err := swarm.Open(ctx, swarm.Options{Dir: dir, Store: journal.NewMemory(journal.MemoryOptions{}), Env: a.env})
	return rt, team, err
}

func (a *app) tools(ctx context.Context, path, agent, kind string, prompt bool, o config.Options) (err error) {
	rt, team, err := a.aside(ctx, path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	agents, err := rt.Tools(ctx, team, agent, kind)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		for i := range agents {
			if !prompt {
				agents[i].Prompt = ""
			}
		}
		return a.value(toolsView{team.Name, agents})
	case prompt:
		return a.sent(&agents[0])
	case agent != "":
		return a.agentTools(&agents[0])
	}
	return a.allTools(agents)
}

// sent prints what a model is sent of an agent before the conversation: the prompt, then
// the tools, with schemas as a reader wants them.
func (a *app) sent(v *swarm.AgentTools) error {
	if err := a.printf("%s\n", v.Prompt); err != nil {
		return err
	}
	for i := range v.Tools {
		t := &v.Tools[i]
		if err := a.printf("\n%s\n  %s\n%s", t.Name, plain(t.Description, 2000), indented(t.Schema)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) allTools(agents []swarm.AgentTools) error {
	var g grid
	g.row("AGENT", "AS", "NAME", "ID", "EFFECT", "DESCRIPTION")
	for i := range agents {
		for j := range agents[i].Tools {
			t := &agents[i].Tools[j]
			g.row(agents[i].Agent, agents[i].Kind, t.Name, t.ID, t.Effect, firstSentence(t.Description))
		}
	}
	return g.print(a)
}

func (a *app) agentTools(v *swarm.AgentTools) error {
	if err := a.printf("%s as %s (it can be: %s), model %s\n", v.Agent, v.Kind, strings.Join(v.Kinds, ", "), v.Model); err != nil {
		return err
	}
	for i := range v.Tools {
		t := &v.Tools[i]
		if err := a.printf("\n%s  %s\n  %s\n  %s\n%s", t.Name, t.ID, traits(t), plain(t.Description, 2000), indented(t.Schema)); err != nil {
			return err
		}
	}
	if len(v.LeftOut) == 0 {
		return nil
	}
	if err := a.printf("\nLeft out:\n"); err != nil {
		return err
	}
	g := grid{indent: "  "}
	for _, d := range v.LeftOut {
		g.row(plain(d.ToolID, lineText), d.Step, d.Code, plain(d.Reason, lineText))
	}
	return g.print(a)
}

// traits says in words what a tool does and what bounds it.
func traits(t *swarm.ToolView) string {
	parts := []string{map[string]string{"none": "changes nothing", "read": "reads only", "write": "writes"}[t.Effect]}
	if t.Effect == "write" && t.Gate != "" {
		parts[0] += ", one such call at a time"
	}
	switch t.Again {
	case "yes", "append":
		parts = append(parts, "runs again after a crash")
	case "no":
		parts = append(parts, "its outcome is unknown after a crash")
	case "probe":
		parts = append(parts, "after a crash its probe tells what happened")
	}
	if t.MaxCalls > 0 {
		parts = append(parts, "at most "+count(t.MaxCalls, "call"))
	}
	return strings.Join(append(parts, agent.Spell(time.Duration(t.TimeoutMS)*time.Millisecond)+" a call"), ", ")
}

// indented writes a schema for a reader.
func indented(schema json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, schema, "  ", "  ") != nil {
		return ""
	}
	return "  " + b.String() + "\n"
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// firstSentence gives the beginning of a description.
func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return plain(s, lineText)
}
