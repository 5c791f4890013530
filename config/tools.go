package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// registered are the ids of the built-ins that this version has; the table of package
// tooling also reserves those to come.
func registered() []string {
	var ids []string
	for _, t := range slices.Concat(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(nil), builtin.ShellTool(nil, limits.Limits{})}) {
		ids = append(ids, t.ID)
	}
	return ids
}

func tabled() []string {
	var ids []string
	for _, e := range tooling.Table() {
		ids = append(ids, e.ID())
	}
	return ids
}

func anyMatch(pattern string, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return tooling.Matches(pattern, id) })
}

// pattern checks one pattern of tool ids. Those of a list that gives tools must be in
// this version.
func (in *input) pattern(v *yaml.Node, path string, gives bool) bool {
	text := v.Value
	full, err := tooling.Pattern(text)
	if err != nil {
		mend := ""
		switch {
		case text == "*" && gives:
			mend = allTools
		case strings.HasSuffix(text, "*") && !strings.Contains(text, ":"):
			mend = nearestTool(text)
		case !strings.ContainsAny(text, ":*"):
			mend = both(nearestTool(text), ownTool)
		}
		in.fault(v, "config.tool_pattern", fmt.Sprintf("%s: %q is no tool pattern: %s", path, text, plainText(err)), mend)
		return false
	}
	switch {
	case full == tooling.IDReturn && !strings.HasSuffix(path, ".limits"):
		in.fault(v, "config.tool_reserved", path+": task.return is given to every child and to nobody else", "remove it")
	case strings.HasSuffix(path, ".deny") && (tooling.Matches(full, tooling.IDFinish) || tooling.Matches(full, tooling.IDReturn)):
		in.fault(v, "config.tool_reserved", fmt.Sprintf("%s: %q denies the tool by which an agent ends", path, text), "name the tools to deny one by one")
	case !strings.HasPrefix(full, "builtin:"):
		return true
	case !anyMatch(full, tabled()):
		in.fault(v, "config.tool_unknown", fmt.Sprintf("%s: there is no built-in tool %q", path, text), unknownMend(text, gives))
	case gives && !anyMatch(full, registered()):
		mend := "remove it"
		if shelly(text) {
			mend += "; " + shellMend
		}
		in.absent(v, fmt.Sprintf("%s: the tool %q", path, text), mend)
	default:
		return true
	}
	return false
}

// allTools says what to write for all tools.
const allTools = `write "builtin:*" for all built-in tools, or remove the list for those that a new agent has`

// ownTool says how a tool is named that is none of the built-ins.
const ownTool = `a Go tool of the embedding program is "extension/go:NAME"`

// unknownMend names the nearest built-in tool, and how others are named.
func unknownMend(text string, gives bool) string {
	mend := nearestTool(text)
	if strings.HasPrefix(text, "builtin:") || !gives {
		return mend
	}
	return both(mend, ownTool)
}

func both(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
