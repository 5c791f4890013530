package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func searchFiles() tooling.Tool {
	return readingTool("builtin:workspace.search_files", gateWorkspace,
		"Search the texts of the workspace line by line: for words, best match first, or by a regular expression.",
		`{"type":"object","additionalProperties":false,"required":["query"],"properties":{`+
			`"query":{"type":"string","minLength":1,"maxLength":1000,"description":"Words, or a regular expression (RE2) of one line."},`+
			`"mode":{"type":"string","enum":["plain","regex"],"default":"plain"},`+
			`"path":{"type":"string","description":"Directory or file to search; everything but tool-results and skills when left out."},`+
			`"glob":{"type":"string","description":"Only files that match, such as *.md or output/**/*.json."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":50,"default":20,"description":"Hits to show."},`+
			`"context_lines":{"type":"integer","minimum":0,"maximum":5,"default":2,"description":"Lines before and after each hit."}}}`,
		func(ctx context.Context, c *tooling.Call) tooling.Result {
			q := workspace.SearchQuery{
				Query: argText(c.Args, "query"), Mode: workspace.PlainWords, Path: startOf(c.Args), Glob: argText(c.Args, "glob"),
				Limit: argInt(c.Args, "limit", 20), Context: argInt(c.Args, "context_lines", 2),
			}
			if argText(c.Args, "mode") == "regex" {
				q.Mode = workspace.Regex
			}
			found, err := c.View.Search(ctx, q)
			if err != nil {
				return fileFault(err)
			}
			return searchResult(q, found)
		})
}

type searchHit struct {
	Path      string   `json:"path"`
	StartLine int      `json:"startLine"`
	EndLine   int      `json:"endLine"`
	Snippet   string   `json:"snippet"`
	Score     *float64 `json:"score,omitempty"`
	SHA256    string   `json:"sha256"`
	Ref       string   `json:"ref"` // path:line
}

type searchFound struct {
	Query         string      `json:"query"`
	Mode          string      `json:"mode"`
	Hits          []searchHit `json:"hits"`
	TotalHits     int         `json:"totalHits"`
	SearchedFiles int         `json:"searchedFiles"`
	SkippedFiles  int         `json:"skippedFiles"`
	Truncated     bool        `json:"truncated"`
}

// searchResult serves the searching tools of both file families.
func searchResult(q workspace.SearchQuery, found *workspace.Found) tooling.Result {
	out := searchFound{
		Query: q.Query, Mode: "plain", Hits: []searchHit{}, TotalHits: found.Total,
		SearchedFiles: found.Searched, SkippedFiles: found.Skipped, Truncated: found.Truncated,
	}
	if q.Mode == workspace.Regex {
		out.Mode = "regex"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s", workspace.Count(found.Total, "hit"), workspace.Count(found.Searched, "file"))
	if found.Skipped > 0 {
		fmt.Fprintf(&b, ", %s skipped", workspace.Count(found.Skipped, "file"))
	}
	if n := len(found.Hits); n < found.Total {
		fmt.Fprintf(&b, "; the first %d are shown", n)
	}
	for i := range found.Hits {
		h := &found.Hits[i]
		hit := searchHit{
			Path: h.Path, StartLine: h.StartLine, EndLine: h.EndLine, Snippet: strings.Join(h.Lines, "\n"),
			SHA256: h.Hash, Ref: fmt.Sprintf("%s:%d", h.Path, h.Line),
		}
		if q.Mode == workspace.PlainWords {
			hit.Score = &h.Score
		}
		out.Hits = append(out.Hits, hit)
		if i > 0 && q.Context > 0 {
			b.WriteString("\n--")
		}
		for j, line := range h.Lines {
			sep := "-"
			if h.StartLine+j == h.Line {
				sep = ":"
			}
			fmt.Fprintf(&b, "\n%s%s%d%s%s", h.Path, sep, h.StartLine+j, sep, workspace.Visible(line))
		}
	}
	b.WriteString(boundsNote(found.Bounds))
	return tooling.Result{Content: b.String(), Structured: out}
}
