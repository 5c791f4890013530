package project_test

import (
	"fmt"
	"testing"
	"os"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/shelltest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

func TestZZ(t *testing.T) {
	cases, err := shelltest.Read(os.Getenv("CASES"))
	if err != nil {
		t.Fatal(err)
	}
	oracle, missing := shelltest.FindOracle()
	if oracle == nil {
		t.Fatal(missing)
	}
	runner := shell.NewInProcess(eval.New(), userland.Registry(), shell.InProcessOptions{Workers: 4})
	for _, c := range cases {
		want, err := oracle.Run(t.Context(), t.TempDir(), c.Script)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		out := runner.Run(t.Context(), &shell.Job{Command: c.Script, Host: dir, Env: append(shell.Environ("/"), "LC_ALL=C.UTF-8")})
		files, _ := shelltest.Files(dir)
		got := shelltest.Result{Out: shelltest.Text(string(out.Stdout.Head) + string(out.Stdout.Tail)), Exit: out.Code, Stderr: out.Stderr.Bytes > 0, Files: files}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s\n%s\n got %+v %v\nwant %+v", c.Name, c.Script, got, out.Kind, want)
			fmt.Println(string(out.Stderr.Head))
		}
	}
}
