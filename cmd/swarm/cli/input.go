package cli

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/input"
)

// Largest files of an input in bytes: far above what a model reads.
const (
	maxInput = input.MaxText
	maxGiven = 64 << 20 // of a conversation or lore
)

// inputFlags say what a run is given beside its text.
type inputFlags struct {
	input, chat, lore string
	attach, labels    []string
	names             []string // of the attached files, as the user wrote them
}

func (f *inputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.input, "input", "", "file that holds the input; - is standard input")
	cmd.Flags().StringVar(&f.chat, "chat", "", "file that holds the conversation before: JSON lines, or a chat log")
	cmd.Flags().StringVar(&f.lore, "lore", "", "file of background entries, JSON or YAML")
	cmd.Flags().StringArrayVar(&f.attach, "attach", nil, "file or directory that agents find below input/; may be repeated")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "KEY=VALUE: a label of the run; may be repeated")
}

// read gathers everything but the files.
func (f *inputFlags) read(a *app, args []string) (in swarm.Input, err error) {
	for _, l := range f.labels {
		k, v, found := strings.Cut(l, "=")
		if !found || k == "" {
			return in, usage("--label is KEY=VALUE, not %q", l)
		}
		if in.Labels == nil {
			in.Labels = make(map[string]string)
		}
		in.Labels[k] = v
	}
	var wrong config.Faults
	if f.chat != "" {
		in.Messages, err = parsed("--chat", f.chat, swarm.ParseChat, &wrong)
		if err != nil {
			return in, err
		}
	}
	if f.lore != "" {
		in.Lore, err = parsed("--lore", f.lore, swarm.ParseLore, &wrong)
		if err != nil {
			return in, err
		}
	}
	if wrong != nil {
		return in, &exit{exitUsage, wrong}
	}
	in.Text, err = f.text(a, args)
	return in, err
}

// parsed reads a file of the input. Its faults are noted; any other error is of reading.
func parsed[T any](flag, file string, parse func(string, []byte) (T, error), wrong *config.Faults) (out T, err error) {
	data, err := readFile(flag, file, maxGiven)
	if err != nil {
		return out, err
	}
	out, err = parse(file, data)
	*wrong = append(*wrong, faultsOf(err)...)
	return out, nil
}

// text is what the run is asked; it may be empty when there is a conversation.
func (f *inputFlags) text(a *app, args []string) (string, error) {
	switch {
	case len(args) > 0 && f.input != "":
		return "", usage("the input is given twice, as TEXT and by --input; leave one out")
	case len(args) > 0:
		return args[0], nil
	case f.input == "-":
		data, err := readAll("standard input", a.in, maxInput)
		return text(data), err
	case f.input != "":
		data, err := readFile("--input", f.input, maxInput)
		return text(data), err
	}
	if in, ok := a.in.(*os.File); ok {
		if info, err := in.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			if f.chat != "" {
				return "", nil
			}
			return "", usage("there is no input; give a text, --input FILE, or standard input")
		}
	}
	data, err := readAll("standard input", a.in, maxInput)
	return text(data), err
}

func text(data []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
}

func readFile(flag, file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, usage("%s: the input cannot be read: %w", flag, err)
	}
	defer f.Close()
	return readAll(flag+" "+file, f, limit)
}

func readAll(name string, from io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, limit+1))
	if err != nil {
		return nil, usage("the input cannot be read: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, usage("%s has more than %s bytes", name, grouped(limit))
	}
	return data, nil
}

// faultsOf gives the faults of an input as those of a team's files are shown.
func faultsOf(err error) (out config.Faults) {
	for _, f := range input.FaultsOf(err) {
		out = append(out, config.Fault{File: f.File, Line: f.Line, Column: f.Column, Code: "input.invalid", Text: f.Sentence(), Mend: f.Mend})
	}
	return out
}

// fileFault is the place of a fault of a file of the input.
var fileFault = regexp.MustCompile(`^files\[([0-9]+)\] "[^"]*"`)

// faults gives an error of the input as faults, any other one as it is. Files are named as
// they were attached.
func (f *inputFlags) faults(err error) error {
	fs := faultsOf(err)
	if fs == nil {
		return err
	}
	for i := range fs {
		if m := fileFault.FindStringSubmatch(fs[i].Text); m != nil {
			if n, _ := strconv.Atoi(m[1]); n < len(f.names) { // the pattern has digits only
				fs[i].Text = "--attach " + f.names[n] + fs[i].Text[len(m[0]):]
			}
		}
	}
	return &exit{exitUsage, fs}
}

// files reads what is attached. The data directory is left out.
func (f *inputFlags) files(a *app, dataDir string) ([]swarm.InputFile, error) {
	r, err := newAttached(dataDir)
	if err != nil {
		return nil, err
	}
	for _, name := range f.attach {
		if err := r.add(name); err != nil {
			return nil, err
		}
	}
	for _, s := range r.left {
		if !a.quiet {
			a.errf("--attach: %s", s)
		}
	}
	f.names = r.names
	return r.files, nil
}
