package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// resultHead bounds the characters of a result that show prints.
const resultHead = 600

func (a *app) showCommand() *cobra.Command {
	var tree bool
	cmd := &cobra.Command{
		Use:     "show RUN",
		Short:   "Show the agents of a run, what they wait for, and what came of it",
		Example: "  swarm show run_01",
		GroupID: groupLook,
		Args:    arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if tree {
				return a.showActors(cmd.Context(), args[0])
			}
			return a.show(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&tree, "tree", false, "the live actors of the process that owns the run")
	return cmd
}

// agentView is what show says of one agent of a run.
type agentView struct {
	Path    string        `json:"path"`
	Agent   string        `json:"agent"`
	Task    string        `json:"task,omitempty"`
	State   string        `json:"state"` // queued, running, waiting, or the outcome
	Doing   string        `json:"doing,omitempty"`
	Turns   int           `json:"turns"`
	Calls   int           `json:"calls"`
	Failed  int           `json:"failed_attempts"` // of model requests
	Usage   journal.Usage `json:"usage"`
	Subtree journal.Usage `json:"subtree_usage"`
	Below   []*agentView  `json:"agents,omitempty"`
}

// runView is what show says of a run.
type runView struct {
	Run     string        `json:"run"`
	Team    string        `json:"team"`
	State   string        `json:"state"`
	Reason  string        `json:"reason,omitempty"`
	Code    string        `json:"code,omitempty"`
	Records int64         `json:"records"`
	Usage   journal.Usage `json:"usage"`
	Agents  []*agentView  `json:"agents"`
	Text    string        `json:"text,omitempty"` // the result, or its beginning
	Files   []fileView    `json:"files"`
}

type fileView struct {
	Path  string `json:"path"`
	Chars int    `json:"chars"`
}

func (a *app) show(ctx context.Context, id string) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	id = sum.Run
	st, err := rt.Inspect(ctx, id)
	if err != nil {
		return err
	}
	records, err := rt.Store().Read(ctx, id, journal.Query{To: st.Seq})
	if err != nil {
		return err
	}
	v := viewRun(ctx, rt, sum, st, records)
	if a.json {
		return a.value(v)
	}
	return a.printRun(v)
}

func viewRun(ctx context.Context, rt *swarm.Runtime, sum journal.Summary, st *delegate.State, records []journal.Record) *runView {
	v := &runView{Run: sum.Run, Team: sum.Team, State: sum.State, Records: sum.LastSeq, Usage: st.Usage, Files: []fileView{}}
	v.Agents = viewAgents(st, newDoing(records), sum.State == "running")
	for path, e := range st.Files.All() {
		v.Files = append(v.Files, fileView{path, e.Chars})
	}
	switch {
	case st.Ended != nil:
		v.Reason, v.Code, v.Text = st.Ended.Reason, st.Ended.Code, st.Ended.Result.Text
	case st.Parked != nil && st.Status == "parked":
		v.Reason, v.Code = st.Parked.Reason, st.Parked.Code
	}
	if c := st.Committed(); c != nil {
		if text, ok := contentOf(ctx, rt, records, c); ok {
			v.Text = text
		}
	}
	return v
}

// contentOf gives the text of a commit: the content of the change that made the file.
func contentOf(ctx context.Context, rt *swarm.Runtime, records []journal.Record, c *journal.CommitRequested) (string, bool) {
	for i := len(records) - 1; i >= 0; i-- {
		if m, ok := records[i].Payload.(*journal.FileChanged); ok && m.New == c.Hash {
			return m.Content.Text, true
		}
	}
	b, err := rt.Store().GetBlob(ctx, c.Hash)
	return string(b), err == nil
}

// printRun prints the view for a reader.
func (a *app) printRun(v *runView) error {
	state := v.State + because(plain(v.Reason, lineFail))
	if v.Code != "" {
		state += " " + v.Code
	}
	if err := a.printf("%s  team %s  %s\n%s records, %s\n\n", v.Run, plain(v.Team, 64), state, grouped(v.Records), tokens(v.Usage)+spent(v.Usage)); err != nil {
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
		if err := a.printf("\nResult:\n%s%s\n", indent(string(text)), more); err != nil {
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
	switch v.State {
	case "interrupted", "paused", "parked":
		return a.printf("\nGo on with: swarm resume %s%s\n", v.Run, a.dataHint(a.dataDir(nil)))
	}
	return nil
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

// indent puts two spaces before each line and drops control characters.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString("  " + printable(line) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
