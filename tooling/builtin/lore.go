package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/input"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func loreRead() tooling.Tool {
	t := givenTool("builtin:worldinfo.read_activated",
		"Without arguments: list the background entries that were activated for this run, with their refs and why. With entries: read them, whole or in parts. "+
			"At most 8,000 characters of one entry and 20,000 in one call.",
		`{"type":"object","additionalProperties":false,"properties":{`+
			`"entries":{"type":"array","minItems":1,"maxItems":20,"description":"What to read; the list of entries when left out.","items":{`+
			`"type":"object","additionalProperties":false,"required":["ref"],"properties":{`+
			`"ref":{"type":"string","minLength":1,"description":"Ref of the entry, from the list."},`+frozenRange+`}}}}}`,
		readLore)
	t.Condition = tooling.HasLore
	return t
}

type loreEntry struct {
	Ref        string `json:"ref"`
	UID        string `json:"uid,omitempty"`
	Name       string `json:"name,omitempty"`
	Position   string `json:"position,omitempty"`
	Constant   bool   `json:"constant"`
	Chars      int    `json:"chars"` // of Text; of a listed entry that of the whole
	TotalChars int    `json:"totalChars"`
	Truncated  bool   `json:"truncated,omitempty"`
	Text       string `json:"text,omitempty"`
}

type loreEntries struct {
	Entries []loreEntry `json:"entries"`
}

func readLore(_ context.Context, c *tooling.Call) tooling.Result {
	if !c.Input.HasLore() {
		return tooling.Fail("worldinfo.activation_unavailable", "this run was started without background entries, so there is nothing to read")
	}
	if !c.Args.Has("entries") {
		return listLore(c)
	}
	asked, _ := c.Args.Objects("entries")
	list, found := make([]excerpt, len(asked)), make([]*input.Activated, len(asked))
	for i, o := range asked {
		ref := argText(o, "ref")
		if found[i] = activated(c.Input, ref); found[i] == nil {
			return tooling.Fail("worldinfo.entry_not_found", noEntry(c.Input, ref))
		}
		list[i] = excerptOf(o, "entry "+ref, found[i].Content)
	}
	parts, refused := excerpts(c, "worldinfo", list)
	if refused != nil {
		return *refused
	}
	out := loreEntries{Entries: make([]loreEntry, len(parts))}
	var b strings.Builder
	for i := range parts {
		p, e := &parts[i], found[i]
		out.Entries[i] = entryOf(e, p.total)
		out.Entries[i].Chars, out.Entries[i].Truncated, out.Entries[i].Text = p.end-p.start, p.end-p.start < p.total, p.text
		p.write(&b, "entry "+titled(e))
	}
	return shown(c, "worldinfo", b.String(), out)
}

// listLore lists the activated entries without their texts, as many as fit.
func listLore(c *tooling.Call) tooling.Result {
	all := c.Input.Lore
	out := loreEntries{Entries: []loreEntry{}}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of the %d entries given with this run are activated", len(all), c.Input.LoreSize)
	room := min(frozenCall, inline(c)-frozenRoom)
	for i := range all {
		e := &all[i]
		total := workspace.Chars(e.Content)
		line := fmt.Sprintf("\n%s: %s, %s", titled(e), workspace.Count(total, "character"), e.Reason)
		if room -= workspace.Chars(workspace.Visible(line)); room < 0 && i > 0 {
			fmt.Fprintf(&b, "\n[%d more are not listed]", len(all)-i)
			break
		}
		out.Entries = append(out.Entries, entryOf(e, total))
		b.WriteString(line)
	}
	return tooling.Result{Content: b.String(), Structured: out}
}

func entryOf(e *input.Activated, total int) loreEntry {
	return loreEntry{Ref: e.Ref, UID: e.UID, Name: e.Name, Position: e.Position, Constant: e.Constant, Chars: total, TotalChars: total}
}

func titled(e *input.Activated) string {
	if e.Name == "" {
		return e.Ref
	}
	return e.Ref + " (" + e.Name + ")"
}

func activated(f *input.Frozen, ref string) *input.Activated {
	for i := range f.Lore {
		if f.Lore[i].Ref == ref {
			return &f.Lore[i]
		}
	}
	return nil
}

func noEntry(f *input.Frozen, ref string) string {
	refs := make([]string, len(f.Lore))
	for i := range f.Lore {
		refs[i] = f.Lore[i].Ref
	}
	text := fmt.Sprintf("there is no activated entry %q; ", ref)
	if len(refs) == 0 {
		return text + "no entry was activated for this run"
	}
	return text + "the nearest are " + strings.Join(tooling.Nearest(ref, refs, 5), ", ") + ". Nothing was read; a call without arguments lists all."
}
