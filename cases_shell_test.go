package swarm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

// sh calls the shell.
func sh(command string) model.AnswerCall {
	return swarmtest.Call("workspace_shell", fmt.Sprintf(`{"command":%s}`, quoted(command)))
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// shells runs one agent with some answers and gives its settled calls, in order.
func shells(t *testing.T, opts func(*setupOptions), answers ...swarmtest.Turn) (*testBundle, []*callView, string) {
	t.Helper()
	o := setupOptions{script: swarmtest.Script{"root": append(answers, swarmtest.Do(finish))}}
	if opts != nil {
		opts(&o)
	}
	b := setup(t, o)
	id := b.run("go").Run
	b.check(id)
	return b, callsOf(b.records(id), ""), id
}

func structured(t *testing.T, c *callView) shell.Result {
	t.Helper()
	var r shell.Result
	if err := json.Unmarshal(c.Settled.Data(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func textOf(c *callView) string { return c.Settled.Content.Text }

// The limits of the shell end what never ends, and the next command works.
func TestShellLimits(t *testing.T) {
	t.Parallel()
	team := func(o *setupOptions) {
		o.shell.Limits.Clock = 5 * time.Second
		o.shell.Limits.Memory = 64 << 20
	}
	for _, row := range []struct{ name, command, code, limit string }{
		{"a loop", "while :; do :; done", "workspace.shell_failed", "commands"},
		{"recursion", "f() { f; }; f", "workspace.shell_failed", "functions"},
		{"endless output", "yes | head -c 10000000000", "workspace.shell_failed", "produced"},
		{"sleep", "echo before; sleep 999", "workspace.shell_timeout", ""},
	} {
		t.Run("processes-8/"+row.name, func(t *testing.T) {
			t.Parallel()
			_, calls, _ := shells(t, team, swarmtest.Do(sh(row.command)), swarmtest.Do(sh("echo next")))
			r := structured(t, calls[0])
			if calls[0].code() != row.code || r.ExitCode != nil {
				t.Errorf("%s, exit code %v: %s", calls[0].code(), r.ExitCode, textOf(calls[0]))
			}
			if row.limit != "" && (r.Limit == nil || r.Limit.Name != row.limit || !strings.Contains(textOf(calls[0]), row.limit)) {
				t.Errorf("limit %+v: %.300s", r.Limit, textOf(calls[0]))
			}
			if got := textOf(calls[1]); got != "exit code 0\nnext\n" {
				t.Errorf("the next command: %q", got)
			}
		})
	}
}

// Four ends, four results.
func TestShellEnds(t *testing.T) {
	t.Parallel()
	t.Run("processes-9/exit status and both streams", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(sh("echo out; echo err >&2; exit 3")))
		if got := textOf(calls[0]); got != "exit code 3\nout\nstderr:\nerr\n" || calls[0].code() != "workspace.shell_exit" || *structured(t, calls[0]).ExitCode != 3 {
			t.Errorf("%s: %q", calls[0].code(), got)
		}
	})
	t.Run("processes-9/a missing workdir", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(swarmtest.Call("workspace_shell", `{"command":"echo x > /output/a","workdir":"/output/none"}`),
			swarmtest.Call("workspace_shell", `{"command":"pwd","workdir":"/hidden"}`), sh("ls /output")))
		if a, b := calls[0].code(), calls[1].code(); a != "workspace.path_not_found" || b != "workspace.path_not_visible" || textOf(calls[2]) != "exit code 0\n(no output)" {
			t.Errorf("%s, %s, then %q", a, b, textOf(calls[2]))
		}
	})
	t.Run("processes-9/a time-out", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, func(o *setupOptions) { o.shell.Limits.Clock = time.Second }, swarmtest.Do(sh("echo some; sleep 60")))
		if calls[0].code() != "workspace.shell_timeout" || !strings.Contains(textOf(calls[0]), "some\n") {
			t.Errorf("%s: %q", calls[0].code(), textOf(calls[0]))
		}
	})
	t.Run("processes-9/a cancel", func(t *testing.T) {
		t.Parallel()
		held := newHolder(t, "hold", false)
		b := setup(t, setupOptions{tools: []swarm.Tool{held.tool},
			script: swarmtest.Script{"root": {swarmtest.Do(sh("sleep 600"), use("hold", "it"))}}})
		r := b.start("go")
		<-held.begun // both calls were started
		if err := r.Cancel(t.Context(), "enough"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.rests(r); err != nil {
			t.Fatal(err)
		}
		calls := callsOf(b.records(r.ID()), "")
		if c := calls[0]; c.Settled == nil || c.Settled.Outcome != journal.Cancelled || !strings.Contains(c.code(), "cancelled") {
			t.Errorf("settled %+v", c.Settled)
		}
	})
}

// A script that is cut off leaves whole files: those that it finished.
func TestShellCutOff(t *testing.T) {
	t.Parallel()
	t.Run("processes-10", func(t *testing.T) {
		t.Parallel()
		b, calls, id := shells(t, func(o *setupOptions) { o.shell.Limits.Clock = time.Second },
			swarmtest.Do(sh("for i in 1 2 3 4 5; do seq 1000 > /output/$i; [ $i = 3 ] && sleep 60; done")))
		want := []string{"output/1", "output/2", "output/3"}
		if got := structured(t, calls[0]).Changed.Created; !slices.Equal(got, want) {
			t.Errorf("created %v, want %v", got, want)
		}
		whole := strings.Builder{}
		for i := 1; i <= 1000; i++ {
			fmt.Fprintln(&whole, i)
		}
		for _, path := range want {
			if content, err := b.rt.ReadFile(t.Context(), id, path); err != nil || string(content) != whole.String() {
				t.Errorf("%s has %d bytes: %v", path, len(content), err)
			}
		}
	})
}

// Nothing of the host is there, and nothing of one call in the next but files.
func TestShellIsClosed(t *testing.T) {
	t.Parallel()
	t.Run("processes-11", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(
			sh("/bin/ls / && echo ran"), sh("curl http://127.0.0.1/"), sh("git status"), sh("cat ../../etc/passwd"), sh(`echo "$HOME"; ls "$HOME"`)))
		for i, want := range []string{"", "exit code 127", "exit code 127", "No such file or directory", "/\n"} {
			if got := textOf(calls[i]); !strings.Contains(got, want) || strings.Contains(got, "root:") {
				t.Errorf("%s: %q", calls[i].Args.Text, got)
			}
		}
	})
	t.Run("processes-12", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(sh("x=1; f() { :; }; cd /output; echo kept > file; echo gone > /tmp/file; set -u; shopt -s nullglob")),
			swarmtest.Do(sh("echo [${x-}] $PWD; type f; ls /tmp; cat /output/file; shopt nullglob")))
		if got := textOf(calls[1]); !strings.Contains(got, "[] /\nkept\nnullglob       \toff\n") {
			t.Errorf("%q", got)
		}
	})
}

// Files of the tools and of the shell are the same files.
func TestShellAndFileTools(t *testing.T) {
	t.Parallel()
	patch := swarmtest.Call("workspace_apply_patch", `{"path":"output/a.md","old_string":"two","new_string":"2"}`)
	t.Run("files-10", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(write("output/a.md", "one\ntwo\n")), swarmtest.Do(read("output/a.md")),
			swarmtest.Do(sh("cat /output/a.md; echo three >> /output/a.md")), swarmtest.Do(patch),
			swarmtest.Do(read("output/a.md")), swarmtest.Do(patch), swarmtest.Do(sh("cat /output/a.md")))
		if calls[3].code() != "workspace.patch_stale_file" || calls[5].code() != "" {
			t.Errorf("%s, then %s", calls[3].code(), calls[5].code())
		}
		if a, b := textOf(calls[2]), textOf(calls[6]); a != "exit code 0\none\ntwo\n" || b != "exit code 0\none\n2\nthree\n" {
			t.Errorf("%q, then %q", a, b)
		}
	})
	t.Run("links, directories and modes last", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(sh("cd /output; mkdir empty; ln -s ../scratch/x l; printf '#!/bin/bash\necho $1\n' > run; chmod +x run; printf '\\xff' > bytes")),
			swarmtest.Do(write("scratch/x", "through")), swarmtest.Do(sh("cd /output; ls -d empty; cat l; ./run ' ran'; wc -c < bytes; readlink l")))
		if got := textOf(calls[2]); got != "exit code 0\nempty\nthroughran\n1\n../scratch/x\n" {
			t.Errorf("%q", got)
		}
	})
	t.Run("read_only", func(t *testing.T) {
		t.Parallel()
		_, calls, _ := shells(t, nil, swarmtest.Do(swarmtest.Call("workspace_shell", `{"command":"echo x > /output/a; touch /tmp/a; rm -r /output; ls /output","read_only":true}`)))
		if got := textOf(calls[0]); strings.Count(got, "Read-only file system") < 2 || len(structured(t, calls[0]).Changed.Created) > 0 {
			t.Errorf("%q", got)
		}
	})
}

// shellScene is a run whose calls of the shell change files in every way.
func shellScene() swarmtest.Script {
	return swarmtest.Script{"root": {
		swarmtest.Do(write("output/a.md", "A\n")),
		swarmtest.Do(sh("echo B >> /output/a.md; mkdir -p /scratch/empty; ln -s a.md /output/l; echo x > /scratch/gone; exit 3")),
		swarmtest.Do(read("output/a.md"), sh("mv /scratch/gone /output/moved; echo C >> /output/a.md")),
		swarmtest.Do(sh("cat /output/a.md /output/l > /output/both; rm /output/l")),
		swarmtest.Do(finish),
	}}
}

// Killed at any record, the workspace is what the records say, and every call of the shell
// has had its effect once.
func TestShellKilledAtEveryRecord(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("durability-3/stored=%t", stored), func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; !t.Failed() && n < 100; n++ {
				d := new(memoryDisk)
				crash := swarmtest.NewCrash(d.open(t), n, stored)
				id, ended := shellLife(t, crash, "")
				d.close(crash)
				if ended {
					break
				}
				if _, ended = shellLife(t, d.open(t), id); !ended {
					t.Errorf("append %d: the run did not end", n)
				}
			}
			if n < 10 {
				t.Errorf("only %d appends", n)
			}
		})
	}
}

func shellLife(t *testing.T, store journal.Store, id string) (string, bool) {
	t.Helper()
	b := setup(t, setupOptions{store: store, script: shellScene()})
	defer b.close()
	id, ended := b.lived(store, id)
	if !ended {
		return id, false
	}
	b.check(id)
	list, err := b.rt.Files(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.Path)
	}
	if want := []string{"output/a.md", "output/both", "output/moved", "scratch/empty"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v\n%s", got, want, b.dump(id))
	}
	both, err := b.rt.ReadFile(t.Context(), id, "output/both")
	if string(both) != "A\nB\nC\nA\nB\nC\n" {
		t.Errorf("both is %q: %v", both, err)
	}
	for _, c := range callsOf(b.records(id), "") {
		if c.Settled == nil || c.Settled.Outcome == journal.Unknown {
			t.Errorf("%s settled %+v", c.Name, c.Settled)
		}
	}
	return id, true
}

// A team can insist on workers.
func TestShellIsolationRequired(t *testing.T) {
	t.Parallel()
	// This test binary calls ShellWorker, so workers are there.
	_, calls, _ := shells(t, func(o *setupOptions) { o.shell.Required = true }, swarmtest.Do(sh("echo contained")))
	if got := textOf(calls[0]); got != "exit code 0\ncontained\n" {
		t.Errorf("%q", got)
	}
}
