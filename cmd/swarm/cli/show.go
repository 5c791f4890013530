package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/delegate"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Characters of a result and of an input that show prints.
const (
	resultHead = 600
	inputHead  = 300
)

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
	State   string        `json:"state"` // as in the live tree
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
	Limit   string        `json:"limit,omitempty"` // the budget that ended, and how to raise it
	Input   string        `json:"input,omitempty"` // beginning of what was asked
	Labels  labels        `json:"labels,omitempty"`
	Records int64         `json:"records"`
	Worked  time.Duration `json:"duration_ns"` // without the time at rest
	Usage   journal.Usage `json:"usage"`
	Agents  []*agentView  `json:"agents"`
	Text    string        `json:"text,omitempty"`
	Result  bool          `json:"published"` // the text was published by the run
	Files   []fileView    `json:"files"`
}

type labels = map[string]string

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
	v := viewRun(ctx, rt, sum, st, records, time.Now())
	if a.json {
		return a.value(v)
	}
	return a.printRun(v)
}

func viewRun(ctx context.Context, rt *swarm.Runtime, sum journal.Summary, st *delegate.State, records []journal.Record, now time.Time) *runView {
	v := &runView{Run: sum.Run, Team: sum.Team, State: sum.State, Records: sum.LastSeq, Usage: st.Usage, Files: []fileView{}}
	live := foldedLive(records, sum.State == "running")
	v.Agents, v.Worked = viewAgents(st, live, failedAttempts(records), now), live.took(now)
	v.Input, v.Labels = asking(records)
	for path, e := range st.Files.All() {
		if e.Kind == workspace.KindDir {
			path += "/"
		}
		v.Files = append(v.Files, fileView{path, e.Chars})
	}
	switch {
	case st.Ended != nil:
		v.Reason, v.Code, v.Text = st.Ended.Reason, st.Ended.Code, st.Ended.Result.Text
		v.Limit = limitOf(st, records)
	case st.Parked != nil && st.Status == "parked":
		v.Reason, v.Code = st.Parked.Reason, st.Parked.Code
	}
	if c := st.Committed(); c != nil {
		if text, ok := contentOf(ctx, rt, records, c); ok {
			v.Text, v.Result = text, true
		}
	}
	return v
}

// contentOf gives the text of a commit: the content of the change that made the file.
func contentOf(ctx context.Context, rt *swarm.Runtime, records []journal.Record, c *journal.CommitRequested) (string, bool) {
	for i := len(records) - 1; i >= 0; i-- {
		if m, ok := records[i].Payload.(*journal.FileChanged); ok && m.New == c.Hash && (m.Content.Text != "" || m.Size == 0) {
			return m.Content.Text, true
		}
	}
	b, err := rt.Store().GetBlob(ctx, c.Hash)
	return string(b), err == nil
}
