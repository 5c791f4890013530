package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func (a *app) diffCommand() *cobra.Command {
	var stat bool
	cmd := &cobra.Command{
		Use:   "diff RUN [PATH]",
		Short: "Show what a run changed in its workspace",
		Long: "Shows what changed in the workspace of a run since its start, as a unified diff. Files\n" +
			"that the run was given count as before. Files that are no text, files of more than 256\n" +
			"KiB and long results of tools are named in one line; PATH shows one of the latter.",
		Example: "  swarm diff run_01 --stat",
		GroupID: groupLook,
		Args:    arguments("RUN", "[PATH]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "")
			return a.diff(cmd.Context(), args[0], args[1], stat)
		},
	}
	cmd.Flags().BoolVar(&stat, "stat", false, "only how many lines of each file changed")
	return cmd
}

// diffView is what diff prints with --json.
type diffView struct {
	Run   string           `json:"run"`
	Files []swarm.FileDiff `json:"files"`
}

func (a *app) diff(ctx context.Context, id, at string, stat bool) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	files, err := rt.Diff(ctx, sum.Run, at)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		if stat {
			for i := range files {
				files[i].Diff = ""
			}
		}
		return a.value(diffView{sum.Run, files})
	case len(files) == 0:
		if !a.quiet {
			a.errf("nothing has changed in the workspace of %s", sum.Run)
		}
		return nil
	case stat:
		return a.diffStat(files)
	}
	for i := range files {
		if err := a.fileDiff(&files[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) diffStat(files []swarm.FileDiff) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	added, removed := 0, 0
	for i := range files {
		f := &files[i]
		lines := fmt.Sprintf("+%s -%s", grouped(int64(f.Added)), grouped(int64(f.Removed)))
		if f.Omitted != "" {
			lines = f.Omitted
		}
		added, removed = added+f.Added, removed+f.Removed
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", plain(f.Path, workspace.MaxPath), f.Change, changedBy(f.By), lines) // Flush tells
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.printf("%s: %s added, %s removed\n", count(len(files), "file"), count(added, "line"), count(removed, "line"))
}

// omissions say why a file is not compared line by line.
var omissions = map[string]string{
	"binary": "it is no text",
	"large":  "it is large",
	"result": "a long result of a tool; name its path to see it",

	"directory": "an empty directory",
	"mode":      "only whether it is executable",
}

// fileDiff prints how one file has changed. Programs that apply a diff pass over the first
// line.
func (a *app) fileDiff(f *swarm.FileDiff) error {
	head := fmt.Sprintf("diff %s: %s by %s", plain(f.Path, workspace.MaxPath), f.Change, changedBy(f.By))
	if f.Kind == workspace.KindLink {
		head += ", a link; its text is its target"
	}
	if why := omissions[f.Omitted]; why != "" {
		head += ", not shown: " + why
	}
	terminal, colours := a.screen()
	text := head + "\n" + f.Diff
	if !terminal {
		return a.printf("%s", text)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = escaped(strings.TrimSuffix(line, "\n"))
		if code := diffColour(line); colours && code != "" {
			line = "\x1b[" + code + "m" + line + "\x1b[m"
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(a.out, b.String()) // its colours are meant
	return err
}

// escaped shows control characters, and those that are invisible or turn the direction of
// writing, as escapes: a reader must see what was changed.
func escaped(line string) string {
	line = workspace.Visible(line)
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if unicode.Is(unicode.Cf, r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func diffColour(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return "1"
	case strings.HasPrefix(line, "@@"):
		return "36"
	case strings.HasPrefix(line, "+"):
		return "32"
	case strings.HasPrefix(line, "-"):
		return "31"
	}
	return ""
}

// screen says whether standard output is a terminal, and whether it may be coloured.
func (a *app) screen() (terminal, colours bool) {
	f, ok := a.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, false
	}
	no, _ := a.env("NO_COLOR")
	kind, _ := a.env("TERM")
	return true, no == "" && kind != "dumb"
}
