package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// rangeSchema is what the reading tools have in common.
const rangeSchema = `{"type":"object","additionalProperties":false,"required":["path"],"properties":{` +
	`"path":{"type":"string","description":"File to read."},` +
	`"start_line":{"type":"integer","minimum":1,"default":1,"description":"First line, from 1."},` +
	`"line_count":{"type":"integer","minimum":1,"maximum":1200,"description":"Lines to read."},` +
	`"start_char":{"type":"integer","minimum":0,"description":"First character, from 0. Not together with lines."},` +
	`"max_chars":{"type":"integer","minimum":1,"maximum":40000,"description":"Characters to read. Not together with lines."}}}`

func readFile() tooling.Tool {
	return readingTool("builtin:workspace.read_file", gateWorkspace,
		"Read a file of the workspace, whole or by lines or characters. Read a file before you replace or patch it.",
		rangeSchema, func(ctx context.Context, c *tooling.Call) tooling.Result {
			return readRange(ctx, c, c.View.Read, attached)
		})
}

// attached gives the image that a reading of the workspace is, which models that see are
// shown. Its bytes are found by the hash of the file.
func attached(got *workspace.Reading) []journal.Image {
	pic := got.Picture
	if pic == nil {
		return nil
	}
	return []journal.Image{{Path: got.Path, Media: pic.Media, Hash: got.Hash, Bytes: got.SizeBytes, Width: pic.Width, Height: pic.Height}}
}

// readWindow is the record of a read.
type readWindow struct {
	Path          string `json:"path"`
	SHA256        string `json:"sha256"`
	Kind          string `json:"kind,omitempty"` // of a file that is not text
	TotalLines    int    `json:"totalLines"`
	StartLine     int    `json:"startLine"`
	EndLine       int    `json:"endLine"`
	StartChar     int    `json:"startChar"`
	EndChar       int    `json:"endChar"`
	Chars         int    `json:"chars"`
	TotalChars    int    `json:"totalChars"`
	Words         int    `json:"words"`
	Truncated     bool   `json:"truncated"`
	FullRead      bool   `json:"fullRead"`
	NextStartLine int    `json:"nextStartLine,omitempty"`
	NextStartChar int    `json:"nextStartChar,omitempty"`
}

// readRange serves the reading tools of both file families. images gives what is shown of a
// reading beside its text; nil: nothing is.
func readRange(ctx context.Context, c *tooling.Call, from func(context.Context, string, workspace.Range) (*workspace.Reading, error),
	images func(*workspace.Reading) []journal.Image) tooling.Result {
	r, bad := rangeOf(c.Args)
	if bad != nil {
		return bad.Result()
	}
	got, err := from(ctx, argText(c.Args, "path"), r)
	if err != nil {
		return fileFault(err)
	}
	result := tooling.Result{
		Content: readText(got, r.ByChars),
		Structured: readWindow{
			Path: got.Path, SHA256: got.Hash, Kind: got.Kind,
			TotalLines: got.TotalLines, StartLine: got.StartLine, EndLine: got.EndLine,
			StartChar: got.StartChar, EndChar: got.EndChar, TotalChars: got.TotalChars,
			Chars: workspace.Chars(got.Text), Words: workspace.Words(got.Text),
			Truncated: got.Truncated, FullRead: got.Full, NextStartLine: got.NextLine, NextStartChar: got.NextChar,
		},
		Observed: got.Observed,
	}
	if images != nil {
		result.Images = images(got)
	}
	return result
}

func rangeOf(o *tooling.Object) (workspace.Range, *tooling.Invalid) {
	r := workspace.Range{
		StartLine: argInt(o, "start_line", 0), Lines: argInt(o, "line_count", 0),
		StartChar: argInt(o, "start_char", 0), MaxChars: argInt(o, "max_chars", 0),
		ByChars: o.Has("start_char") || o.Has("max_chars"),
	}
	if r.ByChars && (o.Has("start_line") || o.Has("line_count")) {
		place := "start_char"
		if !o.Has(place) {
			place = "max_chars"
		}
		return r, &tooling.Invalid{
			Reason: tooling.ReasonWrongValue, Place: place,
			Expected: "lines (start_line, line_count) or characters (start_char, max_chars), not both",
		}
	}
	return r, nil
}

// readText is what a model reads of a file.
func readText(got *workspace.Reading, byChars bool) string {
	var b strings.Builder
	hash := workspace.Short(got.Hash)
	switch {
	case got.Kind != "":
		fmt.Fprintf(&b, "%s: not a text: %s, %s, sha256 %s. The shell can work with its bytes where there is one.",
			got.Path, got.Kind, workspace.Count(got.SizeBytes, "byte"), hash)
		switch {
		case got.Picture != nil:
			fmt.Fprintf(&b, " Its picture has %d x %d pixels.", got.Picture.Width, got.Picture.Height)
		case got.Unshown != "":
			fmt.Fprintf(&b, " Its picture cannot be shown: %s.", got.Unshown)
		}
		return b.String()
	case got.TotalChars == 0:
		fmt.Fprintf(&b, "%s: an empty file, sha256 %s", got.Path, hash)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: lines %d-%d of %d, characters %d-%d of %d, sha256 %s", got.Path,
		got.StartLine, got.EndLine, got.TotalLines, got.StartChar, got.EndChar, got.TotalChars, hash)
	if got.CRLF {
		b.WriteString(", CRLF line ends")
	}
	b.WriteByte('\n')
	if byChars {
		b.WriteString(workspace.Visible(got.Text))
		if got.NextChar > 0 {
			fmt.Fprintf(&b, "\n[%s left; go on with start_char %d]", workspace.Count(got.TotalChars-got.EndChar, "character"), got.NextChar)
		}
		return b.String()
	}
	for _, line := range got.Lines {
		fmt.Fprintf(&b, "%d\t%s", line.Number, workspace.Visible(line.Text))
		if line.Left > 0 {
			fmt.Fprintf(&b, "… [line cut, %s left; go on with start_char %d]", workspace.Count(line.Left, "character"), line.Next)
		}
		b.WriteByte('\n')
	}
	if got.NextLine > 0 {
		fmt.Fprintf(&b, "[%s left; go on with start_line %d]", workspace.Count(got.TotalLines-got.EndLine, "line"), got.NextLine)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func listFiles() tooling.Tool {
	return readingTool("builtin:workspace.list_files", gateWorkspace,
		"List files and directories of the workspace. Works without arguments.",
		`{"type":"object","additionalProperties":false,"properties":{`+
			`"path":{"type":"string","description":"Directory to list; the root when left out."},`+
			`"depth":{"type":"integer","minimum":1,"maximum":4,"default":2,"description":"Levels below it."}}}`,
		listWorkspace)
}

type listedFile struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"` // file, directory, link
	Target string `json:"target,omitempty"`
	Chars  *int   `json:"chars,omitempty"`
}

type listedFiles struct {
	Entries   []listedFile `json:"entries"`
	Truncated bool         `json:"truncated"`
	Total     int          `json:"total"`
}

func listWorkspace(_ context.Context, c *tooling.Call) tooling.Result {
	start := startOf(c.Args)
	got, err := c.View.List(start, argInt(c.Args, "depth", 0))
	if err != nil {
		return fileFault(err)
	}
	out := listedFiles{Entries: []listedFile{}, Truncated: got.Truncated, Total: got.Total}
	var b strings.Builder
	for _, e := range got.Entries {
		if e.Directory {
			out.Entries = append(out.Entries, listedFile{Path: e.Path, Kind: "directory"})
			fmt.Fprintf(&b, "%s/\n", e.Path)
			continue
		}
		if e.Link != "" {
			out.Entries = append(out.Entries, listedFile{Path: e.Path, Kind: "link", Target: e.Link})
			fmt.Fprintf(&b, "%s -> %s\n", e.Path, workspace.Visible(e.Link))
			continue
		}
		out.Entries = append(out.Entries, listedFile{Path: e.Path, Kind: "file", Chars: &e.Chars})
		fmt.Fprintf(&b, "%s (%s)\n", e.Path, workspace.Count(e.Chars, "character"))
	}
	switch {
	case got.Total == 0:
		fmt.Fprintf(&b, "%s is empty", start)
	case got.Truncated:
		fmt.Fprintf(&b, "[%s left out; list a directory below]", workspace.Count(got.Total-len(got.Entries), "more name"))
	}
	return tooling.Result{Content: strings.TrimSuffix(b.String(), "\n"), Structured: out}
}
