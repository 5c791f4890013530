package data

import (
	"fmt"
	"strings"
)

// applied is how the hunks of one file went.
type applied struct {
	text     string
	report   []string // messages about hunks
	rejected []int    // hunks that did not fit
	grown    []int    // for each of these, the lines that the file had gained before it
	mismatch bool     // one did not stand where it should, or not exactly so
	reversed bool     // the first hunk fits backwards: nothing was done
}

// applier puts hunks into lines.
type applier struct {
	lines  []string // of the file
	fuzz   int      // lines of context that may differ at each end
	spaces bool     // amounts of white space do not count
	detect bool     // look whether the first hunk fits backwards
	out    strings.Builder
	frozen int // lines that are written
	shift  int // where hunks stand, against what they say
	grown  int // lines that hunks have added
}

func (h patchHunk) reverse() patchHunk {
	r := patchHunk{oldAt: h.newAt, oldCount: h.newCount, newAt: h.oldAt, newCount: h.oldCount, function: h.function}
	for i := 0; i < len(h.lines); {
		// Within a block the lines that go come first.
		j := i
		for j < len(h.lines) && h.lines[j].op != ' ' {
			j++
		}
		for _, op := range []byte{'+', '-'} {
			for _, l := range h.lines[i:j] {
				if l.op == op {
					r.lines = append(r.lines, patchLine{'+' + '-' - op, l.text})
				}
			}
		}
		if j < len(h.lines) {
			r.lines = append(r.lines, h.lines[j])
			j++
		}
		i = j
	}
	return r
}

// old gives the lines that must stand in the file, and how many lines of context there are
// at both ends.
func (h patchHunk) old() (lines []string, before, after int) {
	for _, l := range h.lines {
		if l.op != '+' {
			lines = append(lines, l.text)
		}
	}
	for before < len(h.lines) && h.lines[before].op == ' ' {
		before++
	}
	for after < len(h.lines)-before && h.lines[len(h.lines)-1-after].op == ' ' {
		after++
	}
	return lines, before, after
}

// first gives the index of the line at which the old lines should stand.
func (h patchHunk) first() int {
	if h.oldCount == 0 {
		return h.oldAt
	}
	return h.oldAt - 1
}

// apply puts all hunks in.
func (a *applier) apply(hunks []patchHunk) applied {
	var result applied
	for i, h := range hunks {
		where, fuzz := -1, 0
		_, before, after := h.old()
		for ; fuzz <= min(a.fuzz, max(before, after)); fuzz++ {
			if where = a.locate(h, fuzz); where >= 0 {
				break
			}
			if i == 0 && a.detect {
				r := h.reverse()
				if a.locate(r, fuzz) >= 0 {
					result.reversed = true
					return result
				}
			}
		}
		if where < 0 {
			result.rejected = append(result.rejected, i)
			result.grown = append(result.grown, a.grown)
			result.mismatch = true
			result.report = append(result.report, fmt.Sprintf("Hunk #%d FAILED at %d.", i+1, max(h.first()+1+a.grown, 1)))
			continue
		}
		a.shift = where - h.first()
		if fuzz > 0 || a.shift != 0 {
			result.mismatch = true
			text := fmt.Sprintf("Hunk #%d succeeded at %d", i+1, where+1+a.grown)
			if fuzz > 0 {
				text += fmt.Sprintf(" with fuzz %d", fuzz)
			}
			if a.shift != 0 {
				plural := "s"
				if a.shift == 1 {
					plural = ""
				}
				text += fmt.Sprintf(" (offset %d line%s)", a.shift, plural)
			}
			result.report = append(result.report, text+".")
		}
		a.put(h, where)
	}
	a.copyTo(len(a.lines))
	result.text = a.out.String()
	return result
}

// locate gives the index of the line where a hunk fits, or -1. It looks where the hunk
// should stand and then further and further away.
func (a *applier) locate(h patchHunk, fuzz int) int {
	old, before, after := h.old()
	context := max(before, after)
	cutBefore, cutAfter := fuzz+before-context, fuzz+after-context
	guess := h.first() + a.shift
	last := len(a.lines) - len(old)
	fits := func(at int) bool {
		if at < a.frozen || at > last+max(cutAfter, 0) {
			return false
		}
		for i := max(cutBefore, 0); i < len(old)-max(cutAfter, 0); i++ {
			if at+i >= len(a.lines) || !a.same(a.lines[at+i], old[i]) {
				return false
			}
		}
		return true
	}
	switch {
	case len(old) == 0 && len(a.lines) == 0:
		return 0
	case cutBefore < 0 && h.oldAt <= 1: // less context before: it begins the file
		if fits(0) && (cutAfter >= 0 || last == 0) {
			return 0
		}
		return -1
	case cutAfter < 0: // less context after: it ends the file
		if last >= 0 && fits(last) {
			return last
		}
		return -1
	case fits(guess):
		return guess
	}
	for offset := 1; guess-offset >= a.frozen || guess+offset <= len(a.lines); offset++ {
		if fits(guess + offset) {
			return guess + offset
		}
		if fits(guess - offset) {
			return guess - offset
		}
	}
	return -1
}

func (a *applier) same(line, want string) bool {
	if line == want {
		return true
	}
	if a.spaces {
		s := sameness{amount: true}
		return s.key(line) == s.key(want)
	}
	return false
}

func (a *applier) copyTo(end int) {
	for ; a.frozen < end; a.frozen++ {
		a.out.WriteString(a.lines[a.frozen])
	}
}

// put writes the file up to a hunk and the hunk; context is taken from the file.
func (a *applier) put(h patchHunk, where int) {
	a.copyTo(where)
	for _, l := range h.lines {
		switch l.op {
		case '+':
			a.out.WriteString(l.text)
			a.grown++
		case '-':
			a.frozen = min(a.frozen+1, len(a.lines))
			a.grown--
		default:
			a.copyTo(min(a.frozen+1, len(a.lines)))
		}
	}
}

// rejects gives the hunks that did not fit, as a patch.
func rejects(p *filePatch, failed, grown []int) string {
	var b strings.Builder
	b.WriteString("--- " + headerText(p, "--- ", "*** ", p.oldName) + "\n+++ " + headerText(p, "+++ ", "--- ", p.newName) + "\n")
	for n, i := range failed {
		h := p.hunks[i]
		h.oldAt += grown[n]
		h.newAt += grown[n]
		fmt.Fprintf(&b, "@@ -%s +%s @@%s\n", rejectSpan(h.oldAt, h.oldCount), rejectSpan(h.newAt, h.newCount), h.function)
		for _, l := range h.lines {
			b.WriteByte(l.op)
			b.WriteString(l.text)
			if !strings.HasSuffix(l.text, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

func rejectSpan(at, count int) string {
	if count == 1 {
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, count)
}

// headerText gives the text of a header line as it was, with its time.
func headerText(p *filePatch, unified, context, otherwise string) string {
	mark := unified
	if p.form == 'c' {
		mark = context
	}
	for i := len(p.header) - 1; i >= 0; i-- {
		if text, ok := strings.CutPrefix(strings.TrimRight(p.header[i], "\r\n"), mark); ok {
			return text
		}
	}
	return otherwise
}
