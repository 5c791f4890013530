package js

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Commands gives js with its other names node and deno.
func Commands() []*command.Command {
	return []*command.Command{{
		Name: "js", Aliases: []string{"node", "deno"}, Group: "data",
		Short: "run JavaScript (not Node and not Deno, but much of what programs use of Node)", Usage: usage, Run: run,
	}}
}

const usage = `Usage: js [OPTION]... FILE [ARG]...
       js -e CODE [ARG]...
       js - [ARG]...
Run a program in JavaScript. Without FILE it is read from standard input.

  -e, --eval CODE      run CODE
  -p, --print [CODE]   run CODE and write its value
  -c, --check FILE     see whether FILE compiles, and do not run it
  -r, --require NAME   load a module first
  -i                   is refused: there is no prompt
      --input-type commonjs
      --no-warnings, --trace-uncaught, --trace-warnings   change nothing
  -v, --version        write a version of Node
  -h, --help           this text

As deno, "deno run FILE" and "deno eval CODE" do the same.

This is not Node and not Deno. There are: console, process, Buffer, URL, timers, promises,
fetch (which always fails), structuredClone, TextEncoder, AbortController and the modules
assert, buffer, crypto (hashes and random values), events, fs, fs/promises, os, path,
perf_hooks, querystring, readline, stream, string_decoder, timers, url, util. Modules of
the workspace: .js, .cjs and .json by require(), also from node_modules.
There are no ES modules (write require and module.exports), no other programs, no network,
no threads. Times are in UTC, texts of dates and numbers are in en-US.`

// start is what the command line asks for.
type start struct {
	code     string
	hasCode  bool
	print    bool
	check    bool
	help     bool
	version  bool
	requires []string
	args     []string // FILE or "-" first, unless there is code
}

func run(ctx context.Context, c *command.Call) int {
	name := path.Base(c.Args[0])
	args := c.Args[1:]
	if name == "deno" && len(args) > 0 && (args[0] == "run" || args[0] == "eval") {
		args = denoArgs(args)
	}
	s, err := parseArgs(args)
	switch {
	case err != nil:
		c.Errorf("%v", err)
		return 9
	case s.help:
		_, _ = io.WriteString(c.Out, usage+"\n")
		return 0
	case s.version:
		text := Version
		if name == "deno" {
			text = "deno (js of the sandboxed shell) " + Version
		}
		_, _ = io.WriteString(c.Out, text+"\n")
		return 0
	}
	return s.run(ctx, c)
}

// denoArgs gives the arguments in the words of node.
func denoArgs(args []string) []string {
	rest := args[1:]
	for len(rest) > 0 && (strings.HasPrefix(rest[0], "--allow-") || rest[0] == "-A" || rest[0] == "-q" || rest[0] == "--quiet") {
		rest = rest[1:]
	}
	if args[0] == "eval" && len(rest) > 0 {
		if rest[0] == "-p" || rest[0] == "--print" {
			return rest
		}
		return append([]string{"-e"}, rest...)
	}
	return rest
}

var errNoPrompt = errors.New("-i: there is no prompt; write the program into a file, or use -e")

// ignored are options that change nothing here.
var ignored = set("--no-warnings", "--trace-uncaught", "--trace-warnings", "--no-deprecation", "--enable-source-maps", "--unhandled-rejections=throw",
	"--input-type=commonjs", "--trace-deprecation")

func parseArgs(args []string) (*start, error) {
	s := &start{}
	for len(args) > 0 {
		arg := args[0]
		name, value, joined := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") {
			name, joined = arg, false
		}
		take := func() (string, error) {
			if joined {
				args = args[1:]
				return value, nil
			}
			if len(args) < 2 {
				return "", errors.New(arg + " requires an argument")
			}
			v := args[1]
			args = args[2:]
			return v, nil
		}
		var err error
		switch {
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			s.args = args
			return s, nil
		case arg == "--":
			s.args = args[1:]
			return s, nil
		case name == "-e" || name == "--eval" || name == "-pe" || name == "-p" || name == "--print":
			s.print = s.print || name == "-p" || name == "-pe" || name == "--print"
			if len(args) < 2 && !joined && s.print && name != "-pe" { // the program comes from standard input
				args = args[1:]
				continue
			}
			s.code, err = take()
			s.hasCode = true
		case name == "-r" || name == "--require":
			var module string
			module, err = take()
			s.requires = append(s.requires, module)
		case name == "-c" || name == "--check":
			s.check = true
			args = args[1:]
		case name == "-h" || name == "--help":
			s.help = true
			return s, nil
		case name == "-v" || name == "--version":
			s.version = true
			return s, nil
		case name == "-i" || name == "--interactive":
			return nil, errNoPrompt
		case name == "--input-type" && value == "module":
			return nil, &moduleError{}
		case ignored[arg] || strings.HasPrefix(arg, "--max-old-space-size=") || strings.HasPrefix(arg, "--stack-trace-limit="):
			args = args[1:]
		default:
			return nil, errors.New("bad option: " + arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// run runs the program.
func (s *start) run(ctx context.Context, c *command.Call) int {
	o := Options{
		FS: c.FS, Dir: c.Dir, Env: c.Env, In: c.In, Out: c.Out, Err: c.Err,
		Now: c.Now, Sleep: c.Sleep, Rand: c.Rand, Limits: c.Budget.Limits,
	}
	o.Args = []string{"/usr/bin/node"}
	name := "[eval]"
	if !s.hasCode && (len(s.args) == 0 || s.args[0] == "-") {
		data, err := io.ReadAll(io.LimitReader(c.In, int64(c.Budget.Script)+1))
		if err != nil {
			return c.Fail("standard input", err)
		}
		s.code, s.hasCode, name = string(data), true, "[stdin]"
		if len(s.args) > 0 {
			o.Args = append(o.Args, "-")
			s.args = s.args[1:]
		}
	}
	if s.hasCode {
		if len(s.code) > c.Budget.Script {
			c.Errorf("the program is larger than %d bytes", c.Budget.Script)
			return 1
		}
		o.Args = append(o.Args, s.args...)
		r := New(ctx, o)
		r.preload = s.requires
		return r.Eval(name, s.code, s.print)
	}
	file := path.Join("/", c.Dir, s.args[0])
	if strings.HasPrefix(s.args[0], "/") {
		file = path.Clean(s.args[0])
	}
	o.Args = append(append(o.Args, file), s.args[1:]...)
	if info, err := c.FS.Stat(file); err == nil && !info.IsDir() && info.Size() > int64(c.Budget.Script) {
		c.Errorf("%s: the program is larger than %d bytes", s.args[0], c.Budget.Script)
		return 1
	} else if err != nil && path.Ext(file) == ".mjs" {
		return c.Fail(s.args[0], errors.New(view.Text(err)))
	}
	r := New(ctx, o)
	r.preload = s.requires
	if s.check {
		return r.Check(file)
	}
	return r.File(file)
}
