package config

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontMatter parses front matter. Other programs read it line by line, so that a text
// with a colon in it needs no quotes there: what is no YAML is tried once more with quotes
// around such values, and a warning for each.
func (in *input) frontMatter(text []byte) (front *yaml.Node, ok bool) {
	if !in.printable(text) {
		return nil, false
	}
	front, wrong := in.parse(text)
	if wrong == nil {
		return front, true
	}
	mended, places := quotedLines(text)
	if len(places) > 0 {
		if front, again := in.parse(mended); again == nil {
			for _, p := range places {
				in.l.add(Fault{File: in.file, Line: p.line, Column: p.column, Code: "config.unquoted", Warning: true,
					Text: p.key + ": YAML needs quotes around this text, which is taken as it stands", Mend: p.mend})
			}
			return front, true
		}
	}
	in.l.add(*wrong)
	return nil, false
}

// lone is a key at the top with a value in its line.
var lone = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):([ \t]+)([^\s#\[{|>].*)$`)

// unquoted is the place of a value that needs quotes.
type unquoted struct {
	place
	key, mend string
}

// quotedLines puts quotes around the values that are no YAML by themselves and go on in no
// further line.
func quotedLines(text []byte) ([]byte, []unquoted) {
	lines := strings.Split(string(text), "\n")
	var out []unquoted
	for i, line := range lines {
		m := lone.FindStringSubmatch(line)
		if m == nil || i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
			continue
		}
		var alone yaml.Node
		value := strings.TrimSpace(m[3])
		if yaml.Unmarshal([]byte(line), &alone) == nil || strings.ContainsAny(value[:1], `"'`) && strings.Count(value, value[:1]) < 2 {
			continue
		}
		if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
			value = value[1 : n-1]
		}
		lines[i] = m[1] + ":" + m[2] + "'" + strings.ReplaceAll(value, "'", "''") + "'"
		mend := "write " + m[1] + ": >- and the text in the next line, indented"
		if len(value) <= 60 && !strings.ContainsAny(value, `"\`) {
			mend = fmt.Sprintf("write %s: %q", m[1], value)
		}
		out = append(out, unquoted{place{i + 1, len(m[1]) + len(m[2]) + 2}, m[1], mend})
	}
	return []byte(strings.Join(lines, "\n")), out
}
