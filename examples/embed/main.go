// Command embed shows the runtime inside a program: a tool that is a Go function, a team
// that is a Go value, and a run whose events are followed to its end.
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// query is what the tool takes: its schema is made from this type.
type query struct {
	Item string `json:"item" desc:"Name of an article."`
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
		return stock{}, fmt.Errorf("there is no article %q; there are apples and pears", in.Item)
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
      calls:
        - workspace.write_file: {path: output/main.md, content: '{{ json "stock" "count" }} {{ json "stock" "item" }} in stock.'}
    - when: {after: workspace.write_file}
      calls: [{workspace.commit: {}}, {workspace.finish: {reason: answered}}]
`

// team is a team of one agent. For a real model its entry in Models would be
// {Provider: config.OpenAI, Model: "gpt-5-mini", APIKey: "${OPENAI_API_KEY}"}, with
// Options.Env: os.LookupEnv.
func team() *swarm.Team {
	return &swarm.Team{
		Version: config.Version, Name: "shop", Entry: "clerk",
		Models: map[string]config.Model{config.DefaultModel: {Provider: config.Scripted, Script: answers, ScriptFile: "answers"}},
		Agents: map[string]*agent.Profile{"clerk": {ID: "clerk", Prompt: "You answer what is in stock. Look it up with the stock tool."}},
	}
}

// run asks the team for the stock of apples and prints what happens.
func run(ctx context.Context, out io.Writer) (err error) {
	look, err := swarm.NewTool("stock", "How many of an article are in stock.", lookUp, swarm.ReadOnly())
	if err != nil {
		return err
	}
	t := team()
	if err := t.Validate(); err != nil {
		return err
	}
	// Without a directory everything is kept in memory; Dir: ".swarm" makes runs durable.
	rt, err := swarm.Open(ctx, swarm.Options{Tools: []swarm.Tool{look}})
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if e := rt.Close(closing); err == nil {
			err = e
		}
	}()

	r, err := rt.Start(ctx, t, swarm.Input{Text: "apples"})
	if err != nil {
		return err
	}
	for record, err := range r.Events(ctx, 0) {
		if err != nil {
			return err
		}
		switch m := record.Payload.(type) {
		case *journal.CallRequested:
			fmt.Fprintf(out, "calls %s\n", m.Name)
		case *journal.CallSettled:
			fmt.Fprintf(out, "  it %s\n", m.Outcome)
		}
	}
	res, err := r.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", res.Outcome, res.Text)
	return nil
}
