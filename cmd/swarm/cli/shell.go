package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// shellFlags are the flags of swarm shell.
type shellFlags struct {
	command  string
	dir, run string
	write    bool
	raw      bool
}

func (a *app) shellCommand() *cobra.Command {
	var f shellFlags
	cmd := &cobra.Command{
		Use:   "shell [FILE [ARGS]]",
		Short: "The sandboxed shell of the agents",
		Long: "Runs a script in the sandboxed shell that agents have as workspace.shell: a bash with its\n" +
			"own commands, without programs of the host and without network. The script is that of -c,\n" +
			"the FILE with its ARGS, or what standard input gives; on a terminal there is a prompt. It\n" +
			"works in an empty directory that is gone afterwards, unless --dir or --run name another.\n" +
			"The exit code is the script's, 124 when its time is over, 125 at a limit or a crash.",
		Example: "  swarm shell -c 'seq 3 | tac'",
		GroupID: groupTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			commanded := cmd.Flags().Changed("command")
			switch {
			case f.dir != "" && f.run != "":
				return usage("give one of --dir and --run")
			case f.write && f.dir == "":
				return usage("--write is for a directory of the host: name it with --dir")
			case cmd.Flags().Changed("dir") && f.dir == "", cmd.Flags().Changed("run") && f.run == "":
				return usage("--dir and --run need a value")
			}
			return a.shell(cmd.Context(), f, commanded, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows FILE is the script's
	flags.StringVarP(&f.command, "command", "c", "", "the script itself; further arguments are its $0, $1, …")
	flags.StringVar(&f.dir, "dir", "", "directory of the host to look at")
	flags.BoolVar(&f.write, "write", false, "with --dir: the script may change it")
	flags.StringVar(&f.run, "run", "", "look at the files of a run; nothing can be changed")
	flags.BoolVar(&f.raw, "raw", false, "send control characters to a terminal as they are")
	return cmd
}

// promptClock is how long a prompt may stand open.
const promptClock = 24 * time.Hour

func (a *app) shell(ctx context.Context, f shellFlags, commanded bool, args []string) (err error) {
	job := &shell.Job{Dir: "/", ReadOnly: f.run != "" || f.dir != "" && !f.write}
	switch {
	case a.json: // the streams are kept for the value
	case f.raw:
		job.Out, job.Err = a.out, a.err
	default:
		job.Out, job.Err = visibly(a.out), visibly(a.err)
	}
	var bounds limits.Limits
	switch {
	case commanded:
		job.Command, job.Stdin = f.command, a.in
		if len(args) > 0 {
			job.Name, job.Args = args[0], args[1:]
		}
	case len(args) > 0:
		script, err := os.ReadFile(args[0])
		if err != nil {
			return usage("the script cannot be read: %w", err)
		}
		job.Command, job.Name, job.Args, job.Stdin = string(script), args[0], args[1:], a.in
	default:
		job.FromInput, job.Stdin = true, a.in
		if tty, ok := a.in.(*os.File); ok && term.IsTerminal(int(tty.Fd())) {
			p := newPrompt(tty, a.out)
			job.Stdin, job.Prompt = p, p.ask
			bounds.Clock = promptClock
		}
	}
	clean, err := a.shellPlace(ctx, f, job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()
	job.Limits = bounds
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	runner, err := swarm.NewShell(swarm.ShellOptions{Limits: bounds})
	if err != nil {
		return err
	}
	out := runner.Run(ctx, job)
	err = runner.Close(context.WithoutCancel(ctx))
	if a.json {
		err = errors.Join(err, a.value(shellValue(out)))
	} else if out.Kind != shell.Exited && out.Limit == nil { // a limit was said on standard error
		a.errf("swarm shell: %s", out.Reason)
	}
	if code := out.Status(); code != 0 {
		return errors.Join(err, &exit{code: code})
	}
	return err
}

// shellView is what shell prints with --json.
type shellView struct {
	Outcome  string `json:"outcome"`
	ExitCode *int   `json:"exit_code,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Limit    string `json:"limit,omitempty"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	LeftOut  int64  `json:"left_out,omitempty"`
	Duration int64  `json:"duration_ns"`
}

func shellValue(o shell.Outcome) shellView {
	v := shellView{Outcome: string(o.Kind), Reason: o.Reason, Duration: int64(o.Duration), LeftOut: o.Stdout.Left + o.Stderr.Left,
		Stdout: kept(o.Stdout), Stderr: kept(o.Stderr)}
	if o.Kind == shell.Exited {
		v.ExitCode = &o.Code
	}
	if o.Limit != nil {
		v.Limit = o.Limit.Name
	}
	return v
}

// kept gives what was kept of a stream as a text.
func kept(c shell.Capture) string {
	return strings.ToValidUTF8(string(c.Head)+string(c.Tail), "\ufffd")
}

// shellPlace gives the job the directory that is its "/". The function that it gives cleans
// up.
func (a *app) shellPlace(ctx context.Context, f shellFlags, job *shell.Job) (clean func() error, err error) {
	if f.dir != "" {
		info, err := os.Stat(f.dir)
		switch {
		case err != nil:
			return nil, usage("--dir: %w", err)
		case !info.IsDir():
			return nil, usage("--dir %s is a file; name a directory", f.dir)
		}
		job.Host, err = filepath.Abs(f.dir)
		return func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "swarm-shell-")
	if err != nil {
		return nil, fault.Wrap(err, "workspace.storage_failed", "there is no place for the files of the shell")
	}
	clean = func() error { return os.RemoveAll(dir) }
	job.Host = dir
	if f.run != "" {
		if err := a.shellRun(ctx, f.run, dir); err != nil {
			return nil, errors.Join(err, clean())
		}
	}
	return clean, nil
}

// shellRun puts the files of a run into a directory.
func (a *app) shellRun(ctx context.Context, id, dir string) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	return rt.Project(ctx, sum.Run, dir)
}

// visibly gives a stream that shows control characters as escapes, when w is a terminal.
func visibly(w io.Writer) io.Writer {
	if !isTerminal(w) {
		return w
	}
	return &escaping{w: w}
}
