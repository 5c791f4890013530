package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

func main() {
	dir, script := os.Args[1], os.Args[2]
	b, err := os.ReadFile(script)
	if err != nil {
		panic(err)
	}
	reg := userland.Registry()
	bud, ctx, stop := limits.NewBudget(context.Background(), limits.Limits{})
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tmp, _ := os.MkdirTemp("", "vt")
	defer os.RemoveAll(tmp)
	v, err := view.New(view.Options{Dir: dir, Tmp: tmp, Budget: bud, Commands: append(reg.Names(), eval.Builtins()...)})
	if err != nil {
		panic(err)
	}
	x := eval.New().Eval(ctx, &shell.Request{
		Script: string(b), Name: "", Dir: "/", Env: shell.Environ("/"), In: io.Reader(os.Stdin), Out: os.Stdout, Err: os.Stderr,
		FS: v, Commands: reg, Budget: bud, Now: time.Now,
		Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		Rand: func(p []byte) { rand.Read(p) },
	})
	if x.Err != nil {
		fmt.Fprintln(os.Stderr, "ERR:", x.Err)
		os.Exit(125)
	}
	os.Exit(x.Code)
}
