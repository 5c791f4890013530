package cli

import (
	"context"
	"os"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
)

const checkShell = "shell"

// shell runs a command in the sandboxed shell.
func (d *doctor) shell(ctx context.Context) {
	dir, err := os.MkdirTemp("", "swarm-doctor-")
	if err != nil {
		d.add(checkShell, broken, "make room in the directory for temporary files", "%v", reason(err))
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // an empty directory that stays does no harm
	runner, err := swarm.NewShell(swarm.ShellOptions{Workers: 1})
	if err != nil {
		d.add(checkShell, broken, "", "%v", err)
		return
	}
	out := runner.Run(ctx, &shell.Job{Command: "echo it works", Host: dir, ReadOnly: true})
	if err := runner.Close(context.WithoutCancel(ctx)); err != nil {
		d.add(checkShell, warns, "", "%v", err)
	}
	switch {
	case ctx.Err() != nil:
	case out.Kind != shell.Exited || out.Code != 0:
		d.add(checkShell, broken, "agents cannot run commands: allow this user more processes and memory, or take workspace.shell away with tools.deny", "%s", shell.Text(out))
	default:
		d.add(checkShell, fine, "", "commands run in a process of their own; there is no Python and no second fence of the system in this version")
	}
}
