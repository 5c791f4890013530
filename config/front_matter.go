package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	bom   = []byte("\uFEFF")
	fence = []byte("---")
)

// split takes an agent file apart: front matter, nil when there is none, and body. It is
// not ok when one of them could not be read, which it tells.
func (in *input) split(data []byte) (front *yaml.Node, body string, ok bool) {
	if !in.l.readable(in.file, data) {
		return nil, "", false
	}
	data = bytes.TrimPrefix(data, bom)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	lines := bytes.Split(data, []byte("\n"))
	if !isFence(lines[0]) {
		return nil, strings.TrimSpace(string(data)), !in.unmarked(lines)
	}
	end := slices.IndexFunc(lines[1:], isFence)
	if end < 0 {
		in.l.add(Fault{File: in.file, Line: 1, Column: 1, Code: "config.front_matter", Text: "the front matter that begins here does not end", Mend: "close it with a line ---"})
		return nil, "", false
	}
	// The first line is empty in place of the fence, so that lines are counted right.
	text := append([]byte("\n"), bytes.Join(lines[1:end+1], []byte("\n"))...)
	front, ok = in.frontMatter(text)
	return front, strings.TrimSpace(string(bytes.Join(lines[end+2:], []byte("\n")))), ok
}

func isFence(line []byte) bool { return bytes.Equal(bytes.TrimRight(line, " \t\r"), fence) }

// unmarked tells of a file that begins with keys that no marks make front matter: what
// they allow and deny would be lost.
func (in *input) unmarked(lines [][]byte) bool {
	first := slices.IndexFunc(lines, func(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 })
	if first < 0 {
		return false
	}
	f := Fault{File: in.file, Line: first + 1, Column: 1, Code: "config.front_matter"}
	name, _, found := bytes.Cut(lines[first], []byte(":"))
	switch {
	case bytes.Equal(bytes.TrimSpace(lines[first]), fence):
		f.Text, f.Mend = "front matter begins in the first line of a file", "remove the lines before it"
	case found && slices.Contains(frontNames(), string(name)):
		f.Text = fmt.Sprintf("%q is a key of front matter, and there is no line --- before it", name)
		f.Mend = "put a line --- before the keys and one after them; a prompt that begins so has two such lines before it"
	default:
		return false
	}
	in.l.add(f)
	return true
}

// frontNames are the keys by which front matter is recognised that lacks its marks.
func frontNames() []string {
	return names(frontKeys(blank(), new(draft)), func(k key) bool { return !k.lacking() && k.doc != ignoredDoc })
}
