package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// printRun prints the view for a reader.
func (a *app) printRun(v *runView) error {
	state := v.State + because(plain(v.Reason, lineFail))
	if v.Code != "" {
		state += " " + v.Code
	}
	head := fmt.Sprintf("%s  team %s  %s\n%s records in %s, %s\n", v.Run, plain(v.Team, 64), state, grouped(v.Records), short(v.Worked), tokens(v.Usage)+spent(v.Usage))
	if len(v.Labels) > 0 {
		head += "labels: " + labelText(v.Labels) + "\n"
	}
	if v.Input != "" {
		head += "input: " + plain(v.Input, inputHead) + "\n"
	}
	if err := a.printf("%s\n", head); err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	costs := spent(v.Usage) != ""
	_, _ = fmt.Fprint(w, "AGENT\tPROFILE\tSTATE\tTURNS\tCALLS\tTOKENS IN/OUT\tWITH CHILDREN\t") // Flush tells
	if costs {
		_, _ = fmt.Fprint(w, "COST\tWITH CHILDREN\t")
	}
	_, _ = fmt.Fprintln(w)
	for _, one := range v.Agents {
		printAgent(w, one, "", "", costs)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if v.Text != "" {
		text := []rune(strings.TrimRight(secret.Likely(v.Text), "\n"))
		more := ""
		if len(text) > resultHead {
			more = fmt.Sprintf("\n… (%s characters in all)", grouped(int64(len(text))))
			text = text[:resultHead]
		}
		if err := a.printf("\n%s:\n%s%s\n", v.textTitle(), indent(string(text)), more); err != nil {
			return err
		}
	}
	if len(v.Files) > 0 {
		if err := a.printf("\nFiles:\n"); err != nil {
			return err
		}
	}
	for _, f := range v.Files {
		if err := a.printf("  %s (%s characters)\n", plain(f.Path, 200), grouped(int64(f.Chars))); err != nil {
			return err
		}
	}
	if v.Limit != "" {
		if err := a.printf("\n%s\n", v.Limit); err != nil {
			return err
		}
	}
	switch v.State {
	case "interrupted", "paused", "parked":
		return a.printf("\nGo on with: swarm resume %s%s\n", v.Run, a.dataHint(a.dataDir(nil)))
	}
	return nil
}

// textTitle says what the text of a run is.
func (v *runView) textTitle() string {
	switch {
	case v.Result || v.State == "completed":
		return "Result"
	case v.State == "partial":
		return "Nothing was published; the closing text"
	}
	return "Last text"
}

func labelText(of map[string]string) string {
	parts := make([]string, 0, len(of))
	for _, k := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, plain(k, 64)+"="+plain(of[k], 64))
	}
	return strings.Join(parts, ", ")
}

func printAgent(w *tabwriter.Writer, v *agentView, lead, below string, costs bool) {
	state := v.State
	if v.Doing != "" {
		state += ": " + v.Doing
	}
	if v.Failed > 0 {
		state += fmt.Sprintf(" (%s of the model failed)", count(v.Failed, "attempt"))
	}
	name := v.Path[strings.LastIndexByte(v.Path, '/')+1:]
	_, _ = fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%d\t%s\t%s\t", lead, name, v.Agent, state, v.Turns, v.Calls, pair(v.Usage), pair(v.Subtree))
	if costs {
		_, _ = fmt.Fprintf(w, "%s\t%s\t", dollars(v.Usage), dollars(v.Subtree))
	}
	_, _ = fmt.Fprintln(w)
	for i, one := range v.Below {
		if i == len(v.Below)-1 {
			printAgent(w, one, below+"└ ", below+"  ", costs)
		} else {
			printAgent(w, one, below+"├ ", below+"│ ", costs)
		}
	}
}

// pair writes tokens in and out; what no server said is "?".
func pair(u journal.Usage) string {
	part := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return grouped(*n)
	}
	if u.Requests == 0 && u.Input == nil && u.Output == nil {
		return "-"
	}
	return part(u.Input) + "/" + part(u.Output)
}

// indent puts two spaces before each line and makes control characters visible.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString("  " + shown(line) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
