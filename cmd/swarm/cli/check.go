package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// teamFlags are the flags that change a team while it is loaded.
type teamFlags struct{ config.Options }

func (t *teamFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.Entry, "entry", "", "id of the agent that begins; wins over the team file")
	f.StringVar(&t.Model, "model", "", "the default model: a name in models, or PROVIDER/MODEL")
	f.StringVar(&t.Prices, "prices", "", "file of prices of models, a JSON list; they count before those of the program")
	f.StringArrayVar(&t.Set, "set", nil, "KEY=VALUE: a key of the team file, such as budgets.rounds=20; may be repeated")
	f.BoolVar(&t.RaiseShellLimits, "raise-shell-limits", false, "accept shell.limits above their defaults")
}

func (a *app) checkCommand() *cobra.Command {
	var flags teamFlags
	cmd := &cobra.Command{
		Use:   "check TEAM",
		Short: "Say everything that is wrong with a team",
		Long: "Checks a team file, a directory with a team.yaml, or a directory of agent files, and\n" +
			"reports every fault at once. It connects to nothing.",
		Example: "  swarm check team.yaml",
		GroupID: groupMake,
		Args:    arguments("TEAM"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.check(args[0], flags.Options) },
	}
	flags.add(cmd)
	return cmd
}

func (a *app) check(path string, o config.Options) error {
	team, err := config.LoadWith(path, o)
	found := config.FaultsOf(err)
	if err != nil && found == nil {
		return err
	}
	if team != nil {
		found = append(slices.Clone(team.Warnings), a.beyond(team)...)
	}
	if err := a.checked(path, team, found); err != nil {
		return err
	}
	if wrong, _ := tally(found); wrong > 0 {
		return &exit{code: exitUsage}
	}
	return nil
}

// checked prints what a check has found.
func (a *app) checked(path string, team *config.Team, found []config.Fault) error {
	wrong, warnings := tally(found)
	if a.json {
		name := ""
		if team != nil {
			name = team.Name
		}
		return a.value(struct {
			Team   string         `json:"team,omitempty"`
			OK     bool           `json:"ok"`
			Faults []config.Fault `json:"faults"`
		}{name, wrong == 0, append([]config.Fault{}, found...)})
	}
	for _, f := range found {
		if !f.Warning || !a.quiet {
			a.errf("%s", f)
		}
	}
	switch {
	case wrong > 0:
		a.errf("%s: %s", path, count(wrong, "fault")+warned(warnings))
	case !a.quiet:
		return a.printf("%s: good%s\n", team.Summary(), warned(warnings))
	}
	return nil
}

// beyond checks what only the machine and the registered tools can tell.
func (a *app) beyond(team *config.Team) []config.Fault {
	var out []config.Fault
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		out = append(out, a.unset(team, name)...)
	}
	out = append(out, a.shortSecrets(team)...)
	data, err := filepath.Abs(a.dataDir(team))
	if err != nil {
		data = team.StoreDir
	}
	gone := missingMounts(team)
	out = append(out, gone...)
	mounts, err := workspace.OpenMounts(team.Mounts, []string{data})
	if err != nil && len(gone) == 0 {
		at := team.Place("workspace.mounts")
		at.Code, at.Text = "config.mount", err.Error()
		out = append(out, at)
	}
	defer mounts.Close()
	sets, names, err := toolSets(team, mounts)
	if err != nil {
		out = append(out, config.Fault{Code: "config.tools", Text: err.Error()})
	} else if len(gone) == 0 {
		out = append(out, scriptNotes(team, names)...)
	}
	out = append(out, sets.warnings...)
	for _, n := range sets.notes {
		if a.verbose {
			out = append(out, config.Fault{Code: "config.tool_left_out", Text: "tool " + n.ToolID + ": " + strings.TrimSpace(n.Step+" "+n.Reason), Warning: true})
		}
	}
	return out
}

// missingMounts finds mounts whose directory is not there.
func missingMounts(team *config.Team) []config.Fault {
	var out []config.Fault
	for i, m := range team.Mounts {
		info, err := os.Stat(m.Host)
		if err == nil && info.IsDir() {
			continue
		}
		f := team.Place(fmt.Sprintf("workspace.mounts[%d].host", i))
		f.Code, f.Text, f.Mend = "config.mount", fmt.Sprintf("mount %s: %s is no directory", m.At, m.Host), "name one that is there"
		if errors.Is(err, fs.ErrNotExist) {
			f.Text, f.Mend = fmt.Sprintf("mount %s: there is no directory %s", m.At, m.Host), "make it, or name one that is there, relative to the team file"
		}
		out = append(out, f)
	}
	return out
}

// unset warns of references of a model to variables that are not set.
func (a *app) unset(team *config.Team, name string) []config.Fault {
	var out []config.Fault
	m := team.Models[name]
	lookup := func(text, where string) {
		_, err := config.Expand(text, a.env)
		var e *fault.Error
		if !errors.As(err, &e) {
			return
		}
		f := team.Place("models." + name + "." + where)
		f.Code, f.Text, f.Mend, f.Warning = e.Code, "models."+name+"."+where+": "+e.Detail, "set it", true
		switch {
		case f.File == "": // named by a flag or in an agent file
			f.Text = "the model " + m.Model + " needs a key, and " + e.Detail
		case where == "api_key":
			f.Mend = "set it; for a server without keys write auth: none"
		}
		out = append(out, f)
	}
	lookup(m.Model, "model")
	lookup(m.BaseURL, "base_url")
	lookup(m.APIKey, "api_key")
	lookup(m.Proxy, "proxy")
	for _, h := range slices.Sorted(maps.Keys(m.Headers)) {
		lookup(m.Headers[h], "headers."+h)
	}
	if m.APIKeyFile != "" {
		if _, err := config.ReadKeyFile(m.APIKeyFile); err != nil {
			f := team.Place("models." + name + ".api_key_file")
			f.Code, f.Text, f.Warning = "config.key_file", "models."+name+".api_key_file: "+sentence(err), true
			out = append(out, f)
		}
	}
	if m.Cassette != "" {
		if err := playable(m.Cassette); err != nil {
			f := team.Place("models." + name + ".cassette")
			f.Code, f.Text, f.Warning = fault.Code(err), "models."+name+".cassette: "+sentence(err), true
			out = append(out, f)
		}
	}
	return out
}

// warnOf tells in one line what a load warned of: the warning, or how many there are.
func (a *app) warnOf(path string, warnings []config.Fault) {
	switch len(warnings) {
	case 0:
	case 1:
		a.errf("%s", warnings[0])
	default:
		a.errf("%s: swarm check %s shows them", count(len(warnings), "warning"), path)
	}
}
