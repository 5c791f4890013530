package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	base    string // directory of the file, in the mount
	pattern string // relative to base
	anyName bool   // matches the last segment at every depth
	dirOnly bool
	negate  bool
}

// parseIgnore reads the text of an ignore file in the directory base. What is no valid
// pattern is left out.
func parseIgnore(base, text string) []ignoreRule {
	_, text = splitBOM(text)
	var out []ignoreRule
	for line := range strings.Lines(text) {
		line = trimIgnore(strings.TrimRight(line, "\r\n"))
		if line == "" || line[0] == '#' {
			continue
		}
		r := ignoreRule{base: base}
		line, r.negate = strings.CutPrefix(line, "!")
		line, r.dirOnly = strings.CutSuffix(line, "/")
		// Braces have no meaning there.
		line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
		r.anyName = !strings.Contains(line, "/")
		r.pattern = strings.TrimPrefix(line, "/")
		if strings.HasSuffix(r.pattern, "/**") {
			r.pattern += "/*" // what is inside, not the directory itself
		}
		if r.pattern != "" && doublestar.ValidatePattern(r.pattern) {
			out = append(out, r)
		}
	}
	return out
}

// trimIgnore takes spaces off the end, unless the first of them is escaped.
func trimIgnore(line string) string {
	trimmed := strings.TrimRight(line, " ")
	if len(trimmed) < len(line) && strings.HasSuffix(trimmed, `\`) && !strings.HasSuffix(trimmed, `\\`) {
		return trimmed + " "
	}
	return trimmed
}

// ignored says whether the last rule that matches a path leaves it out. It does not look
// at the directories that the path lies in.
func ignored(rules []ignoreRule, rel string, dir bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		if r := rules[i]; r.matches(rel, dir) {
			return !r.negate
		}
	}
	return false
}

func (r ignoreRule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir || !below(rel, r.base) {
		return false
	}
	if r.anyName {
		return doublestar.MatchUnvalidated(r.pattern, rel[strings.LastIndexByte(rel, '/')+1:])
	}
	return doublestar.MatchUnvalidated(r.pattern, relative(rel, r.base))
}
