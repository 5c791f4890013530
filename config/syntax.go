package config

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// place is where something stands in a text, from 1.
type place struct{ line, column int }

// syntax makes a fault of what the YAML parser said, which names only a line, at times
// another one, and says little of what to do. Both come from what stands in the text.
func syntax(file string, text []byte, said string) Fault {
	at := place{1, 1}
	known := false
	if m := yamlLine.FindStringSubmatch(said); m != nil {
		at.line, _ = strconv.Atoi(m[1])
		said = said[len(m[0]):]
		known = true
	}
	lines := strings.Split(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))), "\n")
	f := Fault{File: file, Code: "config.syntax", Text: "this is not YAML: " + said}
	if known && at.line <= len(lines) {
		at.column = indent(lines[at.line-1]) + 1
	}
	if line := tabbed(lines, at.line, known); line > 0 {
		f.Line, f.Column, f.Text, f.Mend = line, 1, "this is not YAML: the line is indented with a tab", "use spaces"
		return f
	}
	for _, c := range causes {
		if !strings.Contains(said, c.said) {
			continue
		}
		if found, mend := c.find(lines, at); mend != "" {
			at, f.Mend = found, mend
			break
		}
	}
	f.Line, f.Column = at.line, at.column
	return f
}

// tabbed finds a line near the error that a tab indents.
func tabbed(lines []string, at int, known bool) int {
	for i, line := range lines {
		near := !known || i+1 >= at-1 && i+1 <= at+1
		if near && strings.Contains(line[:indent(line)], "\t") && strings.TrimSpace(line) != "" {
			return i + 1
		}
	}
	return 0
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// causes are what the parser says and what is looked for then, the likeliest first. A
// search gives no mend when it finds nothing.
var causes = []struct {
	said string
	find func(lines []string, at place) (place, string)
}{
	{"mapping values are not allowed", templated},
	{"mapping values are not allowed", unspaced},
	{"mapping values are not allowed", colon},
	{"mapping values are not allowed", always("keys of one mapping begin in the same column, each in a line of its own")},
	{"could not find expected ':'", unspaced},
	{"could not find expected ':'", always("write KEY: VALUE, with a space behind the colon")},
	{"alphabetic or numeric character", starred},
	{"unknown anchor", starred},
	{"unknown escape", always(`write \\ for \ within double quotes, or use single quotes`)},
	{"cannot start any token", first(special, "a text that begins with @, ` or % is put in quotes")},
	{"did not find expected ',' or", first(variable, `within { } and [ ] write "${NAME}" with quotes`)},
	{"did not find expected ',' or", unclosed},
	{"did not find expected node content", unclosed},
	{"did not find expected key", templated},
	{"did not find expected key", dedented},
	{"did not find expected key", always("keys of one mapping begin in the same column; a text with quotes in it is put in quotes whole")},
	{"expected '-' indicator", dedented},
	{"expected '-' indicator", always("entries of one list begin in the same column")},
	{"unexpected end of stream", always("close the quotes")},
	{"max depth", always("a team is never nested so deep")},
}

func always(mend string) func([]string, place) (place, string) {
	return func(_ []string, at place) (place, string) { return at, mend }
}

var (
	plainColon = regexp.MustCompile(`^\s*(?:- )?([A-Za-z_-]+): +[^'"{\[|>].*: .*$`)
	noSpace    = regexp.MustCompile(`^\s*(?:- )?[A-Za-z_]+:[^\s/:]`)
	star       = regexp.MustCompile(`(?:^|[\[{,: ])\s*([*&][^\s,\]}]*)`)
	variable   = regexp.MustCompile(`[\[{][^'"]*(\$\{)`)
	template   = regexp.MustCompile(`(?:: |- )\s*(\{\{)`)
	special    = regexp.MustCompile("(?:: |- )\\s*([@`%])")
)

// first finds the first line in which a pattern has its group.
func first(pattern *regexp.Regexp, mend string) func([]string, place) (place, string) {
	return func(lines []string, at place) (place, string) {
		for i, line := range lines {
			if m := pattern.FindStringSubmatchIndex(line); m != nil {
				return place{i + 1, m[2] + 1}, mend
			}
		}
		return at, ""
	}
}

// templated finds a text that begins with {{ in the line or the one behind it: parsers
// name the key before it at times.
func templated(lines []string, at place) (place, string) {
	for i := at.line - 1; i < min(at.line+1, len(lines)); i++ {
		if m := template.FindStringSubmatchIndex(lines[i]); m != nil {
			return place{i + 1, m[2] + 1}, "a text that begins with { is put in quotes"
		}
	}
	return at, ""
}

// starred finds an alias that is none: a text that begins with * or &.
func starred(lines []string, at place) (place, string) {
	mend := `a text that begins with * or & is put in quotes, such as "*"`
	if at.line <= len(lines) {
		if m := star.FindStringSubmatchIndex(lines[at.line-1]); m != nil {
			return place{at.line, m[2] + 1}, mend
		}
	}
	return first(star, mend)(lines, at)
}

// unspaced finds a key without a space behind its colon, in the line or the one before.
func unspaced(lines []string, at place) (place, string) {
	for i := max(at.line-2, 0); i < min(at.line, len(lines)); i++ {
		if noSpace.MatchString(lines[i]) {
			return place{i + 1, indent(lines[i]) + 1}, "write KEY: VALUE, with a space behind the colon"
		}
	}
	return at, ""
}

// colon finds a colon within a text without quotes.
func colon(lines []string, at place) (place, string) {
	if at.line > len(lines) {
		return at, ""
	}
	m := plainColon.FindStringSubmatch(lines[at.line-1])
	if m == nil {
		return at, ""
	}
	return at, "a text that holds a colon and a space is put in quotes, such as " + m[1] + `: "…"`
}

// dedented finds a line that begins in a column in which nothing before it began.
func dedented(lines []string, at place) (place, string) {
	var open []int
	block := -1 // indent of the key whose text the lines are
	for i, line := range lines {
		text := strings.TrimSpace(line)
		column := indent(line)
		if text == "" || strings.HasPrefix(text, "#") || block >= 0 && column > block {
			continue
		}
		block = -1
		for len(open) > 0 && open[len(open)-1] > column {
			open = open[:len(open)-1]
			if len(open) == 0 || open[len(open)-1] < column {
				return place{i + 1, column + 1}, "keys of one mapping, and entries of one list, begin in the same column"
			}
		}
		open = append(open, column)
		for strings.HasPrefix(text, "- ") {
			inner := strings.TrimLeft(text[2:], " ")
			column += len(text) - len(inner)
			text = inner
			open = append(open, column)
		}
		if strings.HasSuffix(text, "|") || strings.HasSuffix(text, ">") || strings.HasSuffix(text, "|-") || strings.HasSuffix(text, ">-") {
			block = indent(line)
		}
	}
	return at, ""
}

// unclosed finds the last bracket outside quotes and comments that nothing closes.
func unclosed(lines []string, at place) (place, string) {
	var open []place
	for i, text := range lines {
		var quote byte
	scan:
		for j := range len(text) {
			c := text[j]
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'' && (j == 0 || strings.IndexByte(" [{,:", text[j-1]) >= 0):
				quote = c
			case c == '#' && (j == 0 || text[j-1] == ' '):
				break scan
			case c == '[' || c == '{':
				open = append(open, place{i + 1, j + 1})
			case (c == ']' || c == '}') && len(open) > 0:
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return at, ""
	}
	return open[len(open)-1], "close the bracket that begins here"
}
