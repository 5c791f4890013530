package jq

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const yqUsage = `Usage: yq [OPTION]... [FILTER] [FILE]...
Apply FILTER, in the language of jq, to each document of the files or of standard input.

  -o, --output-format FORMAT  yaml (default) or json
  -p, --input-format FORMAT   yaml or json; by the name of the file otherwise
  -i, --inplace               write the result into the file
  -r, --raw-output            strings of JSON output without quotes
  -j, --tojson                as -o json
  -y, -P, --prettyPrint       as -o yaml
  -c, --compact-output        one line for each JSON value
  -I, --indent N              spaces of a level, 2 when not given
  -n, --null-input            run FILTER once with null
  -s, --slurp                 all documents as one array
  -N, --no-doc                no --- between documents
  -e, --exit-status           1 when the last value is false or null
      --from-file FILE        the filter is in FILE
      --arg NAME TEXT         set $NAME to a string
      --argjson NAME JSON     set $NAME to a value

A scalar is written without quotes. Order of keys, comments and quotes of a document are
kept where the result has its shape; keys that are new come last. strenv(NAME) and
env(NAME) give a variable of the environment.
Exit status as of jq.`

const yqOptions = "o,output-format: p,input-format: i,inplace r,raw-output unwrapScalar:: j,tojson y,yaml-output P,prettyPrint c,compact-output " +
	"I,indent: n,null-input s,slurp N,no-doc e,exit-status in-place from-file: M,no-colors"

// yq is one run over some files.
type yq struct {
	*run
	json    bool
	indent  int
	noDoc   bool
	doc     *document // that is being worked on
	number  int       // of documents read
	written int       // number of the document that was written last
	out     io.Writer
}

func runYQ(ctx context.Context, c *command.Call) int {
	o := &options{indent: 2}
	args, err := takeNamed(c.Args, o)
	var p *command.Options
	if err == nil {
		p, err = command.Parse(args, yqOptions)
	}
	if err != nil {
		return c.UsageError(exitUsage, err)
	}
	value := func(name, otherwise string) string { return strings.TrimPrefix(p.Value(name, otherwise), "=") } // as in -o=json
	base := &yq{json: p.Has("j"), indent: 2, noDoc: p.Has("N")}
	for _, format := range []string{value("o", "yaml"), value("p", "yaml")} {
		if !isFormat(format) {
			return c.UsageError(exitUsage, fmt.Errorf("unknown format '%s': yaml and json are known", format))
		}
	}
	if last := p.Last("o", "j", "y", "P"); last == "o" {
		base.json = isJSON(value("o", ""))
	} else if last != "" {
		base.json = last == "j"
	}
	if n := value("I", "2"); n != "2" {
		if base.indent, err = strconv.Atoi(n); err != nil || base.indent < 0 || base.indent > 9 {
			return c.UsageError(exitUsage, fmt.Errorf("invalid indent '%s'", n))
		}
	}
	o.compact = p.Has("c") || base.indent == 0
	o.indent, o.rawOut, o.null, o.slurp, o.exitStatus = base.indent, p.Has("r"), p.Has("n"), p.Has("s"), p.Has("e")
	files, text, code := yqProgram(c, p)
	if code != 0 {
		return code
	}
	inPlace := p.Has("i", "in-place")
	if !inPlace {
		return base.with(c, o, files, value("p", ""), c.Out).eval(ctx, text)
	}
	if len(files) == 0 {
		return c.UsageError(exitUsage, fmt.Errorf("-i needs a file"))
	}
	for _, file := range files {
		var b strings.Builder
		if code := base.with(c, o, []string{file}, value("p", ""), &b).eval(ctx, text); code != 0 {
			return code
		}
		if err := replace(c, file, b.String()); err != nil {
			return c.Fail(file, err)
		}
	}
	return 0
}

// yqProgram gives the files and the filter: the first operand, unless it is a file and
// stands alone.
func yqProgram(c *command.Call, p *command.Options) (files []string, text string, code int) {
	files, text = p.Args, "."
	if len(files) > 0 && (files[0] == "eval" || files[0] == "e") {
		files = files[1:]
	}
	switch {
	case p.Has("from-file"):
		name := p.Value("from-file", "")
		read, err := readFile(c, name)
		if err != nil {
			return nil, "", c.Fail(name, err)
		}
		return files, read, 0
	case len(files) > 0 && (files[0] == "eval-all" || files[0] == "ea"):
		return nil, "", c.UsageError(exitUsage, fmt.Errorf("%s is not supported: use -s, which gives all documents as one array", files[0]))
	case len(files) == 1 && !p.Has("n"):
		if info, err := c.FS.Stat(c.Abs(files[0])); err == nil && info.Mode().IsRegular() {
			return files, text, 0
		}
	}
	if len(files) > 0 {
		text, files = files[0], files[1:]
	}
	return files, text, 0
}

// takeNamed takes the options with two values out of the arguments.
func takeNamed(args []string, o *options) ([]string, error) {
	var rest []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--arg" || args[i] == "--argjson" {
			if i+2 >= len(args) {
				return nil, fmt.Errorf("option '%s' takes a name and a value", args[i])
			}
			o.named = append(o.named, namedArg{args[i][2:], args[i+1], args[i+2]})
			i += 2
			continue
		}
		rest = append(rest, args[i])
	}
	return rest, nil
}

func isFormat(name string) bool {
	return isJSON(name) || name == "yaml" || name == "y" || name == "yml"
}
func isJSON(name string) bool { return name == "json" || name == "j" }

func (y *yq) with(c *command.Call, o *options, files []string, format string, out io.Writer) *yq {
	own := *o
	r := &run{c: c, o: &own, style: own.style("")}
	n := &yq{run: r, json: y.json, indent: y.indent, noDoc: y.noDoc, out: out}
	r.in = newInputs(c, files, &own)
	r.in.open = func(in io.Reader) source {
		if isJSON(format) || format == "" && strings.HasSuffix(r.in.name, ".json") {
			return newDecoder(in)
		}
		return &yamlSource{d: yaml.NewDecoder(in), to: func(d *document) { n.doc = d; n.number++ }}
	}
	r.emit = n.write
	r.extra = func(name string) (any, bool) { return c.Getenv(name), true }
	return n
}

func (y *yq) eval(ctx context.Context, text string) int {
	defer y.in.end()
	if err := y.setVariables(); err != nil {
		return y.c.UsageError(exitUsage, err)
	}
	if err := y.compile(ctx, text); err != nil {
		y.c.Errorf("error: %v", err)
		return exitCompile
	}
	return y.all(ctx)
}

// write writes a result in the format of the output.
func (y *yq) write(v any) error {
	y.some, y.last = true, v
	var b []byte
	switch s, isText := v.(string); {
	case isText && (!y.json || y.o.rawOut):
		b = append(b, s...)
	case y.json:
		b = y.style.appendValue(b, v)
	default:
		var err error
		if b, err = y.yaml(v); err != nil {
			return err
		}
	}
	if !y.json && !y.noDoc && y.written != 0 && y.written != y.number {
		io.WriteString(y.out, "---\n")
	}
	y.written = max(y.number, 1)
	if len(b) == 0 || b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	_, err := y.out.Write(b)
	return err
}

func (y *yq) yaml(v any) (out []byte, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			out, err = nil, fmt.Errorf("the value cannot be written as YAML: %v", failure)
		}
	}()
	if deeper(v, maxDepth) {
		return nil, words("the value is nested too deep for YAML")
	}
	doc := y.doc
	if y.o.slurp || y.o.null {
		doc = nil
	}
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(max(y.indent, 1))
	if err := e.Encode(doc.render(v)); err != nil {
		return nil, err
	}
	return []byte(b.String()), e.Close()
}

// replace writes a file anew: whole, or not at all.
func replace(c *command.Call, file, text string) error {
	target, err := c.FS.Real(c.Abs(file))
	if err != nil {
		return err
	}
	info, err := c.FS.Stat(target)
	if err != nil {
		return err
	}
	fresh := path.Join(path.Dir(target), ".yq-"+path.Base(target))
	f, err := c.FS.Open(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = c.FS.Rename(fresh, target)
	}
	if err != nil {
		c.FS.Remove(fresh)
	}
	return err
}
