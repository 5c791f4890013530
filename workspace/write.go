package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Operations of a [Change].
const (
	OpWrite  = "write"
	OpAppend = "append"
	OpPatch  = "patch"
	OpDelete = "delete"
)

// WriteRequest asks for a file to be written.
type WriteRequest struct {
	Path       string
	Content    string
	Append     bool // to the end, without a line end of its own; else the file is replaced
	Executable bool // of a new file whose content begins with "#!"
}

// Written is a checked write.
type Written struct {
	Change   Change
	Created  bool
	Observed []journal.Observed
}

// Write checks a write against the manifest and the read-state of the view. Through a link
// it writes the file that the link leads to, whose path the change has.
func (v *View) Write(ctx context.Context, w WriteRequest) (*Written, error) {
	p, err := v.writable(w.Path)
	if err != nil {
		return nil, err
	}
	old, exists := v.o.Manifest.Get(p)
	out := &Written{Created: !exists}
	c := Change{Path: p, Op: OpWrite, Old: old.Hash, Exec: old.Exec, Content: w.Content}
	switch {
	case !exists:
		if err := v.creatable(p); err != nil {
			return nil, err
		}
		c.Exec = w.Executable && strings.HasPrefix(w.Content, "#!")
	case w.Append:
		before, err := v.textContent(ctx, p, old)
		if err != nil {
			return nil, err
		}
		c.Content = before + w.Content
	default:
		if err := v.fresh(p, old, "write"); err != nil {
			return nil, err
		}
	}
	if w.Append {
		c.Op = OpAppend
	}
	out.Change, err = v.sealed(c, old, len(w.Content))
	if err != nil {
		return nil, err
	}
	switch {
	case !exists || !w.Append:
		out.Observed = observeFull(p, out.Change.New)
	default:
		out.Observed = v.afterAppend(p, old.Hash, out.Change, w.Content)
	}
	return out, nil
}

// afterAppend lets the read-state follow an append when it was at exactly the content
// before; else the append says nothing about what was seen.
func (v *View) afterAppend(p, before string, c Change, added string) []journal.Observed {
	seen, ok := v.o.Reads.Get(p)
	if !ok || seen.Hash != before {
		return nil
	}
	total := bodyChars(c.Content)
	if seen.covers(total - Chars(added)) {
		return observeFull(p, c.New)
	}
	return observe(p, c.New, join(seen.Fragments, Span{total - Chars(added), total}))
}

// bodyChars counts the characters that reading shows.
func bodyChars(content string) int {
	_, body := splitBOM(content)
	return Chars(body)
}

// writable checks a path for writing, and gives the one that links lead to.
func (v *View) writable(path string) (string, error) {
	given, err := ParsePath(path)
	if err != nil {
		return "", err
	}
	p, err := v.o.Manifest.resolve(given, v.o.Roots.CanSee)
	if err != nil {
		return "", err
	}
	if p == "" {
		return "", v.notDirectory(p)
	}
	if v.o.Roots.CanWrite(p) {
		if err := v.parentIsFile(p); err != nil {
			return "", err
		}
		if e, ok := v.o.Manifest.Get(p); ok && e.Kind == "" {
			return p, nil
		}
		return p, v.notDirectory(p)
	}
	if slices.Contains(v.o.Roots.Writable, p) {
		return "", v.notDirectory(p)
	}
	if p != given {
		p = given + " is a link to " + p + ", which"
	}
	return "", fault.New(codeNotWritable, "%s is not writable here; a file can be written below: %s", p, names(v.o.Roots.Writable))
}

// creatable checks the name of a new file.
func (v *View) creatable(p string) error {
	if err := checkNewName(p); err != nil {
		return err
	}
	// Only what is below the root counts: what lies beside it may be hidden.
	root := v.o.Roots.writableRoot(p)
	for other := range v.o.Manifest.under(root) {
		if c := clash(p, other); c != "" {
			return fault.New("workspace.path_ambiguous", "%s cannot be created: it differs from %s in case or normal form only; use that name or another one", p, c)
		}
	}
	return nil
}

// fresh checks that a file was read and has not changed since. The codes begin with
// workspace.<op>_.
func (v *View) fresh(p string, e Entry, op string) error {
	seen, ok := v.o.Reads.Get(p)
	if !ok {
		what := "replace it"
		if op == "patch" {
			what = "patch it"
		}
		return fault.New("workspace."+op+"_requires_read", "%s exists (%s) and was not read here; read it before you %s", p, describe(e), what)
	}
	if seen.Hash != e.Hash {
		return v.stale(op, p, e)
	}
	return nil
}

func (v *View) stale(op, p string, e Entry) error {
	by := e.By
	switch by {
	case "":
		by = "outside"
	case v.o.Agent:
		by = "you, not by way of the file tools"
	}
	return fault.New("workspace."+op+"_stale_file", "%s has changed since it was read here: now %s, sha256 %s, changed last by %s; read it again before you change it",
		p, describe(e), Short(e.Hash), by)
}

func describe(e Entry) string {
	return fmt.Sprintf("%s, %s", Count(e.Size, "byte"), Count(e.Chars, "character"))
}

// sealed fills in what follows from the content of a change and checks the limits.
func (v *View) sealed(c Change, old Entry, written int) (Change, error) {
	c.New, c.Size, c.Chars = HashOf([]byte(c.Content)), len(c.Content), Chars(c.Content)
	l := v.o.Limits
	if c.Size > l.FileBytes {
		return c, overLimit(c.Path, "the file", int64(c.Size), int64(l.FileBytes), "bytes", "file")
	}
	if written > l.CallBytes {
		return c, overLimit(c.Path, "the text of one call", int64(written), int64(l.CallBytes), "bytes", "call")
	}
	if n := v.o.Manifest.Len() + 1; c.Old == "" && n > l.Files {
		return c, overLimit(c.Path, "the workspace", int64(n), int64(l.Files), "files", "files")
	}
	if n := v.o.Manifest.Bytes() + int64(c.Size-old.Size); c.Size > old.Size && n > l.TotalBytes {
		return c, overLimit(c.Path, "the workspace", n, l.TotalBytes, "bytes", "total")
	}
	if n := v.o.Written + int64(written); n > l.RunBytes {
		return c, overLimit(c.Path, "all that the run has written", n, l.RunBytes, "bytes", "run")
	}
	return c, nil
}
