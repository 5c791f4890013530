package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// PatchRequest asks for a text to be replaced in a file, literally.
type PatchRequest struct {
	Path     string
	Old, New string
	All      bool // every occurrence; else there must be exactly one
}

// Patched is a checked patch.
type Patched struct {
	Change             Change
	Replacements       int
	Inserted           string // the new text as it stands in the file
	StartLine, EndLine int    // from the first replacement to the last, in the new text
	// Observed is also set when the patch failed: a failed patch of a partly read file
	// asks for a full read.
	Observed []journal.Observed
}

// Patch checks a patch against the manifest and the read-state of the view. Line ends
// and a byte order mark of the file are kept: an old text with LF alone also matches
// CR LF, and the new text then gets the line ends of the place it goes to.
func (v *View) Patch(ctx context.Context, r PatchRequest) (Patched, error) {
	out, err := v.patch(ctx, r)
	if err == nil {
		return out, nil
	}
	var failed Patched
	p, bad := ParsePath(r.Path)
	if bad == nil {
		p, bad = v.o.Manifest.resolve(p, v.o.Roots.CanSee)
	}
	if bad == nil {
		seen, ok := v.o.Reads.Get(p)
		if ok && !seen.Full && !v.seenWhole(ctx, p, seen) {
			failed.Observed = []journal.Observed{{Path: p, Hash: seen.Hash, Failed: true}}
		}
	}
	return failed, err
}

// seenWhole says whether fragments cover a whole file, which two reads at once may have
// brought about without either knowing it.
func (v *View) seenWhole(ctx context.Context, p string, seen FileRead) bool {
	e, ok := v.o.Manifest.Get(p)
	if !ok || e.Hash != seen.Hash {
		return false
	}
	content, err := v.textContent(ctx, p, e)
	return err == nil && seen.covers(bodyChars(content))
}

func (v *View) patch(ctx context.Context, r PatchRequest) (Patched, error) {
	switch {
	case r.Old == "":
		return Patched{}, fault.New("workspace.patch_empty_old_string", "old_string is empty; give the text to replace, or write the file")
	case r.Old == r.New:
		return Patched{}, fault.New("workspace.patch_no_change", "old_string and new_string are equal; nothing to do")
	}
	p, err := v.writable(r.Path)
	if err != nil {
		return Patched{}, err
	}
	seen, ok := v.o.Reads.Get(p)
	e, exists := v.o.Manifest.Get(p)
	switch {
	case !ok && !exists:
		return Patched{}, fault.New("workspace.patch_requires_read", "%s was not read here; read it before you patch it", p)
	case !ok:
		return Patched{}, v.fresh(p, e, "patch")
	case !exists:
		return Patched{}, v.notFound(codeFileNotFound, p)
	case seen.Hash != e.Hash:
		return Patched{}, v.stale("patch", p, e)
	}
	content, err := v.textContent(ctx, p, e)
	if err != nil {
		return Patched{}, err
	}
	mark, body := splitBOM(content)
	full := seen.covers(Chars(body))
	switch {
	case !full && seen.NeedsFull:
		return Patched{}, fault.New("workspace.patch_requires_full_read", "%s was read in part and a patch of it failed; read the whole file (%s) before the next patch", p, Count(Chars(body), "character"))
	case !full && r.All:
		return Patched{}, fault.New("workspace.patch_requires_full_read", "%s was read in part; replace_all needs the whole file (%s) to have been read", p, Count(Chars(body), "character"))
	}
	places := find(body, r.Old)
	switch {
	case len(places) == 0:
		return Patched{}, fault.New("workspace.patch_old_string_not_found", "old_string does not occur in %s%s", p, nearest(body, r.Old))
	case len(places) > 1 && !r.All:
		return Patched{}, fault.New("workspace.patch_old_string_not_unique", "old_string occurs %d times in %s, at lines %s; give more of the text around it, or set replace_all",
			len(places), p, linesOf(body, places))
	}
	at := Span{Chars(body[:places[0].Start]), Chars(body[:places[0].End])}
	if !full && !seen.holds(at) {
		return Patched{}, fault.New("workspace.patch_requires_full_read", "old_string stands in a part of %s that was not read here (line %d); read it, whole or there, in one piece",
			p, lineAt(body, places[0].Start))
	}
	out := replace(body, places, r.New)
	c := Change{Path: p, Op: OpPatch, Old: e.Hash, Exec: e.Exec, Content: mark + out.Change.Content}
	if out.Change, err = v.sealed(c, e, len(out.Inserted)*len(places)); err != nil {
		return Patched{}, err
	}
	if full {
		out.Observed = observeFull(p, out.Change.New)
	} else {
		out.Observed = observe(p, out.Change.New, moved(seen.Fragments, at, Chars(out.Inserted)))
	}
	return out, nil
}

// find gives the places of old in body, in bytes, from left to right and apart from each
// other. When old has no carriage return, its line feeds also match CR LF.
func find(body, old string) []Span {
	var out []Span
	if strings.Contains(old, "\r") || !strings.Contains(old, "\n") || !strings.Contains(body, "\r\n") {
		for from := 0; ; {
			i := strings.Index(body[from:], old)
			if i < 0 {
				return out
			}
			out = append(out, Span{from + i, from + i + len(old)})
			from += i + len(old)
		}
	}
	// Offsets, in the text with LF alone, of the line feeds that stand for CR LF.
	var pairs []int
	for from := 0; ; {
		i := strings.Index(body[from:], "\r\n")
		if i < 0 {
			break
		}
		pairs = append(pairs, from+i-len(pairs))
		from += i + 2
	}
	raw := func(at int) int { return at + sort.SearchInts(pairs, at) }
	for _, s := range find(strings.ReplaceAll(body, "\r\n", "\n"), old) {
		out = append(out, Span{raw(s.Start), raw(s.End)})
	}
	return out
}

// replace puts text at every place of body.
func replace(body string, places []Span, text string) Patched {
	var b strings.Builder
	out := Patched{Replacements: len(places)}
	from, start, end := 0, 0, 0
	for i, s := range places {
		b.WriteString(body[from:s.Start])
		if i == 0 {
			start = b.Len()
		}
		out.Inserted = withLineEnds(text, body, s.Start)
		b.WriteString(out.Inserted)
		from, end = s.End, b.Len()
	}
	b.WriteString(body[from:])
	out.Change.Content = b.String()
	out.StartLine = lineAt(out.Change.Content, start)
	out.EndLine = max(out.StartLine, lineAt(out.Change.Content, end))
	if end > start && out.Change.Content[end-1] == '\n' {
		out.EndLine = max(out.StartLine, out.EndLine-1)
	}
	return out
}

// withLineEnds gives text with the line ends of body at a place: those of the line there,
// or, on a last line without one, of the line before.
func withLineEnds(text, body string, at int) string {
	end := strings.IndexByte(body[at:], '\n')
	if end >= 0 {
		end += at
	} else {
		end = strings.LastIndexByte(body[:at], '\n')
	}
	if end < 1 || body[end-1] != '\r' {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// moved lets fragments follow a change of the characters at a place, which lies in one of
// them, to n characters.
func moved(fragments []Span, at Span, n int) []Span {
	by := n - (at.End - at.Start)
	out := slices.Clone(fragments)
	for i := range out {
		if out[i].Start >= at.End {
			out[i].Start += by
		}
		if out[i].End >= at.End {
			out[i].End += by
		}
	}
	return join(nil, out...)
}

// maxLinesNamed bounds the lines that an error names.
const maxLinesNamed = 10

func linesOf(body string, places []Span) string {
	var b strings.Builder
	for i, s := range places {
		if i == maxLinesNamed {
			fmt.Fprintf(&b, " and %d more", len(places)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, lineAt(body, s.Start))
	}
	return b.String()
}

// nearest shows the lines that look most like the first line of old with words in it.
func nearest(body, old string) string {
	want := ""
	for line := range strings.Lines(old) {
		if want = strings.TrimSpace(line); Words(want) > 0 {
			break
		}
	}
	words := strings.Fields(strings.ToLower(want))
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) == 0 {
		return ""
	}
	type candidate struct {
		line  int
		text  string
		score float64
	}
	var best []candidate
	n := 0
	for line := range strings.Lines(body) {
		n++
		trimmed := strings.TrimSpace(line)
		score, _ := matchWords(strings.ToLower(trimmed), words)
		if trimmed == want {
			score = 2 // differs in white space, or in the lines that follow
		}
		if score < 0.5 {
			continue
		}
		best = append(best, candidate{n, snippet(strings.TrimRight(line, "\r\n"), 0), score})
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		best = best[:min(len(best), 3)]
	}
	if len(best) == 0 {
		return "; no line of it is like that"
	}
	var b strings.Builder
	b.WriteString("; the nearest lines:")
	for _, c := range best {
		fmt.Fprintf(&b, "\n%d\t%s", c.line, Visible(c.text))
	}
	return b.String()
}
