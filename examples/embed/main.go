// Command embed shows the runtime inside a program: a tool that is a Go function, a team
// that is a Go value, a run whose records are followed, and a resume. Ctrl-C in the middle
// pauses the run; the program then says how to go on.
//
//	go run ./examples/embed
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
)

func main() {
	swarm.ShellWorker() // agents may use the shell: each command is a process of its own
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	options := swarm.Options{Dir: filepath.Join(os.TempDir(), "swarm-embed")}
	if err := run(ctx, options, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// query is what the tool takes: its schema is made from this type.
type query struct {
	Item string `json:"item" desc:"Name of an article." enum:"apples|pears|plums"`
}

// stock is what the tool gives back, as JSON.
type stock struct {
	Item  string `json:"item"`
	Count int    `json:"count"`
}

// lookUp is the tool. An error is a result that the model reads, and no end of the run.
func lookUp(_ context.Context, in query) (stock, error) {
	n, ok := map[string]int{"apples": 42, "pears": 7}[in.Item]
	if !ok {
		return stock{}, fmt.Errorf("%s are not sold any more; there are apples and pears", in.Item)
	}
	return stock{Item: in.Item, Count: n}, nil
}

// answers is the script of the model. With a real model it is not needed: see team.
const answers = `
version: 1
agents:
  clerk:
    - when: {turn: 1}
      text: I look it up.
      calls: [{stock: {item: "{{ input }}"}}]
    - when: {after: stock, error: true}
      calls: [{workspace.finish: {reason: '{{ result "stock" }}'}}]
    - when: {after: stock}
      latency: 500ms
      calls:
        - workspace.write_file: {path: output/main.md, content: '{{ json "stock" "count" }} {{ json "stock" "item" }} in stock.'}
    - when: {after: workspace.write_file}
      calls: [{workspace.commit: {}}, {workspace.finish: {reason: answered}}]
`

// team is a team of one agent. For a real model it has swarm.OpenAI("gpt-5-mini"), and the
// runtime Options.Env: os.LookupEnv.
func team() *swarm.Team {
	t := swarm.NewTeam("shop", swarm.Profile{ID: "clerk", Prompt: "You answer what is in stock. Look it up with the stock tool."})
	t.Models[swarm.DefaultModel] = swarm.Scripted(answers)
	return t
}

// run asks the team for apples, or goes on with a run: its arguments are then the id and
// the number of the last record that was shown.
func run(ctx context.Context, options swarm.Options, args []string, out io.Writer) (err error) {
	look, err := swarm.NewTool("stock", "How many of an article are in stock.", lookUp, swarm.ReadOnly())
	if err != nil {
		return err
	}
	options.Tools = []swarm.Tool{look}
	rt, err := swarm.Open(ctx, options)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, rt.Close(closing))
	}()

	r, shown, err := begin(ctx, rt, args)
	if err != nil {
		return err
	}
	for record, err := range r.Events(ctx, shown+1) {
		if swarm.Code(err) == "journal.cancelled" {
			fmt.Fprintf(out, "go on with: go run ./examples/embed %s %d\n", r.ID(), shown)
			return nil // Close pauses the run
		}
		if err != nil {
			return err
		}
		shown = record.Seq
		switch m := record.Payload.(type) {
		case *swarm.CallRequested:
			fmt.Fprintf(out, "%d: calls %s\n", record.Seq, m.Name)
		case *swarm.CallSettled:
			fmt.Fprintf(out, "%d: it %s\n", record.Seq, m.Outcome)
		case *swarm.RunResumed:
			fmt.Fprintf(out, "%d: goes on, it was %s\n", record.Seq, m.From)
		}
	}
	res, err := r.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", res.Outcome, res.Text)
	return nil
}

// begin starts a run, or resumes the one that the arguments name.
func begin(ctx context.Context, rt *swarm.Runtime, args []string) (r *swarm.Run, shown int64, err error) {
	if len(args) == 2 {
		if shown, err = strconv.ParseInt(args[1], 10, 64); err != nil {
			return nil, 0, err
		}
		r, err = rt.Resume(ctx, args[0], swarm.ResumeOptions{})
		return r, shown, err
	}
	t := team()
	if err := t.Validate(); err != nil {
		return nil, 0, err
	}
	r, err = rt.Start(ctx, t, swarm.Input{Text: "apples"})
	return r, 0, err
}
