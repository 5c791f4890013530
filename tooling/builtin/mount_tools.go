package builtin

import (
	"context"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// onMount makes a reading tool one of the mounted host directories.
func onMount(t tooling.Tool) tooling.Tool {
	t.Condition = tooling.HasMount
	return t
}

// pathForm says how paths of mounts are written.
const pathForm = "Paths begin with the name of the mount; with a single mount it may be left out."

func mountRead() tooling.Tool {
	return onMount(readingTool("builtin:read", gateMount,
		"Read a file of a mounted directory, whole or by lines or characters. Find files with glob and grep first. "+pathForm,
		rangeSchema, func(ctx context.Context, c *tooling.Call) tooling.Result {
			return readRange(ctx, c, c.View.MountRead, nil)
		}))
}

func mountGlob() tooling.Tool {
	return onMount(readingTool("builtin:glob", gateMount,
		"Find files of a mounted directory by name. Ignored files are left out unless the pattern names them. "+pathForm,
		`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{`+
			`"pattern":{"type":"string","minLength":1,"maxLength":500,"description":"A glob such as **/*.go, or a part of the path."},`+
			`"path":{"type":"string","description":"Directory to begin at; everywhere when left out."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":200,"default":50,"description":"Paths to show."}}}`,
		globMounts))
}

type globFound struct {
	Paths     []string `json:"paths"`
	Total     int      `json:"total"`
	Truncated bool     `json:"truncated"`
}

func globMounts(ctx context.Context, c *tooling.Call) tooling.Result {
	got, err := c.View.Glob(ctx, workspace.GlobQuery{
		Pattern: argText(c.Args, "pattern"), Path: startOf(c.Args), Limit: argInt(c.Args, "limit", 50),
	})
	if err != nil {
		return fileFault(err)
	}
	out := globFound{Paths: got.Paths, Total: got.Total, Truncated: got.Truncated}
	var b strings.Builder
	for _, p := range got.Paths {
		b.WriteString(workspace.Visible(p))
		b.WriteByte('\n')
	}
	switch n := got.Total - len(got.Paths); {
	case got.Total == 0:
		out.Paths = []string{}
		b.WriteString("no file matches")
	case n > 0:
		b.WriteString("[" + workspace.Count(n, "more path") + "; narrow the pattern or raise limit]")
	}
	return tooling.Result{Content: strings.TrimSuffix(b.String(), "\n") + boundsNote(got.Bounds), Structured: out}
}

func mountGrep() tooling.Tool {
	return onMount(readingTool("builtin:grep", gateMount,
		"Search the texts of a mounted directory line by line. Ignored files are left out unless the glob names them. "+pathForm,
		`{"type":"object","additionalProperties":false,"required":["pattern"],"properties":{`+
			`"pattern":{"type":"string","minLength":1,"maxLength":1000,"description":"A regular expression (RE2) of one line, or a text."},`+
			`"mode":{"type":"string","enum":["regex","plain"],"default":"regex","description":"plain: exactly this text."},`+
			`"path":{"type":"string","description":"Directory or file to search; everywhere when left out."},`+
			`"glob":{"type":"string","description":"Only files that match, such as *.go."},`+
			`"ignore_case":{"type":"boolean","default":false},`+
			`"context_lines":{"type":"integer","minimum":0,"maximum":5,"default":0,"description":"Lines before and after each hit."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":200,"default":100,"description":"Hits to show."}}}`,
		func(ctx context.Context, c *tooling.Call) tooling.Result {
			q := workspace.SearchQuery{
				Query: argText(c.Args, "pattern"), Mode: workspace.Regex, Path: startOf(c.Args), Glob: argText(c.Args, "glob"),
				IgnoreCase: argBool(c.Args, "ignore_case"), Context: argInt(c.Args, "context_lines", 0), Limit: argInt(c.Args, "limit", 100),
			}
			if argText(c.Args, "mode") == "plain" {
				q.Mode = workspace.PlainLiteral
			}
			found, err := c.View.Grep(ctx, q)
			if err != nil {
				return fileFault(err)
			}
			return searchResult(q, found)
		}))
}
