package builtin

import (
	"context"
	"fmt"

	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func writeFile() tooling.Tool {
	return writingTool("builtin:workspace.write_file",
		"Create, replace or extend a file of the workspace. To replace a file, read it first. Directories are made.",
		`{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{`+
			`"path":{"type":"string","description":"File to write, such as output/main.md."},`+
			`"content":{"type":"string","description":"The text, exactly."},`+
			`"mode":{"type":"string","enum":["replace","append"],"default":"replace","description":"append adds to the end, without a line end of its own."},`+
			`"executable":{"type":"boolean","default":false,"description":"For a new script that begins with #!."}}}`,
		[]string{"content"}, writeWorkspace)
}

type writtenFile struct {
	Path       string `json:"path"`
	Mode       string `json:"mode"`
	Chars      int    `json:"chars"`
	Words      int    `json:"words"`
	TotalChars int    `json:"totalChars"`
	OldSHA256  string `json:"oldSha256,omitempty"`
	SHA256     string `json:"sha256"`
	Created    bool   `json:"created"`
}

func writeWorkspace(ctx context.Context, c *tooling.Call) tooling.Result {
	w := workspace.WriteRequest{
		Path: argText(c.Args, "path"), Content: argText(c.Args, "content"),
		Append: argText(c.Args, "mode") == "append", Executable: argBool(c.Args, "executable"),
	}
	got, err := c.View.Write(ctx, w)
	if err != nil {
		return fileFault(err)
	}
	out := writtenFile{
		Path: got.Change.Path, Mode: "replace", Chars: workspace.Chars(w.Content), Words: workspace.Words(w.Content),
		TotalChars: got.Change.Chars, OldSHA256: got.Change.Old, SHA256: got.Change.New, Created: got.Created,
	}
	did := "wrote"
	if w.Append {
		out.Mode, did = "append", "appended"
	}
	content := fmt.Sprintf("%s %s, %s to %s", did, workspace.Count(out.Chars, "character"), workspace.Count(out.Words, "word"), out.Path)
	switch {
	case got.Created:
		content += " (new file)"
	case w.Append:
		content += fmt.Sprintf(" (now %s)", workspace.Count(out.TotalChars, "character"))
	}
	return tooling.Result{
		Content: content, Structured: out,
		Changes: []workspace.Change{got.Change}, Observed: got.Observed,
	}
}

func applyPatch() tooling.Tool {
	return writingTool("builtin:workspace.apply_patch",
		"Replace a text in a file of the workspace that you have read. The old text must occur exactly once, unless replace_all.",
		`{"type":"object","additionalProperties":false,"required":["path","old_string","new_string"],"properties":{`+
			`"path":{"type":"string","description":"File to change."},`+
			`"old_string":{"type":"string","description":"The text to replace, exactly, without line numbers."},`+
			`"new_string":{"type":"string","description":"The text to put there, literally; may be empty."},`+
			`"replace_all":{"type":"boolean","default":false,"description":"Replace every occurrence; needs a full read."}}}`,
		[]string{"old_string", "new_string"}, patchWorkspace)
}

type patchedFile struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	Chars        int    `json:"chars"` // of the new text
	Words        int    `json:"words"`
	OldSHA256    string `json:"oldSha256"`
	SHA256       string `json:"sha256"`
	StartLine    int    `json:"startLine"`
	EndLine      int    `json:"endLine"`
}

func patchWorkspace(ctx context.Context, c *tooling.Call) tooling.Result {
	got, err := c.View.Patch(ctx, workspace.PatchRequest{
		Path: argText(c.Args, "path"), Old: argText(c.Args, "old_string"), New: argText(c.Args, "new_string"), All: argBool(c.Args, "replace_all"),
	})
	if err != nil {
		r := fileFault(err)
		r.Observed = got.Observed
		return r
	}
	out := patchedFile{
		Path: got.Change.Path, Replacements: got.Replacements,
		Chars: workspace.Chars(got.Inserted), Words: workspace.Words(got.Inserted),
		OldSHA256: got.Change.Old, SHA256: got.Change.New, StartLine: got.StartLine, EndLine: got.EndLine,
	}
	return tooling.Result{
		Content: fmt.Sprintf("patched %s: %s, lines %d-%d, now %s, sha256 %s", out.Path, workspace.Count(out.Replacements, "replacement"),
			out.StartLine, out.EndLine, workspace.Count(got.Change.Chars, "character"), workspace.Short(out.SHA256)),
		Structured: out,
		Changes:    []workspace.Change{got.Change}, Observed: got.Observed,
	}
}
