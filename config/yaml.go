package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// maxFile is the largest team or agent file in bytes: far above what a person writes.
const maxFile = 4 << 20

// input is one file that is read: its faults go to the loader, its keys are remembered
// by their dotted path, so that later checks can name their places.
type input struct {
	l    *loader
	file string
	seen map[string]pair
}

// pair is a member of a mapping.
type pair struct{ key, value *yaml.Node }

func (l *loader) input(file string) *input {
	return &input{l: l, file: file, seen: make(map[string]pair)}
}

// document parses a YAML text of one document; nil: there is none, or it is broken.
func (in *input) document(text []byte) *yaml.Node {
	if !in.l.readable(in.file, text) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if err = dec.Decode(&more); errors.Is(err, io.EOF) {
			return real(doc.Content[0])
		}
		if err == nil {
			in.fault(&more, "config.syntax", "the file holds more than one YAML document", "keep one")
			return nil
		}
	}
	in.l.add(syntax(in.file, err))
	return nil
}

// readable says whether a file is a text of a size that a person writes.
func (l *loader) readable(file string, data []byte) bool {
	if len(data) > maxFile {
		l.add(Fault{File: file, Code: "config.too_large", Text: fmt.Sprintf("the file has more than the %d bytes that are allowed", maxFile)})
		return false
	}
	if utf8.Valid(data) {
		return true
	}
	line, column := 1, 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[n:]
	}
	l.add(Fault{File: file, Line: line, Column: column, Code: "config.not_text", Text: "the file is not UTF-8 from here on", Mend: "save it as UTF-8"})
	return false
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// syntax makes a fault of an error of the YAML parser, which names only a line.
func syntax(file string, err error) Fault {
	f := Fault{File: file, Line: 1, Column: 1, Code: "config.syntax", Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := yamlLine.FindStringSubmatch(f.Text); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		f.Text = f.Text[len(m[0]):]
	}
	f.Text = "this is not YAML: " + f.Text
	return f
}

func (in *input) fault(n *yaml.Node, code, text, mend string) {
	f := in.at(n)
	f.Code, f.Text, f.Mend = code, text, mend
	in.l.add(f)
}

func (in *input) warn(n *yaml.Node, code, text, mend string) {
	f := in.at(n)
	f.Code, f.Text, f.Mend, f.Warning = code, text, mend, true
	in.l.add(f)
}

// at gives the place of a node: in the file, or the flag that it came from.
func (in *input) at(n *yaml.Node) Fault {
	if flag, ok := in.l.flags[n]; ok {
		return Fault{File: flag}
	}
	return Fault{File: in.file, Line: n.Line, Column: n.Column}
}

// real follows an alias.
func real(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// key is a member that a mapping may have. Without read it is one of the specification
// that this version lacks.
type key struct {
	name string
	read func(v *yaml.Node)
}

// join makes a dotted path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func title(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

// pairs calls do for each member of a mapping; a second one of a name is a fault.
func (in *input) pairs(n *yaml.Node, path string, do func(k, v *yaml.Node)) {
	n = real(n)
	if n.Kind != yaml.MappingNode {
		in.fault(n, "config.type", title(path)+" is a mapping of keys and values", "")
		return
	}
	here := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], real(n.Content[i+1])
		switch {
		case k.Kind != yaml.ScalarNode:
			in.fault(k, "config.type", "a key of "+title(path)+" is no text", "")
		case here[k.Value]:
			in.fault(k, "config.duplicate_key", fmt.Sprintf("%s has %q twice", title(path), k.Value), "keep one")
		default:
			here[k.Value] = true
			in.seen[join(path, k.Value)] = pair{k, v}
			do(k, v)
		}
	}
}

// mapping reads a mapping with known keys only.
func (in *input) mapping(n *yaml.Node, path string, known []key) {
	in.pairs(n, path, func(k, v *yaml.Node) {
		for _, one := range known {
			if one.name != k.Value {
				continue
			}
			switch {
			case one.read == nil:
				in.absent(k, join(path, k.Value), "remove it")
			case isNull(v):
				in.fault(k, "config.type", join(path, k.Value)+" has no value", "give one, or remove the key")
			default:
				one.read(v)
			}
			return
		}
		names := make([]string, len(known))
		for i, one := range known {
			names[i] = one.name
		}
		mend := ""
		if near := tooling.Nearest(k.Value, names, 1); len(near) > 0 {
			mend = fmt.Sprintf("the nearest known key is %q", near[0])
		}
		in.fault(k, "config.unknown_key", fmt.Sprintf("%s has no key %q", title(path), k.Value), mend)
	})
}

// absent says that this version lacks something of the specification.
func (in *input) absent(n *yaml.Node, what, mend string) {
	in.fault(n, "config.not_in_this_version", what+" is not in this version", mend)
}

// value tells a fault about the value of a key.
func (in *input) value(n *yaml.Node, path, is string) {
	in.fault(n, "config.value", fmt.Sprintf("%s is %s, not %s", path, is, shown(n)), "")
}

// shown gives a node's value, bounded, for a message.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if r := []rune(n.Value); len(r) > 60 {
		return strconv.Quote(string(r[:60]) + "…")
	}
	return strconv.Quote(n.Value)
}

func (in *input) text(n *yaml.Node, path string) (string, bool) {
	if n = real(n); n.Kind != yaml.ScalarNode || isNull(n) {
		in.fault(n, "config.type", path+" is a single value", "")
		return "", false
	}
	return n.Value, true
}

func (in *input) str(to *string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s, ok := in.text(n, path); ok {
			*to = s
		}
	}
}

// line reads a text of one line that is not blank.
func (in *input) line(to *string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s, "\r\n") {
			in.value(n, path, "one line of text")
			return
		}
		*to = s
	}
}

func (in *input) integer(to *int, path string, least, most int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		i, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
		if err != nil || i < least || i > most {
			is := fmt.Sprintf("a whole number from %d", least)
			if most < math.MaxInt {
				is += fmt.Sprintf(" to %d", most)
			}
			in.value(n, path, is)
			return
		}
		*to = i
	}
}

// count reads a whole number from 1.
func (in *input) count(to *int, path string) func(*yaml.Node) {
	return in.integer(to, path, 1, math.MaxInt)
}

func (in *input) number(to **float64, path string, most float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || !(f >= 0 && f <= most) {
			in.value(n, path, fmt.Sprintf("a number from 0 to %g", most))
			return
		}
		*to = &f
	}
}

func (in *input) boolean(n *yaml.Node, path string) (value, ok bool) {
	s, ok := in.text(n, path)
	if ok && s != "true" && s != "false" {
		in.value(n, path, "true or false")
		return false, false
	}
	return s == "true", ok
}

func (in *input) flag(to *bool, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if b, ok := in.boolean(n, path); ok {
			*to = b
		}
	}
}

func (in *input) optional(to **bool, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if b, ok := in.boolean(n, path); ok {
			*to = &b
		}
	}
}

func (in *input) duration(to *time.Duration, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			in.value(n, path, "a duration such as 10s, 5m or 1h")
			return
		}
		*to = d
	}
}

// choice reads one of a few words. Those behind the bar "|" are words of the
// specification that this version lacks.
func (in *input) choice(to *string, path string, words ...string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := in.text(n, path)
		if !ok {
			return
		}
		var have []string
		lacking := false
		for _, w := range words {
			switch {
			case w == "|":
				lacking = true
			case w == s && lacking:
				in.absent(n, path+": "+s, "use "+strings.Join(have, " or "))
				return
			case w == s:
				*to = s
				return
			case !lacking:
				have = append(have, w)
			}
		}
		in.value(n, path, strings.Join(have, " or "))
	}
}

// items calls do for each entry of a list.
func (in *input) items(n *yaml.Node, path string, do func(v *yaml.Node)) {
	if n = real(n); n.Kind != yaml.SequenceNode {
		mend := ""
		if n.Kind == yaml.ScalarNode && n.Value != "" && !strings.ContainsAny(n.Value, "\r\n") {
			mend = "write [" + n.Value + "]"
		}
		in.fault(n, "config.type", path+" is a list", mend)
		return
	}
	for _, v := range n.Content {
		do(real(v))
	}
}

// list reads texts. An empty list gives an empty slice, not nil.
func (in *input) list(to *[]string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		out := []string{}
		in.items(n, path, func(v *yaml.Node) {
			if s, ok := in.text(v, "an entry of "+path); ok {
				out = append(out, s)
			}
		})
		*to = out
	}
}
