package expand_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/shelltest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/userland"
)

func TestZZ(t *testing.T) {
	runner := shell.NewInProcess(eval.New(), userland.Registry(), shell.InProcessOptions{Workers: 4})
	files, _ := filepath.Glob("../testdata/cases/" + os.Getenv("ZZ") + "*.txt")
	oracle, m := shelltest.FindOracle()
	if oracle == nil {
		t.Fatal(m)
	}
	n, bad := 0, 0
	for _, file := range files {
		cases, err := shelltest.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			n++
			want, err := oracle.Run(t.Context(), t.TempDir(), c.Script)
			if err != nil {
				t.Error(c.Name, err)
			}
			dir := t.TempDir()
			out := runner.Run(t.Context(), &shell.Job{Command: c.Script, Host: dir, Env: append(shell.Environ("/"), "LC_ALL=C.UTF-8")})
			fs, _ := shelltest.Files(dir)
			got := shelltest.Result{Out: shelltest.Text(string(out.Stdout.Head) + string(out.Stdout.Tail)), Exit: out.Code, Stderr: out.Stderr.Bytes > 0, Files: fs}
			if got.Out != want.Out || got.Exit != want.Exit || got.Stderr != want.Stderr || !maps.Equal(got.Files, want.Files) {
				bad++
				fmt.Printf("=== %s %s (%v %s)\n%s--- got %d %v\n%s--- want %d %v\n%s%s\n", filepath.Base(file), c.Name, out.Kind, out.Reason, c.Script, got.Exit, got.Stderr, got.Out, want.Exit, want.Stderr, want.Out, strings.TrimSpace(string(out.Stderr.Head)))
			}
		}
	}
	fmt.Println(n, "cases", bad, "bad")
}
