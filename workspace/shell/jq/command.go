package jq

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Commands gives jq and yq.
func Commands() []*command.Command {
	return []*command.Command{
		{Name: "jq", Group: "data", Short: "query and change JSON", Usage: usage, Run: runJQ},
		{Name: "yq", Group: "data", Short: "query and change YAML with the language of jq", Usage: yqUsage, Run: runYQ},
	}
}

const usage = `Usage: jq [OPTION]... FILTER [FILE]...
       jq [OPTION]... -f PROGRAM_FILE [FILE]...
       jq [OPTION]... --args FILTER [STRING]...
       jq [OPTION]... --jsonargs FILTER [JSON]...
Apply FILTER to each JSON value of the files or of standard input.

  -c, --compact-output    one line for each value
  -r, --raw-output        strings without quotes
  -j, --join-output       as -r, without newlines
      --raw-output0       as -r, a NUL byte after each value
  -a, --ascii-output      characters beyond ASCII as escapes
  -C, --color-output      colours; JQ_COLORS changes them
  -M, --monochrome-output no colours
  -S, --sort-keys         objects with their keys in order
      --tab               indent with a tab
      --indent N          indent with N spaces, at most 7
      --unbuffered        write each value at once
  -n, --null-input        run FILTER once with null; input and inputs read
  -R, --raw-input         each line is a string
  -s, --slurp             all values as one array, with -R all text as one string
      --stream            [path, leaf] events instead of values
      --seq               record separators before each value
  -e, --exit-status       1 when the last value is false or null, 4 when there is none
  -f, --from-file         FILTER is the name of a file with the program
  -L DIR                  look for modules in DIR
      --arg NAME TEXT     set $NAME to a string
      --argjson NAME JSON set $NAME to a value
      --slurpfile NAME FILE  set $NAME to the array of the values in FILE
      --rawfile NAME FILE set $NAME to the text of FILE
      --args, --jsonargs  what follows is $ARGS.positional, not files
  -h, --help              this text
  -V, --version           the version of the language

Keys of objects stay in the order in which they came. Integers are exact at any size.
Exit status: 0; 2 usage or input; 3 the program does not compile; 5 an error of the program.`

func runJQ(ctx context.Context, c *command.Call) int {
	o, err := parseOptions(c.Args[1:])
	switch {
	case err != nil:
		return usageError(c, err)
	case o.help:
		io.WriteString(c.Out, usage+"\n")
		return 0
	case o.version:
		io.WriteString(c.Out, "jq-1.7\n")
		return 0
	case !o.hasText:
		io.WriteString(c.Err, usage+"\n")
		return exitUsage
	}
	text := o.program
	if o.fromFile {
		if text, err = readFile(c, o.program); err != nil {
			c.Errorf("error: Could not open %s: %s", o.program, view.Text(err))
			return exitUsage
		}
	}
	r := &run{c: c, o: o, style: o.style(c.Getenv("JQ_COLORS"))}
	r.in = newInputs(c, o.files, o)
	defer r.in.end()
	r.emit = r.write
	if err := r.setVariables(); err != nil {
		return usageError(c, err)
	}
	if err := r.compile(ctx, text); err != nil {
		c.Errorf("error: %v", err)
		fmt.Fprintf(c.Err, "%s: 1 compile error\n", path.Base(c.Args[0]))
		return exitCompile
	}
	return r.all(ctx)
}
