package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// ShellCall is one call of workspace.shell.
type ShellCall struct {
	Run      string
	View     *workspace.View
	Command  string
	Dir      string        // absolute in the workspace
	ReadOnly bool          // every write fails
	Clock    time.Duration // an upper bound of the wall clock; 0: none of the call
}

// Shell runs commands in the sandbox on the files of a run. It gives how the call ended
// and what it changed. The error is one of the store of files, never of the command.
type Shell interface {
	Run(ctx context.Context, c ShellCall) (shell.Outcome, []workspace.Change, error)
}

// IDShell is the id of the sandboxed shell.
const IDShell = "builtin:workspace.shell"

// shellTimeout is the wall clock of a call, default and maximum (shell spec §8).
const shellTimeout = 30 * time.Second

// ShellTool gives the tool of the sandboxed shell, of whose limits that of the command is
// held here. A nil host is for listing it only.
func ShellTool(host Shell, l limits.Limits) tooling.Tool {
	t := writingTool(IDShell,
		"Run a bash script on the files of the workspace, in a sandbox: no programs of the host, no network. It has the usual text and file commands, "+
			"jq, yq, and JavaScript as js (`help` lists all). / is the workspace: /output/a.md is the file output/a.md. "+
			"Every call begins afresh at workdir: only files stay, also after a failure.",
		`{"type":"object","additionalProperties":false,"required":["command"],"properties":{`+
			`"command":{"type":"string","description":"The script."},`+
			`"workdir":{"type":"string","default":"/","description":"Directory that it begins in."},`+
			`"read_only":{"type":"boolean","default":false,"description":"Let every write fail. Such calls may run at the same time."}}}`,
		[]string{"command"}, func(ctx context.Context, c *tooling.Call) tooling.Result { return runShell(ctx, host, l, c) })
	t.Condition = tooling.Always
	t.Timeout, t.Bounded = shellTimeout, true
	t.Reads = func(args *tooling.Object) bool { return argBool(args, "read_only") }
	return t
}

func runShell(ctx context.Context, host Shell, l limits.Limits, c *tooling.Call) tooling.Result {
	command := argText(c.Args, "command")
	if err := shell.CheckCommand(command, l); err != nil {
		return fileFault(err)
	}
	if strings.ContainsRune(command, 0) {
		return tooling.Fail("tool.invalid_arguments", `command holds a NUL character, which no shell can run; write $'\x00' or printf '\0' instead`)
	}
	dir, refusal := shellDir(argText(c.Args, "workdir"), c.View.Roots())
	if refusal != nil {
		return *refusal
	}
	out, changes, err := host.Run(ctx, ShellCall{
		Run: c.Run, View: c.View, Command: command, Dir: dir, ReadOnly: argBool(c.Args, "read_only"), Clock: c.Timeout,
	})
	if err != nil {
		return fileFault(err)
	}
	r := tooling.Result{Content: shell.Text(out), Structured: shell.Structured(out, changes), Code: out.ErrorCode(), Changes: changes}
	if out.Kind == shell.Cancelled {
		r.Outcome = journal.Cancelled
	}
	return r
}

// shellDir gives the working directory as the shell sees it. Whether it exists is found out
// there.
func shellDir(dir string, roots workspace.Roots) (string, *tooling.Result) {
	dir = strings.TrimSpace(dir)
	if dir == "" || strings.Trim(dir, "/") == "" || dir == "." {
		return "/", nil
	}
	p, err := workspace.ParsePath(strings.TrimLeft(dir, "/"))
	if err != nil {
		r := fileFault(err)
		return "", &r
	}
	first, _, _ := strings.Cut(p, "/")
	leads := func(root string) bool { return strings.HasPrefix(root, p+"/") }
	if !roots.CanSee(p) && !slices.ContainsFunc(roots.Visible, leads) && !slices.Contains(shellOwn, first) {
		r := tooling.Fail("workspace.path_not_visible", fmt.Sprintf("workdir %s is not visible here; visible: %s", p, strings.Join(roots.Visible, ", ")))
		return "", &r
	}
	return "/" + p, nil
}

// shellOwn are the directories that the shell has beside the roots of the workspace.
var shellOwn = []string{"tmp", "dev", "bin", "usr"}
