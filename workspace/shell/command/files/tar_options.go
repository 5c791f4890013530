package files

import (
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// options reads the arguments in order, as -C counts from where it stands.
func (t *archiver) options() error {
	args := slices.Clone(t.Args)
	if len(args) > 1 && args[1] != "" && args[1][0] != '-' {
		args = oldStyle(args)
	}
	t.opt = &command.Options{}
	var all []string
	dir := ""
	for rest := args[1:]; ; {
		o, err := command.Parse(append([]string{args[0]}, rest...), tarSpec)
		if err != nil {
			return err
		}
		for _, s := range o.Seen() {
			if s.Name == "C" {
				if dir = s.Value; t.lastDir() != "" && !strings.HasPrefix(dir, "/") {
					dir = join(t.lastDir(), dir)
				}
				t.members = append(t.members, member{dir: dir})
			}
			all = append(all, optionWords(s)...)
		}
		used := rest[:len(rest)-len(o.Args)]
		if len(o.Args) == 0 {
			break
		}
		if len(used) > 0 && used[len(used)-1] == "--" {
			for _, name := range o.Args {
				t.members = append(t.members, member{dir: dir, name: name})
			}
			break
		}
		t.members = append(t.members, member{dir: dir, name: o.Args[0]})
		rest = o.Args[1:]
	}
	var err error
	t.opt, err = command.Parse(append([]string{args[0]}, all...), tarSpec)
	return err
}

func (t *archiver) lastDir() string {
	if len(t.members) == 0 {
		return ""
	}
	return t.members[len(t.members)-1].dir
}

// optionWords writes an option that was read, to be read again with all others.
func optionWords(s command.Seen) []string {
	word := "--" + s.Name
	if len(s.Name) == 1 {
		word = "-" + s.Name
	}
	switch {
	case len(s.Name) > 1 && (s.Joined || s.Value != ""):
		return []string{word + "=" + s.Value}
	case s.Value != "":
		return []string{word, s.Value}
	case s.Joined && s.Name != "v":
		return []string{word, ""}
	}
	return []string{word}
}

// oldStyle turns letters without a dash, whose values follow in order, into options.
func oldStyle(args []string) []string {
	out := []string{args[0]}
	rest := args[2:]
	for _, letter := range args[1] {
		out = append(out, "-"+string(letter))
		if strings.ContainsRune("fCTXb", letter) && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}
