package main

import (
	"context"
	"fmt"
	"io"
	"math/rand"
	"os"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/js"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func main() {
	budget, ctx, stop := limits.NewBudget(context.Background(), limits.Limits{})
	defer stop()
	dir, _ := os.Getwd()
	tmp, _ := os.MkdirTemp("", "jsp")
	defer os.RemoveAll(tmp)
	v, err := view.New(view.Options{Dir: dir, Tmp: tmp, Budget: budget})
	if err != nil {
		panic(err)
	}
	cmd := js.Commands()[0]
	began := time.Now()
	args := append([]string{"node"}, os.Args[1:]...)
	code := cmd.Exec(ctx, &command.Call{Args: args, In: os.Stdin, Out: command.NewWriter(os.Stdout), Err: os.Stderr, Dir: "/", FS: v, Budget: budget,
		Env: []string{"HOME=/", "HOSTNAME=swarm", "TMPDIR=/tmp"},
		Now: func() time.Time { return time.Now().UTC() }, Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, Rand: func(p []byte) { io.ReadFull(rand.New(rand.NewSource(1)), p) }})
	if os.Getenv("TIME") != "" {
		fmt.Fprintln(os.Stderr, "time", time.Since(began))
	}
	os.Exit(code)
}
