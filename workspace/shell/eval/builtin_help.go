package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
)

// helpBuiltin executes help: the list of all commands, or the text about some. A name that
// is a command of the registry called help does the rest, such as "help differences".
func helpBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	var short, synopsis bool
	g := sh.options(b, args, "dms")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'd':
			short = true
		case 's':
			synopsis = true
		}
	}
	if g.bad {
		return 2
	}
	if len(g.args) == 0 {
		b.out.WriteString(sh.helpList())
		return 0
	}
	var out strings.Builder
	status := 0
	for _, name := range g.args {
		switch found := sh.helpAbout(&out, name, short, synopsis); {
		case found:
		case sh.registry.Get("help") != nil && !short && !synopsis:
			status = sh.exec(ctx, sh.registry.Get("help"), []string{"help", name})
		default:
			sh.errorf(b, "help: no help topics match `%s'.  Try `help', or `NAME --help'.", name)
			status = 1
		}
	}
	b.out.WriteString(out.String())
	return status
}

// helpAbout appends what is known about a name, or about all builtins that match a pattern.
func (sh *Shell) helpAbout(out *strings.Builder, name string, short, synopsis bool) bool {
	found := false
	for _, m := range manuals {
		if m.name != name && !expand.Match(name, m.name, false) {
			continue
		}
		found = true
		switch {
		case short:
			fmt.Fprintf(out, "%s - %s\n", m.name, m.short)
		case synopsis:
			fmt.Fprintf(out, "%s: %s\n", m.name, m.synopsis)
		default:
			fmt.Fprintf(out, "%s: %s\n    %s %s.\n", m.name, m.synopsis, m.name, m.short)
		}
	}
	if found {
		return true
	}
	cmd := sh.registry.Get(name)
	switch {
	case cmd == nil || cmd.Name == "help":
		return false
	case short || cmd.Usage == "":
		fmt.Fprintf(out, "%s - %s\n", name, cmd.Short)
	default:
		out.WriteString(strings.TrimSpace(cmd.Usage) + "\n")
	}
	return true
}

// helpList gives all commands by group, one line each.
func (sh *Shell) helpList() string {
	groups := map[string][]*command.Command{}
	for _, name := range sh.registry.Names() {
		if cmd := sh.registry.Get(name); cmd.Name == name {
			groups[cmd.Group] = append(groups[cmd.Group], cmd)
		}
	}
	var names []string
	for group := range groups {
		names = append(names, group)
	}
	slices.Sort(names)
	var out strings.Builder
	out.WriteString("Commands of this shell. `help NAME' or `NAME --help' explains one.\n")
	for _, group := range names {
		fmt.Fprintf(&out, "\n%s:\n", group)
		for _, cmd := range groups[group] {
			fmt.Fprintf(&out, "  %-12s %s\n", strings.Join(append([]string{cmd.Name}, cmd.Aliases...), ", "), cmd.Short)
		}
	}
	out.WriteString("\nbuiltins of the shell:\n")
	for _, m := range manuals {
		fmt.Fprintf(&out, "  %-12s %s\n", m.name, m.short)
	}
	return out.String()
}
